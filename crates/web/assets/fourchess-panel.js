// @ts-check
// What stands beside the board: whose turn it is, the players, the moves, the points over the game.

import { clear, el, svgEl } from "./app.js";
import { SEATS } from "./fourchess-board.js";

/** @param {string} name */
export const title = (name) => name[0].toUpperCase() + name.slice(1);

/**
 * Whose turn it is, as loud as it can be said calmly.
 * @param {HTMLElement} place
 * @param {{turn: string | null, words: string, notes: string[]}} what
 */
export function showTurn(place, { turn, words, notes }) {
  place.className = `card turn seat-${turn ?? "none"}`;
  clear(place).append(
    el("h2", { data: { id: "turn" } }, words),
    ...notes.map((note) => el("p", { class: "small" }, note)));
}

/**
 * The players, one row each: who plays, points, place, what became of them.
 * @param {HTMLElement} place
 * @param {{names: string[], kinds: string[], points: number[], status: string[], places: number[], lasts: (string | null)[], turn: string | null, pairs: boolean, over: boolean, players: string[], fixed: boolean, view: string}} what
 * @param {{onKind: (seat: number, kind: string) => void, onView: (seat: string) => void}} on
 */
export function showPlayers(place, what, on) {
  const rows = SEATS.map((seat, at) => {
    const state = what.status[at] === "plays" ? null : what.status[at] === "walks" ? "king walks" : "out";
    const choose = what.fixed ? el("span", { class: "soft small" }, what.lasts[at] ?? "") : el("select", {
      class: "field kind", "aria-label": `${title(seat)} is played by`, data: { id: `player-${seat}` },
      on: { change: (/** @type {any} */ event) => on.onKind(at, event.target.value) },
    }, ["me", ...what.players].map((kind) => el("option", { value: kind, selected: kind === what.kinds[at] }, kind === "me" ? "you" : kind)));
    const place = what.over || what.status[at] !== "plays" || what.points.some((points) => points) ? `${what.places[at]}.` : "";
    return el("tr", { class: `seat-${seat} ${what.turn === seat ? "on" : ""} ${what.status[at]}`, data: { id: `row-${seat}` }, "aria-current": what.turn === seat ? "true" : null },
      el("th", { scope: "row" },
        el("button", { class: "who", type: "button", "aria-pressed": String(what.view === seat), "aria-label": `See the board from ${title(seat)}'s side`, on: { click: () => on.onView(seat) } },
          el("span", { class: "dot", "aria-hidden": "true" }), el("span", {}, what.names[at]))),
      el("td", { class: "state" }, state ? el("span", { class: "chip" }, state) : el("span", { class: "soft small" }, what.fixed ? "" : what.lasts[at] ?? "")),
      el("td", {}, choose),
      what.pairs ? el("td", { class: "number soft" }, seat === "red" || seat === "yellow" ? "team 1" : "team 2")
        : el("td", { class: "number points" }, String(what.points[at])),
      el("td", { class: "number soft" }, what.pairs && !what.over ? "" : place));
  });
  const head = el("tr", { class: "sr" }, ["Player", "Last move", "Played by", what.pairs ? "Team" : "Points", "Place"].map((name) => el("th", { scope: "col" }, name)));
  clear(place).append(el("table", { class: "players" }, el("thead", {}, head), el("tbody", {}, rows)));
}

/**
 * The list of moves: a row for each round, a column for each seat.
 * @param {HTMLElement} place
 * @param {(ply: number) => void} onGo
 * @param {(line: string) => void} onLine
 */
export function makeMoves(place, onGo, onLine) {
  /** @type {any[]} */
  let shown = [];
  /** @type {any[]} */
  let buttons = [];
  let round = 0;
  let last = 4;
  /** @type {any} */
  let row = null;
  const table = el("div", { class: "moves" });
  const box = el("div", { class: "moves-box", tabindex: 0, role: "region", "aria-label": "Moves" }, table);
  clear(place).append(box);

  function reset() {
    clear(table);
    [shown, buttons, round, last, row] = [[], [], 0, 4, null];
  }

  function add(/** @type {any} */ ply, /** @type {number} */ number) {
    const seat = SEATS.indexOf(ply.seat);
    const begins = seat <= last;
    round += begins ? 1 : 0;
    if (begins || !row) {
      row = el("div", { class: "round" }, el("span", { class: "soft number" }, begins ? String(round) : ""));
      table.append(row);
      last = -1;
    }
    for (let at = last + 1; at < seat; at += 1) row.append(el("span", {}));
    last = seat;
    const text = ply.from ? ply.text : ply.text === "T" ? "out of time" : "resigns";
    const gains = ply.says.some((/** @type {string} */ said) => said.includes("+"));
    const button = el("button", { type: "button", class: `move seat-${ply.seat}${gains ? " gains" : ""}`, title: ply.says.join(". ") || null, on: { click: () => onGo(number) } }, text);
    row.append(button);
    buttons.push(button);
    if (ply.comment) table.append(el("p", { class: "comment" }, ply.comment));
    for (const variation of ply.variations ?? []) {
      table.append(el("p", { class: "comment" }, el("button", { class: "link", type: "button", on: { click: () => onLine(variation.line) } }, variation.text), variation.comment ? ` ${variation.comment}` : null));
    }
    if (ply.comment || ply.variations) row = null;
  }

  /** @param {any[]} plies @param {number} at */
  function show(plies, at) {
    const same = shown.length <= plies.length && shown.every((ply, index) => ply === plies[index]);
    if (!same) reset();
    for (let index = shown.length; index < plies.length; index += 1) add(plies[index], index + 1);
    shown = plies.slice();
    const old = table.querySelector("[aria-current]");
    old?.removeAttribute("aria-current");
    const current = buttons[at - 1];
    current?.setAttribute("aria-current", "true");
    const top = current ? current.offsetTop - box.clientHeight / 2 : 0;
    if (!current || current.offsetTop < box.scrollTop + 8 || current.offsetTop > box.scrollTop + box.clientHeight - 40) box.scrollTop = top;
  }

  return { show };
}

/**
 * The points of every seat over the game, to look at and to jump in.
 * @param {HTMLElement} place
 * @param {(ply: number) => void} onGo
 */
export function makeStrip(place, onGo) {
  const [WIDTH, HEIGHT] = [600, 70];
  const lines = svgEl("g", {});
  const cursor = svgEl("line", { class: "cursor", y1: 0, y2: HEIGHT });
  const svg = svgEl("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true", class: "strip" }, lines, cursor);
  const slider = el("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Ply", data: { id: "ply" }, class: "seek", on: { input: (/** @type {any} */ event) => onGo(Number(event.target.value)) } });
  clear(place).append(el("div", { class: "strip-box" }, svg, slider));
  /** @type {any[] | null} */
  let drawn = null;

  /** @param {number[]} first @param {any[]} plies @param {number} at */
  function show(first, plies, at) {
    const most = plies.length;
    if (drawn !== plies || Number(slider.max) !== most) {
      drawn = plies;
      slider.max = String(most);
      const all = [first, ...plies.map((ply) => ply.points)];
      const top = Math.max(10, ...all.flat());
      clear(lines).append(...SEATS.map((seat, index) => {
        const step = Math.max(1, Math.floor(all.length / 600));
        let d = "";
        for (let ply = 0; ply < all.length; ply += step) {
          const x = (WIDTH * ply / Math.max(1, most)).toFixed(1);
          const y = (HEIGHT - 4 - (HEIGHT - 8) * all[ply][index] / top).toFixed(1);
          d += d ? `H${x}V${y}` : `M${x} ${y}`;
        }
        return svgEl("path", { d: `${d}H${WIDTH}`, class: `seat-${seat}` });
      }));
    }
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `ply ${at} of ${most}`);
    const x = String(WIDTH * at / Math.max(1, most));
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
  }
  return { show };
}

/**
 * Tabs: one panel at a time.
 * @param {HTMLElement} place
 * @param {{id: string, title: string, panel: HTMLElement}[]} list
 */
export function makeTabs(place, list) {
  const buttons = list.map(({ id, title }, at) => el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, on: {
    click: () => open(id),
    keydown: (/** @type {KeyboardEvent} */ event) => {
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      const other = list[(next + list.length) % list.length].id;
      open(other);
      document.getElementById(`tab-${other}`)?.focus();
    },
  } }, title));
  clear(place).append(el("div", { class: "tabs", role: "tablist", "aria-label": "About the game" }, buttons));
  for (const { id, panel } of list) {
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${id}`);
    place.append(panel);
  }
  /** @param {string} which */
  function open(which) {
    list.forEach(({ id, panel }, at) => {
      panel.hidden = id !== which;
      buttons[at].setAttribute("aria-selected", String(id === which));
      buttons[at].tabIndex = id === which ? 0 : -1;
    });
  }
  open(list[0].id);
  return { open };
}
