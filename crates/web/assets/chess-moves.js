// The list of moves: the main line in two columns, variations and comments between its rows.
import { el, clear } from './app.js';

export class Moves {
  /** @param {HTMLElement} host @param {(node: Object) => void} go */
  constructor(host, go) {
    this.host = host;
    this.go = go;
    this.buttons = new Map();
    host.addEventListener('click', (event) => {
      const button = event.target.closest('.move');
      if (button) go(button.node);
    });
  }

  /** Shows a tree. @param {?string} result */
  show(root, result) {
    clear(this.host);
    this.buttons.clear();
    this.current = null;
    this.comments(this.host, root.text);
    this.rows = null;
    let needsNumber = true;
    for (let node = root.children[0]; node; node = node.children[0]) {
      needsNumber = this.addMain(node, needsNumber);
    }
    if (result && result !== '*') this.host.append(el('p.result', {}, spaced(result)));
    if (root.children.length === 0 && !result) {
      this.host.append(el('p.empty', {}, 'Make a move on the board, or open a game.'));
    }
  }

  /** Adds a move of the main line; says whether the next one needs its number again. */
  addMain(node, needsNumber) {
    const { move } = node;
    const isWhite = move.color === 'white';
    if (isWhite || needsNumber || !this.rows) {
      if (!this.rows) {
        this.rows = el('div.rows');
        this.host.append(this.rows);
      }
      this.rows.append(el('span.number', {}, String(move.number)));
      if (!isWhite) this.rows.append(el('span.gap', {}, '…'));
    }
    this.rows.append(this.button(node));
    const others = node.parent.children.slice(1);
    const isFirst = node.parent.children[0] === node;
    if (node.text.length === 0 && (!isFirst || others.length === 0)) return !isWhite;
    if (isWhite) this.rows.append(el('span.gap', {}, '…'));
    const between = el('div.between');
    this.comments(between, node.text);
    for (const other of others) between.append(this.variation(other));
    this.host.append(between);
    this.rows = null;
    return true;
  }

  /** A variation as running text. */
  variation(first) {
    const host = el('p.variation');
    for (const text of first.before) host.append(el('span.said', {}, text), ' ');
    this.inline(host, first, true);
    return host;
  }

  inline(host, first, isStart) {
    let needsNumber = isStart;
    for (let node = first; node; node = node.children[0]) {
      const { move } = node;
      if (move.color === 'white') host.append(`${move.number}. `);
      else if (needsNumber) host.append(`${move.number}… `);
      host.append(this.button(node), ' ');
      for (const text of node.text) host.append(el('span.said', {}, text), ' ');
      needsNumber = node.text.length > 0;
      if (node === first) continue;
      for (const other of node.parent.children.slice(1)) {
        host.append('(');
        for (const text of other.before) host.append(el('span.said', {}, text), ' ');
        this.inline(host, other, true);
        host.append(') ');
        needsNumber = true;
      }
    }
  }

  comments(host, texts) {
    for (const text of texts) host.append(el('p.said', {}, text));
  }

  button(node) {
    const { move } = node;
    const glyphs = (move.glyphs ?? []).join('');
    const number = `${move.number}${move.color === 'white' ? '.' : '…'}`;
    const button = el('button', {
      class: `move${node.own ? ' own' : ''}`, type: 'button', tabindex: '-1',
      'aria-label': `${number} ${move.san}${glyphs}`,
    }, move.san, glyphs ? el('span.glyph', {}, glyphs) : '');
    button.node = node;
    this.buttons.set(node, button);
    return button;
  }

  /** Marks the current move and brings it into view. */
  mark(node) {
    if (this.current) {
      this.current.removeAttribute('aria-current');
      this.current.tabIndex = -1;
    }
    this.current = this.buttons.get(node) ?? null;
    if (!this.current) {
      this.host.scrollTop = 0;
      const [first] = this.buttons.values();
      if (first) first.tabIndex = 0;
      return;
    }
    for (const button of this.host.querySelectorAll('.move[tabindex="0"]')) button.tabIndex = -1;
    this.current.ariaCurrent = 'true';
    this.current.tabIndex = 0;
    const [box, frame] = [this.current.getBoundingClientRect(), this.host.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) {
      this.host.scrollTop += box.top - frame.top - frame.height / 2;
    }
  }
}

function spaced(result) {
  return result.replace('-', ' – ').replaceAll('1/2', '½');
}
