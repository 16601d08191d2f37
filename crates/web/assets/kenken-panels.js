// What stands beside the grid: digits to press, hints, checks, options.

import { clear, copy, el } from "./app.js";
import { button, capital, sentence } from "./parts.js";

export class Panels {
  /** @param {HTMLElement} root @param {any} actions */
  constructor(root, actions) {
    this.actions = actions;
    this.title = el('h2.kk-title.grow');
    this.status = el('p.kk-status.soft', { role: 'status' });
    this.pad = el('div.kk-pad', { role: 'group', 'aria-label': 'Digits' });
    this.pencil = button('Pencil', () => actions.option('pencil'), { class: 'toggle', title: 'm' });
    this.undo = button('Undo', actions.undo, { title: 'u' });
    this.redo = button('Redo', actions.redo, { title: 'y' });
    this.back = button('Back to checkpoint', actions.back, { title: 'b' });
    this.errors = button('Show errors', () => actions.option('errors'), { class: 'toggle' });
    this.tidy = button('Tidy marks by itself', () => actions.option('tidy'), { class: 'toggle' });
    this.hint = el('div.kk-hint');
    this.wantHint = button('Hint', actions.hint, { class: 'button primary', title: 'h' });
    root.append(
      el('section.card', { 'aria-label': 'Play' },
        el('div.row.kk-head', {},
          this.title,
          button('New…', actions.create, { class: 'button kk-served', title: 'n' }),
          button('Open…', actions.open, { class: 'button kk-served', title: 'o' }),
          button('Print…', actions.print, { class: 'button kk-served', title: 'p' })),
        this.status, this.pad,
        el('div.row', {}, this.pencil, button('Erase', actions.erase, { title: 'Backspace' }),
          this.undo, this.redo)),
      el('section.card', { 'aria-label': 'Help' },
        el('div.row', {}, this.wantHint, button('Check so far', actions.check, { title: 'c' })),
        this.hint),
      el('section.card', { 'aria-label': 'Marks and options' },
        el('div.row', {},
          button('Fill all marks', actions.fill, { class: 'button kk-served', title: 'f' }),
          button('Tidy up marks', actions.tidy, { class: 'button kk-served', title: 't' }),
          button('Set checkpoint', actions.keep, { title: 'k' }), this.back),
        el('div.row.kk-options', {}, this.errors, this.tidy),
        el('div.row.kk-options', {},
          button('Share', () => copy(`${location.origin}/kenken#${encodeURIComponent(this.id)}`), { class: 'button plain kk-served' }),
          button('Start again', actions.restart, { class: 'button plain' }),
          button('Show the solution', actions.solve, { class: 'button plain' })),
        el('p.kk-id.soft.small', {}, 'Puzzle ', this.idText = el('code'))),
    );
  }

  /** @param {import('./kenken-game.js').Puzzle} puzzle */
  load(puzzle) {
    this.id = puzzle.id;
    this.idText.textContent = puzzle.id;
    clear(this.title);
    this.title.append(`${puzzle.size}×${puzzle.size} `);
    this.title.append(el('span', { class: puzzle.level ? 'chip' : 'chip bad' }, puzzle.grade));
    clear(this.pad);
    this.pad.style.setProperty('--keys', String(puzzle.size > 9 ? Math.ceil(puzzle.size / 2) : puzzle.size));
    /** @type {HTMLButtonElement[]} */
    this.digits = Array.from({ length: puzzle.size }, (_, rank) => {
      const digit = rank + puzzle.lowest;
      return button(String(digit), () => this.actions.digit(digit), {
        class: 'button kk-key', 'data-id': `digit-${digit}`, 'aria-label': `Digit ${digit}`,
      });
    });
    this.pad.append(...this.digits);
  }

  /** @param {any} all */
  draw({ game, grid, seen, hint, stage, options, selected }) {
    const counts = new Map();
    for (const digit of grid.digits) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    const { lowest, size } = game.puzzle;
    for (const [rank, key] of this.digits.entries()) {
      const digit = rank + lowest;
      key.classList.toggle('done', counts.get(digit) === size);
      key.classList.toggle('on', options.pencil ? grid.marks[selected].includes(digit) : grid.digits[selected] === digit);
    }
    this.pad.classList.toggle('pencil', options.pencil);
    this.pencil.ariaPressed = String(options.pencil);
    this.errors.ariaPressed = String(options.errors);
    this.tidy.ariaPressed = String(options.tidy);
    this.undo.disabled = !game.canUndo;
    this.redo.disabled = !game.canRedo;
    this.back.disabled = game.checkpoint === null;
    const left = grid.digits.filter((/** @type {any} */ digit) => digit === null).length;
    const clash = options.errors && seen.clashes.length ? seen.clashes[0].text : '';
    const text = seen.solved ? 'Solved. Well done!'
      : left === 0 && !clash ? 'Full, but not right.'
        : capital(clash) || `${left} ${left === 1 ? 'cell' : 'cells'} to fill`;
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle('good', seen.solved);
    this.status.classList.toggle('bad', Boolean(clash));
    this.drawHint(hint, stage);
  }

  /** @param {any} hint @param {number} stage */
  drawHint(hint, stage) {
    clear(this.hint);
    const step = hint?.kind === 'step';
    this.wantHint.textContent = !step ? 'Hint' : stage < 3 ? ['Which rule?', 'What follows?'][stage - 1] : 'Do it';
    if (!hint) {
      this.hint.append(el('p.soft.small', {},
        'A hint comes in three steps: where to look, which rule, what follows. Then it can do it for you.'));
      return;
    }
    if (!step) {
      const text = hint.kind === 'wrong' ? `Wrong: ${hint.text}` : capital(hint.text);
      this.hint.append(el('p', { class: hint.kind === 'wrong' ? 'kk-said bad' : 'kk-said' }, text));
    } else {
      const list = el('ol.kk-stages');
      for (const { title, text } of hint.stages.slice(0, stage)) {
        list.append(el('li', {}, el('strong', {}, title), el('span', {}, sentence(text))));
      }
      this.hint.append(list);
    }
    this.hint.append(button('Close', this.actions.closeHint, { class: 'button plain', 'aria-label': 'Close the hint' }));
  }
}
