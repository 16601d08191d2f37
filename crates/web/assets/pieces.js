// @ts-check
// The outlines of pieces as symbols of this document: `<use href="#piece-knight" class="piece-white">`.

import { busy, svgEl } from "./app.js";

/** @type {Promise<void> | null} */
let loaded = null;

/** Puts the symbols into the document, once. A page that stands alone has them already. */
export function pieces() {
  if (document.getElementById("piece-pawn")) return Promise.resolve();
  loaded ??= load();
  return loaded;
}

function load() {
  busy.begin();
  return /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
    // Parsed as a document of its own: text never becomes markup of this page.
    const request = new XMLHttpRequest();
    request.open("GET", "/assets/pieces.svg");
    request.responseType = "document";
    request.onload = () => {
      const symbols = request.responseXML?.documentElement.children ?? [];
      const place = svgEl("svg", { width: 0, height: 0, "aria-hidden": "true", class: "sr" });
      for (const symbol of [...symbols]) place.append(document.importNode(symbol, true));
      document.body.append(place);
      resolve();
    };
    request.onerror = () => {
      loaded = null;
      reject(new Error("the pieces could not be loaded"));
    };
    request.send();
  })).finally(() => busy.end());
}
