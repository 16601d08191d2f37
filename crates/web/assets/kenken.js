// @ts-check
// KenKen: plays one puzzle, with hints in stages. The server knows the rules.

import { alone, api, say, start, state, store, toast } from "./app.js";
import { ask } from "./kenken-alone.js";
import { Board } from "./kenken-board.js";
import { Game, recent } from "./kenken-game.js";
import { Panels } from "./kenken-panels.js";
import { openDialog, newDialog, printDialog } from "./kenken-dialogs.js";

/** @typedef {import('./kenken-game.js').Puzzle} Puzzle */

const options = {
  errors: true, tidy: false, ...(store.get('kenken.options') ?? {}),
  /** Whether digits become marks. */
  pencil: false,
};

/** @type {?Game} */
let game = null;
/** What the server said of the present grid. */
let seen = { clashes: [], left: 0, solved: false, tidy: [] };
/** The hint that is shown, and how many of its stages. @type {any} */
let hint = null;
let stage = 0;
/** Cells that a check or a hint has called wrong, until the grid changes. */
let wrong = new Set();
/** The last request about the grid; older answers do not count. */
let asked = 0;

const board = new Board(/** @type {HTMLElement} */ (document.getElementById('board')), {
  select: () => draw(),
});
const actions = {
  digit: type, erase, undo, redo, hint: advance, follow, closeHint, check, fill: () => marks('fill'),
  tidy: () => marks('tidy'), keep, back, restart, solve,
  create: () => newDialog({ made: play, now: game?.puzzle }),
  open: () => openDialog({ opened: play }),
  print: () => printDialog({ puzzle: game?.puzzle }),
  option: (/** @type {'errors'|'tidy'|'pencil'} */ name) => {
    options[name] = !options[name];
    store.set('kenken.options', { errors: options.errors, tidy: options.tidy });
    draw();
    board.select(board.selected, true);
  },
};
const panels = new Panels(/** @type {HTMLElement} */ (document.getElementById('side')), actions);

/** Shows another puzzle. @param {Puzzle} puzzle @param {{push?: boolean}} [how] */
function play(puzzle, { push = true } = {}) {
  game = new Game(puzzle);
  hint = null;
  wrong = new Set();
  board.load(puzzle);
  state.write({ hash: puzzle.id }, { push });
  store.set('kenken.last', puzzle.id);
  document.title = `KenKen ${puzzle.size}×${puzzle.size} · everyply`;
  panels.load(puzzle);
  changed();
}

/** The grid has changed: what was said of the old one goes. */
function changed() {
  hint = null;
  wrong = new Set();
  seen = { ...seen, clashes: [], solved: false };
  draw();
  look();
}

async function look() {
  if (!game) return;
  const [turn, wasSolved] = [(asked += 1), seen.solved];
  const { grid } = game;
  try {
    const answer = await ask('look', game.puzzle.id, grid);
    if (turn !== asked) return;
    seen = answer;
    if (options.tidy && game.canUndo && !game.canRedo) {
      game.amend({ digits: grid.digits, marks: answer.tidy });
    }
    draw();
    if (answer.solved && !wasSolved) say('Solved.');
    else if (options.errors && answer.clashes.length) say(answer.clashes[0].text);
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
  }
}

/** Everything that is lit on the board. */
function lit() {
  const clash = new Set(options.errors ? seen.clashes.flatMap((/** @type {any} */ one) => one.cells) : []);
  const step = hint?.kind === 'step' ? hint : null;
  return {
    clash,
    wrong,
    look: new Set(step ? step.look : []),
    because: new Set(step && stage >= 3 ? step.because : []),
    gone: new Map((step && stage >= 3 ? step.removed : []).map(
      (/** @type {any} */ one) => [one.cell, new Set(one.digits)])),
    placed: new Map((step && stage >= 3 ? step.placed : []).map(
      (/** @type {any} */ one) => [one.cell, one.digit])),
  };
}

function draw() {
  if (!game) return;
  const { grid } = game;
  board.draw(grid, lit());
  panels.draw({ game, grid, seen, hint, stage, options, wrong, selected: board.selected });
}

/** Fills a digit in, or marks it. @param {number} digit @param {boolean} [asMark] */
function type(digit, asMark = options.pencil) {
  if (!game) return;
  const { grid } = game;
  const cell = board.selected;
  if (asMark) {
    if (grid.digits[cell] !== null) return;
    const has = new Set(grid.marks[cell]);
    if (!has.delete(digit)) has.add(digit);
    grid.marks[cell] = [...has].sort((a, b) => a - b);
  } else if (grid.digits[cell] === digit) {
    grid.digits[cell] = null;
  } else {
    grid.digits[cell] = digit;
    grid.marks[cell] = [];
  }
  if (game.set(grid)) changed();
}

function erase() {
  if (!game) return;
  const { grid } = game;
  if (grid.digits[board.selected] !== null) grid.digits[board.selected] = null;
  else grid.marks[board.selected] = [];
  if (game.set(grid)) changed();
}

function undo() {
  if (game?.undo()) changed();
}

function redo() {
  if (game?.redo()) changed();
}

function keep() {
  game?.keep();
  toast('Checkpoint set.');
  draw();
}

function back() {
  if (game?.back()) changed();
}

function restart() {
  if (game?.clear()) changed();
}

/** Fills all marks or tidies them up. @param {'fill'|'tidy'} how */
async function marks(how) {
  if (!game) return;
  const now = game;
  const { grid } = now;
  await trying(async () => {
    const answer = await ask('marks', now.puzzle.id, grid, { how });
    if (now === game && now.set({ digits: grid.digits, marks: answer.marks })) changed();
  });
}

async function check() {
  if (!game) return;
  const now = game;
  await trying(async () => {
    const answer = await ask('check', now.puzzle.id, now.grid);
    if (now !== game) return;
    wrong = new Set([...answer.digits, ...answer.marks]);
    hint = answer.right
      ? { kind: 'right', text: 'Everything so far is right.' }
      : { kind: 'wrong', text: answer.text, digits: answer.digits, marks: answer.marks };
    draw();
    say(answer.right ? hint.text : `Wrong: ${answer.text}`);
  });
}

/** Asks for hints are answered one after the other, so that none is lost to quick fingers. */
let hints = Promise.resolve();

function advance() {
  hints = hints.then(nextStage);
  return hints;
}

/** The next stage of the hint, or a new one. */
async function nextStage() {
  if (!game) return;
  if (hint?.kind === 'step' && stage < 3) {
    stage += 1;
    tell();
    return;
  }
  if (hint?.kind === 'step') {
    follow();
    return;
  }
  const now = game;
  await trying(async () => {
    const answer = await ask('hint', now.puzzle.id, now.grid);
    if (now !== game) return;
    hint = answer;
    stage = 1;
    wrong = new Set(answer.kind === 'wrong' ? [...answer.digits, ...answer.marks] : []);
    tell();
  });
}

function tell() {
  draw();
  say(hint.kind === 'step' ? hint.stages[stage - 1].text : hint.text);
}

/** Does what the hint says. */
function follow() {
  if (!game || hint?.kind !== 'step') return;
  const [first] = hint.placed.length ? hint.placed : hint.removed;
  const { after } = hint;
  if (game.set(after)) changed();
  if (first) board.select(first.cell, false);
}

function closeHint() {
  hint = null;
  wrong = new Set();
  draw();
}

async function solve() {
  if (!game) return;
  const now = game;
  await trying(async () => {
    const answer = await api('/api/kenken/solution', alone() ? {} : { query: { id: now.puzzle.id } });
    const marks = now.grid.marks.map(() => []);
    if (now === game && now.set({ digits: answer.digits, marks })) changed();
  });
}

/** @param {() => Promise<void>} work */
async function trying(work) {
  try {
    await work();
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
  }
}

/** Digits on the keys and the number pad. With digits above 9, two keys make one digit. */
let typed = { cell: -1, digit: 0, time: 0 };

addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (!game || target.closest('input, textarea, select, dialog')) return;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === 'z') (event.shiftKey ? redo : undo)();
    else if (key === 'y') redo();
    else return;
    event.preventDefault();
    return;
  }
  // With Shift, the number pad and the row of digits send other keys than their digits.
  const code = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  const key = /^\d$/.test(event.key) ? Number(event.key) : code && event.shiftKey ? Number(code[1]) : null;
  if (key === null || event.altKey) return;
  event.preventDefault();
  const { lowest, size } = game.puzzle;
  const largest = lowest + size - 1;
  const joined = typed.digit * 10 + key;
  const goesOn = typed.cell === board.selected && event.timeStamp - typed.time < 900;
  const digit = largest > 9 && goesOn && joined <= largest ? joined : key;
  typed = { cell: board.selected, digit: key, time: event.timeStamp };
  if (digit >= lowest && digit <= largest) type(digit, event.shiftKey !== options.pencil);
  else if (digit === 0) erase();
});

start('kenken', {
  help: 'Type digits into the selected cell. Shift and a digit, or the pencil, makes a mark. The number pad works too.',
  keys: [
    ['ArrowLeft', 'go left', () => board.walk(0, -1)],
    ['ArrowRight', 'go right', () => board.walk(0, 1)],
    ['ArrowUp', 'go up', () => board.walk(-1, 0)],
    ['ArrowDown', 'go down', () => board.walk(1, 0)],
    ['m', 'pencil on or off', () => actions.option('pencil')],
    ['Backspace Delete', 'empty the cell', erase],
    ['u', 'undo (also Ctrl+Z)', undo],
    ['y', 'redo (also Ctrl+Y)', redo],
    ['h', 'hint: where, which rule, what follows, do it', () => advance()],
    ['c', 'check so far', () => check()],
    ['f', 'fill all marks', () => actions.fill()],
    ['t', 'tidy up marks', () => actions.tidy()],
    ['k', 'set the checkpoint', keep],
    ['b', 'back to the checkpoint', back],
    ['n', 'new puzzle', () => actions.create()],
    ['o', 'open a puzzle', () => actions.open()],
    ['p', 'print a sheet', () => actions.print()],
    ['Escape', 'close the hint; cancel what is being made', closeHint],
  ],
});

/** The puzzle of the address, else the last one, else an easy one that is always the same. */
const FIRST = '5:a3_5a4_3b__a3_3a_a,m8m15d5s3s1a2a10a1a7m60a7a5';

async function arrive({ push = false } = {}) {
  if (alone()) {
    play(await api('/api/kenken/puzzle'), { push });
    return;
  }
  const id = state.read().hash || store.get('kenken.last') || recent()[0]?.id || FIRST;
  if (game && game.puzzle.id === id) return;
  try {
    play(await api('/api/kenken/puzzle', { query: { id } }), { push });
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
    if (!game && id !== FIRST) play(await api('/api/kenken/puzzle', { query: { id: FIRST } }), { push });
  }
}

document.body.classList.toggle('kk-alone', alone());
state.onChange(() => arrive());
arrive();
