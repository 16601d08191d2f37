// What stands beside the board: whose turn it is, the players, the moves, the points over the game.

import { clear, el } from "./app.js";
import { SEATS } from "./fourchess-board.js";
import { button, capital as title, tabList } from "./parts.js";

/**
 * Whose turn it is, as loud as it can be said calmly.
 * @param {HTMLElement} place
 * @param {{turn: string | null, words: string, notes: string[], extra: HTMLElement | null}} what
 */
export function showTurn(place, { turn, words, notes, extra }) {
  place.className = `card turn seat-${turn ?? "none"}`;
  clear(place).append(
    el("h2", { data: { id: "turn" } }, words),
    ...notes.map((note) => el("p.small", {}, note)),
    extra ?? "");
}

/**
 * The players, one row each: who plays, points, place, what became of them. The rows stay, so that
 * a list that is open stays open.
 * @param {HTMLElement} place
 * @param {{players: () => string[], fixed: boolean, onKind: (seat: number, kind: string) => void, onView: (seat: string) => void}} on
 */
export function makePlayers(place, on) {
  const points = el("th", { scope: "col" });
  const rows = SEATS.map((seat, at) => {
    const name = el("span");
    const parts = {
      name, state: el("td.state"), points: el("td.number"), place: el("td.number.soft"),
      who: el("button.who", { type: "button", data: { id: `view-${seat}` }, on: { click: () => on.onView(seat) } }, el("span.dot", { "aria-hidden": "true" }), name),
      kind: on.fixed ? null : el("select.field.kind", { "aria-label": `${title(seat)} is played by`, data: { id: `player-${seat}` }, on: { change: (event) => on.onKind(at, event.target.value) } }),
      row: (null),
    };
    parts.row = el("tr", { data: { id: `row-${seat}` } }, el("th", { scope: "row" }, parts.who), parts.state, parts.kind ? el("td", {}, parts.kind) : null, parts.points, parts.place);
    return parts;
  });
  const head = ["Player", "Last move", ...(on.fixed ? [] : ["Played by"])].map((name) => el("th", { scope: "col" }, name));
  clear(place).append(el("table.players", {},
    el("thead", {}, el("tr.sr", {}, head, points, el("th", { scope: "col" }, "Place"))), el("tbody", {}, rows.map((parts) => parts.row))));

  /** @param {{names: string[], kinds: string[], points: number[], status: string[], places: number[], lasts: (string | null)[], turn: string | null, pairs: boolean, over: boolean, view: string}} what */
  function show(what) {
    points.textContent = what.pairs ? "Team" : "Points";
    const placed = what.over || (!what.pairs && what.points.some((points) => points));
    rows.forEach((parts, at) => {
      const seat = SEATS[at];
      const status = what.status[at];
      parts.row.className = `seat-${seat} ${what.turn === seat ? "on" : ""} ${status}`;
      if (what.turn === seat) parts.row.ariaCurrent = "true";
      else parts.row.removeAttribute("aria-current");
      parts.name.textContent = what.names[at];
      parts.who.ariaLabel = `${what.names[at]}: see the board from ${title(seat)}'s side`;
      parts.who.ariaPressed = String(what.view === seat);
      clear(parts.state).append(status === "plays" ? el("span.soft.small", {}, what.lasts[at] ?? "") : el("span.chip", {}, status === "walks" ? "king walks" : "out"));
      parts.points.className = what.pairs ? "number soft" : "number points";
      parts.points.textContent = what.pairs ? (at % 2 ? "team 2" : "team 1") : String(what.points[at]);
      parts.place.textContent = placed ? `${what.places[at]}.` : "";
      if (!parts.kind) return;
      const kinds = ["me", ...on.players()];
      if (parts.kind.options.length !== kinds.length) clear(parts.kind).append(...kinds.map((kind) => el("option", { value: kind }, kind === "me" ? "you" : kind)));
      parts.kind.value = what.kinds[at];
    });
  }
  return { show };
}

/**
 * The list of moves: a row for each round, a column for each seat.
 * @param {HTMLElement} place
 * @param {(ply: number) => void} onGo
 * @param {(line: string) => void} onLine
 */
export function makeMoves(place, onGo, onLine) {
  let shown = [];
  let buttons = [];
  let round = 0;
  let last = 4;
  let row = null;
  const table = el("div.moves");
  const box = el("div.moves-box", {}, table);
  clear(place).append(box);

  const empty = el("p.soft.small", {}, "No moves yet. Press a piece to see where it can go.");
  function reset() {
    clear(table);
    [shown, buttons, round, last, row] = [[], [], 0, 4, null];
  }

  function add(plies, number) {
    const ply = plies[number - 1];
    const seat = SEATS.indexOf(ply.seat);
    // A king that walks on moves in the round in which its owner left.
    const before = number > 1 ? plies[number - 2] : null;
    const walks = before && !before.from && before.seat === ply.seat;
    const begins = seat <= last && !walks;
    if (walks) row = null;
    round += begins ? 1 : 0;
    if (begins || !row) {
      row = el("div.round", {}, el("span.soft.number", {}, begins ? String(round) : ""));
      table.append(row);
      last = -1;
    }
    for (let at = last + 1; at < seat; at += 1) row.append(el("span"));
    last = seat;
    const text = ply.from ? ply.text : ply.text === "T" ? "out of time" : "resigns";
    const gains = ply.says.some((said) => said.includes("+"));
    const move = button(text, () => onGo(number), { class: `move seat-${ply.seat}${gains ? " gains" : ""}`, title: ply.says.join(". ") || null });
    row.append(move);
    buttons.push(move);
    if (ply.comment) table.append(el("p.comment", {}, ply.comment));
    for (const variation of ply.variations ?? []) {
      table.append(el("p.comment", {}, button(variation.text, () => onLine(variation.line), { class: "link" }), variation.comment ? ` ${variation.comment}` : null));
    }
    if (ply.comment || ply.variations) row = null;
  }

  /** @param {any[]} plies @param {number} at */
  function show(plies, at) {
    const same = shown.length <= plies.length && shown.every((ply, index) => ply === plies[index]);
    if (!same) reset();
    for (let index = shown.length; index < plies.length; index += 1) add(plies, index + 1);
    shown = plies.slice();
    if (!plies.length) table.replaceChildren(empty);
    else empty.remove();
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
 * Tabs: one panel at a time.
 * @param {HTMLElement} place
 * @param {{id: string, title: string, panel: HTMLElement}[]} list
 */
export function makeTabs(place, list) {
  const tabs = tabList("About the game", list.map(({ id, title }) => [id, title]), (which) => {
    for (const { id, panel } of list) panel.hidden = id !== which;
  }, "tab-");
  tabs.node.classList.add("tabs");
  clear(place).append(tabs.node);
  for (const { id, panel } of list) {
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${id}`);
    place.append(panel);
  }
  tabs.open(list[0].id);
  return tabs;
}
