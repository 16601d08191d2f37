// @ts-check
// The start page: what there is, with examples that are computed while one looks.

import { api, blob, busy, clear, el, start, stream } from "./app.js";
import { button, sentence } from "./parts.js";
import { editor } from "./sql-editor.js";
import { rowsTable } from "./sql-table.js";

const CHESS = [
  ["A pin", "r1bqkbnr/ppp2ppp/2np4/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"],
  ["A fork", "r1b1k2r/ppNp1ppp/2n2n2/2b1p3/2B1P2q/8/PPPP1PPP/R1BQK1NR b KQkq - 0 6"],
  ["The start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
];
const PUZZLE = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";
const QUESTION = "select uci, chess_move_count(child) as answers, child as fen\nfrom chess_children('start')\norder by answers desc, uci";
const LINKS = [[/\.pgn(\.gz|\.zst)?$/i, "/chess?game="], [/\.pgn4$/i, "/fourchess?game="]];

/** @param {string} text @param {string} alt */
async function picture(text, alt) {
  const data = await blob("/api/sql/drawing", { query: { text } });
  return el("img.shown", { src: URL.createObjectURL(data), alt });
}

/** @param {string} title @param {string} href @param {string} words @param {...any} children */
function card(title, href, words, ...children) {
  return el("section.card.tile", {},
    el("h2", {}, el("a", { href }, title)), el("p", {}, words), ...children);
}

function chessCard() {
  const board = el("a.frame", { href: "/chess" });
  const facts = el("ul.list.facts", { "aria-live": "polite" });
  const show = async (/** @type {string} */ name, /** @type {string} */ fen) => {
    const [image, position] = await Promise.all([picture(fen, name), api("/api/chess/position", { query: { fen } })]);
    board.href = `/chess?fen=${encodeURIComponent(fen)}`;
    clear(board).append(image);
    // What wins something comes first.
    const dull = (/** @type {string} */ text) => Number(!/pinned|forks|hangs/.test(text));
    const sentences = position.sentences.map((/** @type {any} */ one) => one.text).sort((a, b) => dull(a) - dull(b)).slice(0, 4);
    clear(facts).append(...(sentences.length ? sentences : [`${position.moves.length} legal moves, nothing hangs`]).map((text) => el("li", {}, sentence(text))));
    for (const choice of choices.querySelectorAll("button")) choice.ariaPressed = String(choice.textContent === name);
  };
  const choices = el("div.row", {}, CHESS.map(([name, fen]) =>
    button(name, () => show(name, fen).catch(() => {}), { class: "toggle", "aria-pressed": "false" })));
  show(CHESS[0][0], CHESS[0][1]).catch(() => {});
  return card("Chess", "/chess", "Every fact of a position at once: who attacks, what hangs, who pins what to what. Step through games, or set up your own position.", choices, board, facts);
}

function sqlCard() {
  const place = el("div");
  const status = el("span.soft.small", { role: "status" });
  const edit = editor(QUESTION, { label: "Statement", offers: () => [], onInput: () => {}, onRun: () => run(), onEscape: () => {}, onFocus: () => {} });
  const run = async () => {
    try {
      /** @type {any} */
      let answer = null;
      await stream("/api/sql/run", { statement: edit.text }, { onLine: (line) => { if (line.answer !== undefined) answer = line; } });
      status.textContent = `${answer.rows} rows in ${answer.seconds.toFixed(2)} s`;
      clear(place).append(rowsTable(answer, { drawings: true, onError: (error) => { status.textContent = error.message; } }));
    } catch (error) {
      status.textContent = /** @type {Error} */ (error).message;
    }
  };
  return el("section.card.tile.wide", {}, el("h2", {}, el("a", { href: "/sql" }, "SQL")),
    el("p", {}, "Ask anything of files, games and positions, with functions for chess. Which first move leaves the most answers?"),
    el("div.cell", {}, edit.box), el("div.row", {}, button("Run", run, { class: "button primary" }), status), place);
}

/** @param {string} name */
function linkOf(name) {
  const found = LINKS.find(([ending]) => /** @type {RegExp} */ (ending).test(name));
  if (found) return found[1] + encodeURIComponent(name);
  const file = `'${name.replaceAll("'", "''")}'`;
  const from = /\.sqlite$/i.test(name) ? `kalah_store('sqlite:${name.replaceAll("'", "''")}')` : file;
  return `/sql#q=${encodeURIComponent(`select * from ${from} limit 1000`)}`;
}

const SHOWN = /\.(pgn4|sqlite|(pgn|parquet|arrow|csv|tsv|jsonl?|ndjson|fen|epd)(\.gz|\.zst)?)$/i;

/** @param {string[]} opened @param {{name: string, directory: boolean}[]} files */
function filesCard(opened, files) {
  const names = [...new Set([...opened, ...files.filter((file) => !file.directory && SHOWN.test(file.name)).map((file) => file.name)])];
  const list = names.slice(0, 200).map((name) => el("li", {}, el("a", { href: linkOf(name) }, name)));
  return el("section.card.tile.wide", {}, el("h2", {}, "Files"),
    list.length ? el("ul.list.files", {}, list)
      : el("p.soft", {}, "There are no files of games or tables here. Drop a PGN file on the chess page, or start with everyply serve DIRECTORY."));
}

async function open() {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const [hello, { files }] = await Promise.all([api("/api/hello"), api("/api/files")]);
  const four = el("a.frame", { href: "/fourchess" });
  const puzzle = el("a.frame", { href: `/kenken#${PUZZLE}` });
  main.append(
    el("header.hello", {}, el("h1", {}, "Look at it, play with it, ask it"),
      el("p", {}, "everyply computes exactly on board games and puzzles. Everything here is computed on this machine while you look, and nothing leaves it.")),
    el("div.tiles", {},
      chessCard(),
      card("Four players", "/fourchess", "Replay games of four-player chess, play any seats against the built-in players, or watch them play.", four),
      el("div.stack", {},
        card("Kalah", "/kalah", "A game that is solved completely: every pit shows what it is worth. Play against perfection, or find out where it went wrong."),
        card("KenKen", `/kenken#${PUZZLE}`, "Puzzles of any size and level. A hint says where to look, then which rule, then what follows.", puzzle)),
      sqlCard(),
      filesCard(hello.opened, files)),
    el("p.soft.small.foot", {}, `everyply ${hello.version}. Press ? on any page for its keys.`));
  api("/api/fourchess/position").then((answer) => picture(answer.fen4, "The start of four-player chess")).then((image) => four.append(image), () => {});
  picture(PUZZLE, "A puzzle of four by four").then((image) => puzzle.append(image), () => {});
}

start("");
busy.begin();
open().finally(() => busy.end());
