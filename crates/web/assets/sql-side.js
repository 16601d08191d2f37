// @ts-check
// The shelf: files, tables, functions and examples, each a click away from the statement.

import { api, clear, el } from "./app.js";
import { sized } from "./parts.js";

/**
 * @typedef {{name: string, syntax: string, gives: string, description: string, example: string}} Func
 * @typedef {{table: string, column: string, type: string}} Known
 * @typedef {{functions: Func[], columns: Known[], tables: string[], examples: {title: string, statement: string}[],
 *   files: {name: string, directory: boolean, bytes: number}[]}} Shelf
 */

/** Endings of files that are tables. */
const TABLES = /\.(parquet|arrow|csv|tsv|json|jsonl|ndjson|pgn|fen|epd)(\.gz|\.zst)?$/i;

/** @param {string} name */
export const quoted = (name) => `'${name.replaceAll("'", "''")}'`;

/** @returns {Promise<Shelf>} */
export async function loadShelf() {
  const [catalog, { files }] = await Promise.all([api("/api/sql/catalog"), api("/api/files")]);
  return { ...catalog, files };
}

/**
 * @param {HTMLElement} place
 * @param {Shelf} shelf
 * @param {{fill: (statement: string) => void, insert: (text: string) => void}} use
 */
export function showShelf(place, shelf, use) {
  const item = (/** @type {any} */ title, /** @type {string | null} */ about, /** @type {() => void} */ run) =>
    el("li", {}, el("button.item", { type: "button", on: { click: run } }, title, about ? el("small", {}, about) : null));
  const section = (/** @type {string} */ title, /** @type {any[]} */ items, open = false) =>
    el("details", { open }, el("summary", {}, title), el("ul", {}, items.length ? items : el("li.soft.small", {}, "none")));
  const examples = shelf.examples.map(({ title, statement }) => item(title, null, () => use.fill(statement)));
  const files = shelf.files
    .filter(({ name, directory }) => !directory && (TABLES.test(name) || /\.sqlite$/i.test(name)))
    .map(({ name, bytes }) => item(el("code", {}, name), sized(bytes), () => use.fill(statementOf(name))));
  const tables = shelf.tables.map((name) => item(el("code", {}, name), null, () => use.fill(`select * from ${name}`)));
  const list = el("ul");
  const showFunctions = (/** @type {string} */ wanted) => {
    const found = shelf.functions.filter((func) => `${func.name} ${func.description}`.toLowerCase().includes(wanted.toLowerCase()));
    clear(list).append(...found.map((func) => item(el("code", {}, func.syntax), func.description, () => use.fill(exampleOf(func)))));
  };
  const find = el("input.field.find", { type: "search", placeholder: "Find a function", "aria-label": "Find a function",
    on: { input: () => showFunctions(find.value) } });
  showFunctions("");
  // On a narrow screen the statement comes first.
  const isWide = matchMedia("(min-width: 800px)").matches;
  clear(place).append(
    section("Examples", examples, isWide),
    section(`Files (${files.length})`, files, isWide),
    section("Tables of the rules", tables),
    el("details", {}, el("summary", {}, `Functions (${shelf.functions.length})`), find, list));
}

/** A statement about a file. @param {string} name */
function statementOf(name) {
  if (/\.sqlite$/i.test(name)) return `select * from kalah_store(${quoted(`sqlite:${name}`)}) limit 1000`;
  return `select * from ${quoted(name)} limit 1000`;
}

/** @param {Func} func */
function exampleOf(func) {
  return func.gives === "table" ? `select * from ${func.example}` : `select ${func.example}`;
}

/**
 * What may stand where the caret is.
 * @param {Shelf | null} shelf
 * @param {string[]} language
 * @param {string} word
 * @param {boolean} inText
 */
export function offersOf(shelf, language, word, inText) {
  const wanted = word.toLowerCase();
  if (inText) {
    const names = (shelf?.files ?? []).filter(({ name, directory }) => directory || TABLES.test(name) || /\.sqlite$/i.test(name));
    return names.filter(({ name }) => name.toLowerCase().startsWith(wanted))
      .map(({ name, directory }) => ({ text: directory ? `${name}/` : name, what: directory ? "directory" : "file" }));
  }
  const begins = (/** @type {string} */ name) => name.toLowerCase().startsWith(wanted);
  const functions = (shelf?.functions ?? []).filter(({ name }) => begins(name))
    .map(({ name, description }) => ({ text: name, what: description, insert: `${name}()` }));
  const columns = [...new Map((shelf?.columns ?? []).filter(({ column }) => begins(column))
    .map(({ table, column }) => [column, { text: column, what: `column of ${table}` }])).values()];
  const tables = (shelf?.tables ?? []).filter(begins).map((text) => ({ text, what: "table" }));
  const words = language.filter(begins).map((text) => ({ text, what: "" }));
  return [...words, ...tables, ...functions, ...columns];
}
