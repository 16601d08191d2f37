// Overlays: what the facts of a position look like on the board. Nothing is computed here that
// the server has not said.
import { svgEl } from './app.js';

/** The overlays, in the order of their keys. Facts are those that their sentences name. */
export const OVERLAYS = [
  { id: 'hanging', label: 'Hanging', facts: ['hanging_see'],
    what: 'pieces that can be captured with gain, and the gain' },
  { id: 'pins', label: 'Pins', facts: ['pins', 'relative_pins'],
    what: 'who pins what to what; dashed if the target is not the king' },
  { id: 'forks', label: 'Forks', facts: ['forks'], what: 'pieces that attack two targets or more' },
  { id: 'skewers', label: 'Skewers', facts: ['skewers'],
    what: 'a dear piece in front of a cheaper one' },
  { id: 'xrays', label: 'X-rays', facts: ['xrays', 'discovered'],
    what: 'sliders that look through one piece at an enemy piece' },
  { id: 'heat', label: 'Heat map', facts: [],
    what: 'how many pieces of each side attack a square' },
  { id: 'loose', label: 'Loose', facts: ['undefended'],
    what: 'pieces without a defender; filled if attacked' },
  { id: 'pawns', label: 'Pawns', facts: ['passed', 'candidates', 'isolated', 'backward', 'doubled'],
    what: 'passed, isolated, backward and doubled pawns' },
  { id: 'forkmoves', label: 'Fork moves', facts: ['fork_moves'],
    what: 'moves that would fork without losing the piece' },
  { id: 'batteries', label: 'Batteries', facts: ['batteries'],
    what: 'two sliders on one line' },
];

const BY_FACT = new Map();
for (const overlay of OVERLAYS) for (const fact of overlay.facts) BY_FACT.set(fact, overlay.id);
BY_FACT.set('checkers', 'check');

/** The overlay that shows a fact, if one does. */
export function overlayOf(fact) {
  return BY_FACT.get(fact) ?? 'other';
}

/** Which marks appear in a position that the one before did not have, among overlays. */
export function appears(marks, on) {
  const names = on.has('loose') ? ['undefended'] : [];
  return (marks?.appears ?? []).some((name) => on.has(name) || names.includes(name));
}

/**
 * Draws the overlays that are on.
 * @param {Object} board gives the middle of squares and the layers `under` and `over`
 * @param {Object} answer what the server says of the position
 * @param {Set<string>} on
 */
export function drawOverlays(board, answer, on) {
  const under = board.layer('under');
  const over = board.layer('over');
  if (on.has('heat')) drawHeat(board, under, over, answer.attacks);
  for (const color of ['white', 'black']) {
    const side = answer.facts[color];
    if (on.has('batteries')) drawBatteries(board, over, side);
    if (on.has('xrays')) drawXrays(board, over, side);
    if (on.has('forkmoves')) drawForkMoves(board, over, side);
    if (on.has('forks')) drawForks(board, over, side);
    if (on.has('skewers')) drawSkewers(board, over, side);
    if (on.has('pins')) drawPins(board, over, side);
    if (on.has('loose')) drawLoose(board, over, side);
    if (on.has('hanging')) drawHanging(board, over, side);
    if (on.has('pawns')) drawPawns(board, over, side);
  }
}

function drawHeat(board, under, over, attacks) {
  for (let index = 0; index < 64; index += 1) {
    const [white, black] = [attacks.white[index], attacks.black[index]];
    if (white === 0 && black === 0) continue;
    const square = squareAt(index);
    const { x, y } = board.corner(square);
    const lead = white - black;
    if (lead !== 0) {
      const strength = Math.min(Math.abs(lead), 4);
      const side = lead > 0 ? 'white' : 'black';
      under.append(svgEl('rect', {
        class: `heat heat-${side} heat-${strength}`, x, y, width: 100, height: 100,
      }));
    }
    if (white > 0) over.append(count('white', x + 10, y + 91, white));
    if (black > 0) over.append(count('black', x + 90, y + 23, black));
  }
}

function count(side, x, y, number) {
  const anchor = side === 'white' ? 'start' : 'end';
  return svgEl('text', { class: `count count-${side}`, x, y, 'text-anchor': anchor }, String(number));
}

function drawHanging(board, over, side) {
  for (const { square, gain } of side.hanging) {
    const { x, y } = board.middle(square);
    over.append(
      svgEl('circle.ring.mark-hanging', { cx: x, cy: y, r: 45 }),
      badge('mark-hanging', x + 33, y + 33, `+${gain}`),
    );
  }
}

function badge(kind, x, y, text) {
  const width = text.length > 2 ? 44 : 34;
  return svgEl('g', { class: `badge ${kind}` },
    svgEl('rect', { x: x - width / 2, y: y - 15, width, height: 30, rx: 15 }),
    svgEl('text', { x, y: y + 7.5, 'text-anchor': 'middle' }, text));
}

function drawLoose(board, over, side) {
  for (const square of side.loose) {
    const { x, y } = board.middle(square);
    const attacked = side.undefended.includes(square);
    over.append(svgEl('circle', {
      class: `ring mark-loose${attacked ? ' attacked' : ''}`, cx: x, cy: y, r: 39,
    }));
  }
}

function drawPins(board, over, side) {
  for (const { pinner, pinned, target, absolute } of side.pins) {
    const kind = `mark-pins${absolute ? '' : ' dashed'}`;
    const { x, y } = board.middle(pinned);
    over.append(
      arrow(board, pinner, target, kind, 9),
      svgEl('path', { class: `diamond ${kind}`, d: `M${x} ${y - 44}l13 13-13 13-13-13z` }),
    );
  }
}

function drawSkewers(board, over, side) {
  for (const { slider, front, back } of side.skewers) {
    over.append(
      arrow(board, slider, front, 'mark-skewers', 9),
      arrow(board, front, back, 'mark-skewers dashed', 7),
    );
  }
}

function drawForks(board, over, side) {
  for (const { forker, targets } of side.forks) fan(board, over, forker, targets, 'mark-forks', 9);
}

function fan(board, over, from, targets, kind, width) {
  const { x, y } = board.middle(from);
  over.append(svgEl('circle', { class: `hub ${kind}`, cx: x, cy: y, r: 11 }));
  for (const target of targets) over.append(arrow(board, from, target, kind, width));
}

function drawForkMoves(board, over, side) {
  for (const { from, to, targets } of side.fork_moves) {
    over.append(arrow(board, from, to, 'mark-forkmoves', 7));
    fan(board, over, to, targets, 'mark-forkmoves dashed', 5);
  }
}

function drawXrays(board, over, side) {
  for (const { slider, front, back } of side.xrays) {
    const { x, y } = board.middle(front);
    over.append(
      arrow(board, slider, back, 'mark-xrays', 4),
      svgEl('circle.hub.mark-xrays', { cx: x, cy: y, r: 6 }),
    );
  }
}

function drawBatteries(board, over, side) {
  for (const [first, second] of side.batteries) {
    const [a, b] = [board.middle(first), board.middle(second)];
    over.append(
      svgEl('line.line.mark-batteries', { x1: a.x, y1: a.y, x2: b.x, y2: b.y }),
    );
  }
}

const PAWN_SIGNS = [
  ['passed', '↑', 'passed'], ['isolated', 'i', 'weak'], ['backward', 'b', 'weak'],
  ['doubled', 'd', 'weak'],
];

function drawPawns(board, over, side) {
  for (const square of side.pawns.all) {
    const signs = PAWN_SIGNS.filter(([name]) => side.pawns[name].includes(square));
    const { x, y } = board.corner(square);
    signs.forEach(([, sign, kind], at) => {
      over.append(svgEl('g', { class: `badge small pawn-${kind}` },
        svgEl('circle', { cx: x + 17 + 26 * at, cy: y + 18, r: 12 }),
        svgEl('text', { x: x + 17 + 26 * at, y: y + 24, 'text-anchor': 'middle' }, sign)));
    });
  }
}

/** An arrow between the middles of two squares. */
export function arrow(board, from, to, kind, width) {
  const [a, b] = [board.middle(from), board.middle(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const head = 13 + width * 1.9;
  const tip = { x: b.x - 16 * dx, y: b.y - 16 * dy };
  const neck = { x: tip.x - head * dx, y: tip.y - head * dy };
  const start = { x: a.x + 14 * dx, y: a.y + 14 * dy };
  const half = head * 0.55;
  return svgEl('g', { class: `arrow ${kind}` },
    svgEl('line', {
      x1: start.x, y1: start.y, x2: neck.x + 2 * dx, y2: neck.y + 2 * dy, 'stroke-width': width,
    }),
    svgEl('path', {
      class: 'head',
      d: `M${tip.x} ${tip.y}L${neck.x - half * dy} ${neck.y + half * dx}`
        + `L${neck.x + half * dy} ${neck.y - half * dx}Z`,
    }));
}

/** The name of a square by its index from a1 to h8. */
export function squareAt(index) {
  return 'abcdefgh'[index % 8] + String(Math.floor(index / 8) + 1);
}

/** The index of a square. */
export function indexOf(square) {
  return 'abcdefgh'.indexOf(square[0]) + 8 * (Number(square[1]) - 1);
}
