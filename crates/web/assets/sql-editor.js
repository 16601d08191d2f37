// @ts-check
// A field for a statement: painted words, and completion of what is being typed.

import { clear, el } from "./app.js";

const WORDS = new Set(("all and any array as asc between by case cast count create cross desc describe distinct else end except exists " +
  "explain false filter first from full group having ilike in inner intersect interval is join last lateral left like limit natural not null " +
  "nulls offset on or order outer over partition recursive right rows select show similar some sum table then true union unnest using values " +
  "view when where window with avg min max").split(" "));
const TOKEN = /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$))|(\b\d+(?:\.\d+)?\b)|([A-Za-z_][A-Za-z0-9_]*)/g;

/** Words of the language, for completion. */
export const LANGUAGE = [...WORDS];

/** @param {string} text @returns {(Node | string)[]} */
function painted(text) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, comment, string, , number, word] = match;
    const kind = comment ? "c" : string ? "s" : number ? "n" : word && WORDS.has(word.toLowerCase()) ? "w" : "";
    if (!kind) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(el("span", { class: kind }, token));
    end = match.index + token.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/**
 * @typedef {{text: string, what: string, insert?: string}} Offer
 * @param {string} text
 * @param {{label: string, offers: (word: string, inText: boolean) => Offer[], onInput: () => void, onRun: (next: boolean) => void,
 *   onEscape: () => void, onFocus: () => void}} options
 */
export function editor(text, options) {
  const paint = el("pre.paint", { "aria-hidden": "true" });
  const field = el("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": options.label, "data-id": "statement",
    placeholder: "select …   (Ctrl-Enter runs it)", rows: 2 });
  const list = el("ul.offers", { role: "listbox", "aria-label": "Completions", hidden: true });
  const box = el("div.editor", {}, paint, field, list);
  /** @type {Offer[]} */
  let offered = [];
  let at = 0;

  const repaint = () => {
    // A last empty line has a height only with something on it.
    clear(paint).append(...painted(field.value), "\u200b");
  };
  const close = () => {
    list.hidden = true;
    offered = [];
  };

  /** The word before the caret, and whether it stands in a text. */
  const current = () => {
    const before = field.value.slice(0, field.selectionStart);
    const quotes = before.replace(/--[^\n]*/g, "").split("'").length - 1;
    if (quotes % 2) {
      const word = before.slice(before.lastIndexOf("'") + 1);
      return { word, inText: true };
    }
    return { word: /[A-Za-z_][A-Za-z0-9_.]*$/.exec(before)?.[0] ?? "", inText: false };
  };

  const place = () => {
    const mark = el("span", {}, "\u200b");
    clear(paint).append(field.value.slice(0, field.selectionStart), mark, field.value.slice(field.selectionStart));
    const [left, top] = [mark.offsetLeft, mark.offsetTop + mark.offsetHeight + 4];
    repaint();
    list.style.left = `${Math.max(8, Math.min(left, box.clientWidth - 260))}px`;
    list.style.top = `${top}px`;
  };

  const show = () => {
    clear(list).append(...offered.map((offer, index) =>
      el("li", { role: "option", "aria-selected": String(index === at), on: { mousedown: (/** @type {Event} */ event) => {
        event.preventDefault();
        at = index;
        take();
      } } }, offer.text, el("span", {}, offer.what))));
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };

  const offer = (/** @type {boolean} */ asked) => {
    const { word, inText } = current();
    if (!asked && word.length < (inText ? 0 : 2)) return close();
    offered = options.offers(word, inText).slice(0, 30);
    if (!offered.length || (offered.length === 1 && offered[0].text === word)) return close();
    at = 0;
    list.hidden = false;
    place();
    show();
  };

  const take = () => {
    const { word } = current();
    const chosen = offered[at];
    const insert = chosen.insert ?? chosen.text;
    const start = field.selectionStart - word.length;
    field.setRangeText(insert, start, field.selectionStart, "end");
    // Behind the name of a function the caret goes between its brackets.
    if (insert.endsWith("()")) field.selectionStart = field.selectionEnd = field.selectionStart - 1;
    close();
    repaint();
    options.onInput();
  };

  field.addEventListener("input", () => {
    repaint();
    options.onInput();
    offer(false);
  });
  field.addEventListener("focus", options.onFocus);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const command = event.ctrlKey || event.metaKey;
    if (!list.hidden && !command) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        at = (at + step + offered.length) % offered.length;
        show();
        return event.preventDefault();
      }
      if (event.key === "Enter" || event.key === "Tab") {
        take();
        return event.preventDefault();
      }
      if (event.key === "Escape") {
        close();
        return event.preventDefault();
      }
    }
    if (event.key === "Enter" && (command || event.shiftKey)) {
      close();
      event.preventDefault();
      options.onRun(event.shiftKey);
    } else if (event.key === " " && command) {
      event.preventDefault();
      offer(true);
    } else if (event.key === "Escape") {
      options.onEscape();
    }
  });
  field.value = text;
  repaint();
  return {
    box,
    field,
    get text() {
      return field.value;
    },
    set text(/** @type {string} */ value) {
      field.value = value;
      repaint();
    },
    /** Puts a text where the caret is. @param {string} added */
    insert(added) {
      field.setRangeText(added, field.selectionStart, field.selectionEnd, "end");
      repaint();
      field.focus();
    },
  };
}
