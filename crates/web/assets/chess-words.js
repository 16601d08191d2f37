// What is said to those who do not see the board, and the choice of a promotion.
import { el } from './app.js';
import { pieceIcon, pieceOf } from './chess-board.js';
import { indexOf } from './chess-marks.js';

/** What a screen reader says of a square. @param {Set<string>} on the overlays */
export function squareName(square, letter, answer, on) {
  const parts = [square];
  const at = indexOf(square);
  if (letter === '.') {
    parts.push('empty');
    if (answer && on.has('heat')) {
      parts.push(`White attacks ${answer.attacks.white[at]}`, `Black attacks ${answer.attacks.black[at]}`);
    }
    return parts.join(', ');
  }
  const { role, color } = pieceOf(letter);
  parts.push(`${color} ${role}`);
  if (!answer) return parts.join(', ');
  const other = color === 'white' ? 'black' : 'white';
  if (role !== 'king') {
    parts.push(`attacked ${answer.attacks[other][at]}`, `defended ${answer.attacks[color][at]}`);
  } else if (answer.check === square) {
    parts.push('in check');
  }
  const side = answer.facts[color];
  const hanging = side.hanging.find((piece) => piece.square === square);
  if (hanging && on.has('hanging')) parts.push(`hangs for ${hanging.gain}`);
  if (on.has('pins') && side.pins.some((pin) => pin.pinned === square)) parts.push('pinned');
  if (on.has('forks') && side.forks.some((fork) => fork.forker === square)) parts.push('forks');
  return parts.join(', ');
}

/** A move in words. */
export function spoken(move) {
  if (move.castles) return `${move.color} castles ${move.san.startsWith('O-O-O') ? 'long' : 'short'}`;
  const way = move.captured ? `takes ${move.captured} on ${move.to}` : `to ${move.to}`;
  const becomes = move.promotion ? `, becomes ${move.promotion}` : '';
  const end = move.mate ? ', mate' : move.check ? ', check' : '';
  return `${move.color} ${move.piece} ${way}${becomes}${end}`;
}

/** Asks what a pawn becomes. @param {DOMRect} box the square it goes to */
export function promote(choices, turn, box) {
  return new Promise((resolve) => {
    const dialog = el('dialog.promotion', { 'aria-label': 'Promote to' });
    const done = (choice) => {
      dialog.close();
      dialog.remove();
      resolve(choice);
    };
    for (const choice of choices) {
      const letter = choice.promotion === 'knight' ? 'n' : choice.promotion[0];
      const button = el('button.tool', {
        type: 'button', 'aria-label': choice.promotion, 'data-id': `promote-${choice.promotion}`,
      }, pieceIcon(turn === 'white' ? letter.toUpperCase() : letter));
      button.addEventListener('click', () => done(choice));
      dialog.append(button);
    }
    dialog.addEventListener('cancel', () => done(null));
    dialog.addEventListener('click', (event) => { if (event.target === dialog) done(null); });
    document.body.append(dialog);
    dialog.showModal();
    const isUpper = box.top < window.innerHeight / 2;
    dialog.classList.toggle('lower', !isUpper);
    dialog.style.left = `${box.left}px`;
    dialog.style.top = `${isUpper ? box.top : box.bottom - 4 * box.height}px`;
    dialog.style.setProperty('--cell', `${box.width}px`);
  });
}
