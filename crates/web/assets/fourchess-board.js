// The board of four-player chess: 14 by 14 squares without the corners, in which the players sit.

import { clear, el, svgEl } from "./app.js";
import { dialog } from "./parts.js";

export const SEATS = ["red", "blue", "yellow", "green"];
const EDGES = ["south", "west", "north", "east"];
const ROLES = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", D: "queen", K: "king" };
const WIDTH = 14;
const CUT = 3;

/** @typedef {{seat: string | null, was: string | null, role: string, promoted: boolean}} Piece */
/** @typedef {{title: string, points: string, note: string, status: string}} Plate */
/**
 * @typedef {object} Picture
 * @property {string} fen4
 * @property {string} bottom The edge at the bottom.
 * @property {string[]} edges The edge of each seat.
 * @property {string | null} turn
 * @property {Plate[]} plates
 * @property {{seat: string, from: string, to: string, latest: boolean}[]} lasts
 * @property {{seat: string, king: string, by: string[]}[]} checks
 * @property {string | null} picked
 * @property {Set<string>} targets
 * @property {{from: string, to: string, kind: string}[]} arrows
 * @property {boolean} letters
 */

/** @param {number} file @param {number} rank */
const nameOf = (file, rank) => String.fromCharCode(97 + file) + (rank + 1);
/** @param {string} square */
const placeOf = (square) => [square.charCodeAt(0) - 97, Number(square.slice(1)) - 1];
/** @param {number} at */
const isEnd = (at) => at < CUT || at >= WIDTH - CUT;

/**
 * The pieces of a FEN4 by their squares.
 * @param {string} fen4
 * @returns {Map<string, Piece>}
 */
export function piecesOf(fen4) {
  const pieces = new Map();
  const letters = { r: "red", b: "blue", y: "yellow", g: "green" };
  fen4.slice(fen4.lastIndexOf("-") + 1).split("/").forEach((row, at) => {
    let file = 0;
    for (const cell of row.split(",")) {
      if (/^\d+$/.test(cell)) {
        file += Number(cell);
        continue;
      }
      const dead = cell.startsWith("d");
      const owner = letters[(cell.slice(dead ? 1 : 0, -1))] ?? null;
      const letter = (cell.slice(-1));
      if (ROLES[letter]) {
        pieces.set(nameOf(file, WIDTH - 1 - at), {
          seat: dead ? null : owner, was: owner, role: ROLES[letter], promoted: cell.endsWith("D"),
        });
      }
      file += 1;
    }
  });
  return pieces;
}

/** Where a square is drawn, by column and row. @param {string} square @param {string} bottom */
function shownAt(square, bottom) {
  const [file, rank] = placeOf(square);
  const last = WIDTH - 1;
  if (bottom === "west") return [last - rank, last - file];
  if (bottom === "north") return [last - file, rank];
  if (bottom === "east") return [rank, file];
  return [file, last - rank];
}

/**
 * The board. `onPick` is called with a square that was chosen, by pointer or key; `onDrop` with
 * the squares of a piece that was dragged.
 * @param {HTMLElement} place
 * @param {{onPick: (square: string) => void, onDrop: (from: string, to: string) => void, canDrag: (square: string) => boolean}} options
 */
export function makeBoard(place, { onPick, onDrop, canDrag }) {
  const svg = svgEl("svg", { viewBox: "-44 -44 1488 1488", role: "grid", "aria-label": "Board, 14 by 14 squares without the corners" });
  const ground = svgEl("g", { "aria-hidden": "true" });
  const rows = svgEl("g", { role: "presentation" });
  const over = svgEl("g", { "aria-hidden": "true", class: "over" });
  // Texts stand in a layer of their own: a square has its name, and no other text.
  const texts = svgEl("g", { "aria-hidden": "true", class: "texts" });
  svg.append(ground, rows, texts, over);
  clear(place).append(svg);

  /** @type {Map<string, any>} */
  const cells = new Map();
  for (let rank = 0; rank < WIDTH; rank += 1) {
    for (let file = 0; file < WIDTH; file += 1) {
      if (!(isEnd(file) && isEnd(rank))) cells.set(nameOf(file, rank), makeCell(file, rank));
    }
  }
  let bottom = "";
  let focused = "h1";
  /** @type {Picture | null} */
  let shown = null;
  /** @type {Map<string, Piece>} */
  let pieces = new Map();
  cells.get(focused).node.setAttribute("tabindex", "0");

  /** @param {number} file @param {number} rank */
  function makeCell(file, rank) {
    const square = nameOf(file, rank);
    const part = (name) => svgEl("rect", { class: name, width: 100, height: 100 });
    const cell = {
      square,
      ground: part(`square ${(file + rank) % 2 ? "light" : "dark"}`),
      tint: part("tint"),
      check: part("check"),
      label: svgEl("text.label"),
      piece: svgEl("use.piece", { width: 100, height: 100 }),
      letter: svgEl("text.letter", { x: 82, y: 28 }),
      dot: svgEl("circle.dot", { cx: 50, cy: 50 }),
      ring: svgEl("rect.ring", { x: 4, y: 4, width: 92, height: 92, rx: 6 }),
      node: null,
      words: null,
      look: "",
    };
    cell.node = svgEl("g", { role: "gridcell", tabindex: "-1", class: "cell", data: { square } },
      cell.ground, cell.tint, cell.check, cell.piece, cell.dot, cell.ring);
    cell.words = svgEl("g", {}, cell.label, cell.letter);
    texts.append(cell.words);
    return cell;
  }

  /** Puts every cell where the bottom edge wants it, row by row, as it is read. */
  function arrange() {
    clear(rows);
    const lines = Array.from({ length: WIDTH }, () => svgEl("g", { role: "row" }));
    const ordered = [...cells.values()].sort((one, other) => shownAt(one.square, bottom)[0] - shownAt(other.square, bottom)[0]);
    for (const cell of ordered) {
      const [column, row] = shownAt(cell.square, bottom);
      for (const part of [cell.node, cell.words]) part.setAttribute("transform", `translate(${column * 100} ${row * 100})`);
      lines[row].append(cell.node);
      arrangeLabel(cell, column, row);
    }
    rows.append(...lines);
  }

  /** Files and ranks stand in the squares at the left and at the bottom. */
  function arrangeLabel(cell, column, row) {
    const first = isEnd(row) ? CUT : 0;
    const last = isEnd(column) ? WIDTH - 1 - CUT : WIDTH - 1;
    const sideways = bottom === "west" || bottom === "east";
    const letter = cell.square[0];
    const number = cell.square.slice(1);
    const spans = [];
    if (column === first) spans.push([sideways ? letter : number, 5, 20, "start"]);
    if (row === last) spans.push([sideways ? number : letter, 96, 95, "end"]);
    clear(cell.label).append(...spans.map(([text, x, y, anchor]) => svgEl("tspan", { x, y, "text-anchor": anchor }, text)));
  }

  /** @param {Picture} picture */
  function drawGround(picture) {
    clear(ground);
    const outline = "M300 0H1100V300H1400V1100H1100V1400H300V1100H0V300H300Z";
    ground.append(svgEl("path", { d: outline, class: `frame seat-${picture.turn ?? "none"}` }));
    SEATS.forEach((seat, at) => {
      const turns = (4 + EDGES.indexOf(picture.edges[at]) - EDGES.indexOf(bottom)) % 4;
      const on = picture.turn === seat;
      // The edge of a seat, drawn at the bottom and turned.
      const light = svgEl("g", { transform: `rotate(${turns * 90} 700 700)`, class: `edge seat-${seat} ${on ? "on" : ""} ${picture.plates[at].status}` },
        svgEl("rect.glow", { x: 300, y: 1404, width: 800, height: 38, rx: 14 }),
        svgEl("rect.line", { x: 304, y: 1412, width: 792, height: on ? 24 : 12, rx: 6 }));
      const [x, y] = [[20, 1130], [20, 20], [1130, 20], [1130, 1130]][turns];
      ground.append(light, plate(picture.plates[at], seat, on, x, y));
    });
  }

  function plate(plate, seat, on, x, y) {
    const text = (name, at, words) => svgEl("text", { class: name, x: 125, y: at }, words);
    return svgEl("g", { transform: `translate(${x} ${y})`, class: `plate seat-${seat} ${on ? "on" : ""} ${plate.status}` },
      svgEl("rect.back", { width: 250, height: 250, rx: 22 }),
      svgEl("path.band", { d: "M0 62V22A22 22 0 0 1 22 0H228A22 22 0 0 1 250 22V62Z" }),
      text("title", 44, plate.title), text(/[a-z]/.test(plate.points) ? "points word" : "points", 164, plate.points), text("note", 222, plate.note));
  }

  function drawCells(picture) {
    /** @type {Map<string, {seat: string, strong: boolean}>} */
    const tints = new Map();
    for (const last of picture.lasts) {
      tints.set(last.from, { seat: last.seat, strong: false });
      tints.set(last.to, { seat: last.seat, strong: last.latest });
    }
    const checked = new Set(picture.checks.map((check) => check.king));
    for (const cell of cells.values()) {
      const piece = pieces.get(cell.square);
      const tint = tints.get(cell.square);
      const target = picture.targets.has(cell.square);
      const look = JSON.stringify([piece, tint, checked.has(cell.square), target, picture.picked === cell.square, picture.letters, picture.turn]);
      if (look !== cell.look) drawCell(cell, piece, tint, { look, target, picked: picture.picked === cell.square, checked: checked.has(cell.square), letters: picture.letters, turn: picture.turn });
    }
  }

  function drawCell(cell, piece, tint, how) {
    cell.look = how.look;
    cell.tint.setAttribute("class", tint ? `tint seat-${tint.seat}${tint.strong ? " strong" : ""}` : "tint none");
    cell.check.setAttribute("class", how.checked ? "check" : "check none");
    cell.node.setAttribute("class", `cell${how.picked ? " picked" : ""}${how.target ? " target" : ""}`);
    if (piece) {
      cell.piece.setAttribute("href", `#piece-${piece.role}`);
      cell.piece.setAttribute("class", `piece piece-${piece.seat ?? "dead"}`);
    } else {
      cell.piece.removeAttribute("href");
    }
    const letter = piece && how.letters ? (piece.seat ?? "dead")[0].toUpperCase() : "";
    cell.letter.textContent = piece?.promoted ? `${letter}1` : letter;
    cell.dot.setAttribute("class", how.target ? `dot seat-${how.turn}${piece ? " taken" : ""}` : "dot none");
    cell.dot.setAttribute("r", piece ? "43" : "16");
    cell.node.ariaLabel = nameIt(cell.square, piece, how);
    cell.node.ariaSelected = String(how.picked);
  }

  function nameIt(square, piece, how) {
    const owner = piece ? piece.seat ?? (piece.was ? `dead ${piece.was}` : "dead") : "";
    const parts = [square, piece ? `${owner} ${piece.role}` : "empty"];
    if (how.checked) parts.push("in check");
    if (how.picked) parts.push("picked up");
    if (how.target) parts.push(piece ? "can be captured" : "legal move");
    return parts.join(", ");
  }

  function drawOver(picture) {
    clear(over);
    const arrows = [...picture.arrows];
    for (const check of picture.checks) arrows.push(...check.by.map((from) => ({ from, to: check.king, kind: "checks" })));
    for (const { from, to, kind } of arrows) {
      const [a, b] = [from, to].map((square) => shownAt(square, bottom).map((at) => at * 100 + 50));
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      const [dx, dy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
      const [tip, neck] = [length - 34, length - 66];
      const at = (along, aside) => `${a[0] + dx * along - dy * aside} ${a[1] + dy * along + dx * aside}`;
      over.append(svgEl("path", { class: `arrow ${kind}`, d: `M${at(30, -7)}L${at(neck, -7)}L${at(neck, -22)}L${at(tip, 0)}L${at(neck, 22)}L${at(neck, 7)}L${at(30, 7)}Z` }));
    }
  }

  /** Lets the piece that has just moved slide to its square. */
  function slide(move) {
    if (!move || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [from, to] = [shownAt(move.from, bottom), shownAt(move.to, bottom)];
    const [cell, piece] = [cells.get(move.to), pieces.get(move.to)];
    if (!cell || !piece) return;
    // A copy slides above all squares; the piece itself appears when it has arrived.
    const copy = svgEl("use", { href: `#piece-${piece.role}`, class: `piece-${piece.seat ?? "dead"}`, x: to[0] * 100, y: to[1] * 100, width: 100, height: 100 });
    over.append(copy);
    cell.node.classList.add("lifted");
    const start = `translate(${(from[0] - to[0]) * 100}px, ${(from[1] - to[1]) * 100}px)`;
    copy.animate([{ transform: start }, { transform: "none" }], { duration: 140, easing: "ease-out" }).onfinish = () => {
      copy.remove();
      cell.node.classList.remove("lifted");
    };
  }

  /** @param {Picture} picture @param {{from: string, to: string} | null} [moved] */
  function show(picture, moved = null) {
    pieces = piecesOf(picture.fen4);
    if (picture.bottom !== bottom) {
      bottom = picture.bottom;
      arrange();
    }
    shown = picture;
    drawGround(picture);
    drawCells(picture);
    drawOver(picture);
    slide(moved);
  }

  /** @param {string} square */
  function focus(square) {
    if (!cells.has(square)) return;
    cells.get(focused).node.setAttribute("tabindex", "-1");
    focused = square;
    cells.get(focused).node.setAttribute("tabindex", "0");
    cells.get(focused).node.focus({ preventScroll: true });
  }

  /** The square that is drawn beside another; around a cut corner, the nearest one in that direction. */
  function beside(square, columns, lines) {
    const [column, row] = shownAt(square, bottom);
    const far = (other) => {
      const [x, y] = shownAt(other, bottom);
      return (columns ? x === column + columns : y === row + lines) ? Math.abs(x - column) + Math.abs(y - row) : Infinity;
    };
    const nearest = [...cells.keys()].reduce((best, other) => (far(other) < far(best) ? other : best));
    return far(nearest) === Infinity ? null : nearest;
  }

  /** @type {Record<string, [number, number]>} */
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key]) {
      event.preventDefault();
      const next = beside(focused, ...steps[event.key]);
      if (next) focus(next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onPick(focused);
    }
  });

  /** @type {{from: string, x: number, y: number, ghost: any, moved: boolean, again: boolean} | null} */
  let drag = null;
  const squareAt = (event) => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-square]");
    return found && svg.contains(found) ? found.getAttribute("data-square") : null;
  };
  const pointAt = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener("pointerdown", (event) => {
    const square = squareAt(event);
    if (!square || event.button !== 0) return;
    if (canDrag(square)) {
      event.preventDefault();
      svg.setPointerCapture(event.pointerId);
      drag = { from: square, x: event.clientX, y: event.clientY, ghost: null, moved: false, again: shown?.picked === square };
    }
    focus(square);
    // A second press on a piece puts it down, unless it begins a drag.
    if (!drag?.again) onPick(square);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag || (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5)) return;
    const piece = pieces.get(drag.from);
    if (!drag.moved && piece) {
      drag.moved = true;
      drag.ghost = svgEl("use", { href: `#piece-${piece.role}`, class: `ghost piece-${piece.seat ?? "dead"}`, width: 100, height: 100 });
      over.append(drag.ghost);
      cells.get(drag.from).node.classList.add("lifted");
    }
    const point = pointAt(event);
    drag.ghost?.setAttribute("transform", `translate(${point.x - 50} ${point.y - 60})`);
  });
  const end = (event, dropped) => {
    if (!drag) return;
    const { from, ghost, moved, again } = drag;
    drag = null;
    ghost?.remove();
    cells.get(from).node.classList.remove("lifted");
    const to = dropped ? squareAt(event) : null;
    if (moved && to && to !== from) onDrop(from, to);
    else if (!moved && again) onPick(from);
  };
  svg.addEventListener("pointerup", (event) => end(event, true));
  svg.addEventListener("pointercancel", (event) => end(event, false));

  return { show, focus, pieceOn: (square) => pieces.get(square), node: svg };
}

/**
 * Asks what a pawn becomes, above its square.
 * @param {string} seat
 * @param {{promotion: string}[]} choices
 * @returns {Promise<number | null>}
 */
export function askPromotion(seat, choices) {
  return new Promise((resolve) => {
    /** @type {number | null} */
    let chosen = null;
    const buttons = choices.map((choice, at) =>
      el("button.become", { type: "button", "aria-label": choice.promotion, on: { click: () => { chosen = at; node.close(); } } },
        svgEl("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, svgEl("use", { href: `#piece-${choice.promotion}`, class: `piece-${seat}`, width: 100, height: 100 }))));
    const node = dialog("The pawn becomes", "promotion", el("div.row", {}, buttons));
    node.addEventListener("close", () => resolve(chosen));
  });
}
