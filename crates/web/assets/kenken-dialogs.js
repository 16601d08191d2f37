// New puzzles, puzzles from text and files, sheets for print.

import { api, blob, clear, download, el, store, stream } from "./app.js";
import { recent } from "./kenken-game.js";
import { button, dialog, named, select, sentence } from "./parts.js";

/** @typedef {import('./kenken-game.js').Puzzle} Puzzle */

const LEVELS = ['easy', 'normal', 'hard', 'extreme', 'unreasonable'];
const OPERATORS = [['all', 'All four'], ['add', 'Sums only'], ['multiply', 'Products only'], ['hidden', 'Some hidden']];

/** A seed that nobody has chosen. */
function randomSeed() {
  const [a, b] = crypto.getRandomValues(new Uint32Array(2));
  return String((a % 2 ** 20) * 2 ** 32 + b);
}

/** The fields of what is to be made. */
function recipe() {
  const saved = { size: '6', level: 'normal', operators: 'all', ...(store.get('kenken.recipe') ?? {}) };
  const sizes = Array.from({ length: 10 }, (_, i) => String(i + 3)).map((n) => [n, `${n}×${n}`]);
  const size = select(sizes, { 'data-id': 'size' }, saved.size);
  const level = select([...LEVELS.map((name) => [name, name]), ['', 'any']], { 'data-id': 'level' }, saved.level);
  const operators = select(OPERATORS, { 'data-id': 'operators' }, saved.operators);
  const seed = el('input.field', { inputmode: 'numeric', placeholder: 'random', 'data-id': 'seed' });
  return {
    fields: el('div.kk-fields', {}, named('Size', size), named('Level', level),
      named('Operators', operators), named('Seed', seed)),
    read() {
      store.set('kenken.recipe', { size: size.value, level: level.value, operators: operators.value });
      return {
        size: Number(size.value), level: level.value || null, operators: operators.value,
        seed: seed.value.trim() || randomSeed(),
      };
    },
  };
}

/**
 * Streams new puzzles, with progress that can be cancelled.
 * @param {HTMLElement} place @param {any} wanted @param {AbortSignal} signal
 * @returns {Promise<Puzzle[]>}
 */
async function make(place, wanted, signal) {
  /** @type {Puzzle[]} */
  const made = [];
  const progress = el('progress.kk-progress', { max: String(wanted.count), 'aria-label': 'Puzzles made' });
  const text = el('span.soft.small', { role: 'status' }, 'Making…');
  clear(place).append(progress, text);
  await stream('/api/kenken/new', wanted, {
    signal,
    onLine(line) {
      if (line.puzzle) made.push(line.puzzle);
      if (wanted.count > 1) progress.value = line.made;
      text.textContent = line.puzzle ? `${line.made} of ${line.count} made` : `${line.drafts} drafts tried`;
    },
  });
  return made;
}

/**
 * A form with a button that works until it is done or cancelled.
 * @param {HTMLElement} fields @param {string} label
 * @param {(place: HTMLElement, signal: AbortSignal) => Promise<void>} work
 * @param {string} title
 */
function working(title, fields, label, work) {
  const place = el('div.kk-working');
  const go = el('button.button.primary', { type: 'submit' }, label);
  const cancel = button('Cancel', () => node.close());
  /** @type {?AbortController} */
  let running = null;
  const form = el('form', { method: 'dialog' }, fields, place, el('div.row.kk-buttons', {}, go, cancel));
  form.addEventListener('submit', async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (running) return;
    running = new AbortController();
    go.disabled = true;
    try {
      await work(place, running.signal);
      node.close();
    } catch (error) {
      if (!running.signal.aborted) clear(place).append(el('p.bad', { role: 'alert' }, sentence(/** @type {Error} */ (error).message)));
    } finally {
      running = null;
      go.disabled = false;
    }
  });
  // Esc closes the dialog, and what it makes is stopped.
  const node = dialog(title, 'kk-dialog', form);
  node.addEventListener('close', () => running?.abort());
  return node;
}

/** @param {{made: (puzzle: Puzzle) => void}} how */
export function newDialog({ made }) {
  const wanted = recipe();
  working('New puzzle', wanted.fields, 'Make it', async (place, signal) => {
    const [puzzle] = await make(place, { ...wanted.read(), count: 1 }, signal);
    made(puzzle);
  });
}

/** @param {{opened: (puzzle: Puzzle) => void}} how */
export function openDialog({ opened }) {
  const text = el('textarea.field.code', {
    rows: '7', spellcheck: 'false', 'data-id': 'text',
    placeholder: '6:_a_… (game ID), JSON, or a drawing:\nAAB\nCBB\nCDD\n\nA 3+\nB 18*\nC 2-\nD 3+',
  });
  const file = el('input', { type: 'file', class: 'field', 'data-id': 'file' });
  file.addEventListener('change', async () => {
    if (file.files?.[0]) text.value = await file.files[0].text();
  });
  const several = el('div');
  const list = recent().slice(0, 6);
  const fields = el('div.kk-open', {}, named('Puzzle as text', text), named('Or a file', file), several,
    list.length ? el('div', {}, el('h3', {}, 'Played here before'), el('ul.list', {}, ...list.map((one) =>
      el('li', {}, el('button.button.plain.kk-recent', { type: 'button', on: { click: () => take(one.id) } },
        one.label, el('span.soft.small', {}, one.left ? `${one.left} to fill` : 'full'))))))
      : null);
  const node = working('Open a puzzle', fields, 'Open', async () => {
    const answer = await api('/api/kenken/read', { body: { text: text.value } });
    if (answer.ids.length === 1 || several.childElementCount) {
      opened(answer.puzzle);
      return;
    }
    clear(several).append(el('h3', {}, `${answer.ids.length} puzzles: choose one`),
      el('ul.list.kk-several', {}, ...answer.ids.slice(0, 200).map((/** @type {string} */ id, /** @type {number} */ at) =>
        el('li', {}, button(`${at + 1}. ${id}`, () => take(id), { class: 'button plain' })))));
    throw new Error('the text has several puzzles');
  });
  /** @param {string} id */
  async function take(id) {
    opened(await api('/api/kenken/puzzle', { query: { id } }));
    node.close();
  }
}

/** @param {{puzzle?: Puzzle}} how */
export function printDialog({ puzzle }) {
  const wanted = recipe();
  const what = select([['new', 'New puzzles'], ['this', 'This puzzle']], { 'data-id': 'what' });
  const count = el('input.field', { type: 'number', min: '1', max: '60', value: '12', 'data-id': 'count' });
  const columns = select([['1', 'One column'], ['2', 'Two columns'], ['3', 'Three columns']], { 'data-id': 'columns' }, '2');
  const title = el('input.field', { value: 'KenKen', maxlength: '60', 'data-id': 'title' });
  const solutions = el('input', { type: 'checkbox', checked: true, 'data-id': 'solutions' });
  const fresh = el('div', {}, wanted.fields);
  what.addEventListener('change', () => {
    fresh.hidden = what.value === 'this';
    count.disabled = what.value === 'this';
  });
  const fields = el('div', {},
    el('div.kk-fields', {}, named('Print', what), named('How many', count), named('Layout', columns), named('Title', title)),
    fresh, el('label.toggle', {}, solutions, 'With solutions at the end'));
  working('Print a sheet', fields, 'Make the PDF', async (place, signal) => {
    const ids = what.value === 'this' && puzzle ? [puzzle.id]
      : (await make(place, { ...wanted.read(), count: Number(count.value) }, signal)).map((one) => one.id);
    const body = { ids, title: title.value, solutions: solutions.checked, columns: Number(columns.value) };
    download('kenken.pdf', await blob('/api/kenken/sheet', { body, signal }));
  });
}
