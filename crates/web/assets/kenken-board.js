// The grid of a puzzle: cages, digits, marks at fixed places, and what is lit. One tab stop.
// Styles draw the texts from `data-text`, so that a cell has one name and no second text.

import { clear, el } from "./app.js";

/** @typedef {import('./kenken-game.js').Puzzle} Puzzle */
/** @typedef {import('./kenken-game.js').Grid} Grid */

/**
 * @typedef {object} Lit
 * @property {Set<number>} clash cells that break a rule
 * @property {Set<number>} wrong cells that no solution has
 * @property {Set<number>} look where a hint says to look
 * @property {Set<number>} because what a hint follows from
 * @property {Map<number, Set<number>>} gone marks that a hint removes
 * @property {Map<number, number>} placed digits that a hint places
 */

/** How high a clue is, in cells: a long one is smaller. @param {string} clue */
const height = (clue) => Math.min(0.185, 0.9 / (0.5 + 0.72 * clue.length));

export class Board {
  /**
   * @param {HTMLElement} root
   * @param {{select: (cell: number) => void}} events
   */
  constructor(root, events) {
    this.root = root;
    this.events = events;
    /** @type {HTMLElement[]} */
    this.cells = [];
    this.selected = 0;
    root.addEventListener('mousedown', (event) => this.pick(event));
    root.addEventListener('focusin', (event) => this.pick(event));
  }

  /** @param {Event} event */
  pick(event) {
    const cell = /** @type {HTMLElement} */ (event.target).closest('[data-cell]');
    if (cell) this.select(Number(/** @type {HTMLElement} */ (cell).dataset.cell), false);
  }

  /** @param {number} cell @param {boolean} focus */
  select(cell, focus) {
    if (!this.cells.length) return;
    this.cells[this.selected].tabIndex = -1;
    this.selected = cell;
    this.cells[cell].tabIndex = 0;
    if (focus) this.cells[cell].focus();
    this.events.select(cell);
  }

  /** @param {number} down @param {number} right */
  walk(down, right) {
    const n = this.size;
    const row = (Math.floor(this.selected / n) + down + n) % n;
    const column = (this.selected % n + right + n) % n;
    this.select(row * n + column, true);
  }

  /** Draws the cages of a puzzle. @param {Puzzle} puzzle */
  load(puzzle) {
    const n = puzzle.size;
    this.puzzle = puzzle;
    this.size = n;
    this.places = Math.ceil(Math.sqrt(n));
    clear(this.root);
    this.root.style.setProperty('--n', String(n));
    this.root.style.setProperty('--places', String(this.places));
    this.root.setAttribute('role', 'grid');
    this.root.ariaLabel = `KenKen ${n} by ${n}, ${puzzle.grade}`;
    this.cells = [];
    for (let row = 0; row < n; row += 1) {
      const line = el('div', { role: 'row', class: 'kk-row' });
      for (let column = 0; column < n; column += 1) line.append(this.make(row, column));
      this.root.append(line);
    }
    this.selected = 0;
    this.cells[0].tabIndex = 0;
  }

  /** @param {number} row @param {number} column */
  make(row, column) {
    const { size: n, puzzle } = this;
    const index = row * n + column;
    const cage = puzzle.cage_of[index];
    const other = (/** @type {number} */ r, /** @type {number} */ c) =>
      r < 0 || c < 0 || r >= n || c >= n || puzzle.cage_of[r * n + c] !== cage;
    const walls = [
      other(row - 1, column) ? 'top' : '', other(row, column - 1) ? 'left' : '',
      other(row + 1, column) ? 'bottom' : '', other(row, column + 1) ? 'right' : '',
    ].filter(Boolean).map((side) => `wall-${side}`);
    const first = puzzle.cages[cage].cells[0] === index;
    const cell = el('div', {
      role: 'gridcell', class: ['kk-cell', ...walls].join(' '), tabindex: '-1', 'data-cell': String(index),
    });
    if (first) {
      const clue = el('span.kk-clue', { 'data-text': puzzle.cages[cage].clue });
      clue.style.fontSize = `${height(puzzle.cages[cage].clue)}em`;
      cell.append(clue);
    }
    cell.append(el('span.kk-digit'));
    const marks = el('span.kk-marks');
    for (let rank = 0; rank < n; rank += 1) marks.append(el('span.kk-mark'));
    cell.append(marks);
    this.cells.push(cell);
    return cell;
  }

  /** @param {Grid} grid @param {Lit} lit */
  draw(grid, lit) {
    const chosen = grid.digits[this.selected];
    for (const [index, cell] of this.cells.entries()) {
      const digit = grid.digits[index];
      const coming = lit.placed.get(index);
      const number = /** @type {HTMLElement} */ (cell.querySelector('.kk-digit'));
      const marks = /** @type {HTMLElement} */ (cell.querySelector('.kk-marks'));
      number.dataset.text = digit === null ? (coming === undefined ? '' : String(coming)) : String(digit);
      cell.classList.toggle('coming', digit === null && coming !== undefined);
      cell.classList.toggle('clash', lit.clash.has(index));
      cell.classList.toggle('wrong', lit.wrong.has(index));
      cell.classList.toggle('look', lit.look.has(index));
      cell.classList.toggle('because', lit.because.has(index));
      cell.classList.toggle('chosen', index === this.selected);
      cell.classList.toggle('same', chosen !== null && digit === chosen && index !== this.selected);
      const gone = lit.gone.get(index);
      const has = new Set(digit === null && coming === undefined ? grid.marks[index] : []);
      for (const [rank, mark] of [...marks.children].entries()) {
        const value = rank + this.puzzle.lowest;
        const leaves = gone !== undefined && gone.has(value) && digit === null && coming === undefined;
        mark.dataset.text = has.has(value) || leaves ? String(value) : '';
        mark.classList.toggle('leaves', leaves);
        mark.classList.toggle('same', has.has(value) && value === chosen);
      }
      cell.ariaLabel = this.name(index, grid, lit);
      cell.ariaSelected = String(index === this.selected);
      if (lit.clash.has(index) || lit.wrong.has(index)) cell.setAttribute('aria-invalid', 'true');
      else cell.removeAttribute('aria-invalid');
    }
  }

  /** What a screen reader says of a cell. @param {number} index @param {Grid} grid @param {Lit} lit */
  name(index, grid, lit) {
    const place = `row ${Math.floor(index / this.size) + 1}, column ${(index % this.size) + 1}`;
    const cage = this.puzzle.cages[this.puzzle.cage_of[index]];
    const marks = grid.marks[index];
    const content = grid.digits[index] !== null
      ? String(grid.digits[index])
      : marks.length ? `marks ${marks.join(' ')}` : 'empty';
    const parts = [place, content, `cage ${cage.words}`];
    if (lit.clash.has(index)) parts.push('clashes');
    if (lit.wrong.has(index)) parts.push('wrong');
    if (lit.look.has(index)) parts.push('look here');
    return parts.join(', ');
  }
}
