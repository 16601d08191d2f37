// The strip of a game: material and what hangs, ply by ply. A click or a drag goes there.
import { el, svgEl, clear } from './app.js';
import { appears } from './chess-marks.js';

const [TOP, MIDDLE, REACH] = [4, 50, 44];

export class Strip {
  /** @param {HTMLElement} host @param {(node: Object) => void} go */
  constructor(host, go) {
    this.go = go;
    this.line = [];
    this.svg = svgEl('svg.strip-picture', { preserveAspectRatio: 'none' });
    this.svg.ariaHidden = 'true';
    this.slider = el('div.strip-slider', {
      role: 'slider', tabindex: '0', 'aria-label': 'Place in the game',
      'aria-valuemin': '0', 'aria-valuemax': '0', 'aria-valuenow': '0', 'data-id': 'strip',
    }, this.svg);
    this.words = el('p.strip-words');
    host.append(this.slider, this.words);
    this.listen();
  }

  listen() {
    const to = (event) => {
      const box = this.slider.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      const ply = Math.min(this.line.length - 1, Math.max(0, Math.floor(part * this.line.length)));
      if (this.line[ply]) this.go(this.line[ply]);
    };
    this.slider.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.slider.setPointerCapture(event.pointerId);
      this.held = true;
      to(event);
    });
    this.slider.addEventListener('pointermove', (event) => { if (this.held) to(event); });
    this.slider.addEventListener('pointerup', () => { this.held = false; });
    this.slider.addEventListener('pointercancel', () => { this.held = false; });
  }

  /** Draws the plies of a line. @param {Set<string>} on the overlays whose marks are dotted */
  show(line, on) {
    this.line = line;
    const count = line.length;
    clear(this.svg);
    this.svg.setAttribute('viewBox', `0 0 ${count} 100`);
    const most = Math.max(6, ...line.map((node) => Math.abs(node.marks?.material ?? 0)));
    const height = (value) => REACH * Math.min(1, Math.abs(value) / most);
    let area = `M0 ${MIDDLE}`;
    line.forEach((node, at) => {
      const material = node.marks?.material ?? 0;
      const y = MIDDLE - Math.sign(material) * height(material);
      area += `L${at} ${y}L${at + 1} ${y}`;
    });
    area += `L${count} ${MIDDLE}Z`;
    this.svg.append(
      svgEl('rect.strip-white', { x: 0, y: 0, width: count, height: MIDDLE }),
      svgEl('rect.strip-black', { x: 0, y: MIDDLE, width: count, height: 100 - MIDDLE }),
      svgEl('path.strip-material', { d: area }),
    );
    line.forEach((node, at) => this.ply(node, at, on));
    this.svg.append(svgEl('line.strip-zero', { x1: 0, x2: count, y1: MIDDLE, y2: MIDDLE }));
    this.cursor = svgEl('rect.strip-cursor', { x: 0, y: 0, width: 1, height: 100 });
    this.svg.append(this.cursor);
    this.slider.ariaValueMax = String(count - 1);
  }

  ply(node, at, on) {
    const { white = 0, black = 0 } = node.marks?.hanging ?? {};
    const bar = (gain, isWhite) => {
      const height = REACH * Math.min(1, gain / 9);
      this.svg.append(svgEl('rect.strip-hangs', {
        x: at + 0.15, width: 0.7, y: isWhite ? MIDDLE : MIDDLE - height, height,
      }));
    };
    // What hangs of a side is drawn on the side of the other, which gains it.
    if (white > 0) bar(white, true);
    if (black > 0) bar(black, false);
    if (appears(node.marks, on)) {
      this.svg.append(svgEl('rect.strip-mark', { x: at + 0.2, width: 0.6, y: 97 - TOP, height: TOP }));
    }
  }

  /** Moves the cursor to a node of the line. */
  mark(node) {
    const at = this.line.indexOf(node);
    if (at < 0) return;
    this.cursor.setAttribute('x', String(at));
    this.slider.ariaValueNow = String(at);
    const words = said(node);
    this.slider.ariaValueText = `${place(node)}, ${words}`;
    this.words.textContent = words;
  }
}

function place(node) {
  if (!node.move) return 'start';
  return `${node.move.number}${node.move.color === 'white' ? '.' : '…'} ${node.move.san}`;
}

function said(node) {
  const { material = 0, hanging = {} } = node.marks ?? {};
  const lead = material === 0 ? 'material even'
    : `${material > 0 ? 'White' : 'Black'} is ${Math.abs(material)} ahead`;
  const parts = [lead];
  if (hanging.white > 0) parts.push(`White hangs ${hanging.white}`);
  if (hanging.black > 0) parts.push(`Black hangs ${hanging.black}`);
  return parts.join(' · ');
}
