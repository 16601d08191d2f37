// The position editor: puts pieces anywhere. Whether the position is legal, and why not, is said
// by the server.
import { api, el, clear } from './app.js';
import { indexOf } from './chess-marks.js';
import { START, pieceIcon, pieceOf, placementOf } from './chess-board.js';
import { button, select } from './parts.js';

const RIGHTS = [['K', 'White O-O'], ['Q', 'White O-O-O'], ['k', 'Black O-O'], ['q', 'Black O-O-O']];

/** The first field of a FEN from 64 signs. */
function fieldOf(placement) {
  const ranks = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    const signs = placement.slice(8 * rank, 8 * rank + 8);
    ranks.push(signs.replace(/\.+/g, (empty) => String(empty.length)));
  }
  return ranks.join('/');
}

export class Editor {
  /**
   * @param {HTMLElement} host
   * @param {Object} board
   * @param {Object} calls `changed(fen)`, `use(fen)`, `leave()`
   */
  constructor(host, board, calls) {
    this.host = host;
    this.board = board;
    this.calls = calls;
    this.tool = 'move';
    this.build();
  }

  build() {
    const palette = el('div.palette', { role: 'group', 'aria-label': 'Piece to place' });
    this.tools = new Map();
    const add = (tool, label, ...content) => {
      const button = el('button.tool', {
        type: 'button', 'aria-label': label, 'aria-pressed': 'false',
        'data-id': `tool-${tool}`, title: label,
      }, ...content);
      button.addEventListener('click', () => this.choose(tool));
      this.tools.set(tool, button);
      palette.append(button);
    };
    for (const letters of ['KQRBNP', 'kqrbnp']) {
      for (const letter of letters) {
        const { role, color } = pieceOf(letter);
        add(letter, `${color} ${role}`, pieceIcon(letter));
      }
    }
    add('move', 'Move pieces', 'Move');
    add('erase', 'Erase pieces', 'Erase');
    const on = { change: () => this.ask() };
    this.turn = select([['w', 'White to move'], ['b', 'Black to move']], { 'aria-label': 'Side to move', 'data-id': 'editor-turn', on });
    this.passant = select([['-', 'No en passant']], { 'aria-label': 'En passant', 'data-id': 'editor-passant', on });
    this.rights = RIGHTS.map(([right, label]) => {
      const box = el('input', { type: 'checkbox', value: right, 'data-id': `right-${right}`, on });
      return { right, box, label: el('label.right', {}, box, label) };
    });
    this.reason = el('p.reason', { role: 'status', 'data-id': 'reason' });
    this.useButton = button('Use this position', () => this.calls.use(this.legal), { class: 'button primary', 'data-id': 'editor-use' });
    this.host.append(
      el('h2', {}, 'Position editor'), palette, el('div.pair', {}, this.turn, this.passant),
      el('div.rights', { role: 'group', 'aria-label': 'Castling' }, ...this.rights.map((r) => r.label)),
      this.reason,
      el('div.row', {},
        button('Start', () => this.load(START), { 'data-id': 'editor-start' }),
        button('Clear', () => this.load('8/8/8/8/8/8/8/8 w - - 0 1'), { 'data-id': 'editor-clear' }),
        button('Leave', () => this.calls.leave(), { 'data-id': 'editor-leave' }),
        this.useButton),
    );
    this.choose('move');
  }

  choose(tool) {
    this.tool = tool;
    for (const [name, button] of this.tools) button.ariaPressed = String(name === tool);
  }

  /** Begins with a FEN, which need not be legal. */
  load(fen) {
    const [, turn = 'w', castling = '-', passant = '-', half = '0', full = '1'] = fen.split(' ');
    this.counters = `${half} ${full}`;
    this.turn.value = turn;
    this.wanted = passant;
    for (const { right, box } of this.rights) box.checked = castling.includes(right);
    this.board.show(placementOf(fen));
    return this.ask();
  }

  /** The FEN of what is on the board, legal or not. */
  fen() {
    const castling = this.rights.filter(({ box }) => box.checked && !box.disabled);
    const rights = castling.map(({ right }) => right).join('') || '-';
    const passant = this.passant.value || '-';
    return `${fieldOf(this.board.placement)} ${this.turn.value} ${rights} ${passant} ${this.counters}`;
  }

  /** Asks whether the position is legal, and what may be chosen. */
  async ask() {
    const mine = this.asked = Symbol('asked');
    const bare = `${fieldOf(this.board.placement)} ${this.turn.value} - - ${this.counters}`;
    const may = await api('/api/chess/setup', { query: { fen: bare } });
    if (mine !== this.asked) return;
    for (const { right, box } of this.rights) {
      box.disabled = !may.castling.includes(right);
    }
    const passant = this.wanted ?? this.passant.value;
    this.wanted = null;
    clear(this.passant);
    this.passant.append(el('option', { value: '-' }, 'No en passant'));
    for (const square of may.en_passant) {
      this.passant.append(el('option', { value: square }, `En passant on ${square}`));
    }
    this.passant.value = may.en_passant.includes(passant) ? passant : '-';
    this.passant.disabled = may.en_passant.length === 0;
    const fen = this.fen();
    const answer = await api('/api/chess/setup', { query: { fen } });
    if (mine !== this.asked) return;
    this.legal = answer.fen;
    this.useButton.disabled = !answer.legal;
    this.reason.classList.toggle('wrong', !answer.legal);
    this.reason.textContent = answer.legal ? 'This position is legal.' : `Not legal: ${answer.reason}.`;
    this.board.name();
    this.calls.changed(answer.fen ?? fen);
  }

  /** Puts the chosen piece on a square; false if pieces are to be moved. */
  place(square) {
    if (this.tool === 'move') return false;
    const there = this.board.at(square);
    this.set(square, this.tool === 'erase' || there === this.tool ? '.' : this.tool);
    return true;
  }

  set(square, letter) {
    const signs = [...this.board.placement];
    signs[indexOf(square)] = letter;
    this.board.show(signs.join(''));
    this.ask();
  }

  /** Moves a piece, or takes it off the board. */
  drop(from, to) {
    const signs = [...this.board.placement];
    const letter = signs[indexOf(from)];
    signs[indexOf(from)] = '.';
    if (to) signs[indexOf(to)] = letter;
    this.board.show(signs.join(''));
    this.ask();
  }

  /** Letters put pieces on the square that has the focus: capitals are White's. */
  key(square, event) {
    if (/^[kqrbnp]$/i.test(event.key)) this.set(square, event.key);
    else if (event.key === 'Delete' || event.key === 'Backspace' || event.key === '.') this.set(square, '.');
    else return false;
    return true;
  }

  name(square) {
    const letter = this.board.placement[indexOf(square)];
    if (letter === '.') return `${square}, empty`;
    const { role, color } = pieceOf(letter);
    return `${square}, ${color} ${role}`;
  }
}
