// @ts-check
// What all pages share: requests, elements, keys, the state in the address, the bar at the top.

/** Whether work is under way: `data-busy` on the document, "0" when all is settled. */
export const busy = {
  count: 0,
  begin() {
    this.count += 1;
    document.documentElement.dataset.busy = String(this.count);
  },
  end() {
    this.count = Math.max(0, this.count - 1);
    // Whatever the answer changes on the page is changed before it counts as settled.
    setTimeout(() => {
      document.documentElement.dataset.busy = String(this.count);
    });
  },
};

/** @template T @param {() => Promise<T>} work */
async function busily(work) {
  busy.begin();
  try {
    return await work();
  } finally {
    busy.end();
  }
}

/** Values that outlive the page, by name. */
export const store = {
  /** @param {string} name @param {any} [otherwise] */
  get(name, otherwise = null) {
    try {
      const text = localStorage.getItem(`everyply-${name}`);
      return text === null ? otherwise : JSON.parse(text);
    } catch {
      return otherwise;
    }
  },
  /** @param {string} name @param {any} value */
  set(name, value) {
    try {
      if (value === undefined || value === null) localStorage.removeItem(`everyply-${name}`);
      else localStorage.setItem(`everyply-${name}`, JSON.stringify(value));
    } catch {
      // Full, or not allowed here: the page works without.
    }
  },
};

/** The theme is set before anything is drawn. */
const theme = store.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

/** The key comes in the fragment of the address that was opened, and does not stay there. */
function takeKey() {
  const found = /(^|&)key=([0-9a-f]{32})(?=&|$)/.exec(location.hash.slice(1));
  if (!found) return;
  store.set("key", found[2]);
  const rest = location.hash.slice(1).replace(found[0], "").replace(/^&/, "");
  history.replaceState(history.state, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
}
takeKey();

/** Answers of a page that has no server, by path with query. */
function answers() {
  const page = /** @type {any} */ (window);
  if (page.everyplyAnswers === undefined) {
    const data = document.getElementById("answers");
    page.everyplyAnswers = data ? JSON.parse(data.textContent || "{}") : null;
  }
  return page.everyplyAnswers;
}
/** Whether this page stands alone, without a server. */
export const alone = () => answers() !== null;

/** What is shown, and why, while the server does not answer. @type {HTMLElement | null} */
let banner = null;
/** @type {(() => void)[]} */
let waiting = [];
/** How often the server was gone and came back. */
let returns = 0;

/** @param {string} text */
function showGone(text) {
  if (!banner) {
    banner = el("div.gone", { role: "alert" });
    const bar = document.querySelector(".bar");
    if (bar) bar.after(banner);
    else document.body.prepend(banner);
    setTimeout(knock, 700);
  }
  banner.textContent = text;
}

const GONE = "The server is gone. Start everyply serve again; this page goes on when it is back.";
const LOCKED = "This page needs its key. Open the address that everyply serve has printed.";

/** Asks now and then whether the server is back. */
async function knock() {
  if (!banner) return;
  const response = await fetch("/api/hello", { headers: head(), cache: "no-store" }).catch(() => null);
  // Another knock may have been answered meanwhile.
  if (!banner) return;
  if (response?.ok) {
    banner.remove();
    banner = null;
    returns += 1;
    const ready = waiting;
    waiting = [];
    ready.forEach((go) => go());
    toast("The server is back.");
    return;
  }
  showGone(response?.status === 401 ? LOCKED : GONE);
  setTimeout(knock, 700);
}
// Another tab may have been opened with the key of a server that has been started again.
addEventListener("storage", (event) => {
  if (event.key === "everyply-key" && banner) knock();
});
addEventListener("hashchange", takeKey);

/** @returns {Record<string, string>} */
function head() {
  return { "X-Everyply-Key": store.get("key", "") };
}

/** @param {AbortSignal | undefined} signal @returns {Promise<void>} */
function comeback(signal) {
  return new Promise((resolve, reject) => {
    waiting.push(resolve);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/**
 * Sends a request; waits and sends it again when the server was gone.
 * @param {string} path
 * @param {{query?: Record<string, any>, body?: any, signal?: AbortSignal}} [options]
 * @returns {Promise<Response>}
 */
async function send(path, { query, body, signal } = {}) {
  const url = withQuery(path, query);
  /** @type {RequestInit} */
  const init = { headers: head(), signal, cache: "no-store" };
  if (body !== undefined) {
    const text = typeof body === "string" || body instanceof Blob;
    init.method = "POST";
    init.body = text ? body : JSON.stringify(body);
    init.headers = { ...head(), "Content-Type": text ? "text/plain" : "application/json" };
  }
  for (;;) {
    const before = returns;
    const response = await fetch(url, init).catch((error) => {
      if (signal?.aborted) throw error;
      return null;
    });
    if (response && response.status !== 401) {
      if (!response.ok) throw await refusal(response);
      return response;
    }
    // A request that was lost before the server came back says nothing of the server that is there.
    if (before === returns) {
      showGone(response ? LOCKED : GONE);
      await comeback(signal);
    }
    init.headers = { ...init.headers, ...head() };
  }
}

/** @param {Response} response */
async function refusal(response) {
  let message = `the server answered ${response.status}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // The sentence above has to do.
  }
  const error = /** @type {Error & {status?: number}} */ (new Error(message));
  error.status = response.status;
  return error;
}

/** @param {string} path @param {Record<string, any>} [query] */
export function withQuery(path, query) {
  if (!query) return path;
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parts.append(name, String(value));
  }
  const text = parts.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Asks the server. Fails with the server's sentence.
 * @param {string} path
 * @param {{query?: Record<string, any>, body?: any, signal?: AbortSignal}} [options] A body of text
 *   or of bytes is sent as it is, anything else as JSON.
 * @returns {Promise<any>}
 */
export async function api(path, options = {}) {
  const known = answers();
  if (known) {
    const answer = known[withQuery(path, options.query)];
    if (answer === undefined) throw new Error("this page holds no answer to that; everyply serve would");
    return answer;
  }
  return busily(async () => (await send(path, options)).json());
}

/**
 * Asks for bytes, such as a picture or a file to download.
 * @param {string} path
 * @param {{query?: Record<string, any>, body?: any, signal?: AbortSignal}} [options]
 * @returns {Promise<Blob>}
 */
export async function blob(path, options = {}) {
  return busily(async () => (await send(path, options)).blob());
}

/**
 * Asks for work that takes a while, and calls `onLine` for each line of its answer. Ends when the
 * work is done; aborting ends the work too.
 * @param {string} path
 * @param {any} body
 * @param {{onLine: (line: any) => void, signal?: AbortSignal}} options
 */
export async function stream(path, body, { onLine, signal }) {
  busy.begin();
  try {
    const response = await send(path, { body, signal });
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    let rest = "";
    let done = false;
    for (;;) {
      const part = await reader.read().catch((error) => {
        if (signal?.aborted) throw error;
        return { done: true, value: undefined };
      });
      rest += part.value ? decoder.decode(part.value, { stream: true }) : "";
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) {
        const line = JSON.parse(text);
        if (line.error !== undefined) throw new Error(line.error);
        if (line.done) done = true;
        else onLine(line);
      }
      if (part.done) break;
    }
    if (!done) {
      showGone(GONE);
      throw new Error("the server went away before the work was done");
    }
  } finally {
    busy.end();
  }
}

/**
 * Properties: `on` for listeners, `class`, `data` for data attributes, the rest as attributes;
 * true is an attribute without value, false and null none.
 * @param {Element} node
 * @param {Record<string, any>} props
 */
function equip(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    } else if (name === "data") {
      for (const [key, text] of Object.entries(value)) node.setAttribute(`data-${key}`, String(text));
    } else if (name === "value" && "value" in node) {
      /** @type {any} */ (node).value = value;
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** @param {Element} node @param {any[]} children */
function fill(node, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An element. Text among the children stays text.
 * @param {string} tag With its classes: `p.soft.small`.
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
export function el(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(" ");
  fill(node, children);
  equip(node, props);
  return node;
}

/**
 * An element of a picture.
 * @param {string} tag With its classes.
 * @param {Record<string, any>} [attrs]
 * @param {...any} children
 * @returns {any}
 */
export function svgEl(tag, attrs = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  equip(node, attrs);
  fill(node, children);
  return node;
}

/** @param {Element} node */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** @param {string} text */
export function toast(text) {
  let place = document.querySelector(".toasts");
  if (!place) {
    place = el("div.toasts", { role: "status" });
    document.body.append(/** @type {Node} */ (place));
  }
  const node = el("div.toast", {}, text);
  /** @type {Element} */ (place).append(node);
  setTimeout(() => node.remove(), 4000);
}

/** Says something to those who do not see the page. @param {string} text */
export function say(text) {
  let place = document.getElementById("said");
  if (!place) {
    place = /** @type {HTMLElement} */ (el("div", { id: "said", class: "sr", "aria-live": "polite" }));
    document.body.append(place);
  }
  place.textContent = text;
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission, the old way still works.
    const area = el("textarea.sr", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast("Copied.");
}

/** @param {string} name @param {Blob} data */
export function download(name, data) {
  const url = URL.createObjectURL(data);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Calls once, a while after the last call. The page counts as busy until then.
 * @template {any[]} T
 * @param {(...args: T) => void} run
 * @param {number} [wait]
 */
export function debounce(run, wait = 150) {
  /** @type {number | undefined} */
  let timer;
  return (/** @type {T} */ ...args) => {
    if (timer === undefined) busy.begin();
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      try {
        run(...args);
      } finally {
        busy.end();
      }
    }, wait);
  };
}

/** A text as a fragment that stays readable. @param {string} text */
const fragment = (text) => encodeURIComponent(text).replace(/%(3D|2F|3A|2C|40)/g, decodeURIComponent);

/** @param {string} text */
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The state of a page in its address: the query, and for some the fragment. */
export const state = {
  /** @returns {Record<string, string>} The query; `hash` is what follows `#`. */
  read() {
    /** @type {Record<string, string>} */
    const read = Object.fromEntries(new URLSearchParams(location.search));
    if (location.hash.length > 1) read.hash = unescaped(location.hash.slice(1));
    return read;
  },
  /**
   * @param {Record<string, any>} params Those that are empty are left out.
   * @param {{push?: boolean}} [options] Whether it is a step that Back undoes.
   */
  write(params, { push = false } = {}) {
    const { hash, ...query } = params;
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== "") parts.append(name, String(value));
    }
    const search = parts.toString();
    const url = location.pathname + (search ? `?${search}` : "") + (hash ? `#${fragment(hash)}` : "");
    if (url === location.pathname + location.search + location.hash) return;
    if (push) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  },
  /** Calls when Back or Forward has changed the state. @param {() => void} run */
  onChange(run) {
    addEventListener("popstate", run);
  },
};

/** Keys with a space between them, what they do, what runs then, and how they are shown. */
/** @typedef {[string, string, (event: KeyboardEvent) => void, string?]} Key */
/** @type {Key[]} */
const known = [];

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    && !(target instanceof HTMLInputElement && /^(checkbox|radio|range|button)$/.test(target.type));
}

/** Keys of the page; ignored while a field is typed into. @param {Key[]} list */
export function keys(list) {
  known.push(...list);
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const key = known.find(([keys]) => keys.split(" ").includes(event.key));
  if (!key) return;
  event.preventDefault();
  key[2](event);
});

const PAGES = [
  ["chess", "Chess"],
  ["fourchess", "Four players"],
  ["kalah", "Kalah"],
  ["kenken", "KenKen"],
  ["sql", "SQL"],
];

/** @type {Record<string, string>} */
const SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

function help(/** @type {string} */ text) {
  const rows = known.map(([keys, what, , shown]) =>
    el("tr", {},
      el("th", { scope: "row" }, (shown ? [shown] : keys.split(" ")).flatMap((name, at) => [at ? " " : null, el("kbd", {}, SHOWN[name] ?? name)])),
      el("td", {}, what)));
  const close = el("button.button", { type: "button", on: { click: () => dialog.close() } }, "Close");
  const dialog = el("dialog", { "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    text ? el("p.soft", {}, text) : null,
    el("table", {}, el("tbody", {}, rows)),
    el("p"), close);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether the page is dark, by choice or as the system is. */
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nextTheme() {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  store.set("theme", next);
  dispatchEvent(new CustomEvent("themechange"));
}

/**
 * Builds the bar at the top and the dialog with the keys.
 * @param {string} page The name of the page in its address, "" for the start page.
 * @param {{keys?: Key[], help?: string}} [options]
 */
export function start(page, options = {}) {
  busy.begin();
  keys(options.keys ?? []);
  keys([["?", "show the keys", () => help(options.help ?? "")]]);
  const links = PAGES.map(([name, title]) =>
    el("a", { href: `/${name}`, "aria-current": name === page ? "page" : null }, title));
  const moon = svgEl("svg", { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" },
    svgEl("circle", { cx: 9, cy: 9, r: 7, fill: "none", stroke: "currentColor", "stroke-width": 1.6 }),
    svgEl("path", { d: "M9 2a7 7 0 0 1 0 14Z", fill: "currentColor" }));
  const bar = el("header.bar", {},
    el("a.skip.button", { href: "#main", on: { click: skip } }, "To the content"),
    el("a.brand", { href: alone() ? null : "/" }, "everyply"),
    alone() ? null : el("nav", { "aria-label": "Pages" }, links),
    el("span.space"),
    el("button.icon", { type: "button", title: "Light or dark", "aria-label": "Light or dark", on: { click: nextTheme } }, moon),
    el("button.icon", { type: "button", title: "Keys", "aria-label": "Keys", on: { click: () => help(options.help ?? "") } }, "?"));
  document.body.prepend(bar);
  // On a narrow screen the links scroll sideways.
  bar.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  busy.end();
}

/** The fragment holds the state of some pages, so the link moves the focus instead. @param {Event} event */
function skip(event) {
  event.preventDefault();
  const main = document.querySelector("main");
  if (!(main instanceof HTMLElement)) return;
  main.tabIndex = -1;
  main.focus();
}
