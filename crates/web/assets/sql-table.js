// @ts-check
// The rows of an answer: any number of them, of which those in sight are fetched and drawn.

import { blob, clear, el } from "./app.js";

/**
 * @typedef {{name: string, type: string, number: boolean, page: string | null}} Column
 * @typedef {{answer: number, rows: number, columns: Column[], seconds: number, cut: string | null,
 *   bad: {count: number, first: string[]}}} Answer
 */

/** Rows that are fetched together. */
const PAGE = 200;
/** Browsers cut elements off that are higher than about 16 million pixels. */
const HIGHEST = 8_000_000;
const HEAD = 32;

/**
 * The cells of lines of CSV; null where a value is missing.
 * @param {string} text
 * @returns {(string | null)[][]}
 */
export function parseCsv(text) {
  /** @type {(string | null)[][]} */
  const rows = [];
  let at = 0;
  while (at < text.length) {
    /** @type {(string | null)[]} */
    const row = [];
    for (;;) {
      if (text[at] === '"') {
        let value = "";
        for (;;) {
          const end = text.indexOf('"', at + 1);
          value += text.slice(at + 1, end);
          at = end + 1;
          if (text[at] !== '"') break;
          value += '"';
        }
        row.push(value);
      } else {
        let end = at;
        while (text[end] !== "," && text[end] !== "\n") end += 1;
        row.push(end > at ? text.slice(at, end) : null);
        at = end;
      }
      if (text[at] === ",") at += 1;
      else break;
    }
    at += 1;
    rows.push(row);
  }
  return rows;
}

/** @param {number} answer @param {number} from @param {number} count */
export async function fetchRows(answer, from, count) {
  const data = await blob("/api/sql/rows", { query: { answer, from, count } });
  return parseCsv(await data.text());
}

/** Pictures by text. @type {Map<string, Promise<string>>} */
const pictures = new Map();

/** @param {string} text */
function picture(text) {
  const known = pictures.get(text);
  if (known) return known;
  const made = blob("/api/sql/drawing", { query: { text } }).then((data) => URL.createObjectURL(data));
  pictures.set(text, made);
  if (pictures.size > 400) {
    const [oldest, url] = /** @type {[string, Promise<string>]} */ (pictures.entries().next().value);
    pictures.delete(oldest);
    url.then((made) => URL.revokeObjectURL(made), () => {});
  }
  return made;
}

/**
 * @param {Answer} answer
 * @param {{drawings: boolean, onError: (error: Error) => void}} options
 * @returns {HTMLElement}
 */
export function rowsTable(answer, options) {
  const tall = options.drawings && answer.columns.some((column) => column.page);
  const height = tall ? 93 : 29;
  const all = answer.rows * height + HEAD;
  const scaled = all > HIGHEST;
  const span = el("div.span");
  span.style.height = `${Math.min(all, HIGHEST)}px`;
  const head = el("tr", { "aria-rowindex": 1 }, el("th.index", { scope: "col" }, el("span.sr", {}, "row")),
    answer.columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null, title: `${column.name}: ${column.type}` }, column.name)));
  const body = el("tbody");
  const columns = el("colgroup");
  const table = el("table", { class: tall ? "tall" : null, "aria-label": "Rows", "aria-rowcount": answer.rows + 1 }, columns, el("thead", {}, head), body);
  span.append(table);
  // Browsers let the keyboard reach what scrolls.
  const box = el("div.rows", { "data-id": "rows" }, span);
  /** @type {Map<number, (string | null)[][] | Promise<void>>} */
  const pages = new Map();
  let first = 0;
  let drawn = "";

  const visible = () => Math.max(1, Math.ceil((box.clientHeight - HEAD) / height));
  const most = () => Math.max(0, answer.rows - Math.floor((box.clientHeight - HEAD) / height));

  const load = (/** @type {number} */ page) => {
    const known = pages.get(page);
    if (known) return known;
    const loading = fetchRows(answer.answer, page * PAGE, PAGE).then((rows) => {
      pages.set(page, rows);
      measure(rows);
      if (pages.size > 50) pages.delete(/** @type {number} */ (pages.keys().next().value));
      drawn = "";
      draw();
    }, (error) => {
      pages.delete(page);
      options.onError(error);
    });
    pages.set(page, loading);
    return loading;
  };

  const cell = (/** @type {string | null} */ value, /** @type {Column} */ column) => {
    if (value === null) return el("td.none", {}, "");
    if (column.page && options.drawings) {
      const image = el("img", { alt: "", width: 84, height: 84 });
      picture(value).then((url) => { image.src = url; }, () => image.remove());
      const link = el("a.drawn", { href: column.page + encodeURIComponent(value), title: value }, image, el("span", {}, value));
      return el("td", {}, link);
    }
    if (column.page) return el("td", { title: value }, el("a", { href: column.page + encodeURIComponent(value) }, value));
    return el("td", { class: column.number ? "number" : null, title: value.length > 24 ? value : null }, value.length > 400 ? `${value.slice(0, 400)}…` : value);
  };

  /** Widths by the rows that were seen: columns grow, but do not shrink. @type {number[]} */
  let widest = [];
  /** @param {(string | null)[][]} rows */
  const measure = (rows) => {
    const digits = String(answer.rows).length * 8 + 20;
    const widths = answer.columns.map((column, index) => {
      const longest = rows.reduce((most, row) => Math.max(most, (row[index] ?? "").length), widest[index] ?? column.name.length + 1);
      widest[index] = longest;
      return Math.min(column.page && options.drawings ? 320 : 380, Math.max(56, longest * 8 + 24));
    });
    columns.replaceChildren(...[digits, ...widths].map((width) => {
      const node = el("col");
      node.style.width = `${width}px`;
      return node;
    }));
    table.style.width = `${[digits, ...widths].reduce((sum, width) => sum + width, 0)}px`;
  };

  function draw() {
    const count = Math.min(visible() + 2, answer.rows - first);
    const [start, end] = [Math.floor(first / PAGE), Math.floor((first + Math.max(0, count - 1)) / PAGE)];
    for (let page = start; page <= end && answer.rows; page += 1) load(page);
    const name = `${first}/${count}`;
    if (name === drawn) return;
    drawn = name;
    const rows = [];
    for (let row = first; row < first + count; row += 1) {
      const page = pages.get(Math.floor(row / PAGE));
      const values = Array.isArray(page) ? page[row % PAGE] : null;
      rows.push(el("tr", { "aria-rowindex": row + 2 }, el("td.index", {}, row + 1),
        values ? answer.columns.map((column, index) => cell(values[index] ?? null, column)) : el("td", { colspan: answer.columns.length }, "…")));
    }
    clear(body).append(...rows);
  }

  const go = (/** @type {number} */ row) => {
    first = Math.max(0, Math.min(Math.round(row), most()));
    const room = span.offsetHeight - box.clientHeight;
    box.scrollTop = scaled ? (first / Math.max(1, most())) * room : first * height;
    draw();
  };

  box.addEventListener("scroll", () => {
    const room = span.offsetHeight - box.clientHeight;
    const at = scaled ? (box.scrollTop / Math.max(1, room)) * most() : Math.floor(box.scrollTop / height);
    // Where it is scaled, a pixel stands for several rows, and a step of ours may be less than one.
    if (!scaled || Math.abs(at - first) > most() / Math.max(1, room)) first = Math.max(0, Math.min(Math.round(at), most()));
    draw();
  });
  if (scaled) {
    box.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      go(first + Math.sign(event.deltaY) * Math.max(1, Math.abs(event.deltaY) / height));
    }, { passive: false });
  }
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== box) return;
    const page = Math.max(1, visible() - 2);
    const to = { ArrowDown: first + 1, ArrowUp: first - 1, PageDown: first + page, PageUp: first - page, Home: 0, End: answer.rows }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  });
  new ResizeObserver(() => draw()).observe(box);
  if (answer.rows) load(0);
  else measure([]);
  return box;
}

/** The first rows of an answer as a table of Markdown. @param {Answer} answer */
export async function markdown(answer) {
  const shown = Math.min(answer.rows, 1000);
  const rows = shown ? await fetchRows(answer.answer, 0, shown) : [];
  const clean = (/** @type {string | null} */ text) => (text ?? "").replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (/** @type {(string | null)[]} */ cells) => `| ${cells.map(clean).join(" | ")} |`;
  const rule = `|${answer.columns.map((column) => (column.number ? "---:" : "---")).join("|")}|`;
  return [line(answer.columns.map((column) => column.name)), rule, ...rows.map(line)].join("\n") + "\n";
}

/** An answer as a file. @param {Answer} answer @param {string} format @param {number} [rows] */
export function exported(answer, format, rows) {
  return blob("/api/sql/export", { query: { answer: answer.answer, format, rows } });
}

