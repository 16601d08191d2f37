// The board: squares as a grid that can be walked by keys, pieces and marks as a picture below
// it. It knows selection, dragging, flipping and drawing, and no rule of chess.
import { el, svgEl, clear } from './app.js';
import { arrow, indexOf, squareAt } from './chess-marks.js';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const ROLES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** What a letter of FEN stands for. */
export function pieceOf(letter) {
  const role = ROLES[letter.toLowerCase()];
  return { role, color: letter === letter.toLowerCase() ? 'black' : 'white' };
}

/** The 64 signs of the first field of a FEN, from a1 to h8. */
export function placementOf(fen) {
  const ranks = fen.split(' ')[0].split('/').reverse();
  const signs = ranks.map((rank) => rank.replace(/\d/g, (digit) => '.'.repeat(Number(digit))));
  return signs.join('');
}

/** A picture of one piece. */
export function pieceIcon(letter) {
  const { role, color } = pieceOf(letter);
  const use = svgEl('use', { href: `#piece-${role}` });
  const icon = svgEl('svg', { class: `piece piece-${color}`, viewBox: '0 0 100 100' }, use);
  icon.ariaHidden = 'true';
  return icon;
}

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {Object} calls `move(from, to)`, `hover(square)`, `draw(shape)`, `clear()`,
   *   `place(square)`, `drop(from, to)`, `key(square, event)`, `name(square)`
   */
  constructor(host, calls) {
    this.host = host;
    this.calls = calls;
    this.flipped = false;
    this.placement = '.'.repeat(64);
    this.moves = [];
    this.selected = null;
    this.focused = 'e2';
    this.editing = false;
    this.drawing = false;
    this.pieces = new Map();
    this.build();
    this.listen();
  }

  build() {
    this.svg = svgEl('svg', { viewBox: '0 0 800 800', class: 'board-picture' });
    this.svg.ariaHidden = 'true';
    const defs = svgEl('defs', {}, gradient('paint-white', 'stop-white'),
      gradient('paint-black', 'stop-black'), danger());
    this.svg.append(defs);
    this.layers = {};
    for (const name of ['squares', 'last', 'under', 'labels', 'pieces', 'dots', 'over', 'drawn', 'lit']) {
      this.layers[name] = svgEl('g', { class: `layer-${name}` });
      this.svg.append(this.layers[name]);
    }
    this.grid = el('div.board-grid', { role: 'grid', 'aria-label': 'Chess board' });
    this.cells = new Map();
    this.host.append(this.svg, this.grid);
    this.arrange();
  }

  /** Puts squares, rows and labels where the viewpoint wants them. */
  arrange() {
    clear(this.grid);
    clear(this.layers.squares);
    clear(this.layers.labels);
    for (let row = 0; row < 8; row += 1) {
      const line = el('div.board-row', { role: 'row' });
      for (let column = 0; column < 8; column += 1) {
        const square = this.squareIn(column, row);
        const cell = this.cells.get(square) ?? this.makeCell(square);
        line.append(cell);
        const shade = (column + row) % 2 === 0 ? 'light' : 'dark';
        this.layers.squares.append(svgEl('rect', {
          class: `square-${shade}`, x: 100 * column, y: 100 * row, width: 100, height: 100,
        }));
        if (column === 0) this.label(6, 100 * row + 22, square[1], shade, 'start');
        if (row === 7) this.label(100 * column + 94, 793, square[0], shade, 'end');
      }
      this.grid.append(line);
    }
  }

  makeCell(square) {
    const cell = el('div.board-cell', { role: 'gridcell', tabindex: '-1', 'data-id': square });
    cell.dataset.square = square;
    this.cells.set(square, cell);
    return cell;
  }

  label(x, y, text, shade, anchor) {
    this.layers.labels.append(
      svgEl('text', { class: `label on-${shade}`, x, y, 'text-anchor': anchor }, text));
  }

  squareIn(column, row) {
    const [file, rank] = this.flipped ? [7 - column, row] : [column, 7 - row];
    return 'abcdefgh'[file] + String(rank + 1);
  }

  corner(square) {
    const [file, rank] = [square.charCodeAt(0) - 97, Number(square[1]) - 1];
    const [column, row] = this.flipped ? [7 - file, rank] : [file, 7 - rank];
    return { x: 100 * column, y: 100 * row };
  }

  middle(square) {
    const { x, y } = this.corner(square);
    return { x: x + 50, y: y + 50 };
  }

  layer(name) {
    return this.layers[name];
  }

  flip(flipped) {
    if (this.flipped === flipped) return;
    const focus = document.activeElement?.dataset?.square;
    this.flipped = flipped;
    this.arrange();
    for (const [square, piece] of this.pieces) this.put(piece, square);
    if (focus) this.cells.get(focus).focus();
  }

  /** Shows a placement; pieces that have moved slide. */
  show(placement) {
    const [gone, come] = [[], []];
    for (let index = 0; index < 64; index += 1) {
      if (this.placement[index] === placement[index]) continue;
      if (this.placement[index] !== '.') gone.push(index);
      if (placement[index] !== '.') come.push(index);
    }
    this.placement = placement;
    const freed = [];
    for (const index of gone) {
      const square = squareAt(index);
      freed.push({ index, piece: this.pieces.get(square) });
      this.pieces.delete(square);
    }
    for (const index of come) this.bring(index, placement[index], freed);
    for (const { piece } of freed) piece.remove();
    this.select(null);
  }

  /** Brings a piece to a square: the nearest one that has left, or a new one. */
  bring(index, letter, freed) {
    const like = freed.filter(({ piece }) => piece.dataset.letter === letter);
    const far = (other) => Math.abs(other % 8 - index % 8) + Math.abs((other >> 3) - (index >> 3));
    like.sort((a, b) => far(a.index) - far(b.index));
    const square = squareAt(index);
    let piece;
    if (like.length > 0) {
      ({ piece } = like[0]);
      freed.splice(freed.indexOf(like[0]), 1);
      this.layers.pieces.append(piece);
      // Read the place once, so that the way from it is shown.
      piece.getBoundingClientRect();
    } else {
      piece = this.makePiece(letter);
    }
    this.put(piece, square);
    this.pieces.set(square, piece);
  }

  makePiece(letter) {
    const { role, color } = pieceOf(letter);
    const piece = svgEl('g', { class: `piece piece-${color}` },
      svgEl('use', { href: `#piece-${role}`, x: -6, y: -5, width: 112, height: 112 }));
    piece.dataset.letter = letter;
    this.layers.pieces.append(piece);
    return piece;
  }

  put(piece, square) {
    const { x, y } = this.corner(square);
    piece.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** The letter on a square, or a dot. */
  at(square) {
    return this.placement[indexOf(square)];
  }

  /** Marks the last move and a king in check. */
  mark(last, check) {
    clear(this.layers.last);
    for (const square of last) this.tint(this.layers.last, square, 'last');
    if (check) {
      const { x, y } = this.middle(check);
      this.layers.last.append(svgEl('circle.check', { cx: x, cy: y, r: 62 }));
    }
  }

  tint(layer, square, kind) {
    const { x, y } = this.corner(square);
    layer.append(svgEl('rect', { class: `tint ${kind}`, x, y, width: 100, height: 100 }));
  }

  /** Lights squares, those of a sentence for instance. */
  light(squares) {
    clear(this.layers.lit);
    for (const square of squares) {
      const { x, y } = this.corner(square);
      this.layers.lit.append(
        svgEl('rect.lit', { x: x + 3, y: y + 3, width: 94, height: 94, rx: 6 }));
    }
  }

  clearMarks() {
    clear(this.layers.under);
    clear(this.layers.over);
  }

  /** Draws arrows and circles: those of comments and those of the reader. */
  draw(shapes) {
    clear(this.layers.drawn);
    for (const shape of shapes) this.layers.drawn.append(this.shape(shape));
  }

  shape({ from, to, brush }) {
    if (to && to !== from) return arrow(this, from, to, `brush brush-${brush}`, 14);
    const { x, y } = this.middle(from);
    return svgEl('circle', { class: `brush circle brush-${brush}`, cx: x, cy: y, r: 44 });
  }

  /** Gives the squares their names, which is what a screen reader says. */
  name() {
    for (const [square, cell] of this.cells) {
      cell.ariaLabel = this.calls.name(square);
    }
    this.rove();
  }

  rove() {
    for (const [square, cell] of this.cells) cell.tabIndex = square === this.focused ? 0 : -1;
  }

  movesFrom(square) {
    return this.moves.filter((move) => move.from === square);
  }

  movesBetween(from, to) {
    return this.moves.filter((move) => move.from === from && move.targets.includes(to));
  }

  select(square) {
    if (this.selected) this.cells.get(this.selected).removeAttribute('aria-selected');
    this.selected = square;
    clear(this.layers.dots);
    if (!square) return;
    this.cells.get(square).ariaSelected = 'true';
    this.tint(this.layers.dots, square, 'picked');
    const targets = new Set(this.movesFrom(square).flatMap((move) => move.targets));
    for (const target of targets) {
      const { x, y } = this.middle(target);
      const taken = this.at(target) !== '.';
      this.layers.dots.append(svgEl('circle', {
        class: taken ? 'target taken' : 'target', cx: x, cy: y, r: taken ? 44 : 15,
      }));
    }
  }

  /** The square under a point of the screen. */
  squareUnder(event) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * 8);
    const row = Math.floor((event.clientY - box.top) / box.height * 8);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? this.squareIn(column, row) : null;
  }

  pointOf(event) {
    const box = this.grid.getBoundingClientRect();
    return {
      x: (event.clientX - box.left) / box.width * 800,
      y: (event.clientY - box.top) / box.height * 800,
    };
  }

  listen() {
    const { grid } = this;
    grid.addEventListener('contextmenu', (event) => event.preventDefault());
    // A click does not move the focus: keys go on stepping through the game.
    grid.addEventListener('mousedown', (event) => event.preventDefault());
    // Nor does a tap click on what it has opened.
    grid.addEventListener('touchend', (event) => { if (event.cancelable) event.preventDefault(); });
    grid.addEventListener('pointerdown', (event) => this.down(event));
    grid.addEventListener('pointermove', (event) => this.moved(event));
    grid.addEventListener('pointerup', (event) => this.up(event));
    grid.addEventListener('pointercancel', () => this.cancel());
    grid.addEventListener('pointerleave', () => this.calls.hover(null));
    grid.addEventListener('keydown', (event) => this.key(event));
    grid.addEventListener('focusin', (event) => {
      const { square } = event.target.dataset;
      if (!square) return;
      this.focused = square;
      this.rove();
      this.calls.hover(square);
    });
    grid.addEventListener('focusout', () => this.calls.hover(null));
  }

  down(event) {
    const square = this.squareUnder(event);
    if (!square) return;
    const active = document.activeElement;
    if (active && active !== document.body && !this.grid.contains(active)) active.blur();
    this.grid.setPointerCapture(event.pointerId);
    const brush = brushOf(event);
    if (event.button === 2 || (event.button === 0 && this.drawing && !this.editing)) {
      this.stroke = { from: square, to: square, brush };
      return;
    }
    if (event.button !== 0) return;
    if (this.editing) {
      this.pickToEdit(event, square);
      return;
    }
    this.calls.clear();
    if (this.selected && this.selected !== square && this.finish(this.selected, square)) return;
    const again = this.selected === square;
    if (this.movesFrom(square).length === 0) {
      this.select(null);
      return;
    }
    this.select(square);
    this.held = { square, piece: this.pieces.get(square), again, from: this.pointOf(event), far: false };
  }

  pickToEdit(event, square) {
    if (this.calls.place(square)) return;
    const piece = this.pieces.get(square);
    if (piece) this.held = { square, piece, from: this.pointOf(event), far: false };
  }

  moved(event) {
    if (this.stroke) {
      const to = this.squareUnder(event);
      if (to && to !== this.stroke.to) {
        this.stroke.to = to;
        this.layers.drawn.querySelector('.preview')?.remove();
        const preview = this.shape(this.stroke);
        preview.classList.add('preview');
        this.layers.drawn.append(preview);
      }
      return;
    }
    if (!this.held) {
      if (event.pointerType === 'mouse') this.calls.hover(this.squareUnder(event));
      return;
    }
    const { x, y } = this.pointOf(event);
    const { from, piece } = this.held;
    if (!this.held.far && Math.hypot(x - from.x, y - from.y) < 14) return;
    if (!this.held.far) {
      this.held.far = true;
      piece.classList.add('held');
      this.layers.pieces.append(piece);
    }
    piece.style.transform = `translate(${x - 54}px, ${y - 58}px) scale(1.08)`;
  }

  up(event) {
    if (this.stroke) {
      const { stroke } = this;
      this.stroke = null;
      this.calls.draw(stroke);
      return;
    }
    const { held } = this;
    if (!held) return;
    this.held = null;
    held.piece.classList.remove('held');
    const to = this.squareUnder(event);
    if (this.editing) {
      this.put(held.piece, held.square);
      if (held.far) this.calls.drop(held.square, to);
      return;
    }
    if (!held.far) {
      if (held.again) this.select(null);
      return;
    }
    // A dropped piece is there already: it does not slide.
    held.piece.classList.add('dropped');
    if (!to || to === held.square || !this.finish(held.square, to)) this.put(held.piece, held.square);
    requestAnimationFrame(() => held.piece.classList.remove('dropped'));
  }

  cancel() {
    if (this.held) {
      this.held.piece.classList.remove('held');
      this.put(this.held.piece, this.held.square);
    }
    this.held = null;
    this.stroke = null;
  }

  /** Makes the move between two squares, if there is one. */
  finish(from, to) {
    const moves = this.movesBetween(from, to);
    if (moves.length === 0) return false;
    this.select(null);
    this.calls.move(moves, from, to);
    return true;
  }

  key(event) {
    const { square } = event.target.dataset;
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (step) {
      const { x, y } = this.corner(square);
      const column = Math.min(7, Math.max(0, x / 100 + step[0]));
      const row = Math.min(7, Math.max(0, y / 100 + step[1]));
      this.cells.get(this.squareIn(column, row)).focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.pick(square);
    } else if (event.key === 'Escape' && this.selected) {
      this.select(null);
    } else if (!this.calls.key(square, event)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Picks a piece up or drops it, by keys. */
  pick(square) {
    if (this.editing) {
      this.calls.place(square);
    } else if (this.selected && this.selected !== square && this.finish(this.selected, square)) {
      this.calls.picked(null);
    } else if (this.selected === square || this.movesFrom(square).length === 0) {
      this.select(null);
      this.calls.picked(square);
    } else {
      this.select(square);
      this.calls.picked(square);
    }
  }

  /** Puts every piece back on its square. */
  settle() {
    for (const [square, piece] of this.pieces) this.put(piece, square);
  }

  focus() {
    this.cells.get(this.focused).focus();
  }
}

function brushOf(event) {
  const red = event.shiftKey || event.ctrlKey;
  if (event.altKey) return red ? 'yellow' : 'blue';
  return red ? 'red' : 'green';
}

function gradient(id, stop) {
  return svgEl('linearGradient', { id, x1: 0, y1: 0, x2: 0.25, y2: 1 },
    svgEl('stop', { class: `${stop}-1`, offset: '0' }),
    svgEl('stop', { class: `${stop}-2`, offset: '1' }));
}

function danger() {
  return svgEl('radialGradient', { id: 'paint-check' },
    svgEl('stop.stop-check-1', { offset: '0.15' }),
    svgEl('stop.stop-check-2', { offset: '0.6' }),
    svgEl('stop.stop-check-3', { offset: '1' }));
}
