// Four-player chess: play, replay, watch. The server knows the rules; this page knows what is
// shown, who plays which seat, and the address.

import { alone, api, busy, debounce, el, keys, say, start, state, store, stream, toast } from "./app.js";
import { SEATS, askPromotion, makeBoard } from "./fourchess-board.js";
import { makeControls } from "./fourchess-controls.js";
import { makeTools } from "./fourchess-tools.js";
import { makeMoves, makePlayers, makeTabs, showTurn } from "./fourchess-panel.js";
import { button, capital as title } from "./parts.js";
import { pieces } from "./pieces.js";

/** The game that is shown: rules, start, and all plies; each ply has the position behind it. */
let game = null;
/** How many plies have been played where we look. */
let at = 0;
/** Who plays each seat: "me", or a built-in player. */
let kinds = ["me", "me", "me", "me"];
let view = "red";
/** @type {{name: string, number: number} | null} */
let file = null;
/** What "undo" brings back. @type {{plies: any[], at: number, file: any}[]} */
let past = [];
/** @type {string | null} */
let picked = null;
let hint = null;
/** Legal moves by FEN4 of the positions that were asked. @type {Map<string, any>} */
const known = new Map();
let players = ["random", "greedy"];
let seed = Math.floor(Math.random() * 2 ** 31);
let letters = store.get("four-letters", false);
let speed = store.get("four-speed", 4);
/** @type {AbortController | null} */
let work = null;
/** @type {number | undefined} */
let timer;
let running = false;

const place = (id) => document.getElementById(id);
const here = () => (at === 0 ? game.start : game.plies[at - 1]);
const isLast = () => at === game.plies.length;
/** Who plays a seat now: the king of a player who has left walks at random. */
const playerOf = (seat) => (here().status[SEATS.indexOf(seat)] === "walks" ? "random" : kinds[SEATS.indexOf(seat)]);
const isMine = (seat) => seat !== null && playerOf(seat) === "me";
/** Whether one of my seats still plays. */
const plays = () => SEATS.some((seat, index) => kinds[index] === "me" && here().status[index] === "plays");
const lineTo = (ply) => game.plies.slice(0, ply).map((one) => one.code).join("");
/** The game up to a ply, as requests name it. */
const named = (ply) => ({ rules: game.rules.words, fen4: game.fen4, line: lineTo(ply) });

start("fourchess", { help: "On the board, arrows walk and Enter picks up and drops a piece. Elsewhere, arrows go through the game." });
await pieces();

const board = makeBoard(place("board"), { onPick: pick, onDrop: drop, canDrag: (square) => board.pieceOn(square)?.seat === here().turn && canMove() });
const turnCard = el("section", { "aria-label": "Turn" });
const playersCard = el("section.card.flush", { "aria-label": "Players" });
const movesPanel = el("div");
const controlsCard = el("section.card.run", { "aria-label": "Controls" });
const newPanel = el("div.pad");
const openPanel = el("div.pad");
const rulesPanel = el("div.pad");
const gameCard = el("section.card.flush.game", { "aria-label": "Game" });
const tabs = makeTabs(gameCard, [
  { id: "moves", title: "Moves", panel: movesPanel },
  ...(alone() ? [] : [{ id: "new", title: "New game", panel: newPanel }, { id: "open", title: "Open and save", panel: openPanel }]),
  { id: "rules", title: "Rules", panel: rulesPanel },
]);
place("side").append(turnCard, controlsCard, playersCard, gameCard);
const moves = makeMoves(movesPanel, (ply) => go(ply), (line) => openLine(line));
const seats = makePlayers(playersCard, { players: () => players, fixed: alone(), onKind: setKind, onView: setView });

// What the position allows, asked once for each.

/** The legal moves where we look, by square. @returns {Promise<any>} */
async function movesHere() {
  const now = here();
  if (now.ending) return {};
  if (now.moves) return now.moves;
  if (alone()) return {};
  const key = `${game.rules.words} ${now.fen4}`;
  if (!known.has(key)) {
    const answer = await api("/api/fourchess/position", { query: { rules: game.rules.words, fen4: now.fen4 } });
    if (known.size > 500) known.clear();
    known.set(key, answer.moves);
  }
  return known.get(key);
}
/** The same, if it is known already. */
const movesKnown = () => here().moves ?? known.get(`${game.rules.words} ${here().fen4}`) ?? {};

const canMove = () => !alone() && !here().ending && (isMine(here().turn) || !isLast());

// Picking up and dropping.

async function pick(square) {
  if (picked && picked !== square) {
    const from = picked;
    const there = (await movesHere())[from]?.filter((move) => move.to === square) ?? [];
    if (there.length) return make(there);
  }
  const found = (await movesHere())[square];
  const piece = board.pieceOn(square);
  if (picked === square || !found) {
    const was = picked;
    picked = null;
    draw();
    if (was === square) say("put down");
    else if (piece && piece.seat === here().turn) say(`${square}, ${piece.seat} ${piece.role}, has no legal move`);
    else if (piece && here().turn) say(`${square}, ${piece.seat ?? "dead"} ${piece.role}; ${title(here().turn)} is to move`);
    return;
  }
  picked = square;
  draw();
  say(`${square} picked up, ${found.length} legal ${found.length === 1 ? "move" : "moves"}: ${found.map((move) => move.to).join(", ")}`);
  return;
}

async function drop(from, to) {
  const there = (await movesHere())[from]?.filter((move) => move.to === to) ?? [];
  if (there.length) return make(there, true);
  draw();
  return;
}

/** Makes one of the moves between two squares; asks what a pawn becomes. */
async function make(choices, dragged = false) {
  if (!canMove()) {
    picked = null;
    draw();
    if (!alone()) toast(`${title(here().turn)} is played by ${playerOf(here().turn)}.`);
    return;
  }
  let choice = 0;
  if (choices.length > 1) {
    const which = choices[0].promotion ? await askPromotion(here().turn, choices) : 0;
    picked = null;
    if (which === null) return draw();
    choice = which;
  }
  picked = null;
  await play({ code: choices[choice].code }, { undo: true, slides: !dragged });
}

/** Plays a ply where we look; what came after it is left. */
async function play(what, { undo = false, slides = true } = {}) {
  stop();
  try {
    const ply = await api("/api/fourchess/play", { body: { ...named(at), ...what } });
    if (undo) {
      past.push({ plies: game.plies, at, file });
      if (!isLast()) toast("The rest of the game was left. Undo brings it back.");
    }
    append(ply, slides);
  } catch (error) {
    toast(error.message);
    draw();
  }
}

/** Adds a ply behind where we look. */
function append(ply, slides = true) {
  game.plies = [...game.plies.slice(0, at), ply];
  at += 1;
  if (file) file = null;
  hint = null;
  speak(ply);
  draw(slides && ply.from ? ply : null);
  remember();
  answer();
}

/** @param {number} time @param {AbortSignal} signal */
const sleep = (time, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, time);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
});

/** A built-in player answers when it is its turn, after a moment in which the last move is seen. */
async function answer({ opened = false } = {}) {
  const seat = here().turn;
  if (alone() || running || !isLast() || !seat || isMine(seat) || !plays()) return;
  // A game that is only looked at stays as it is.
  if (opened && kinds.every((kind) => kind === "me")) return;
  work?.abort();
  const own = new AbortController();
  work = own;
  busy.begin();
  try {
    await sleep(Math.min(700, 1000 / speed), own.signal);
    const body = { ...named(at), player: playerOf(seat), seed: seed + at };
    const ply = await api("/api/fourchess/play", { body, signal: own.signal });
    if (!own.signal.aborted) append(ply);
  } catch (error) {
    if (!own.signal.aborted) toast(error.message);
  } finally {
    busy.end();
  }
}

/** Gives up what is under way: an answer, a replay, a game that is watched. */
function stop() {
  clearTimeout(timer);
  work?.abort();
  work = null;
  if (!running) return;
  running = false;
  drawControls();
  remember();
}

// Going through the game, watching it.

function go(ply, { keep = false } = {}) {
  const next = Math.max(0, Math.min(game.plies.length, ply));
  if (next === at) return;
  if (!keep) stop();
  const forward = next === at + 1 ? game.plies[next - 1] : null;
  at = next;
  picked = null;
  hint = null;
  draw(forward?.from ? forward : null);
  if (keep) return;
  rememberSoon();
  answer({ opened: true });
}

/** Replays from here at the chosen speed; players of four built-in seats go on from the end. */
function run() {
  if (running) return stop();
  stop();
  // A built-in player that was stopped goes on.
  if (isLast() && here().turn && plays() && !isMine(here().turn)) return answer();
  if (isLast() && !plays() && !here().ending) watch();
  else if (isLast()) at = 0;
  running = true;
  draw();
  tick();
  return;
}

function tick() {
  clearTimeout(timer);
  if (!running) return;
  timer = setTimeout(() => {
    // Beyond sixty a second, several plies are taken at once.
    if (!isLast()) go(at + Math.max(1, Math.round(speed / 60)), { keep: true });
    if (isLast() && !work) {
      stop();
      speak(here());
      return;
    }
    tick();
  }, 1000 / Math.min(60, speed));
}

/** Built-in players play on; their plies come as a stream. */
async function watch() {
  const own = new AbortController();
  work = own;
  const asked = game;
  past.push({ plies: game.plies, at, file });
  file = null;
  seed += 1;
  try {
    let fresh = [];
    const add = () => {
      if (!fresh.length || asked !== game) return;
      game.plies = game.plies.concat(fresh);
      fresh = [];
      drawSide();
    };
    const later = setInterval(add, 100);
    try {
      await stream("/api/fourchess/selfplay", { ...named(at), players: kinds.map((kind) => (kind === "me" ? "random" : kind)), seed }, { signal: own.signal, onLine: (line) => fresh.push(line) });
    } finally {
      clearInterval(later);
      add();
    }
  } catch (error) {
    if (!own.signal.aborted) toast(error.message);
  } finally {
    if (work === own) work = null;
    remember();
  }
}

/** Takes back: my last move with all that followed it, or the last ply. */
function undo() {
  stop();
  const before = past.pop();
  if (before) {
    game.plies = before.plies;
    ({ at, file } = before);
  } else {
    if (!game.plies.length) return toast("There is nothing to undo.");
    let keep = Math.max(0, at - 1);
    while (keep > 0 && plays() && kinds[SEATS.indexOf(game.plies[keep - 1].turn)] !== "me") keep -= 1;
    game.plies = game.plies.slice(0, keep);
    at = keep;
    file = null;
  }
  picked = null;
  hint = null;
  draw();
  remember();
  say(`Undone. ${turnWords()}`);
  return answer();
}

async function resign() {
  if (here().ending || !isLast()) return;
  const turn = here().turn;
  const mine = SEATS.find((seat, index) => kinds[index] === "me" && here().status[index] === "plays" && (seat === turn || !isMine(turn)));
  if (!mine) return toast("None of your seats can resign.");
  return play({ leave: mine }, { undo: true });
}

async function showHint() {
  if (here().ending) return toast("The game is over.");
  try {
    hint = await api("/api/fourchess/hint", { query: { rules: game.rules.words, fen4: here().fen4 } });
    draw();
    say(`Hint: ${hintWords()}`);
  } catch (error) {
    toast(error.message);
  }
  return;
}
const hintWords = () => `greedy would play ${hint.text}. ${hint.says.join(". ") || "It gains nothing at once"}.`;

// Words.

function turnWords() {
  const now = here();
  if (now.ending) return winners();
  return `${title(now.turn)} to move${now.checks.some((check) => check.seat === now.turn) ? ", in check" : ""}`;
}

/** Who has the first place at the end. */
function winners() {
  const first = SEATS.filter((_, index) => here().places[index] === 1).map(title);
  if (first.length === 4) return "The game is drawn";
  return first.length === 1 ? `${first[0]} wins` : `${first.slice(0, -1).join(", ")} and ${first.at(-1)} ${game.rules.pairs ? "win" : "share the first place"}`;
}

function standing() {
  if (game.rules.pairs) return "Red and Yellow play against Blue and Green.";
  return `${SEATS.map((seat, index) => `${title(seat)} ${here().points[index]}`).join(", ")}.`;
}

/** @param {any} ply */
function moveWords(ply) {
  if (!ply.from) return "";
  const castles = ply.text.startsWith("O-O");
  const becomes = ply.promotion ? ` and becomes a ${ply.promotion}` : "";
  return castles ? `${title(ply.seat)} castles` : `${title(ply.seat)}: ${ply.piece} ${ply.from} to ${ply.to}${becomes}`;
}

/** @param {any} ply */
function speak(ply) {
  const said = [moveWords(ply), ...(ply.says ?? [])].filter(Boolean).join(". ");
  say(`${said}${said ? ". " : ""}${turnWords()}${here().ending ? `. ${standing()}` : ""}`);
}

/** Steps may come quickly: what they lead to is said, and put into the address, when they pause. */
let isSoon = false;
const settle = debounce(() => {
  isSoon = false;
  speak(here());
  remember();
  busy.end();
}, 120);
function rememberSoon() {
  if (!isSoon) busy.begin();
  isSoon = true;
  settle();
}

// Drawing.

const names = () => SEATS.map((seat) => game.tags.find((tag) => tag[0] === title(seat))?.[1] || title(seat));

/** @param {any} now @param {number} seat */
function teamResult(now, seat) {
  if (!now.ending) return "";
  return now.places.every((place) => place === 1) ? "draw" : now.places[seat] === 1 ? "won" : "lost";
}

/** The last move of each seat, as far as it still plays. */
function lasts() {
  return SEATS.flatMap((seat) => {
    for (let ply = at - 1; ply >= 0 && ply >= at - 12; ply -= 1) {
      const one = game.plies[ply];
      if (one.seat === seat && one.from) return [{ seat, from: one.from, to: one.to, text: one.text, latest: ply === at - 1 }];
    }
    return [];
  });
}

/** What the tags and the first comment say about the game. */
function about() {
  const tag = (name) => game.tags.find((one) => one[0] === name && !/^[-?*]?$/.test(one[1]))?.[1];
  const words = ["Event", "Site", "Date", "Result", "Termination"].map(tag).filter(Boolean).join(" · ");
  return [words, game.comment].filter(Boolean);
}

const seatShown = () => (view === "turn" ? here().turn ?? SEATS[0] : view);

/** @param {any} [moved] */
function draw(moved = null) {
  const now = here();
  const owner = names();
  const targets = picked ? (movesKnown()[picked] ?? []).map((move) => move.to) : [];
  board.show({
    fen4: now.fen4,
    bottom: game.rules.edges[SEATS.indexOf(seatShown())],
    edges: game.rules.edges,
    turn: now.turn,
    plates: SEATS.map((seat, index) => ({
      title: owner[index].length > 11 ? `${owner[index].slice(0, 10)}…` : owner[index],
      points: game.rules.pairs ? teamResult(now, index) : String(now.points[index]),
      note: now.ending && !game.rules.pairs ? `place ${now.places[index]}` : now.status[index] === "out" ? "out" : now.status[index] === "walks" ? "king walks" : now.turn === seat ? "to move" : kinds[index] === "me" ? "" : kinds[index],
      status: now.status[index],
    })),
    lasts: lasts(),
    checks: now.checks,
    picked,
    targets: new Set(targets),
    arrows: hint ? [{ from: hint.from, to: hint.to, kind: "hint" }] : [],
    letters,
  }, moved);
  drawSide();
}

function drawSide() {
  const now = here();
  const latest = lasts();
  const notes = [];
  if (now.says?.length) notes.push(`${now.says.map(title).join(". ")}.`);
  else if (now.ending) notes.push(`${title(now.ending.says)}.`);
  if (now.ending && !game.rules.pairs) notes.push(standing());
  if (hint) notes.push(`Hint: ${hintWords()}`);
  if (now.comment) notes.push(now.comment);
  if (at === 0) notes.push(...about());
  if (now.turn && isLast() && !alone() && !running && !plays()) notes.push("Press Watch to let the others play.");
  const leader = now.ending && now.places.some((place) => place > 1) ? SEATS.find((_, index) => now.places[index] === 1) : null;
  showTurn(turnCard, { turn: now.turn ?? leader, words: turnWords() + (now.ending ? "" : at ? `, ply ${at}` : ""), notes, extra: unfinished() });
  seats.show({
    names: names(), kinds, points: now.points, status: now.status, places: now.places, turn: now.turn,
    lasts: SEATS.map((seat) => latest.find((last) => last.seat === seat)?.text ?? null),
    pairs: game.rules.pairs, over: now.ending !== null, view,
  });
  moves.show(game.plies, at);
  controls.strip.show(game.start.points, game.plies, at);
  drawControls();
}

const controls = makeControls(controlsCard, {
  go: (ply) => go(ply), at: () => at, end: () => game.plies.length, run, undo, hint: showHint, resign, letters: toggleLetters,
  rotate: () => setView(SEATS[(SEATS.indexOf(seatShown()) + 1) % 4]),
  follow: () => setView(view === "turn" ? "red" : "turn"),
  speed,
  setSpeed: (wanted) => {
    speed = wanted;
    store.set("four-speed", speed);
    tick();
  },
});

function drawControls() {
  const over = here().ending !== null;
  const watches = !alone() && !plays() && isLast() && !over;
  controls.show({ first: at === 0, last: isLast(), over, running, name: running ? "Pause" : watches ? "Watch" : "Play", follows: view === "turn", letters });
}

function toggleLetters() {
  letters = !letters;
  store.set("four-letters", letters);
  draw();
}

function setView(seat) {
  view = seat;
  draw();
  remember();
  say(seat === "turn" ? "The player to move sits at the bottom." : `${title(seat)} sits at the bottom.`);
}

function setKind(seat, kind) {
  stop();
  kinds = kinds.map((old, index) => (index === seat ? kind : old));
  draw();
  remember();
  answer();
}

// The address.

/** Puts the state into the address. */
function remember({ push = false } = {}) {
  if (alone() || running) return;
  const kind = (name) => name[0];
  state.write({
    rules: !file && game.rules.words !== "ffa" ? game.rules.words : "",
    fen4: file ? "" : game.fen4,
    game: file?.name ?? "",
    number: file && file.number !== 1 ? file.number : "",
    ply: at === game.plies.length && !file ? "" : at,
    view: view === "red" ? "" : view,
    seats: kinds.every((name) => name === "me") ? "" : kinds.map(kind).join(""),
    hash: file ? "" : lineTo(game.plies.length),
  }, { push });
  // Tags and comments do not fit an address; they wait here for a reload.
  const comments = game.plies.flatMap((ply, index) => (ply.comment || ply.variations ? [[index, ply.comment, ply.variations]] : []));
  if (game.plies.length) store.set("four-game", { search: location.search, hash: location.hash, plies: game.plies.length });
  store.set("four-notes", file || (!comments.length && !game.tags.length) ? null : { line: lineTo(game.plies.length), tags: game.tags, comments, comment: game.comment });
}

/** A page that is opened anew offers the game that was left. */
function unfinished() {
  const left = store.get("four-game");
  if (alone() || game.plies.length || !left?.plies || location.search || location.hash) return null;
  const words = `Continue the last game (${left.plies} ${left.plies === 1 ? "ply" : "plies"})`;
  const go = () => {
    history.pushState(null, "", location.pathname + left.search + left.hash);
    restore();
  };
  return button(words, go, { data: { id: "continue" } });
}

/** Shows what the address says. */
async function restore() {
  stop();
  const asked = state.read();
  const find = (letter) => ["me", ...players].find((name) => name[0] === letter) ?? "me";
  if (asked.seats) kinds = SEATS.map((_, index) => find(asked.seats[index] ?? "m"));
  else kinds = ["me", "me", "me", "me"];
  view = [...SEATS, "turn"].includes(asked.view) ? asked.view : "red";
  past = [];
  picked = null;
  hint = null;
  try {
    if (alone()) {
      game = await api("/api/fourchess/game");
      file = null;
    } else if (asked.game) {
      const number = Number(asked.number) || 1;
      game = await api("/api/fourchess/game", { query: { file: asked.game, number } });
      file = { name: asked.game, number };
    } else {
      file = null;
      game = await api("/api/fourchess/game", { body: { rules: asked.rules, fen4: asked.fen4, line: asked.hash } });
      note();
    }
  } catch (error) {
    toast(error.message);
    if (!game) game = await api("/api/fourchess/game", { body: {} });
  }
  const ply = asked.ply === undefined ? (file ? 0 : game.plies.length) : Number(asked.ply) || 0;
  at = Math.max(0, Math.min(game.plies.length, ply));
  if (alone()) at = Math.min(game.plies.length, Number(asked.ply) || 0);
  draw();
  tools.show();
  answer({ opened: true });
}

/** Puts tags and comments back that belong to the same line. */
function note() {
  const notes = store.get("four-notes");
  if (!notes || !notes.line || !lineTo(game.plies.length).startsWith(notes.line)) return;
  game.tags = notes.tags;
  game.comment = notes.comment;
  for (const [ply, comment, variations] of notes.comments) Object.assign(game.plies[ply] ?? {}, { comment, variations });
}

/** Shows another game. */
function open(next, { from = null, seats = null, ply = null, bottom = null } = ({})) {
  stop();
  game = next;
  file = from;
  past = [];
  picked = null;
  hint = null;
  if (seats) kinds = seats;
  if (bottom) view = bottom;
  at = ply ?? (from || next.games ? 0 : next.plies.length);
  draw();
  tools.show();
  remember({ push: true });
  say(turnWords());
  answer({ opened: true });
}

async function openLine(line) {
  if (alone()) return toast("Variations are shown by everyply serve.");
  const { rules, fen4 } = named(0);
  const from = at;
  const next = await api("/api/fourchess/game", { body: { rules, fen4, line } });
  return open(next, { ply: Math.min(from, next.plies.length) });
}

const tools = makeTools({ newPanel, openPanel, rulesPanel, tabs }, {
  open, named, say: toast,
  game: () => game,
  at: () => at,
  here,
  view: seatShown,
  kinds: () => kinds,
  setPlayers: (list) => { players = list; },
});

keys([
  ["ArrowLeft ,", "one ply back", () => go(at - 1)],
  ["ArrowRight .", "one ply forward", () => go(at + 1)],
  ["ArrowUp <", "four plies back", () => go(at - 4)],
  ["ArrowDown >", "four plies forward", () => go(at + 4)],
  ["Home", "to the start", () => go(0)],
  ["End", "to the end", () => go(game.plies.length)],
  ["p", "play, watch or pause", run],
  ["r", "rotate to the next seat", () => setView(SEATS[(SEATS.indexOf(seatShown()) + 1) % 4])],
  ...SEATS.map((seat, index) => [String(index + 1), `see the board from ${title(seat)}'s side`, () => setView(seat)]),
  ["u", "undo", () => undo()],
  ["h", "hint", () => showHint()],
  ["t", "say whose turn it is, and the points", () => say(`${turnWords()}. ${standing()}`)],
  ["l", "letters on the pieces", toggleLetters],
  ["b", "to the board", () => board.focus(here().turn ? kingOf(here().turn) : "h1")],
  ["Escape", "put down, stop", () => { stop(); tools.stop(); picked = null; hint = null; draw(); }],
]);

/** Where a seat's king stands, to begin there. */
function kingOf(seat) {
  for (const square of Object.keys(movesKnown())) if (board.pieceOn(square)?.seat === seat) return square;
  return { red: "h2", blue: "b7", yellow: "g13", green: "m8" }[seat] ?? "h1";
}

state.onChange(restore);
await tools.ready;
await restore();
