// New games, files, texts, downloads, and the rules.

import { alone, api, blob, clear, copy, download, el, stream, toast } from "./app.js";
import { SEATS } from "./fourchess-board.js";
import { button, capital as title, named, select } from "./parts.js";

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
    const options = (list) => list.map(({ name, title }) => [name, title]);
    form.rules = select(options(choices.presets), { data: { id: "preset" } }, "ffa");
    form.setup = select([["", "As the rules say"], ...options(choices.setups)], { data: { id: "setup" } });
    const who = [["me", "you"], ...choices.players.map((name) => [name, name])];
    form.seats = SEATS.map((seat, at) => select(who, { data: { id: `new-${seat}` } }, at === 0 ? "me" : "greedy"));
    form.changes = el("input.field", { placeholder: "max_plies=400 claim_lead=21", spellcheck: "false", data: { id: "changes" } });
    form.fen4 = el("input.field", { placeholder: "FEN4, or empty for the start", spellcheck: "false", data: { id: "fen4" } });
    const preset = (name, kinds) =>
      button(name, () => kinds.forEach((kind, at) => { form.seats[at].value = kind; }), { class: "toggle", data: { id: `seats-${kinds.map((kind) => kind[0]).join("")}` } });
    clear(newPanel).append(el("form.stack", { on: { submit: begin } },
      el("div.pair", {}, named("Rules", form.rules), named("Setup", form.setup)),
      el("div.four-seats", {}, SEATS.map((seat, at) => el("label", { class: `named seat-${seat}` }, el("span", {}, el("span.dot", { "aria-hidden": "true" }), ` ${title(seat)}`), form.seats[at]))),
      el("div.row", {},
        preset("I play Red", ["me", "greedy", "greedy", "greedy"]), preset("Four people", ["me", "me", "me", "me"]), preset("Watch greedy", ["greedy", "greedy", "greedy", "greedy"]),
        el("span.grow"), el("button.button.primary", { type: "submit", data: { id: "begin" } }, "Start the game")),
      el("p.said.bad.small", { role: "status", data: { id: "new-said" } }),
      el("details", {}, el("summary", {}, "Another start, other rules"),
        el("div.stack", {}, named("Start position", form.fen4), named("Changed rules", form.changes)))));
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

  const text = el("textarea.field.code", { rows: 3, placeholder: "Paste PGN4 or FEN4, or drop a file anywhere on this page", spellcheck: "false", "aria-label": "PGN4 or FEN4", data: { id: "text" } });
  const said = el("p.said.bad.small", { role: "status", data: { id: "open-said" } });
  const list = el("div.stack");
  const fileList = el("div");
  /** The text of which a game is shown, for its other games. */
  let source = "";

  function drawOpen() {
    const press = (id, name, run) => button(name, run, { data: { id } });
    const input = el("input", { type: "file", accept: ".pgn4,.pgn,.txt", class: "sr", tabindex: -1, "aria-label": "File with games", on: { change: () => input.files[0]?.text().then((words) => openText(words)) } });
    clear(openPanel).append(el("div.stack", {},
      text, said,
      el("div.row", {}, button("Open", () => openText(text.value), { class: "button primary", data: { id: "open" } }), press("file", "Choose a file", () => input.click()), input),
      list, fileList,
      el("h3", {}, "Share and save"),
      el("div.row", {},
        press("link", "Copy link", () => copy(location.href)),
        press("copy-fen4", "Copy FEN4", () => copy(page.here().fen4)),
        press("copy-pgn4", "Copy PGN4", () => pgn4().then(copy, fail))),
      el("div.row", {},
        press("save-pgn4", "Download PGN4", savePgn4),
        press("save-svg", "Animated SVG", () => picture("svg")),
        press("save-gif", "Animated GIF", () => picture("gif"))),
      el("h3", {}, "Many games"),
      el("div.row", {}, press("many", "Play 50 games", many), el("span.soft.small", {}, "from here, between the players of the seats; your seats play at random")),
      results));
    api("/api/files").then((answer) => {
      const found = answer.files.filter((file) => !file.directory && /\.pgn4(\.gz|\.zst)?$/.test(file.name)).slice(0, 100);
      if (!found.length) return;
      fileList.append(el("h3", {}, "Files"), el("ul.list", {}, found.map((file) =>
        el("li", {}, button(file.name, () => openFile(file.name, 1), { class: "link" })))));
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
    const choice = el("select.field", { data: { id: "games" }, on: { change: (event) => {
      const number = Number(event.target.value);
      const file = new URLSearchParams(location.search).get("game");
      if (file) openFile(file, number);
      else openText(source, number);
    } } }, game.games.map((one) => el("option", { value: one.number, disabled: Boolean(one.error), selected: one.number === game.number }, words(one))));
    list.append(named("Game", choice));
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

  const results = el("div.results", { role: "status" });
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
        el("p.small.soft", {}, `${games} games`, playing ? " so far. Esc stops." : "."),
        el("table.grid", {},
          el("thead", {}, el("tr", {}, ["Seat", "Player", "First places", "Points a game"].map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, SEATS.map((seat, at) => el("tr", { class: `seat-${seat}` },
            el("th", { scope: "row" }, el("span.dot", { "aria-hidden": "true" }), ` ${title(seat)}`),
            el("td", {}, kinds[at]), el("td.number", {}, String(wins[at])),
            el("td.number", {}, games ? (points[at] / games).toFixed(1) : ""))))));
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
      el("ul.rules", {}, rules.sentences.map((sentence) => el("li", {}, sentence))),
      el("p.soft.small", {}, "Rules in words: ", el("code", {}, rules.words)),
      // A page without a server has no other place to save from.
      alone() ? button("Download PGN4", savePgn4, { data: { id: "save-pgn4" } }) : "");
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
  return { ready, show, stop: () => playing?.abort() };
}
