// @ts-check
// Values that are searched while one plays: what the table costs, how far the search is, how it ends.

import { el, say, stream } from "./app.js";
import { signed } from "./kalah-board.js";
import { button, sentence } from "./parts.js";

/** The name of the place whose values are searched. */
export const SEARCH = "search:";

/** @type {Record<string, string>} */
const QUESTIONS = { value: "Searching", moves: "Comparing the moves", earlier: "Looking back", reply: "The opponent thinks" };

export class Search {
  /** @param {HTMLElement} root @param {() => void} again Asks once more. */
  constructor(root, again) {
    this.mayBuild = false;
    /** @type {?AbortController} */
    this.running = null;
    this.text = el("p.soft.grow", { "data-id": "search" });
    this.build = button("Build it", () => {
      this.mayBuild = true;
      again();
    }, { class: "button primary" });
    this.again = button("Go on", again);
    this.stop = button("Stop", () => this.cancel(), { title: "Esc" });
    this.row = el("div.row.ka-search", { hidden: true }, this.text, this.build, this.again, this.stop);
    root.append(this.row);
  }

  /** @param {string} text @param {?HTMLElement} offered The button beside it. */
  show(text, offered) {
    this.text.textContent = text;
    for (const one of [this.build, this.again, this.stop]) one.hidden = one !== offered;
    this.row.hidden = !text;
  }

  /** Ends what runs, without a word. */
  end() {
    this.running?.abort();
    this.running = null;
    this.show("", null);
  }

  /** Ends what runs, on request. */
  cancel() {
    if (!this.running) return;
    this.end();
    this.show("The search is stopped.", this.again);
  }

  /**
   * Asks for values, or for the move of an opponent.
   * @param {any} body
   * @param {(game: any) => void} onGame
   * @returns {Promise<?number>} The pit that the opponent sows.
   */
  async ask(body, onGame) {
    this.end();
    const mine = (this.running = new AbortController());
    const build = this.mayBuild;
    this.mayBuild = false;
    /** @type {?number} */
    let pit = null;
    let needs = "";
    const began = Date.now();
    this.show("Searching …", this.stop);
    try {
      await stream("/api/kalah/search", { ...body, build }, {
        signal: mine.signal,
        onLine: (line) => {
          if (mine !== this.running) return;
          if (line.game) onGame(line.game);
          else if (line.pit) ({ pit } = line);
          else if (line.needs) ({ needs } = line);
          else this.show(told(line, Math.round((Date.now() - began) / 1000)), this.stop);
        },
      });
      if (mine !== this.running) return null;
      this.show(needs && `The search needs ${needs}.`, this.build);
      if (needs) say(this.text.textContent);
    } catch (error) {
      if (mine !== this.running) return null;
      this.show(sentence(/** @type {Error} */ (error).message), this.again);
    }
    this.running = null;
    return pit;
  }
}

/** A line of progress in words. @param {any} line @param {number} seconds */
function told(line, seconds) {
  if (line.building) return `Building ${line.building}.`;
  if (line.of) return `Building the table: ${Math.floor((100 * line.built) / line.of)} % of ${line.of.toLocaleString("en")} positions.`;
  const bounds = line.between ? `; player 1 ends between ${signed(line.between[0])} and ${signed(line.between[1])}` : "";
  return `${QUESTIONS[line.question]}: ${line.nodes.toLocaleString("en")} positions, ${seconds} s${bounds}.`;
}
