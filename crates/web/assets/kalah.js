// @ts-check
// Kalah: plays a game with the value of every move. The server knows the rules and the values.

import { api, busy, debounce, download, el, say, start, state, store, stream, toast } from "./app.js";
import { Board, signed } from "./kalah-board.js";
import { Line, Panels } from "./kalah-panels.js";
import { SEARCH, Search } from "./kalah-search.js";
import { button, sentence } from "./parts.js";

const options = { hide: false, flip: false, ...(store.get('kalah.options') ?? {}) };
const saved = { players: ['you', 'perfect'], skill: 70, ...(store.get('kalah.players') ?? {}) };

/** What is in the address: where values come from, the start, the pits sown, the ply shown. */
let asked = { store: '', rules: '', start: '', moves: /** @type {number[]} */ ([]), ply: 0 };
/** @type {any} */
let game = null;
/** @type {any[]} */
let places = [];
/** @type {?number} */
let hover = null;
/** @type {?AbortController} */
let running = null;
/** The last request; older answers do not count. */
let turn = 0;

const board = new Board(/** @type {HTMLElement} */ (document.getElementById('board')), { play, hover: lightUp });
const side = /** @type {HTMLElement} */ (document.getElementById('side'));
const below = /** @type {HTMLElement} */ (document.getElementById('below'));
const panels = new Panels(side, below, {
  play, hover: lightUp, undo, restart, go, exportGame, importText, solve, choose, startAt,
  cancel: () => running?.abort(), cost: costSoon,
  option: (/** @type {'hide'|'flip'} */ name) => {
    options[name] = !options[name];
    store.set('kalah.options', options);
    draw();
  },
  player: (/** @type {number} */ player, /** @type {string} */ kind) => {
    saved.players[player] = kind;
    keepPlayers();
    draw();
    goOn();
  },
  skill: (/** @type {number} */ skill) => {
    saved.skill = skill;
    keepPlayers();
    draw();
  },
});

const line = new Line(/** @type {HTMLElement} */ (document.getElementById('line')), go);

/** Whose turn it is, what it is worth, and two buttons to walk. */
const status = {
  title: el('h2'), value: el('p.soft'), unknown: el('p.ka-unknown'),
  back: button('‹', () => go(asked.ply - 1), { class: 'button icon', 'aria-label': 'One move back' }),
  on: button('›', () => go(asked.ply + 1), { class: 'button icon', 'aria-label': 'One move forward' }),
};
/** @type {HTMLElement} */ (document.getElementById('status')).append(
  el('div.row', {}, el('div.grow', { role: 'status' }, status.title, status.value), status.back, status.on),
  status.unknown);
const search = new Search(/** @type {HTMLElement} */ (document.getElementById('status')), () => goOn());

/** Whether a place has values for any start and any rules. @param {string} name */
const isFree = (name) => !name || name === SEARCH;

function keepPlayers() {
  store.set('kalah.players', saved);
}

/** @param {boolean} push */
function remember(push) {
  const { store: from, rules, start: begin, moves, ply } = asked;
  const at = ply === moves.length ? '' : ply;
  state.write({ store: from, rules: isFree(from) ? rules : '', position: begin, moves: moves.join('.'), ply: at }, { push });
}

function recall() {
  const read = state.read();
  const moves = (read.moves ?? '').split('.').filter(Boolean).map(Number);
  const ply = read.ply === undefined ? moves.length : Math.min(Number(read.ply) || 0, moves.length);
  asked = { store: read.store ?? '', rules: read.rules ?? '', start: read.position ?? '', moves, ply };
}

/** Asks for the game of the address and shows it. */
async function load() {
  const mine = (turn += 1);
  search.end();
  try {
    const answer = await api('/api/kalah/game', { body: asked });
    if (mine !== turn) return;
    game = answer;
    draw();
    goOn();
  } catch (error) {
    const { status, message } = /** @type {Error & {status?: number}} */ (error);
    // A game that was solved by a server of yesterday is solved again.
    if (status === 404 && asked.store.startsWith('solved:')) return solve();
    toast(message);
    if (!game) {
      asked = { store: '', rules: '', start: '', moves: [], ply: 0 };
      remember(false);
      await load();
    }
  }
}

/** The ply that is shown. */
const now = () => game.plies[asked.ply];
const isYours = () => asked.ply < asked.moves.length || saved.players[now().mover] === 'you';
/** Values wait until you have moved, at the last ply of your turn. */
const isHidden = () => options.hide && asked.ply === asked.moves.length && saved.players[now().mover] === 'you' && !now().over;

function draw() {
  if (!game) return;
  const [yours, hidden] = [isYours(), isHidden()];
  board.load(game.pits, options.flip ? 1 : 0);
  const moves = new Map(game.moves.map((/** @type {any} */ move) => [move.pit, move]));
  board.draw(now(), moves, { hidden, yours, last: game.history[asked.ply - 1] });
  panels.draw({ game, ply: asked.ply, hidden, yours, options, players: saved.players, skill: saved.skill, hover, running });
  drawStatus(hidden);
  line.draw(game, asked.ply, hidden);
  lightUp(hover, false);
}

/** @param {boolean} hidden */
function drawStatus(hidden) {
  const ply = now();
  const name = (/** @type {number} */ player) => saved.players[player] === 'you' ? `Player ${player + 1} (you)` : `Player ${player + 1}`;
  const title = ply.over ? `The game is over: ${ply.over.text}` : `${name(ply.mover)} to move`;
  const value = ply.over ? `${ply.over.totals[0]} to ${ply.over.totals[1]}`
    : hidden ? 'Values are hidden until you have moved.'
      : ply.lead === null ? ''
        : ply.lead === 0 ? 'With best play the game is a draw.'
          : `With best play player ${ply.lead > 0 ? 1 : 2} wins by ${Math.abs(ply.lead)}.`;
  status.title.textContent = title;
  status.value.textContent = value;
  status.back.disabled = asked.ply === 0;
  status.on.disabled = asked.ply === asked.moves.length;
  status.unknown.hidden = !game.unknown;
  status.value.hidden = !value;
  status.unknown.textContent = sentence(game.unknown ? `${isFree(asked.store) ? '' : 'not in the store: '}${game.unknown}` : '');
}

/** Highlights a move everywhere. @param {?number} pit @param {boolean} [again] */
function lightUp(pit, again = true) {
  hover = pit;
  const move = game?.moves.find((/** @type {any} */ one) => one.pit === pit);
  board.show(move ?? null, game ? now().mover : 0);
  if (!again) return;
  for (const row of panels.moves.querySelectorAll('li')) {
    row.classList.toggle('on', row.querySelector(`[data-id="move-${pit}"]`) !== null);
  }
}

/** Sows a pit. Moves after this ply are forgotten. @param {number} pit */
function play(pit) {
  if (!game || !isYours() || !game.moves.some((/** @type {any} */ move) => move.pit === pit)) return;
  sow(pit);
}

/** @param {number} pit */
function sow(pit) {
  const move = game.moves.find((/** @type {any} */ one) => one.pit === pit);
  const moves = [...asked.moves.slice(0, asked.ply), pit];
  say(`Player ${now().mover + 1} sows pit ${pit}: ${move?.why ?? ''}`);
  asked = { ...asked, moves, ply: moves.length };
  hover = null;
  remember(true);
  load();
}

/** The opponent whose turn it is, at the end of the moves; `you` where there is none. */
const mover = () => (asked.ply < asked.moves.length || now().over ? 'you' : saved.players[now().mover]);

/** Lets an opponent move, or searches for values. */
function goOn() {
  if (!game) return;
  const player = mover();
  if (asked.store !== SEARCH || player === 'random') reply();
  else if (player !== 'you' || isOpen()) think(player);
}

/** Whether something is still to be found. */
const isOpen = () => [...game.plies, ...game.moves].some((/** @type {any} */ one) => one.lead === null);

/** @param {string} player */
async function think(player) {
  const mine = turn;
  const opponent = player === 'you' ? undefined : { player, skill: saved.skill, seed: String(store.get('kalah.seed', 1)) };
  const pit = await search.ask({ ...asked, opponent }, (found) => {
    if (mine !== turn) return;
    game = found;
    draw();
  });
  if (pit && mine === turn) sow(pit);
}

/** Lets an opponent move, if it is the turn of one. */
async function reply() {
  const player = mover();
  if (player === 'you') return;
  const mine = turn;
  const seed = store.get('kalah.seed', 1);
  try {
    const answer = await api('/api/kalah/reply', { body: { ...asked, player, skill: saved.skill, seed: String(seed) } });
    if (mine !== turn || asked.ply < asked.moves.length) return;
    sow(answer.pit);
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
    saved.players[now().mover] = 'you';
    draw();
  }
}

/** Takes back your last move, with what the opponent replied. */
function undo() {
  if (!game || asked.ply === 0) return;
  let ply = asked.ply - 1;
  while (ply > 0 && saved.players[game.plies[ply].mover] !== 'you') ply -= 1;
  asked = { ...asked, moves: asked.moves.slice(0, ply), ply };
  remember(true);
  load();
}

/** @param {number} ply */
function go(ply) {
  if (!game || ply < 0 || ply > asked.moves.length || ply === asked.ply) return;
  asked = { ...asked, ply };
  remember(false);
  load();
}

function restart() {
  store.set('kalah.seed', (Number(store.get('kalah.seed', 1)) % 1000000) + 1);
  asked = { ...asked, moves: [], ply: 0 };
  remember(true);
  load();
}

/** Takes values from another place. @param {string} name */
function choose(name) {
  const same = isFree(name) && isFree(asked.store);
  asked = { store: name, rules: asked.rules, start: isFree(name) ? asked.start : '', moves: same ? asked.moves : [], ply: same ? asked.ply : 0 };
  remember(true);
  game = null;
  load();
}

/** Starts somewhere else; values come from the same place, if it has these rules. @param {string} begin @param {string} rules */
function startAt(begin, rules) {
  const same = isFree(asked.store) || !game || game.rules === rules;
  asked = { store: same ? asked.store : '', rules, start: begin, moves: [], ply: 0 };
  remember(true);
  panels.drawPlaces(places, asked.store);
  load();
}

/** Asks when typing pauses; the page is busy meanwhile. @param {string} size @param {string} rules */
function costSoon(size, rules) {
  if (waiting === undefined) busy.begin();
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    waiting = undefined;
    await showCost(size, rules);
    busy.end();
  }, 250);
}
/** @type {number | undefined} */
let waiting;

/** What solving would cost, said before it is begun. @param {string} size @param {string} rules */
async function showCost(size, rules) {
  try {
    panels.drawCost(size ? await api('/api/kalah/cost', { query: { size, rules } }) : null);
  } catch (error) {
    panels.drawCost({ text: /** @type {Error} */ (error).message, small: false });
  }
}

/** Solves the game of the fields, or that of the address, and takes values from it. */
async function solve() {
  if (running) return;
  running = new AbortController();
  busy.begin();
  try {
    let name = asked.store.startsWith('solved:') && !game ? asked.store : '';
    if (!name) {
      const query = { size: panels.start.value.trim(), rules: panels.rules.value };
      name = (await api('/api/kalah/cost', { query })).store;
    }
    if (game) draw();
    await stream('/api/kalah/solve', { store: name }, {
      signal: running.signal,
      onLine(line) {
        panels.cost.textContent = line.store
          ? `Solved: ${line.positions.toLocaleString('en')} positions, the first player ends at ${signed(line.value)}.`
          : `${line.pass === 'exploring' ? 'Finding' : 'Valuing'} positions: ${line.done.toLocaleString('en')} of ${line.known.toLocaleString('en')}`;
      },
    });
    await listPlaces();
    if (asked.store !== name || !game) {
      const keepsGame = asked.store === name;
      asked = { store: name, rules: '', start: keepsGame ? asked.start : '', moves: keepsGame ? asked.moves : [], ply: keepsGame ? asked.ply : 0 };
      remember(!keepsGame);
    } else {
      remember(false);
    }
    panels.drawPlaces(places, asked.store);
    await load();
  } catch (error) {
    panels.cost.textContent = running.signal.aborted ? 'Cancelled.' : /** @type {Error} */ (error).message;
    if (!game) {
      asked = { store: '', rules: '', start: asked.start, moves: [], ply: 0 };
      remember(false);
      load();
    }
  } finally {
    running = null;
    busy.end();
    if (game) draw();
  }
}

async function listPlaces() {
  ({ places } = await api('/api/kalah/places'));
}

function exportGame() {
  const moves = game.history.map((/** @type {any} */ move) => `${move.pit}${move.again ? '+' : ' '}`).join('').trim();
  const result = game.plies[game.plies.length - 1].over;
  const text = [`# Kalah, ${game.game}`, `rules ${game.rules}`, `start ${game.plies[0].position}`, `moves ${moves}`, ...(result ? [`# ${result.text}`] : []), ''].join('\n');
  download('kalah.txt', new Blob([text], { type: 'text/plain' }));
}

/** @param {string} text */
async function importText(text) {
  try {
    const record = await api('/api/kalah/record', { body: { text } });
    const same = isFree(asked.store) || !game || game.rules === record.rules;
    asked = { store: same ? asked.store : '', rules: record.rules, start: record.start, moves: record.moves, ply: record.moves.length };
    remember(true);
    panels.drawPlaces(places, asked.store);
    load();
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
  }
}

start('kalah', {
  help: 'Click a pit of your side, or type its number. Hover over a move to see where its seeds fall.',
  keys: [
    ['1 2 3 4 5 6 7 8', 'sow the pit with this number', (event) => play(Number(event.key)), '1–8'],
    ['ArrowLeft', 'one move back', () => go(asked.ply - 1)],
    ['ArrowRight', 'one move forward', () => go(asked.ply + 1)],
    ['Home', 'to the start', () => go(0)],
    ['End', 'to the end', () => go(asked.moves.length)],
    ['u', 'undo', undo],
    ['n', 'new game', restart],
    ['v', 'hide values until I moved, or not', () => panels.actions.option('hide')],
    ['f', 'turn the board', () => panels.actions.option('flip')],
    ['Escape', 'stop searching or solving', () => {
      running?.abort();
      search.cancel();
    }],
  ],
});

state.onChange(() => {
  recall();
  panels.drawPlaces(places, asked.store);
  load();
});
addEventListener('resize', debounce(() => lightUp(hover, false), 100));

async function arrive() {
  recall();
  await listPlaces().catch(() => {});
  const first = Object.keys(state.read()).length === 0 ? places[0]?.name ?? SEARCH : asked.store;
  asked.store = first;
  panels.drawPlaces(places, asked.store);
  panels.start.value = '4x3';
  showCost('4x3', panels.rules.value);
  await load();
}
arrive();
