// What is said about a position beside the board: sentences, players, the head of a game.
import { clear, el } from './app.js';
import { overlayOf } from './chess-marks.js';

const SECTIONS = [
  ['Tactics', ['checkers', 'pins', 'relative_pins', 'skewers', 'hanging_see', 'undefended', 'forks', 'fork_moves']],
  ['Lines', ['discovered', 'xrays', 'batteries']],
  ['Pawns', ['passed', 'candidates', 'isolated', 'backward', 'doubled', 'pawn_islands', 'half_open_files', 'open_files']],
  ['State', ['material', 'developed', 'mobility']],
];

/** The facts as sentences. A sentence lights its squares, and a square its sentences. */
export class Sentences {
  /** @param {HTMLElement} host @param {(squares: string[]) => void} light */
  constructor(host, light) {
    this.host = host;
    this.light = light;
    this.kept = null;
    this.square = null;
  }

  show(sentences) {
    clear(this.host);
    this.kept = null;
    for (const [title, names] of SECTIONS) {
      const found = sentences.filter(({ name }) => names.includes(name));
      if (found.length === 0) continue;
      this.host.append(el('h3', {}, title), ...found.map((sentence) => this.button(sentence)));
    }
  }

  button(sentence) {
    const light = () => this.light(sentence.squares);
    const dark = () => this.light(this.kept?.squares ?? []);
    return el('button', {
      class: `sentence mark-${overlayOf(sentence.name)}`, type: 'button', 'aria-pressed': 'false',
      'data-squares': sentence.squares.join(' '), 'data-fact': sentence.name,
      on: {
        pointerenter: light, pointerleave: dark, focus: light, blur: dark,
        click: (event) => this.keep(sentence, event.currentTarget),
      },
    }, el('span', { class: `dot ${sentence.color}`, 'aria-hidden': 'true' }),
    el('span', {}, `${sentence.text[0].toUpperCase()}${sentence.text.slice(1)}.`));
  }

  /** Keeps the squares of a sentence lit, or no longer. */
  keep(sentence, button) {
    const isKept = this.kept === sentence;
    for (const other of this.host.querySelectorAll('[aria-pressed="true"]')) other.ariaPressed = 'false';
    this.kept = isKept ? null : sentence;
    button.ariaPressed = String(!isKept);
    this.light(this.kept?.squares ?? []);
  }

  /** Lights the sentences that speak of a square. */
  of(square) {
    if (this.square === square) return;
    this.square = square;
    for (const button of this.host.querySelectorAll('.sentence')) {
      button.classList.toggle('lit', Boolean(square) && button.dataset.squares.split(' ').includes(square));
    }
  }
}

/** The value of a tag, if it says something. */
function tag(game, name) {
  const value = game?.tags.find(([key]) => key === name)?.[1] ?? '';
  return /^[?.\-\s]*$/.test(value) ? '' : value;
}

/** Shows who plays, and where. @param {?Object} game @param {string} otherwise what is shown without a game */
export function showHead(names, about, game, otherwise) {
  clear(names);
  if (!game) {
    names.append(otherwise);
    about.textContent = '';
    document.title = 'Chess · everyply';
    return;
  }
  const [white, black] = [tag(game, 'White') || 'White', tag(game, 'Black') || 'Black'];
  names.append(white, el('span.versus', {}, ` ${game.result.replaceAll('1/2', '½').replace('-', '–')} `), black);
  const parts = [tag(game, 'Event'), tag(game, 'Site').replace(/^https?:\/\//, ''),
    tag(game, 'UTCDate') || tag(game, 'Date'), tag(game, 'Opening') || tag(game, 'ECO')];
  about.textContent = parts.filter(Boolean).join(' · ');
  document.title = `${white} – ${black} · everyply`;
}

/** Shows a player beside the board: name, rating, lead and clock. */
export function showPlayer(host, game, node, color) {
  clear(host);
  const name = color === 'white' ? 'White' : 'Black';
  let at = node;
  while (at && !(at.move?.color === color && Number.isFinite(at.move.clock))) at = at.parent;
  const lead = (node.marks?.material ?? 0) * (color === 'white' ? 1 : -1);
  host.classList.toggle('turn', node.fen.split(' ')[1] === color[0]);
  host.append(
    el('span', { class: `dot ${color}`, 'aria-hidden': 'true' }),
    el('span.player-name', {}, tag(game, name) || name),
    el('span.elo', {}, tag(game, `${name}Elo`)),
    el('span.lead', {}, lead > 0 ? `+${lead}` : ''),
    el('span.clock', {}, at ? timed(at.move.clock) : ''),
  );
}

function timed(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const tail = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
