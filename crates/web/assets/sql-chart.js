// @ts-check
// Columns of an answer as a chart, drawn by the server.

import { blob, clear, el, isDark } from "./app.js";
import { button, select } from "./parts.js";

/** @param {import("./sql-table.js").Answer} answer @param {(error: Error) => void} onError */
export function chart(answer, onError) {
  const numbers = answer.columns.map((column, index) => ({ ...column, index })).filter((column) => column.number);
  if (!numbers.length) return el("p.note", {}, "This answer has no column of numbers to draw.");
  const labels = answer.columns.findIndex((column) => !column.number);
  const on = { change: () => draw() };
  const across = answer.columns.map((column, index) => [String(index), column.name]);
  const x = select(across, { "aria-label": "Column across", on }, String(Math.max(0, labels)));
  const kinds = [["bars", "Bars"], ["lines", "Lines"], ["dots", "Dots"]];
  const kind = select(kinds, { "aria-label": "Kind of chart", on }, answer.rows > 40 ? "lines" : "bars");
  const chosen = new Set(numbers.filter(({ index }) => String(index) !== x.value).slice(0, 4).map(({ index }) => index));
  if (!chosen.size) chosen.add(numbers[0].index);
  const toggles = numbers.map((column) => {
    const toggle = button(column.name, () => {
      if (!chosen.delete(column.index) && chosen.size < 8) chosen.add(column.index);
      toggle.ariaPressed = String(chosen.has(column.index));
      draw();
    }, { class: "toggle", "aria-pressed": String(chosen.has(column.index)) });
    return toggle;
  });
  const place = el("div");
  let url = "";

  async function draw() {
    if (!chosen.size) return clear(place);
    const names = [...chosen].map((index) => answer.columns[index].name).join(", ");
    try {
      const data = await blob("/api/sql/chart", { query: { answer: answer.answer, kind: kind.value, x: x.value, y: [...chosen].join(","), dark: isDark() } });
      if (url) URL.revokeObjectURL(url);
      url = URL.createObjectURL(data);
      clear(place).append(el("img", { src: url, alt: `${kind.value} of ${names} by ${across[Number(x.value)][1]}` }));
    } catch (error) {
      onError(/** @type {Error} */ (error));
    }
  }
  addEventListener("themechange", draw);
  draw();
  return el("div.chart", {}, el("div.row", {}, kind, el("span.soft", {}, "by"), x, toggles), place);
}
