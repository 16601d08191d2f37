// Where games come from: text, files that are dropped, files below the root; and the list of the
// games of a file, fetched in windows.
import { alone, api, el, clear } from './app.js';
import { button, sized } from './parts.js';

const ROW = 46;
const WINDOW = 100;
/** Browsers cut off elements that are much higher. */
const HIGHEST = 8_000_000;

/** A list of any length: only what is seen is there. */
export class Games {
  /** @param {HTMLElement} host @param {(number: number) => void} choose */
  constructor(host, choose) {
    this.host = host;
    this.choose = choose;
    this.space = el('div.games-space');
    host.append(this.space);
    host.addEventListener('scroll', () => this.draw());
    host.addEventListener('click', (event) => {
      const button = event.target.closest('.game-row');
      if (button) choose(Number(button.dataset.number));
    });
  }

  /** Shows the games of a source. @param {(from: number, most: number) => Promise<Object>} fetch */
  async show(fetch, number) {
    this.fetch = fetch;
    this.number = number;
    this.windows = new Map();
    const first = await fetch(1, WINDOW);
    this.windows.set(0, first.games);
    this.total = first.total ?? first.games.length;
    this.isOpen = first.total === null || first.total === undefined;
    this.arrange();
    return this.total;
  }

  arrange() {
    this.space.style.height = `${Math.min(HIGHEST, this.total * ROW)}px`;
    this.draw();
  }

  /** How many pixels of the list are above the upper edge. */
  offset() {
    const height = this.total * ROW;
    if (height <= HIGHEST) return this.host.scrollTop;
    const part = this.host.scrollTop / (HIGHEST - this.host.clientHeight);
    return part * (height - this.host.clientHeight);
  }

  draw() {
    if (!this.fetch || this.host.hidden) return;
    const offset = this.offset();
    const from = Math.max(0, Math.floor(offset / ROW) - 4);
    const to = Math.min(this.total, from + Math.ceil(this.host.clientHeight / ROW) + 8);
    clear(this.space);
    for (let at = from; at < to; at += 1) {
      const row = this.rowOf(at);
      const top = this.host.scrollTop + at * ROW - offset;
      const line = row ? this.line(row) : el('div.game-row.waiting', {}, '…');
      line.style.top = `${top}px`;
      this.space.append(line);
    }
    for (let window = Math.floor(from / WINDOW); window * WINDOW < to; window += 1) this.need(window);
    if (this.isOpen && to === this.total) this.need(Math.floor(this.total / WINDOW));
  }

  rowOf(at) {
    return this.windows.get(Math.floor(at / WINDOW))?.[at % WINDOW];
  }

  async need(window) {
    if (this.windows.has(window)) return;
    this.windows.set(window, []);
    const { fetch } = this;
    const found = await fetch(window * WINDOW + 1, WINDOW);
    if (fetch !== this.fetch) return;
    this.windows.set(window, found.games);
    if (this.isOpen) {
      this.total = found.total ?? Math.max(this.total, window * WINDOW + found.games.length);
      this.isOpen = found.total === null || found.total === undefined;
    }
    this.arrange();
  }

  line(row) {
    const player = (name, elo) => el('span.game-player', {}, name,
      elo ? el('span.elo', {}, ` ${elo}`) : '');
    const about = [row.event, row.opening].filter(Boolean).join(' · ');
    const cells = row.wrong
      ? [el('span.game-wrong', {}, row.wrong)]
      : [player(row.white, row.white_elo), el('span.game-result', {}, row.result.replaceAll('1/2', '½')),
        player(row.black, row.black_elo), el('span.game-date', {}, row.date ?? '')];
    return el('button.game-row', {
      type: 'button', 'data-number': row.number, 'data-id': `game-${row.number}`, title: about,
      'aria-current': row.number === this.number ? 'true' : null,
    }, el('span.game-number', {}, row.number), ...cells);
  }

  /** Marks the game that is shown. */
  mark(number) {
    this.number = number;
    this.draw();
  }
}

/** The dialog that opens text, a file of this machine or a file below the root. */
export class Opener {
  /** @param {Object} calls `text(bytes, name)`, `file(name)` */
  constructor(calls) {
    this.calls = calls;
    this.text = el('textarea.field', {
      id: 'open-text', rows: '6', spellcheck: 'false', 'data-id': 'open-text',
    });
    this.chooser = el('input', {
      type: 'file', class: 'sr', tabindex: '-1', 'aria-hidden': 'true', 'aria-label': 'File to open',
    });
    this.files = el('div.open-files', { role: 'group', 'aria-label': 'Files', 'data-id': 'open-files' });
    const read = button('Load', () => this.finish(this.text.value), { class: 'button primary', 'data-id': 'open-read' });
    this.dialog = el('dialog.dialog.chess-open', { 'aria-labelledby': 'open-title' },
      el('h2', { id: 'open-title' }, 'Open a position or games'),
      el('label', { for: 'open-text' }, 'FEN, EPD or PGN'), this.text,
      el('div.row', {},
        button('Choose a file…', () => this.chooser.click(), { 'data-id': 'open-choose' }), this.chooser,
        button('Cancel', () => this.dialog.close(), { 'data-id': 'open-cancel' }), read),
      this.files);
    this.chooser.addEventListener('change', () => {
      const [file] = this.chooser.files;
      if (file) this.finish(file, file.name);
      this.chooser.value = '';
    });
    document.body.append(this.dialog);
  }

  finish(body, name) {
    this.dialog.close();
    this.calls.text(body, name);
  }

  /** Opens the dialog and lists the files below the root. */
  async open() {
    this.dialog.showModal();
    this.text.focus();
    clear(this.files);
    if (alone()) return;
    const { files } = await api('/api/files');
    const games = files.filter(({ name, directory }) => !directory && /\.pgn(\.gz|\.zst)?$/i.test(name));
    if (games.length === 0) return;
    this.files.append(el('h3', {}, 'Files of this folder'));
    for (const { name, bytes } of games) {
      const line = el('button.open-file', { type: 'button', 'data-id': `file-${name}` },
        el('span', {}, name), el('span.size', {}, sized(bytes)));
      line.addEventListener('click', () => {
        this.dialog.close();
        this.calls.file(name);
      });
      this.files.append(line);
    }
  }
}
