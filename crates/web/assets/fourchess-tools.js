// New games, files, texts, downloads, and the rules.

import { alone, api, blob, clear, copy, download, el, stream, toast } from "./app.js";
import { SEATS } from "./fourchess-board.js";
import { title } from "./fourchess-panel.js";

/** @param {string} name @param {any} input */
const labelled = (name, input) => el("label", { class: "named" }, el("span", {}, name), input);

/**
 * @param {{newPanel: HTMLElement, openPanel: HTMLElement, rulesPanel: HTMLElement, tabs: {open: (id: string) => void}}} places
 * @param {any} page What the page lets its tools do.
 */
export function makeTools({ newPanel, openPanel, rulesPanel, tabs }, page) {
  let choices = null;

  const fail = (error) => toast(error.message);
  const ready = alone() ? Promise.resolve() : api("/api/fourchess/rules").then((answer) => {
    choices = answer;
    page.setPlayers(answer.players);
    drawNew();
    drawOpen();
  }).catch(fail);

  // New games.

  const form = {};
  function drawNew() {
    const select = (list, value, more = {}) =>
      el("select", { class: "field", ...more }, list.map(({ name, title }) => el("option", { value: name, selected: name === value }, title)));
    form.rules = select(choices.presets, "ffa", { data: { id: "preset" } });
    form.setup = select([{ name: "", title: "As the rules say" }, ...choices.setups], "", { data: { id: "setup" } });
    const who = [{ name: "me", title: "you" }, ...choices.players.map((name) => ({ name, title: name }))];
    form.seats = SEATS.map((seat, at) => select(who, at === 0 ? "me" : "greedy", { data: { id: `new-${seat}` } }));
    form.changes = el("input", { class: "field", placeholder: "max_plies=400 claim_lead=21", spellcheck: "false", data: { id: "changes" } });
    form.fen4 = el("input", { class: "field", placeholder: "FEN4, or empty for the start", spellcheck: "false", data: { id: "fen4" } });
    const preset = (name, kinds) =>
      el("button", { class: "toggle", type: "button", data: { id: `seats-${kinds.map((kind) => kind[0]).join("")}` }, on: { click: () => kinds.forEach((kind, at) => { form.seats[at].value = kind; }) } }, name);
    clear(newPanel).append(el("form", { class: "stack", on: { submit: begin } },
      el("div", { class: "pair" }, labelled("Rules", form.rules), labelled("Setup", form.setup)),
      el("div", { class: "four-seats" }, SEATS.map((seat, at) => el("label", { class: `named seat-${seat}` }, el("span", {}, el("span", { class: "dot", "aria-hidden": "true" }), ` ${title(seat)}`), form.seats[at]))),
      el("div", { class: "row" },
        preset("I play Red", ["me", "greedy", "greedy", "greedy"]), preset("Four people", ["me", "me", "me", "me"]), preset("Watch greedy", ["greedy", "greedy", "greedy", "greedy"]),
        el("span", { class: "grow" }), el("button", { class: "button primary", type: "submit", data: { id: "begin" } }, "Start the game")),
      el("p", { class: "said bad small", role: "status", data: { id: "new-said" } }),
      el("details", {}, el("summary", {}, "Another start, other rules"),
        el("div", { class: "stack" }, labelled("Start position", form.fen4), labelled("Changed rules", form.changes)))));
  }

  async function begin(event) {
    event.preventDefault();
    const said = (newPanel.querySelector(".said"));
    said.textContent = "";
    const words = [form.rules.value, form.setup.value ? `setup=${form.setup.value}` : "", form.changes.value.trim()].filter(Boolean).join(" ");
    try {
      const next = await api("/api/fourchess/game", { body: { rules: words, fen4: form.fen4.value.trim() } });
      const seats = form.seats.map((select) => select.value);
      const mine = seats.filter((kind) => kind === "me").length === 1 ? SEATS[seats.indexOf("me")] : null;
      page.open(next, { seats, ply: 0, bottom: mine });
      tabs.open("moves");
    } catch (error) {
      said.textContent = error.message;
    }
  }

  // Opening and saving.

  const text = el("textarea", { class: "field code", rows: 3, placeholder: "Paste PGN4 or FEN4, or drop a file anywhere on this page", spellcheck: "false", "aria-label": "PGN4 or FEN4", data: { id: "text" } });
  const said = el("p", { class: "said bad small", role: "status", data: { id: "open-said" } });
  const list = el("div", { class: "stack" });
  const fileList = el("div", {});
  /** The text of which a game is shown, for its other games. */
  let source = "";

  function drawOpen() {
    const button = (id, name, on) => el("button", { class: "button", type: "button", data: { id }, on: { click: on } }, name);
    const input = el("input", { type: "file", accept: ".pgn4,.pgn,.txt", class: "sr", tabindex: -1, "aria-label": "File with games", on: { change: () => input.files[0]?.text().then((words) => openText(words)) } });
    clear(openPanel).append(el("div", { class: "stack" },
      text, said,
      el("div", { class: "row" }, el("button", { class: "button primary", type: "button", data: { id: "open" }, on: { click: () => openText(text.value) } }, "Open"), button("file", "Choose a file", () => input.click()), input),
      list, fileList,
      el("h3", {}, "Share and save"),
      el("div", { class: "row" },
        button("link", "Copy link", () => copy(location.href)),
        button("copy-fen4", "Copy FEN4", () => copy(page.here().fen4)),
        button("copy-pgn4", "Copy PGN4", () => pgn4().then(copy, fail))),
      el("div", { class: "row" },
        button("save-pgn4", "Download PGN4", savePgn4),
        button("save-svg", "Animated SVG", () => picture("svg")),
        button("save-gif", "Animated GIF", () => picture("gif"))),
      el("h3", {}, "Many games"),
      el("div", { class: "row" }, button("many", "Play 50 games", many), el("span", { class: "soft small" }, "from here, between the players of the seats; your seats play at random")),
      results));
    api("/api/files").then((answer) => {
      const found = answer.files.filter((file) => !file.directory && /\.pgn4(\.gz|\.zst)?$/.test(file.name)).slice(0, 100);
      if (!found.length) return;
      fileList.append(el("h3", {}, "Files"), el("ul", { class: "list" }, found.map((file) =>
        el("li", {}, el("button", { class: "link", type: "button", on: { click: () => openFile(file.name, 1) } }, file.name)))));
    }, fail);
  }

  /** @param {string} words */
  async function openText(words, number = 1) {
    said.textContent = "";
    const clean = words.trim();
    if (!clean) {
      said.textContent = "There is no text yet.";
      return;
    }
    try {
      if (/^[RBYG]-/.test(clean)) {
        page.open(await api("/api/fourchess/game", { body: { rules: page.game().rules.words, fen4: clean } }));
      } else {
        source = clean;
        page.open(await api("/api/fourchess/read", { query: { number }, body: clean }));
      }
      tabs.open("moves");
    } catch (error) {
      tabs.open("open");
      said.textContent = error.message;
    }
  }

  async function openFile(name, number) {
    said.textContent = "";
    try {
      page.open(await api("/api/fourchess/game", { query: { file: name, number } }), { from: { name, number } });
      tabs.open("moves");
    } catch (error) {
      said.textContent = error.message;
    }
  }

  /** The other games of the file or the text. */
  function drawList() {
    clear(list);
    const game = page.game();
    if (!game.games || game.games.length < 2) return;
    const words = (one) => one.error ? `${one.number}: ${one.error}` : `${one.number}: ${one.players.map((name, at) => name ?? title(SEATS[at])).join(", ")}, ${one.plies} plies`;
    const select = el("select", { class: "field", data: { id: "games" }, on: { change: (event) => {
      const number = Number(event.target.value);
      const file = new URLSearchParams(location.search).get("game");
      if (file) openFile(file, number);
      else openText(source, number);
    } } }, game.games.map((one) => el("option", { value: one.number, disabled: Boolean(one.error), selected: one.number === game.number }, words(one))));
    list.append(labelled("Game", select));
  }

  const written = () => ({
    ...page.named(page.game().plies.length),
    tags: page.game().tags,
    comments: page.game().plies.flatMap((ply, at) => (ply.comment ? [[at, ply.comment]] : [])),
  });
  const pgn4 = () => api("/api/fourchess/pgn4", { body: written() }).then((answer) => answer.text);

  const savePgn4 = () => pgn4().then((words) => download("game.pgn4", new Blob([words], { type: "text/plain" })), fail);

  async function picture(format) {
    try {
      const body = { ...page.named(page.game().plies.length), view: page.view(), format };
      download(`game.${format}`, await blob("/api/fourchess/animate", { body }));
    } catch (error) {
      fail(error);
    }
  }

  // Many games at once.

  const results = el("div", { class: "results", role: "status" });
  /** @type {AbortController | null} */
  let playing = null;

  async function many() {
    if (playing) return playing.abort();
    const own = new AbortController();
    playing = own;
    const kinds = page.kinds().map((kind) => (kind === "me" ? "random" : kind));
    const wins = [0, 0, 0, 0];
    const points = [0, 0, 0, 0];
    let games = 0;
    const show = () => {
      clear(results).append(
        el("p", { class: "small soft" }, `${games} games`, playing ? " so far. Press again to stop." : "."),
        el("table", { class: "grid" },
          el("thead", {}, el("tr", {}, ["Seat", "Player", "First places", "Points a game"].map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, SEATS.map((seat, at) => el("tr", { class: `seat-${seat}` },
            el("th", { scope: "row" }, el("span", { class: "dot", "aria-hidden": "true" }), ` ${title(seat)}`),
            el("td", {}, kinds[at]), el("td", { class: "number" }, String(wins[at])),
            el("td", { class: "number" }, games ? (points[at] / games).toFixed(1) : ""))))));
    };
    show();
    try {
      await stream("/api/fourchess/selfplay", { ...page.named(page.here().ending ? 0 : page.at()), players: kinds, seed: Math.floor(Math.random() * 2 ** 31), games: 50 }, {
        signal: own.signal,
        onLine: (line) => {
          games += 1;
          line.places.forEach((place, at) => { wins[at] += place === 1 ? 1 : 0; });
          line.points.forEach((won, at) => { points[at] += won; });
          show();
        },
      });
    } catch (error) {
      if (!own.signal.aborted) fail(error);
    }
    playing = null;
    return show();
  }

  // Rules.

  function drawRules() {
    const { rules } = page.game();
    clear(rulesPanel).append(
      el("h3", {}, rules.title),
      el("ul", { class: "rules" }, rules.sentences.map((sentence) => el("li", {}, sentence))),
      el("p", { class: "soft small" }, "Rules in words: ", el("code", {}, rules.words)),
      // A page without a server has no other place to save from.
      alone() ? el("button", { class: "button", type: "button", data: { id: "save-pgn4" }, on: { click: savePgn4 } }, "Download PGN4") : "");
  }

  function show() {
    drawRules();
    drawList();
  }

  if (!alone()) {
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      const dropped = event.dataTransfer?.files[0];
      if (dropped) dropped.text().then((words) => openText(words));
      else openText(event.dataTransfer?.getData("text/plain") ?? "");
    });
    addEventListener("paste", (event) => {
      if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName ?? "")) return;
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if (/^\s*([RBYG]-|\[|1\.)/.test(pasted)) openText(pasted);
    });
  }
  return { ready, show };
}
