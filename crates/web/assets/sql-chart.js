// @ts-check
// Columns of an answer as a chart, drawn by the server.

import { blob, clear, el } from "./app.js";

/** @param {import("./sql-table.js").Answer} answer @param {(error: Error) => void} onError */
export function chart(answer, onError) {
  const numbers = answer.columns.map((column, index) => ({ ...column, index })).filter((column) => column.number);
  if (!numbers.length) return el("p", { class: "note" }, "This answer has no column of numbers to draw.");
  const labels = answer.columns.findIndex((column) => !column.number);
  const x = el("select", { class: "field", "aria-label": "Column across" },
    answer.columns.map((column, index) => el("option", { value: index }, column.name)));
  x.value = String(labels >= 0 ? labels : 0);
  const kind = el("select", { class: "field", "aria-label": "Kind of chart" },
    el("option", { value: "bars" }, "Bars"), el("option", { value: "lines" }, "Lines"), el("option", { value: "dots" }, "Dots"));
  kind.value = answer.rows > 40 ? "lines" : "bars";
  const chosen = new Set(numbers.filter(({ index }) => String(index) !== x.value).slice(0, 4).map(({ index }) => index));
  if (!chosen.size) chosen.add(numbers[0].index);
  const toggles = numbers.map((column) => {
    const toggle = el("button", { class: "toggle", type: "button", "aria-pressed": String(chosen.has(column.index)), on: { click: () => {
      if (!chosen.delete(column.index) && chosen.size < 8) chosen.add(column.index);
      toggle.setAttribute("aria-pressed", String(chosen.has(column.index)));
      draw();
    } } }, column.name);
    return toggle;
  });
  const place = el("div");
  let url = "";

  async function draw() {
    if (!chosen.size) return clear(place);
    const theme = document.documentElement.dataset.theme;
    const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const names = [...chosen].map((index) => answer.columns[index].name).join(", ");
    try {
      const data = await blob("/api/sql/chart", { query: { answer: answer.answer, kind: kind.value, x: x.value, y: [...chosen].join(","), dark } });
      if (url) URL.revokeObjectURL(url);
      url = URL.createObjectURL(data);
      const across = answer.columns[Number(x.value)].name;
      clear(place).append(el("img", { src: url, alt: `${kind.value} of ${names} by ${across}` }));
    } catch (error) {
      onError(/** @type {Error} */ (error));
    }
  }
  x.addEventListener("change", draw);
  kind.addEventListener("change", draw);
  addEventListener("themechange", draw);
  draw();
  return el("div", { class: "chart" }, el("div", { class: "row" }, kind, el("span", { class: "soft" }, "by"), x, toggles), place);
}
