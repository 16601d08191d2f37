// @ts-check
// Cells of statements and answers.

import { busy, clear, copy, debounce, download, el, keys, say, start, state, store, stream, toast } from "./app.js";
import { chart } from "./sql-chart.js";
import { button, select, tabList } from "./parts.js";
import { editor, LANGUAGE } from "./sql-editor.js";
import { loadShelf, offersOf, showShelf } from "./sql-side.js";
import { exported, markdown, rowsTable } from "./sql-table.js";

/** @typedef {import("./sql-table.js").Answer} Answer */

const WELCOME = "select name, syntax, description\nfrom everyply.functions\norder by name";
const COPIED_ROWS = 10_000;

/** @type {import("./sql-side.js").Shelf | null} */
let shelf = null;
/** @type {ReturnType<typeof makeCell>[]} */
let cells = [];
/** @type {ReturnType<typeof makeCell> | null} */
let now = null;
const place = /** @type {HTMLElement} */ (document.getElementById("cells"));

const save = debounce(() => store.set("sql-cells", cells.map((cell) => cell.editor.text)), 250);

/** What this tab has seen, so that a reload shows it again without running anything. */
const seen = {
  /** @returns {Record<string, Answer>} */
  all() {
    try {
      return JSON.parse(sessionStorage.getItem("everyply-sql-seen") ?? "{}");
    } catch {
      return {};
    }
  },
  /** @param {string} statement @param {Answer} answer */
  add(statement, answer) {
    const kept = Object.entries(this.all()).filter(([known]) => known !== statement).slice(-15);
    try {
      sessionStorage.setItem("everyply-sql-seen", JSON.stringify(Object.fromEntries([...kept, [statement, answer]])));
    } catch {
      // Then a reload shows the statement alone.
    }
  },
};

/** @param {number} number */
const many = (number) => number.toLocaleString("en");

/** @param {string} text */
function makeCell(text) {
  /** @type {AbortController | null} */
  let running = null;
  const status = el("span.grow", { role: "status", "data-id": "status" });
  const answerPlace = el("div.answer", { hidden: true });
  const runButton = button("Run", () => (running ? stop() : run()), { class: "button primary", title: "Ctrl-Enter" });
  const box = el("section.cell.card", { "aria-label": "Cell" });
  const edit = editor(text, {
    label: "Statement",
    offers: (word, inText) => offersOf(shelf, LANGUAGE, word, inText),
    onInput: () => save(),
    onRun: async (next) => {
      await run();
      if (next) (cells[cells.indexOf(cell) + 1] ?? addCell("")).editor.field.focus();
    },
    onEscape: stop,
    onFocus: () => choose(cell),
  });
  const tools = el("div.tools", {},
    runButton, status,
    button("Link", () => copy(link()), { class: "button plain", title: "Copy a link that fills a cell" }),
    button("Remove", () => remove(cell), { class: "button plain" }));
  box.append(edit.box, tools, answerPlace);

  const link = () => `${location.origin}/sql#q=${encodeURIComponent(edit.text)}`;

  function stop() {
    running?.abort();
  }

  /** @param {string} message */
  function wrong(message) {
    answerPlace.hidden = false;
    clear(answerPlace).append(el("p.wrong", { role: "alert" }, message));
  }

  async function run() {
    if (running || !edit.text.trim()) return;
    choose(cell, { push: true });
    const statement = edit.text;
    const control = new AbortController();
    running = control;
    runButton.textContent = "Stop";
    runButton.classList.remove("primary");
    const begun = performance.now();
    let rows = 0;
    const tick = () => {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      status.textContent = rows ? `${seconds} s, ${many(rows)} rows so far` : `${seconds} s`;
    };
    const timer = setInterval(tick, 100);
    tick();
    /** @type {Answer | null} */
    let answer = null;
    try {
      await stream("/api/sql/run", { statement }, {
        signal: control.signal,
        onLine: (line) => {
          if (line.answer !== undefined) answer = line;
          else rows = line.rows;
        },
      });
      if (answer) {
        seen.add(statement, answer);
        show(answer);
      }
    } catch (error) {
      if (control.signal.aborted) {
        status.textContent = `stopped after ${((performance.now() - begun) / 1000).toFixed(1)} s`;
        say("Stopped.");
      } else {
        status.textContent = "";
        wrong(/** @type {Error} */ (error).message);
      }
    } finally {
      clearInterval(timer);
      running = null;
      runButton.textContent = "Run";
      runButton.classList.add("primary");
    }
  }

  /** @param {Answer} answer */
  function show(answer) {
    const count = answer.rows === 1 ? "1 row" : `${many(answer.rows)} rows`;
    status.textContent = `${answer.columns.length ? count : "done"} in ${answer.seconds.toFixed(2)} s`;
    say(status.textContent ?? "");
    clear(answerPlace);
    answerPlace.hidden = false;
    if (answer.cut) answerPlace.append(el("p.note", {}, `The answer is cut: ${answer.cut}.`));
    if (answer.bad.count) {
      answerPlace.append(el("p.note", {}, `${many(answer.bad.count)} bad records were skipped: ${answer.bad.first.join("; ")}`));
    }
    if (!answer.columns.length) {
      answerPlace.append(el("p.note", {}, "The statement returns no rows. What it creates lasts until the end of its cell."));
      return;
    }
    const body = el("div", { role: "tabpanel", "aria-label": "Answer" });
    const failed = (/** @type {Error} */ error) => wrong(error.message);
    const views = {
      Table: () => rowsTable(answer, { drawings: store.get("sql-drawings", true), onError: failed }),
      Chart: () => chart(answer, failed),
      Text: () => plain(answer, failed),
    };
    const names = Object.keys(views).map((name) => [name, name]);
    const list = tabList("How the answer is shown", names, (name) => clear(body).append(views[/** @type {keyof typeof views} */ (name)]()));
    const tabs = el("div.tabs", {}, list.node,
      el("span.space"),
      answer.columns.some((column) => column.page) ? drawingsToggle(() => list.open("Table")) : null,
      action("Copy CSV", async () => copy(await (await exported(answer, "csv", COPIED_ROWS)).text())),
      action("Copy Markdown", async () => copy(await markdown(answer))),
      downloads(answer));
    answerPlace.append(tabs, body);
    list.open("Table");
  }

  /** @param {string} title @param {() => Promise<any>} run */
  function action(title, run) {
    return button(title, () => run().catch((error) => toast(error.message)), { class: "button plain" });
  }

  const cell = { box, editor: edit, run, stop, show, isRunning: () => running !== null };
  return cell;
}

/** @param {() => void} redraw */
function drawingsToggle(redraw) {
  const toggle = button("Drawings", () => {
    const on = !store.get("sql-drawings", true);
    store.set("sql-drawings", on);
    toggle.ariaPressed = String(on);
    redraw();
  }, { class: "toggle", "aria-pressed": String(store.get("sql-drawings", true)) });
  return toggle;
}

/** @param {Answer} answer */
function downloads(answer) {
  const formats = [["", "Download"], ["csv", "CSV"], ["parquet", "Parquet"], ["jsonl", "JSON lines"], ["arrow", "Arrow"], ["table", "Text"]];
  const choice = select(formats, { "aria-label": "Download", on: { change: async () => {
    const format = choice.value;
    choice.value = "";
    try {
      download(`answer.${format === "table" ? "txt" : format}`, await exported(answer, format));
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  } } });
  return choice;
}

/** @param {Answer} answer @param {(error: Error) => void} failed */
function plain(answer, failed) {
  const text = el("pre.plain");
  exported(answer, "table", 1000).then(async (data) => {
    text.textContent = await data.text();
    if (answer.rows > 1000) text.append(`\nThe first 1,000 of ${many(answer.rows)} rows.`);
  }, failed);
  return text;
}

/** @param {string} text @param {ReturnType<typeof makeCell> | null} [before] */
function addCell(text, before = null) {
  const cell = makeCell(text);
  if (before) {
    cells.splice(cells.indexOf(before), 0, cell);
    before.box.before(cell.box);
  } else {
    cells.push(cell);
    place.append(cell.box);
  }
  save();
  return cell;
}

/** @param {ReturnType<typeof makeCell>} cell */
function remove(cell) {
  cell.stop();
  cells = cells.filter((other) => other !== cell);
  cell.box.remove();
  if (!cells.length) addCell("");
  if (now === cell) choose(cells[0]);
  save();
}

/** @param {ReturnType<typeof makeCell>} cell @param {{push?: boolean}} [options] */
function choose(cell, { push = false } = {}) {
  now = cell;
  for (const other of cells) other.box.classList.toggle("now", other === cell);
  if (push) state.write({ hash: `q=${cell.editor.text}` }, { push: true });
}

/** Puts a statement into the cell at hand if that is empty, otherwise into a new one. Nothing is run. @param {string} statement */
function fill(statement) {
  const empty = now && !now.editor.text.trim() ? now : cells.find((cell) => !cell.editor.text.trim());
  const same = cells.find((cell) => cell.editor.text === statement);
  const cell = same ?? empty ?? addCell(statement);
  cell.editor.text = statement;
  choose(cell);
  save();
  cell.box.scrollIntoView({ block: "nearest" });
  cell.editor.field.focus();
}

/** The statement that the address names. */
function asked() {
  const { hash = "" } = state.read();
  return hash.startsWith("q=") ? hash.slice(2) : null;
}

function open() {
  const statement = asked();
  for (const text of store.get("sql-cells", [])) if (typeof text === "string" && text.trim()) addCell(text);
  if (statement !== null && !cells.some((cell) => cell.editor.text === statement)) addCell(statement, cells[0] ?? null);
  if (!cells.length) addCell(WELCOME);
  choose(cells.find((cell) => cell.editor.text === statement) ?? cells[0]);
  const known = seen.all();
  for (const cell of cells) {
    const answer = known[cell.editor.text];
    if (answer) cell.show(answer);
  }
}

start("sql", { help: "Esc stops the statement of the cell that is typed into. Ctrl-Space offers completions." });
keys([
  ["", "run the statement", () => {}, "Ctrl Enter"],
  ["", "run it and go to the next cell", () => {}, "Shift Enter"],
  ["", "offer completions", () => {}, "Ctrl Space"],
  ["Escape", "stop the statement", () => cells.forEach((cell) => cell.stop())],
  ["n", "new cell", () => addCell("").editor.field.focus()],
]);
busy.begin();
open();
/** @type {HTMLElement} */ (document.getElementById("add")).addEventListener("click", () => addCell("").editor.field.focus());
const follow = () => {
  const statement = asked();
  if (statement !== null) fill(statement);
};
state.onChange(follow);
addEventListener("hashchange", follow);
loadShelf().then((loaded) => {
  shelf = loaded;
  showShelf(/** @type {HTMLElement} */ (document.getElementById("side")), loaded, { fill, insert: (text) => now?.editor.insert(text) });
}, (error) => toast(error.message)).finally(() => busy.end());
