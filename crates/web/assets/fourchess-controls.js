// How one goes through a game: buttons, speed, and the points over the game to jump in.

import { alone, clear, el, svgEl } from "./app.js";
import { SEATS } from "./fourchess-board.js";
import { button } from "./parts.js";

/** A slider has its arrows for itself. */
const own = (event) => event.stopPropagation();

/** The shapes on the buttons: chevrons, and a bar where the game begins or ends. */
const SHAPES = {
  first: "M6 5V19M18 5L10 12L18 19", back4: "M12 5L5 12L12 19M20 5L13 12L20 19", back: "M15 5L8 12L15 19",
  next: "M9 5L16 12L9 19", next4: "M12 5L19 12L12 19M4 5L11 12L4 19", last: "M18 5V19M6 5L14 12L6 19",
};

const control = (id, label, on) =>
  button(svgEl("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true", class: "shape" }, svgEl("path", { d: SHAPES[id] })),
    on, { class: "button icon", title: label, "aria-label": label, data: { id } });
const press = (id, name, run, kind = "button") => button(name, run, { class: kind, data: { id } });

/**
 * The buttons stay, so that a press is never lost to a redraw; one that does nothing keeps the focus.
 * @param {HTMLElement} place
 * @param {any} page What the buttons do.
 */
export function makeControls(place, page) {
  const words = (speed) => `${speed} a second`;
  const speedName = el("span", {}, words(page.speed));
  const speed = el("input", { type: "range", min: 0, max: 8, step: 1, value: Math.round(Math.log2(page.speed)), "aria-label": "Speed, plies a second", data: { id: "speed" }, on: {
    keydown: own,
    input: () => {
      const wanted = 2 ** Number(speed.value);
      speedName.textContent = words(wanted);
      speed.ariaValueText = words(wanted);
      page.setSpeed(wanted);
    },
  } });
  const by = (plies) => () => page.go(page.at() + plies);
  const backs = [control("first", "To the start", () => page.go(0)), control("back4", "Four plies back", by(-4)), control("back", "One ply back", by(-1))];
  const nexts = [control("next", "One ply forward", by(1)), control("next4", "Four plies forward", by(4)), control("last", "To the end", () => page.go(page.end()))];
  const run = press("run", "Play", page.run, "button run");
  const resign = press("resign", "Resign", page.resign);
  const follow = press("follow", "Follow the turn", page.follow, "toggle");
  const letters = press("letters", "Letters", page.letters, "toggle");
  const stripBox = el("div");
  place.append(stripBox,
    el("div.row.controls", { role: "group", "aria-label": "Go through the game" }, backs, run, nexts, el("label.speed.small.soft", {}, speedName, speed)),
    el("div.row.actions", {}, alone() ? null : [press("undo", "Undo", page.undo), press("hint", "Hint", page.hint), resign], press("rotate", "Rotate", page.rotate), follow, letters));

  function show({ first, last, over, running, name, follows, letters: shown }) {
    const off = (node, is) => { node.ariaDisabled = String(is); };
    backs.forEach((node) => off(node, first));
    nexts.forEach((node) => off(node, last));
    off(resign, over || !last);
    run.textContent = name;
    run.classList.toggle("on", running);
    follow.ariaPressed = String(follows);
    letters.ariaPressed = String(shown);
  }
  return { show, strip: makeStrip(stripBox, page.go) };
}

/**
 * The points of every seat over the game, to look at and to jump in.
 * @param {HTMLElement} place
 * @param {(ply: number) => void} onGo
 */
function makeStrip(place, onGo) {
  const [WIDTH, HEIGHT] = [600, 70];
  const lines = svgEl("g");
  const cursor = svgEl("line.cursor", { y1: 0, y2: HEIGHT });
  const svg = svgEl("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true", class: "strip" }, lines, cursor);
  const slider = el("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Ply", data: { id: "ply" }, class: "seek", on: { input: (event) => onGo(Number(event.target.value)), keydown: own } });
  clear(place).append(el("div.strip-box", {}, svg, slider));
  let drawn = null;

  /** @param {number[]} first @param {any[]} plies @param {number} at */
  function show(first, plies, at) {
    const most = plies.length;
    if (drawn !== plies || Number(slider.max) !== most) {
      drawn = plies;
      slider.max = String(most);
      const all = [first, ...plies.map((ply) => ply.points)];
      const top = all.reduce((most, points) => Math.max(most, ...points), 0);
      const scale = Math.max(10, top);
      clear(lines).append(...(top ? SEATS : []).map((seat, index) => {
        const step = Math.max(1, Math.floor(all.length / 600));
        let d = "";
        for (let ply = 0; ply < all.length; ply += step) {
          const x = (WIDTH * ply / Math.max(1, most)).toFixed(1);
          const y = (HEIGHT - 4 - (HEIGHT - 8) * all[ply][index] / scale).toFixed(1);
          d += d ? `H${x}V${y}` : `M${x} ${y}`;
        }
        return svgEl("path", { d: `${d}H${WIDTH}`, class: `seat-${seat}` });
      }));
    }
    slider.value = String(at);
    slider.ariaValueText = `ply ${at} of ${most}`;
    const x = String(WIDTH * at / Math.max(1, most));
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
  }
  return { show };
}

