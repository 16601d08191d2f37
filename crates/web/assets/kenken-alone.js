// Questions about a grid: the server's rules answer them, or, on a page without a server, the
// solution and the steps that came with the page.

import { alone, api } from "./app.js";

/** @typedef {import('./kenken-game.js').Grid} Grid */

/** @param {'look'|'check'|'hint'|'marks'} what @param {string} id @param {Grid} grid @param {object} [more] @returns {Promise<any>} */
export async function ask(what, id, grid, more = {}) {
  if (!alone()) return api(`/api/kenken/${what}`, { body: { id, ...grid, ...more } });
  const { digits: right } = await api('/api/kenken/solution');
  const digits = grid.digits.flatMap((digit, cell) => digit === null || digit === right[cell] ? [] : [cell]);
  const left = grid.digits.filter((digit) => digit === null).length;
  const size = Math.sqrt(right.length);
  const text = digits.map((cell) => `${grid.digits[cell]} in r${Math.floor(cell / size) + 1}c${(cell % size) + 1}`).join(', ');
  switch (what) {
    case 'look':
      return { clashes: digits.length ? [{ cells: digits, text: 'a digit is wrong' }] : [], left, solved: !left && !digits.length, tidy: grid.marks };
    case 'check':
      return { right: !digits.length, digits, marks: [], text };
    case 'hint':
      if (digits.length) return { kind: 'wrong', digits, marks: [], text };
      return left ? nextStep(grid) : { kind: 'solved', text: 'the puzzle is solved' };
    default:
      throw new Error('this needs everyply serve');
  }
}

/** The first step whose result is not on the grid yet: those before it are all that it needs. @param {Grid} grid */
async function nextStep(grid) {
  const { steps } = await api('/api/kenken/steps');
  const has = (/** @type {any} */ one) => one.digits.length && grid.digits[one.cell] === null
    ? grid.marks[one.cell].length > 0 && grid.marks[one.cell].every((mark) => one.digits.includes(mark))
    : true;
  const isDone = (/** @type {any} */ step) =>
    step.left.every(has) && step.placed.every((/** @type {any} */ one) => grid.digits[one.cell] === one.digit);
  const step = steps.find((/** @type {any} */ one) => !isDone(one));
  if (!step) return { kind: 'stuck', text: 'this page has no further hint' };
  const after = { digits: [...grid.digits], marks: [...grid.marks] };
  for (const { cell, digits } of step.left) {
    if (after.digits[cell] === null) after.marks[cell] = after.marks[cell].length ? after.marks[cell].filter((mark) => digits.includes(mark)) : digits;
  }
  for (const { cell, digit } of step.placed) {
    after.digits[cell] = digit;
    after.marks[cell] = [];
  }
  return { ...step, after };
}
