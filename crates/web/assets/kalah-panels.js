// What stands beside the board of Kalah: moves, history with its line of values, opponents, stores.

import { clear, el, svgEl } from "./app.js";
import { signed } from "./kalah-board.js";
import { SEARCH } from "./kalah-search.js";
import { button, named, select, sentence } from "./parts.js";

const PLAYERS = [['you', 'You'], ['perfect', 'Perfect'], ['skill', 'By skill'], ['random', 'Random']];
const RULES = [
  ['std_either', 'Usual rules'], ['empty_either', 'Capture also from empty pits'],
  ['std_mover', 'Usual, ends when the mover has no seeds'], ['empty_mover', 'Both'],
];

export class Panels {
  /** @param {HTMLElement} root @param {HTMLElement} below @param {any} actions */
  constructor(root, below, actions) {
    this.actions = actions;
    this.moves = el('ul.list.ka-moves');
    this.history = el('ol.ka-history', { 'aria-label': 'Moves played' });
    this.hide = button('Hide values until I moved', () => actions.option('hide'), { class: 'toggle' });
    this.flip = button('Turn the board', () => actions.option('flip'), { class: 'toggle', title: 'f' });
    this.undo = button('Undo', actions.undo, { title: 'u' });
    this.players = [0, 1].map((player) => {
      const field = select(PLAYERS, { 'data-id': `player-${player + 1}` });
      field.addEventListener('change', () => actions.player(player, field.value));
      return field;
    });
    this.skill = el('input', { type: 'range', min: '0', max: '100', step: '5', class: 'grow', 'aria-label': 'Skill in percent', 'data-id': 'skill' });
    this.skill.addEventListener('input', () => actions.skill(Number(this.skill.value)));
    this.skillRow = el('div.row', {}, el('span.soft.small', {}, 'Skill'), this.skill, this.skillText = el('span.small'));
    this.file = el('input', { type: 'file', class: 'sr', tabindex: '-1', 'aria-label': 'Record of a game' });
    this.file.addEventListener('change', async () => {
      if (this.file.files?.[0]) actions.importText(await this.file.files[0].text());
      this.file.value = '';
    });
    root.append(
      el('section.card', { 'aria-label': 'Moves' }, el('h2', {}, 'Moves'), this.moves,
        el('div.row', {}, this.hide, this.flip)),
      el('section.card', { 'aria-label': 'Players' }, el('h2', {}, 'Players'),
        el('div.ka-players', {}, named('Player 1', this.players[0]), named('Player 2', this.players[1])), this.skillRow),
      this.game = el('section.card', { 'aria-label': 'Game and store' }));
    below.append(el('section.card', { 'aria-label': 'History' },
      el('div.row', {}, el('h2.grow', {}, 'History'), this.undo,
        button('New game', actions.restart, { title: 'n' })),
      this.history,
      el('div.row', {}, button('Export', actions.exportGame), button('Import', () => this.file.click()), this.file)));
    this.buildGame();
  }

  buildGame() {
    const { actions } = this;
    this.place = el('select.field', { 'data-id': 'store' });
    this.place.addEventListener('change', () => actions.choose(this.place.value));
    this.start = el('input.field', { 'data-id': 'start', placeholder: '6x4 or 4,4,4,4,4,4/4,4,4,4,4,4', spellcheck: 'false' });
    this.rules = select(RULES, { 'data-id': 'rules' });
    this.cost = el('p.soft.small', { role: 'status' });
    this.solve = button('Solve it here', actions.solve, { class: 'button primary' });
    this.cancel = button('Cancel', actions.cancel);
    const form = el('form.ka-start', {},
      named('Start: a size such as 4x3, or a position', this.start), named('Rules', this.rules),
      el('div.row', {}, el('button.button', { type: 'submit' }, 'Start there'), this.solve, this.cancel), this.cost);
    form.addEventListener('submit', (/** @type {Event} */ event) => {
      event.preventDefault();
      actions.startAt(this.start.value.trim(), this.rules.value);
    });
    const asks = () => actions.cost(this.start.value.trim(), this.rules.value);
    this.start.addEventListener('input', asks);
    this.rules.addEventListener('change', asks);
    this.game.append(el('h2', {}, 'Game and values'), named('Values from', this.place), form);
  }

  /** @param {any[]} places @param {string} chosen */
  drawPlaces(places, chosen) {
    clear(this.place);
    const options = [[SEARCH, 'A search while you play'], ['', 'Nowhere: play without values'], ...places.map((/** @type {any} */ place) => [place.name, placeName(place)])];
    if (chosen && !options.some(([name]) => name === chosen)) options.push([chosen, placeName({ name: chosen, kind: 'solved' })]);
    for (const [value, text] of options) this.place.append(el('option', { value, selected: value === chosen }, text));
    this.place.value = chosen;
  }

  /** @param {any} all */
  draw({ game, ply, hidden, yours, options, players, skill, hover, running }) {
    const hadFocus = this.moves.contains(document.activeElement);
    clear(this.moves);
    const sorted = [...game.moves].sort((a, b) => hidden || a.lead === null || b.lead === null ? a.pit - b.pit : b.lead - a.lead || a.pit - b.pit);
    for (const move of sorted) {
      const known = !hidden && move.lead !== null;
      const row = el('button', {
        type: 'button', class: `ka-move${known && move.best ? ' best' : known ? ' worse' : ''}`, disabled: !yours, 'data-id': `move-${move.pit}`,
        on: {
          click: () => this.actions.play(move.pit), mouseenter: () => this.actions.hover(move.pit), mouseleave: () => this.actions.hover(null),
          focus: () => this.actions.hover(move.pit), blur: () => this.actions.hover(null),
        },
      },
      el('span.ka-move-pit', {}, `Pit ${move.pit}`),
      known ? el('span', { class: `ka-move-value ${move.lead > 0 ? 'good' : move.lead < 0 ? 'bad' : ''}` }, signed(move.lead)) : el('span'),
      el('span.ka-move-words', {}, !hidden && move.words ? `${move.words}; ` : '', move.why));
      this.moves.append(el('li', { class: move.pit === hover ? 'on' : '' }, row));
    }
    // Whoever plays from the list by keyboard stays there.
    if (hadFocus) this.moves.querySelector('button:not(:disabled)')?.focus();
    if (!game.moves.length) this.moves.append(el('li.soft', {}, 'The game is over.'));
    this.hide.ariaPressed = String(options.hide);
    this.flip.ariaPressed = String(options.flip);
    this.undo.disabled = ply === 0;
    for (const player of [0, 1]) this.players[player].value = players[player];
    this.skill.value = String(skill);
    this.skillText.textContent = `${skill} %`;
    this.skillRow.hidden = !players.includes('skill');
    this.cancel.hidden = !running;
    this.drawHistory(game, ply);
  }

  /** @param {any} game @param {number} ply */
  drawHistory(game, ply) {
    clear(this.history);
    this.history.hidden = game.history.length === 0;
    for (const [at, move] of game.history.entries()) {
      const gave = move.gave === null ? '' : move.gave > 0 ? `gave ${move.gave}` : '';
      this.history.append(el('li', {}, el('button', {
        type: 'button', class: 'ka-played', 'aria-current': at + 1 === ply ? 'step' : null, title: move.why,
        'aria-label': `Player ${move.player + 1}, pit ${move.pit} ${gave}`,
        on: { click: () => this.actions.go(at + 1) },
      }, el('span', { class: `ka-dot player-${move.player + 1}` }), String(move.pit), gave ? el('span.bad.small', {}, gave) : null)));
    }
    const current = this.history.querySelector('[aria-current]');
    if (current) this.history.scrollTop = Math.max(0, current.offsetTop - this.history.offsetTop - 60);
  }

  /** @param {{text: string, small: boolean} | null} cost */
  drawCost(cost) {
    this.cost.textContent = cost ? sentence(cost.text) : '';
    this.solve.hidden = !cost || !cost.small;
  }
}

/** @param {any} place */
function placeName(place) {
  if (place.kind !== 'solved') return place.name;
  const [, size, rules] = /^solved:(.*):(.*)$/.exec(place.name) ?? [null, place.name, ''];
  return `Solved here: ${size} (${rules})`;
}

/** The line of values through a game: the final lead of player 1 with best play, at every ply. */
export class Line {
  /** @param {HTMLElement} root @param {(ply: number) => void} go */
  constructor(root, go) {
    this.range = el('span');
    this.picture = svgEl('svg', { viewBox: '0 0 600 96', preserveAspectRatio: 'none', class: 'ka-chart', 'aria-hidden': 'true' });
    this.slider = el('input', { type: 'range', class: 'ka-slider', min: '0', 'data-id': 'ply', 'aria-label': 'Ply' });
    this.slider.addEventListener('input', () => go(Number(this.slider.value)));
    root.append(
      el('div.row.ka-scale.small.soft', {}, el('span.grow', {}, 'Final lead of player 1 with best play'), this.range),
      this.picture, this.slider);
  }

  /** @param {any} game @param {number} ply @param {boolean} hidden */
  draw(game, ply, hidden) {
    const leads = game.plies.map((/** @type {any} */ one, /** @type {number} */ at) => hidden && at === ply ? null : one.lead);
    const known = leads.filter((/** @type {?number} */ lead) => lead !== null);
    const most = Math.max(4, ...known.map(Math.abs));
    const last = Math.max(1, leads.length - 1);
    const x = (/** @type {number} */ at) => (8 + 584 * at / last).toFixed(1);
    const y = (/** @type {number} */ lead) => (48 - 40 * lead / most).toFixed(1);
    let path = '';
    for (const [at, lead] of leads.entries()) {
      if (lead !== null) path += `${at > 0 && leads[at - 1] !== null ? 'L' : 'M'}${x(at)} ${y(lead)}`;
    }
    clear(this.picture);
    this.picture.append(
      svgEl('line', { x1: 0, x2: 600, y1: 48, y2: 48, class: 'ka-zero' }),
      svgEl('line', { x1: x(ply), x2: x(ply), y1: 0, y2: 96, class: 'ka-now' }),
      svgEl('path', { d: path || 'M0 48', class: 'ka-curve' }));
    this.range.textContent = known.length ? `between ${signed(-most)} and ${signed(most)}` : 'no values';
    this.slider.max = String(leads.length - 1);
    this.slider.value = String(ply);
    const value = leads[ply] === null ? 'value unknown' : `player 1 ends at ${signed(leads[ply])}`;
    this.slider.ariaValueText = `ply ${ply}, ${value}`;
  }
}
