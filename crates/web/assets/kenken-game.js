// What a player does with one puzzle: digits, marks, undo, checkpoint, autosave. No rules.

import { store } from "./app.js";

/**
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {number} size
 * @property {number} lowest
 * @property {?string} level
 * @property {string} grade
 * @property {{clue: string, words: string, cells: number[]}[]} cages
 * @property {number[]} cage_of
 *
 * @typedef {{digits: (number|null)[], marks: number[][]}} Grid
 */

/** @param {number} cells @returns {Grid} */
function empty(cells) {
  return { digits: Array(cells).fill(null), marks: Array.from({ length: cells }, () => []) };
}

/** A grid as short text: `3.[12]`, cells separated by commas. @param {Grid} grid */
export function write(grid) {
  return grid.digits
    .map((digit, cell) =>
      digit !== null ? String(digit) : grid.marks[cell].length ? `[${grid.marks[cell].join(' ')}]` : '.')
    .join(',');
}

/** @param {string} text @param {number} cells @returns {?Grid} */
export function read(text, cells) {
  const parts = String(text).split(',');
  if (parts.length !== cells) return null;
  const grid = empty(cells);
  for (const [cell, part] of parts.entries()) {
    if (part.startsWith('[')) grid.marks[cell] = part.slice(1, -1).split(' ').map(Number);
    else if (part !== '.') grid.digits[cell] = Number(part);
  }
  return grid;
}

/** The saved games of this browser, the last one played first. */
const RECENT = 'kenken.recent';
const MOST_RECENT = 50;

/** @returns {{id: string, label: string, left: number}[]} */
export function recent() {
  const list = store.get(RECENT);
  return Array.isArray(list) ? list : [];
}

export class Game {
  /** @param {Puzzle} puzzle */
  constructor(puzzle) {
    this.puzzle = puzzle;
    this.cells = puzzle.size * puzzle.size;
    /** Grids as text; `at` is the present one. @type {string[]} */
    this.past = [write(empty(this.cells))];
    this.at = 0;
    /** @type {?string} */
    this.checkpoint = null;
    this.restore();
  }

  /** @returns {Grid} */
  get grid() {
    return /** @type {Grid} */ (read(this.past[this.at], this.cells));
  }

  get isEmpty() {
    return this.past[this.at] === write(empty(this.cells));
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at + 1 < this.past.length;
  }

  /** Makes a grid the present one. What was undone is forgotten. @param {Grid} grid */
  set(grid) {
    const text = write(grid);
    if (text === this.past[this.at]) return false;
    this.past.length = this.at + 1;
    this.past.push(text);
    this.at += 1;
    this.save();
    return true;
  }

  /** Replaces the present grid, as part of the same step. @param {Grid} grid */
  amend(grid) {
    this.past[this.at] = write(grid);
    this.save();
  }

  undo() {
    if (!this.canUndo) return false;
    this.at -= 1;
    this.save();
    return true;
  }

  redo() {
    if (!this.canRedo) return false;
    this.at += 1;
    this.save();
    return true;
  }

  keep() {
    this.checkpoint = this.past[this.at];
    this.save();
  }

  /** Goes back to the checkpoint; undo leads here again. */
  back() {
    const grid = this.checkpoint === null ? null : read(this.checkpoint, this.cells);
    return grid !== null && this.set(grid);
  }

  clear() {
    return this.set(empty(this.cells));
  }

  get key() {
    return `kenken.${this.puzzle.id}`;
  }

  save() {
    store.set(this.key, { past: this.past, at: this.at, checkpoint: this.checkpoint });
    const left = this.grid.digits.filter((digit) => digit === null).length;
    const { id, size, grade } = this.puzzle;
    const here = { id, label: `${size}×${size}, ${grade}`, left };
    const others = recent().filter((other) => other.id !== id);
    for (const old of others.slice(MOST_RECENT - 1)) store.set(`kenken.${old.id}`, null);
    store.set(RECENT, [here, ...others].slice(0, MOST_RECENT));
  }

  restore() {
    const saved = store.get(this.key);
    if (!saved || !Array.isArray(saved.past)) return;
    const past = saved.past.filter((/** @type {string} */ text) => read(text, this.cells));
    if (!past.length) return;
    this.past = past;
    this.at = Math.min(Math.max(0, saved.at | 0), past.length - 1);
    this.checkpoint = saved.checkpoint && read(saved.checkpoint, this.cells) ? saved.checkpoint : null;
  }
}
