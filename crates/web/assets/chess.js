// The chess page: a game or a position, its facts as overlays and as sentences.
import {
  alone, api, busy, clear, copy, el, say, start, state, store, toast,
} from './app.js';
import { Board, START, pieceOf, placementOf } from './chess-board.js';
import { Editor } from './chess-editor.js';
import { Games, Opener } from './chess-games.js';
import { OVERLAYS, appears, drawOverlays, overlayOf } from './chess-marks.js';
import { Moves } from './chess-moves.js';
import { Sentences, showHead, showPlayer } from './chess-panels.js';
import { Strip } from './chess-strip.js';
import {
  addLine, branchOf, follow, lineThrough, ownLines, placeOf, remove, rootOf, treeOf,
} from './chess-tree.js';
import { promote, spoken, squareName } from './chess-words.js';
import { pieces } from './pieces.js';

/** Longer texts are not kept from visit to visit. */
const LONGEST_KEPT = 1_000_000;
/** Longer texts do not go into an address. */
const LONGEST_LINK = 1_500;
/** 0 goes to the start, as on lichess. */
const KEY_OF = [...'123456789-'];

const part = (id) => document.querySelector(`[data-id="${id}"]`);
const known = new Map();
const offline = alone();

const page = {
  source: { kind: 'fen', fen: START },
  game: null,
  root: rootOf(START),
  node: null,
  answer: null,
  on: new Set(['hanging', 'pins', 'forks']),
  editing: false,
};

const board = new Board(document.getElementById('board'), {
  move: (moves, from, to) => chooseMove(moves, to),
  hover: (square) => sentences.of(square),
  draw: addShape,
  clear: clearShapes,
  place: (square) => editor.place(square),
  drop: (from, to) => editor.drop(from, to),
  picked: sayPicked,
  key: squareKey,
  name: nameOf,
});
const sentences = new Sentences(part('sentences'), (squares) => board.light(squares));
const moves = new Moves(part('moves'), (node) => go(node));
const strip = new Strip(part('strip-card'), (node) => go(node, { quiet: true }));
const games = new Games(part('games'), (number) => openNumber(number));
const editor = new Editor(part('editor'), board, {
  changed: (fen) => { part('text').value = fen; write({ edit: fen }); },
  use: (fen) => { leaveEditor(false); openFen(fen); },
  leave: () => leaveEditor(true),
});
const opener = new Opener({ text: openText, file: (name) => openGame({ kind: 'file', file: name, number: 1 }) });

/** What the server says of a position; asked once. */
function factsOf(fen) {
  let answer = known.get(fen);
  if (!answer) {
    if (known.size > 400) known.delete(known.keys().next().value);
    answer = api('/api/chess/position', { query: { fen } });
    known.set(fen, answer);
    answer.then((value) => { answer.value = value; }, () => known.delete(fen));
  }
  return answer;
}

/** Goes to a position of the tree. */
function go(node, { quiet = false, keep = false } = {}) {
  if (!node) return;
  if (page.editing) leaveEditor(false);
  page.node = node;
  board.moves = [];
  board.show(placementOf(node.fen));
  board.light([]);
  board.mark(lastMove(node), null);
  showShapes();
  if (!strip.line.includes(node)) strip.show(lineThrough(node), page.on);
  strip.mark(node);
  moves.mark(node);
  part('remove-line').hidden = !node.own;
  showPlayers();
  part('text').value = node.fen;
  if (!keep) writePlace();
  const answer = factsOf(node.fen);
  if (answer.value) showFacts(answer.value, quiet);
  else {
    answer.then((value) => { if (page.node === node && !page.editing) showFacts(value, quiet); },
      (error) => toast(error.message));
  }
}

function lastMove(node) {
  return node.move ? [node.move.from, node.move.to] : [];
}

/** Shows what the server says of the current position. */
function showFacts(answer, quiet) {
  const before = page.answer;
  page.answer = answer;
  board.moves = offline ? answer.moves.filter((move) => childBy(move.uci)) : answer.moves;
  board.mark(lastMove(page.node), answer.check);
  part('status').textContent = page.node.children.length === 0 && page.game?.ending && branchOf(page.node).parent === null
    ? page.game.ending : answer.status;
  showOverlays();
  sentences.show(answer.sentences);
  board.name();
  if (!quiet && before && before !== answer) sayMove(before, answer);
  // What comes next is ready before it is asked for.
  for (const next of [page.node.children[0], page.node.parent]) if (next) factsOf(next.fen).catch(() => {});
}

function showOverlays() {
  board.clearMarks();
  if (page.answer) drawOverlays(board, page.answer, page.on);
}

function childBy(uci) {
  return page.node.children.find((child) => child.move.uci === uci);
}

// Speech.

function nameOf(square) {
  return page.editing ? editor.name(square) : squareName(square, board.at(square), page.answer, page.on);
}

function sayMove(before, answer) {
  const { move } = page.node;
  const old = new Set(before.sentences.map(({ text }) => text));
  const fresh = answer.sentences.filter(({ name, text }) => page.on.has(overlayOf(name)) && !old.has(text));
  const words = [move ? spoken(move) : 'start', ...fresh.slice(0, 3).map(({ text }) => text)];
  say(words.join('. '));
}

function sayPicked(square) {
  if (!square) return;
  if (board.selected) {
    const count = board.movesFrom(square).length;
    say(`picked up ${pieceOf(board.at(square)).role} on ${square}, ${count} ${count === 1 ? 'move' : 'moves'}`);
  } else say(board.at(square) === '.' ? 'nothing to pick up' : 'no moves');
}

/** Keys on a square of the board that the board does not know. */
function squareKey(square, event) {
  if (page.editing) return editor.key(square, event);
  if (event.key !== 'i') return false;
  const about = (page.answer?.sentences ?? []).filter(({ squares }) => squares.length <= 8 && squares.includes(square));
  say([nameOf(square), ...about.map(({ text }) => text)].join('. '));
  return true;
}

// Moves of the reader.

async function chooseMove(choices, to) {
  let [choice] = choices;
  if (choices.length > 1) {
    choice = await promote(choices, page.answer.turn, board.cells.get(to).getBoundingClientRect());
    if (!choice) {
      board.settle();
      return;
    }
  }
  const next = childBy(choice.uci);
  if (next) {
    go(next);
    return;
  }
  const { node } = page;
  try {
    const { ply, position } = await api('/api/chess/play', { query: { fen: node.fen, move: choice.uci } });
    const answer = Promise.resolve(position);
    answer.value = position;
    known.set(ply.fen, answer);
    const added = addLine(node, [ply], true);
    showTree();
    strip.show(lineThrough(added), page.on);
    go(added);
    saveLines();
  } catch (error) {
    board.settle();
    toast(error.message);
  }
}

/** Takes the line of the reader away that the current move belongs to. */
function removeLine() {
  let at = page.node;
  if (!at?.own) {
    toast('Only moves that you have added can be removed');
    return;
  }
  while (at.parent.own && at.parent.children.length === 1) at = at.parent;
  remove(at);
  showTree();
  strip.show(lineThrough(at.parent), page.on);
  go(at.parent);
  saveLines();
}

// Drawing.

function showShapes() {
  const { node } = page;
  const said = [...node.circles.map(({ square, brush }) => ({ from: square, to: null, brush })), ...node.arrows];
  board.draw([...said, ...node.drawn]);
}

function addShape(shape) {
  const same = (other) => other.from === shape.from && other.to === shape.to;
  const { drawn } = page.node;
  const at = drawn.findIndex(same);
  if (at < 0) drawn.push(shape);
  else if (drawn[at].brush === shape.brush) drawn.splice(at, 1);
  else drawn[at] = shape;
  showShapes();
}

function clearShapes() {
  if (page.node.drawn.length === 0) return;
  page.node.drawn = [];
  showShapes();
}

// Steps.

function back() { go(page.node.parent); }
function forward() { go(page.node.children[0]); }
function toStart() { go(page.root); }
function toEnd() { go(lineThrough(page.node).at(-1)); }

/** Goes to the branch before or behind, as lichess does. */
function branch(step) {
  let at = page.node;
  do {
    at = step < 0 ? at.parent : at.children[0];
  } while (at && at.children.length < 2 && (step < 0 ? at.parent : at.children[0]));
  go(at);
}

/** Goes to another move instead of the current one; without one, to the start or the end. */
function sibling(step) {
  const siblings = page.node.parent?.children ?? [];
  const at = siblings.indexOf(page.node) + step;
  if (siblings.length > 1) go(siblings[(at + siblings.length) % siblings.length]);
  else if (step < 0) toStart();
  else toEnd();
}

/** Goes to the next ply at which a mark appears that is switched on. */
function nextMark(step) {
  const line = lineThrough(page.node);
  let at = line.indexOf(page.node) + step;
  while (line[at] && !appears(line[at].marks, page.on)) at += step;
  if (line[at]) go(line[at]);
  else toast(step > 0 ? 'No marked fact appears after this' : 'No marked fact appears before this');
}

// Games and positions.

function showTree() {
  moves.show(page.root, page.game?.result ?? null);
}

function showPlayers() {
  for (const color of ['white', 'black']) {
    const isTop = (color === 'white') === board.flipped;
    showPlayer(part(isTop ? 'player-top' : 'player-bottom'), page.game, page.node, color);
  }
}

/** A request for something of the source of the current game. */
function ask(path, source, query) {
  if (offline) return api(path);
  if (source.kind === 'file') return api(path, { query: { file: source.file, ...query } });
  return api(path, { query, body: source.body });
}

async function openGame(source, { place = null, push = true } = {}) {
  let game;
  try {
    game = await ask('/api/chess/game', source, { number: String(source.number) });
  } catch (error) {
    toast(error.message);
    return false;
  }
  page.source = source;
  page.game = game;
  await showLoaded(treeOf(game), place, push);
  if (!offline) listGames(source);
  return true;
}

async function listGames(source) {
  const key = `${source.kind} ${source.file ?? source.id}`;
  if (page.listed === key) {
    games.mark(source.number);
    return;
  }
  page.listed = key;
  const total = await games.show(
    (from, most) => ask('/api/chess/games', source, { from: String(from), most: String(most) }), source.number);
  part('tabs').hidden = total < 2;
  part('tab-games').textContent = `Games (${total.toLocaleString('en')}${games.isOpen ? '+' : ''})`;
}

function openNumber(number) {
  openGame({ ...page.source, number });
  showTab('moves');
}

async function openFen(fen, { place = null, push = true } = {}) {
  let answer;
  try {
    answer = await factsOf(fen);
  } catch (error) {
    toast(error.message);
    return false;
  }
  page.source = { kind: 'fen', fen: answer.fen };
  page.game = null;
  page.listed = null;
  part('tabs').hidden = true;
  showTab('moves');
  await showLoaded(rootOf(answer.fen, { marks: marksOf(answer.facts) }), place, push);
  return true;
}

/** What the strip shows of a position without a game. */
function marksOf({ white, black }) {
  const gain = (side) => Math.max(0, ...side.hanging.map((piece) => piece.gain));
  return {
    material: white.material - black.material, hanging: { white: gain(white), black: gain(black) }, appears: [],
  };
}

/** Shows a tree that was loaded, with the lines that were added to it before. */
async function showLoaded(root, place, push) {
  page.root = root;
  const saved = offline ? [] : store.get(`chess.lines ${sourceKey()}`) ?? [];
  for (const line of saved) await ensure(line);
  const target = place ? await ensure(place) : page.root;
  let at = target;
  if (place) while (at.ply > place.ply && at.parent) at = at.parent;
  page.answer = null;
  showTree();
  showHead(part('names'), part('about'), page.game, page.root.fen === START ? 'Analysis' : 'Position');
  strip.show(lineThrough(target), page.on);
  go(at, { quiet: true, keep: true });
  writePlace(push);
}

/** The node of a place; moves that are not in the tree are added. */
async function ensure({ base, moves: ucis }) {
  const { at, missing } = follow(page.root, base, ucis);
  if (missing.length === 0 || offline) return at;
  try {
    const { line } = await api('/api/chess/line', { body: { fen: at.fen, moves: missing } });
    return addLine(at, line, true);
  } catch {
    return at;
  }
}

function saveLines() {
  if (!offline) store.set(`chess.lines ${sourceKey()}`, ownLines(page.root));
}

function sourceKey() {
  const { source } = page;
  if (source.kind === 'fen') return source.fen;
  return `${source.file ?? source.id} ${source.number}`;
}

/** Reads text or a file: a position or games. */
async function openText(body, name = 'text') {
  const text = typeof body === 'string' ? new Blob([body], { type: 'text/plain' }) : body;
  let found;
  try {
    found = await api('/api/chess/read', { body: text });
  } catch (error) {
    toast(error.message);
    return;
  }
  if (found.kind === 'wrong') {
    toast(`${name}: ${found.reason}`);
  } else if (found.kind === 'position') {
    await openFen(found.fen);
  } else {
    const id = await keep(text);
    page.listed = null;
    await openGame({ kind: 'text', body: text, id, number: 1 });
  }
}

/** Keeps a text for later visits, if it is not long, and returns its name. */
async function keep(blob) {
  if (blob.size > LONGEST_KEPT) return `large-${blob.size}`;
  const text = await blob.text();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  const id = hash.toString(16);
  store.set(`chess.text ${id}`, text);
  return id;
}

// The address.

function writePlace(push = false) {
  const { base, moves: ucis } = placeOf(lineThrough(page.node).at(-1));
  const { source } = page;
  const own = ucis.length > 0 ? { line: `${base}.${ucis.join('.')}` } : {};
  const from = source.kind === 'file' ? { game: source.file, n: String(source.number) }
    : source.kind === 'text' ? { text: source.id, n: String(source.number) }
      : source.fen === START ? {} : { fen: source.fen };
  write({ ...from, ...(page.node.ply > 0 ? { ply: String(page.node.ply) } : {}), ...own }, push);
}

function write(params, push = false) {
  const view = board.flipped ? { view: 'black' } : {};
  page.params = params;
  if (offline) {
    // A file has no query; what follows # may change.
    const { ply = 0, line } = params;
    const place = `#ply=${ply}${line ? `&line=${line}` : ''}&on=${[...page.on].join(',')}`;
    window.history.replaceState(null, '', place);
    return;
  }
  state.write({ ...params, on: [...page.on].join(','), ...view }, { push });
}

function rewrite() {
  write(page.params ?? {});
}

/** Shows what the address asks for. */
async function load() {
  const asked = offline ? Object.fromEntries(new URLSearchParams(window.location.hash.slice(1))) : state.read();
  if (asked.on !== undefined) setOverlays(asked.on.split(','));
  if (asked.view) flip(asked.view === 'black');
  const [base, ...ucis] = (asked.line ?? '').split('.');
  const ply = Number(asked.ply ?? 0);
  const place = { base: asked.line ? Number(base) : ply, moves: ucis, ply };
  const number = Number(asked.n ?? 1);
  const text = asked.text && store.get(`chess.text ${asked.text}`);
  let opened = false;
  if (page.editing) leaveEditor(false);
  if (offline) {
    opened = await openGame({ kind: 'alone', number: 1 }, { place, push: false });
  } else if (asked.game) {
    opened = await openGame({ kind: 'file', file: asked.game, number }, { place, push: false });
  } else if (text) {
    const body = new Blob([text], { type: 'text/plain' });
    opened = await openGame({ kind: 'text', body, id: asked.text, number }, { place, push: false });
  } else if (asked.text) {
    toast('That game is not kept in this browser: open it again');
  } else if (asked.pgn) {
    await openText(asked.pgn);
    opened = true;
  }
  if (!opened) await openFen(asked.fen ?? START, { place, push: false });
  if (asked.edit) enterEditor(asked.edit);
}

/** A link to what is seen. A short text goes into it, so that it works in other browsers. */
async function share() {
  const url = new URL(window.location.href);
  url.hash = '';
  if (page.source.kind === 'text' && page.source.body.size <= LONGEST_LINK) {
    url.searchParams.delete('text');
    url.searchParams.set('pgn', await page.source.body.text());
  }
  await copy(url.href);
}

// Switches.

function setOverlays(ids) {
  page.on = new Set(ids.filter((id) => OVERLAYS.some((overlay) => overlay.id === id)));
  for (const button of part('overlays').querySelectorAll('button')) {
    button.ariaPressed = String(page.on.has(button.dataset.overlay));
  }
}

function toggle(id) {
  setOverlays(page.on.has(id) ? [...page.on].filter((other) => other !== id) : [...page.on, id]);
  store.set('chess.on', [...page.on]);
  showOverlays();
  board.name();
  strip.show(strip.line, page.on);
  strip.mark(page.node);
  rewrite();
}

function flip(flipped = !board.flipped) {
  board.flip(flipped);
  if (!page.node) return;
  board.mark(lastMove(page.node), page.answer?.check ?? null);
  board.select(null);
  showShapes();
  showOverlays();
  showPlayers();
  rewrite();
}

function toggleDraw() {
  board.drawing = !board.drawing;
  part('draw').ariaPressed = String(board.drawing);
  toast(board.drawing ? 'Drag to draw an arrow, tap for a circle' : 'Drawing is off');
}

function enterEditor(fen) {
  page.editing = true;
  board.editing = true;
  document.body.classList.add('editing');
  part('editor').hidden = false;
  part('edit').ariaPressed = 'true';
  board.clearMarks();
  board.mark([], null);
  board.draw([]);
  board.moves = [];
  editor.load(fen);
}

function edit() {
  if (page.editing) leaveEditor(true);
  else enterEditor(page.node.fen);
}

function open() {
  opener.open();
}

function leaveEditor(back_) {
  page.editing = false;
  board.editing = false;
  document.body.classList.remove('editing');
  part('editor').hidden = true;
  part('edit').ariaPressed = 'false';
  if (back_) go(page.node, { quiet: true });
}

function showTab(name) {
  for (const tab of ['moves', 'games']) {
    part(tab).hidden = tab !== name;
    part(`tab-${tab}`).ariaSelected = String(tab === name);
    part(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
  }
  if (name === 'games') games.draw();
}

function buildOverlays() {
  OVERLAYS.forEach((overlay, at) => {
    const key = KEY_OF[at];
    const button = el('button', {
      class: `toggle mark-${overlay.id}`, type: 'button', 'aria-pressed': 'false', title: `${overlay.what} (${key})`,
      'data-id': `on-${overlay.id}`, 'data-overlay': overlay.id,
    }, el('span.swatch', { 'aria-hidden': 'true' }), overlay.label);
    button.addEventListener('click', () => toggle(overlay.id));
    part('overlays').append(button);
  });
}

function listen() {
  const on = (id, run) => part(id).addEventListener('click', run);
  on('open', open);
  on('edit', edit);
  on('remove-line', removeLine);
  on('draw', toggleDraw);
  on('flip', () => flip());
  on('share', share);
  on('first', toStart);
  on('back', back);
  on('forward', forward);
  on('last', toEnd);
  on('next-mark', () => nextMark(1));
  on('previous-mark', () => nextMark(-1));
  on('tab-moves', () => showTab('moves'));
  on('tab-games', () => showTab('games'));
  part('tabs').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = part('games').hidden ? 'games' : 'moves';
    showTab(other);
    part(`tab-${other}`).focus();
    event.stopPropagation();
  });
  on('copy-fen', () => copy(page.editing ? editor.fen() : page.node.fen));
  const text = part('text');
  part('text-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (offline) return;
    text.blur();
    if (page.editing) leaveEditor(false);
    openText(text.value);
  });
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      part('text-form').requestSubmit();
    } else if (event.key === 'Escape') {
      text.value = page.node.fen;
      text.blur();
    }
  });
  text.addEventListener('focus', () => text.select());
  document.getElementById('board').addEventListener('wheel', (event) => {
    if (page.editing || event.ctrlKey) return;
    event.preventDefault();
    if (event.deltaY > 0) forward();
    else if (event.deltaY < 0) back();
  }, { passive: false });
  state.onChange(load);
  if (!offline) listenToDrops();
}

function listenToDrops() {
  const over = (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  };
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) document.body.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData('text/plain');
    if (file) openText(file, file.name);
    else if (text) openText(text);
  });
}

const KEYS = [
  ['ArrowLeft k', 'one ply back; with Shift to the branch before', (event) => (event.shiftKey ? branch(-1) : back())],
  ['ArrowRight j', 'one ply forward; with Shift to the next branch', (event) => (event.shiftKey ? branch(1) : forward())],
  ['ArrowUp', 'the variation before, or the start', () => sibling(-1)],
  ['ArrowDown', 'the next variation, or the end', () => sibling(1)],
  ['Home 0', 'the start', toStart],
  ['End $', 'the end', toEnd],
  ['n', 'the next ply where a marked fact appears', () => nextMark(1)],
  ['p', 'the ply before where a marked fact appears', () => nextMark(-1)],
  ['f', 'flip the board', () => flip()],
  ['b', 'to the board: arrows walk, Enter picks up and drops, i says what is there', () => board.focus()],
  ['o', 'open a position or games', open],
  ['e', 'edit the position', edit],
  ['d', 'draw with the left button', toggleDraw],
  ['Delete', 'remove the line that you have added', removeLine],
];

async function begin() {
  buildOverlays();
  const overlays = OVERLAYS.map((overlay, at) => [
    KEY_OF[at], `${overlay.label.toLowerCase()}: ${overlay.what}`, () => toggle(overlay.id)]);
  const all = [...KEYS, ...overlays];
  start('chess', { keys: offline ? all.filter(([, , run]) => run !== edit && run !== open) : all });
  for (const id of ['open', 'edit', 'share', 'read']) part(id).hidden = offline;
  part('text').readOnly = offline;
  const saved = store.get('chess.on');
  setOverlays(Array.isArray(saved) ? saved : [...page.on]);
  listen();
  busy.begin();
  try {
    await pieces();
    await load();
  } finally {
    busy.end();
  }
}

begin();
