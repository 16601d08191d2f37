// @ts-check
// Parts of forms that several pages use.

import { el } from "./app.js";

/** @param {any} label @param {(event: Event) => void} run @param {Record<string, any>} [more] */
export function button(label, run, more = {}) {
  return el("button", { type: "button", class: "button", on: { click: run }, ...more }, label);
}

/** A field below its name. @param {any} label @param {HTMLElement} field */
export function named(label, field) {
  return el("label.named", {}, label, field);
}

/** @param {string[][]} options Values and texts. @param {Record<string, any>} [more] @param {string} [chosen] */
export function select(options, more = {}, chosen = "") {
  return el("select.field", { ...more }, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
}

/** A dialog that goes when it is closed. @param {string} title @param {string} kind @param {...any} content */
export function dialog(title, kind, ...content) {
  const node = el("dialog", { class: kind, "aria-label": title }, el("h2", {}, title), ...content);
  node.addEventListener("close", () => node.remove());
  document.body.append(node);
  node.showModal();
  return node;
}

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A sentence of the server, which begins with a small letter and has no end. @param {string} text */
export const sentence = (text) => (text ? `${capital(text)}.` : "");

/** @param {number} bytes */
export function sized(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/**
 * A list of tabs: arrows walk, one of them is chosen.
 * @param {string} label
 * @param {string[][]} names Names and titles.
 * @param {(name: string) => void} show
 * @param {string} [prefix] Of the ids of the tabs, where they have some.
 */
export function tabList(label, names, show, prefix) {
  const tabs = names.map(([name, title], at) => el("button", {
    type: "button", class: "tab", role: "tab", id: prefix ? prefix + name : null, data: prefix ? { id: prefix + name } : {},
    "aria-controls": prefix ? `panel-${name}` : null,
    on: {
      click: () => open(name),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const to = (next + names.length) % names.length;
        open(names[to][0]);
        tabs[to].focus();
      },
    },
  }, title));
  const node = el("div", { role: "tablist", "aria-label": label }, tabs);
  /** @param {string} chosen */
  function open(chosen) {
    names.forEach(([name], at) => {
      tabs[at].ariaSelected = String(name === chosen);
      tabs[at].tabIndex = name === chosen ? 0 : -1;
    });
    show(chosen);
  }
  return { node, open };
}
