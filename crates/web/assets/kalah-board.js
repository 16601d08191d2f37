// The board of Kalah: pits with their seeds, the values of moves, and the way of the seeds.

import { clear, el, svgEl } from "./app.js";

/** The most seeds that are drawn; the number beside them says how many there are. */
const MOST_SEEDS = 36;

/** The places of seeds in a hole, as shares of its width and height: a spiral, evenly filled. @param {number} seeds */
function places(seeds) {
  const reach = Math.min(0.33, 0.085 * Math.sqrt(seeds));
  return Array.from({ length: seeds }, (_, at) => {
    const turn = at * 2.399963 + seeds * 0.7;
    const far = seeds === 1 ? 0 : reach * Math.sqrt((at + 0.5) / seeds) * 1.15;
    return [0.5 + far * Math.cos(turn), 0.5 + far * Math.sin(turn)];
  });
}

/** @param {number | null | undefined} lead */
export function signed(lead) {
  if (lead === null || lead === undefined) return '?';
  return lead > 0 ? `+${lead}` : lead < 0 ? `−${-lead}` : '0';
}

export class Board {
  /**
   * @param {HTMLElement} root
   * @param {{play: (pit: number) => void, hover: (pit: ?number) => void}} events
   */
  constructor(root, events) {
    this.root = root;
    this.events = events;
    this.pits = 0;
    /** The player whose side is below. */
    this.below = 0;
    /** @type {Map<string, HTMLElement>} */
    this.holes = new Map();
  }

  /** @param {number} player @param {number} pit */
  hole(player, pit) {
    return this.holes.get(`${player}.${pit}`);
  }

  /** @param {number} pits @param {number} below */
  load(pits, below) {
    if (this.pits === pits && this.below === below) return;
    this.pits = pits;
    this.below = below;
    clear(this.root);
    this.holes.clear();
    this.root.style.setProperty('--pits', String(pits));
    this.root.style.gridTemplateColumns = `1.1fr ${pits}fr 1.1fr`;
    const above = 1 - below;
    this.root.append(this.store(above, 'left'));
    const rows = el('div.ka-rows', { role: 'grid', 'aria-label': `Board with ${pits} pits on a side` });
    rows.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.walk(event));
    const line = (/** @type {number} */ player, /** @type {number[]} */ order) => {
      const row = el('div', { class: `ka-row player-${player + 1}`, role: 'row', 'aria-label': `Pits of player ${player + 1}` });
      for (const pit of order) row.append(this.pit(player, pit));
      return row;
    };
    const numbers = Array.from({ length: pits }, (_, at) => at + 1);
    rows.append(line(above, [...numbers].reverse()), line(below, numbers));
    this.root.append(rows, this.store(below, 'right'));
    this.stop = this.hole(below, 1);
    this.stop.tabIndex = 0;
    this.over = svgEl('svg.ka-path', { 'aria-hidden': 'true' });
    this.root.append(this.over);
  }

  /** @param {number} player @param {string} side */
  store(player, side) {
    const node = el('div', { class: `ka-store ${side} player-${player + 1}`, role: 'img' },
      el('span.ka-name', { 'data-text': `Player ${player + 1}` }),
      el('span.ka-seeds'), el('span.ka-count'), el('span.ka-more'));
    this.holes.set(`${player}.0`, node);
    return node;
  }

  /** @param {number} player @param {number} pit */
  pit(player, pit) {
    const may = () => !node.classList.contains('still');
    const node = el('div.ka-pit', {
      role: 'gridcell', tabindex: '-1', 'data-id': `pit-${player + 1}-${pit}`,
      on: {
        click: () => may() && this.events.play(pit),
        mouseenter: () => this.events.hover(node.classList.contains('move') ? pit : null),
        mouseleave: () => this.events.hover(null),
        focus: () => {
          this.stop.tabIndex = -1;
          this.stop = node;
          node.tabIndex = 0;
          this.events.hover(node.classList.contains('move') ? pit : null);
        },
        blur: () => this.events.hover(null),
      },
    },
    el('span.ka-bowl', {}, el('span.ka-seeds'),
      el('span.ka-count'), el('span.ka-more')),
    el('span.ka-value'));
    this.holes.set(`${player}.${pit}`, node);
    return node;
  }

  /** Arrows walk from pit to pit; Enter and Space sow. @param {KeyboardEvent} event */
  walk(event) {
    const cell = /** @type {HTMLElement} */ (event.target);
    const cells = [...this.root.querySelectorAll('.ka-pit')];
    const at = cells.indexOf(cell);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.pits, ArrowDown: this.pits }[event.key];
    if (step !== undefined && Math.floor((at + (Math.abs(step) === 1 ? step : 0)) / this.pits) === Math.floor(at / this.pits)) {
      /** @type {HTMLElement | undefined} */ (cells[at + step])?.focus();
      event.preventDefault();
    } else if (step !== undefined) {
      event.preventDefault();
    } else if (event.key === 'Enter' || event.key === ' ') {
      cell.click();
      event.preventDefault();
    }
  }

  /**
   * @param {any} ply
   * @param {Map<number, any>} moves by pit; empty where nothing can be played
   * @param {{hidden: boolean, yours: boolean, last: any}} how
   */
  draw(ply, moves, { hidden, yours, last }) {
    for (const player of [0, 1]) {
      const store = this.hole(player, 0);
      fillSeeds(store.querySelector('.ka-seeds'), ply.stores[player]);
      store.querySelector('.ka-count').dataset.text = String(ply.stores[player]);
      store.ariaLabel = `Store of player ${player + 1}: ${ply.stores[player]}`;
      for (let pit = 1; pit <= this.pits; pit += 1) {
        this.drawPit(ply, player, pit, player === ply.mover ? moves.get(pit) : undefined, hidden, yours, last);
      }
    }
    this.root.dataset.mover = String(ply.mover + 1);
  }

  /** @param {any} ply @param {number} player @param {number} pit @param {any} move @param {boolean} hidden @param {boolean} yours @param {any} last */
  drawPit(ply, player, pit, move, hidden, yours, last) {
    const node = this.hole(player, pit);
    const seeds = ply.pits[player][pit - 1];
    fillSeeds(node.querySelector('.ka-seeds'), seeds);
    node.querySelector('.ka-count').dataset.text = String(seeds);
    const known = Boolean(move) && !hidden && move.lead !== null;
    node.querySelector('.ka-value').dataset.text = known ? signed(move.lead) : '';
    node.classList.toggle('best', known && move.best);
    node.classList.toggle('worse', known && !move.best && move.worse !== null);
    node.classList.toggle('last', Boolean(last) && last.player === player && last.pit === pit);
    node.classList.toggle('move', Boolean(move));
    node.classList.toggle('still', !(move && yours));
    node.ariaDisabled = String(!(move && yours));
    const name = [`Pit ${pit} of player ${player + 1}`, `${seeds} ${seeds === 1 ? 'seed' : 'seeds'}`];
    if (known) name.push(move.words, move.best ? 'best' : `${move.worse} worse`);
    if (move) name.push(move.why);
    node.ariaLabel = name.join(', ');
  }

  /** Shows where the seeds of a move fall. @param {any} move @param {number} player */
  show(move, player) {
    for (const hole of this.holes.values()) {
      hole.classList.remove('lit', 'ends');
      hole.querySelector('.ka-more').dataset.text = '';
    }
    clear(this.over);
    if (!move) return;
    const counts = new Map();
    for (const [owner, pit] of move.path) {
      const key = `${owner}.${pit}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, count] of counts) this.holes.get(key).querySelector('.ka-more').dataset.text = `+${count}`;
    this.hole(player, move.pit).classList.add('lit');
    const [owner, pit] = move.path[move.path.length - 1];
    this.hole(owner, pit).classList.add('ends');
    this.trace([[player, move.pit], ...move.path.slice(0, 2 * this.pits + 2)]);
  }

  /** A line through the middle of holes, with an arrow at its end. @param {number[][]} way */
  trace(way) {
    const box = this.root.getBoundingClientRect();
    this.over.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
    const points = way.map(([player, pit]) => {
      const node = this.hole(player, pit);
      const here = (node.querySelector('.ka-bowl') ?? node).getBoundingClientRect();
      return [here.left - box.left + here.width / 2, here.top - box.top + here.height / 2];
    });
    // Every hop is an arc, bent outwards from the middle of the board.
    let [from] = points;
    let path = `M${from.map((one) => one.toFixed(1)).join(' ')}`;
    let bend = from;
    for (const to of points.slice(1)) {
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
      bend = [middle[0] + 0.28 * dy, middle[1] - 0.28 * dx * Math.sign(middle[1] - box.height / 2) * Math.sign(dx || 1)];
      path += `Q${[...bend, ...to].map((one) => one.toFixed(1)).join(' ')}`;
      from = to;
    }
    this.over.append(svgEl('path', { d: path, class: 'ka-way' }));
    const [[ax, ay], [bx, by]] = [bend, from];
    const turn = Math.atan2(by - ay, bx - ax);
    const corner = (/** @type {number} */ by2, /** @type {number} */ far) =>
      `${(bx + far * Math.cos(turn + by2)).toFixed(1)} ${(by + far * Math.sin(turn + by2)).toFixed(1)}`;
    this.over.append(svgEl('path', { d: `M${corner(0, 9)}L${corner(2.5, 11)}L${corner(-2.5, 11)}Z`, class: 'ka-tip' }));
  }
}

/** @param {Element} place @param {number} seeds */
function fillSeeds(place, seeds) {
  const shown = Math.min(seeds, MOST_SEEDS);
  if (place.childElementCount === shown) return;
  clear(place);
  for (const [at, [x, y]] of places(shown).entries()) {
    const seed = el('span', { class: `ka-seed kind-${(at * 7 + 3) % 5}` });
    seed.style.left = `${(x * 100).toFixed(1)}%`;
    seed.style.top = `${(y * 100).toFixed(1)}%`;
    place.append(seed);
  }
}
