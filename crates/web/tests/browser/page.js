// What the driver of the stories asks of a page. The whole file is one expression: an object of
// functions. It runs in the page and leaves nothing behind.
({
  // Resolves when the page says that it is settled, nothing moves any more, and what was drawn
  // last is on the screen.
  settled() {
    const html = document.documentElement;
    const isIdle = () => html.dataset.busy === "0" && document.readyState === "complete";
    const frames = () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const idle = () =>
      new Promise((resolve) => {
        if (isIdle()) return resolve();
        const look = () => {
          if (!isIdle()) return;
          observer.disconnect();
          removeEventListener("load", look);
          resolve();
        };
        const observer = new MutationObserver(look);
        observer.observe(html, { attributes: true, attributeFilter: ["data-busy"] });
        addEventListener("load", look);
      });
    const moving = () =>
      document.getAnimations().filter((animation) => {
        const end = animation.effect?.getComputedTiming().endTime;
        return animation.playState === "running" && Number.isFinite(end);
      });
    const still = async () => {
      await Promise.allSettled(moving().map((animation) => animation.finished));
    };
    return (async () => {
      do {
        await idle();
        await still();
        await frames();
      } while (!isIdle() || moving().length > 0);
    })();
  },

  // The elements that a target of a story names, in the order of the document.
  find(target) {
    const matches = (pattern, text) => pattern === null || new RegExp(pattern, "su").test(text);
    const shown = (element) => element.checkVisibility({ visibilityProperty: true });
    const scope = target.within === null ? [document] : this.find(target.within);
    const all = (selector) => [...new Set(scope.flatMap((root) => [...root.querySelectorAll(selector)]))];
    const texts = (element) => this.text(element);
    let found;
    switch (target.kind) {
      case "id":
        found = all(`[data-id=${CSS.escape(target.value)}]`);
        break;
      case "css":
        found = all(target.value);
        break;
      case "role":
        found = all("*").filter(
          (element) =>
            element.computedRole === target.value &&
            matches(target.name, element.computedName) &&
            shown(element),
        );
        break;
      case "text": {
        const have = all("body, body *").filter(
          (element) => shown(element) && matches(target.name, texts(element)),
        );
        found = have.filter((element) => !have.some((other) => other !== element && element.contains(other)));
        break;
      }
    }
    return target.number === null ? found : found.slice(target.number - 1, target.number);
  },

  // Text as it is seen, with single spaces.
  text(element) {
    const text = element instanceof HTMLElement ? element.innerText : element.textContent;
    return text.replace(/\s+/gu, " ").trim();
  },

  // What an element has, as text, or null.
  read(element, property, name) {
    switch (property) {
      case "text":
        return this.text(element);
      case "value":
        return element.value ?? element.textContent;
      case "name":
        return element.computedName;
      case "attribute":
        return element.getAttribute(name);
      case "style":
        return getComputedStyle(element).getPropertyValue(name);
    }
  },

  // Whether an element is in a state.
  is(element, state) {
    switch (state) {
      case "focused":
        return this.active() === element;
      case "disabled":
        return element.matches(":disabled, [aria-disabled=true]");
      case "checked":
        return element.checked ?? ["aria-checked", "aria-pressed", "aria-selected"].some(
          (name) => element.getAttribute(name) === "true",
        );
      case "visible": {
        const box = element.getBoundingClientRect();
        return element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
          (box.width > 0 || box.height > 0);
      }
      case "inside": {
        const box = element.getBoundingClientRect();
        const around = element.parentElement.getBoundingClientRect();
        return box.left >= around.left && box.right <= around.right &&
          box.top >= around.top && box.bottom <= around.bottom;
      }
    }
  },

  // The element with the focus, also where a widget only names it.
  active() {
    const active = document.activeElement;
    const named = active?.getAttribute("aria-activedescendant");
    return (named && document.getElementById(named)) || active;
  },

  // Where to point at an element: its middle, in view, and what lies there when that is
  // something else.
  async point(element) {
    const label = element.labels?.[0];
    const box = element.getBoundingClientRect();
    const isTiny = box.width < 2 || box.height < 2;
    const seen = isTiny && label ? label : element;
    const inside = seen.getBoundingClientRect();
    if (inside.top < 0 || inside.left < 0 || inside.bottom > innerHeight || inside.right > innerWidth) {
      seen.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      // A finger meets what is on the screen, and that is what was drawn last.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    const at = seen.getBoundingClientRect();
    // Of a link over several lines the first one is pointed at.
    const first = seen.getClientRects().length > 1 ? seen.getClientRects()[0] : at;
    const x = first.left + first.width / 2;
    const y = first.top + first.height / 2;
    const top = document.elementFromPoint(x, y);
    const isMet = top !== null && (seen.contains(top) || top.contains(seen) ||
      top === label || label?.contains(top) || top.closest("label")?.control === element);
    return { x, y, covered: isMet ? null : this.describe(top) };
  },

  describe(element) {
    if (element === null) return "nothing: it is outside the window";
    const id = element.dataset?.id ? ` data-id=${element.dataset.id}` : "";
    const role = element.computedRole ? ` role=${element.computedRole}` : "";
    const name = element.computedName ? ` ${JSON.stringify(element.computedName)}` : "";
    return `<${element.localName}${id}${role}${name}>`;
  },

  // The next key on the way to an element by keyboard alone, or "there".
  way(element) {
    const active = this.active();
    if (active === element) return "there";
    const widgets = ["grid", "tablist", "radiogroup", "listbox", "menu", "toolbar", "tree"];
    const widget = element.closest(widgets.map((role) => `[role=${role}]`).join());
    const isRadio = element.type === "radio" && active?.type === "radio" && active.name === element.name;
    const isInside = widget !== null && widget.contains(active) && active !== document.body;
    if (!isRadio && (!isInside || (element.tabIndex >= 0 && widget.getAttribute("role") === "toolbar"))) {
      return "Tab";
    }
    if (isInside && active === widget) return "ArrowRight";
    const [from, to] = [active.getBoundingClientRect(), element.getBoundingClientRect()];
    const dx = (to.left + to.right - from.left - from.right) / 2;
    const dy = (to.top + to.bottom - from.top - from.bottom) / 2;
    if (Math.abs(dx) >= Math.abs(dy)) return dx > 0 ? "ArrowRight" : "ArrowLeft";
    return dy > 0 ? "ArrowDown" : "ArrowUp";
  },

  // The key that activates an element.
  key(element) {
    return ["checkbox", "radio", "switch"].includes(element.computedRole) ? "Space" : "Enter";
  },

  // Lets a file fall on an element, as a hand would.
  drop(element, name, bytes) {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(bytes)], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
      element.dispatchEvent(
        new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: transfer }),
      );
    }
  },

  // Scrolls an element to a part of its height, from 0 to 1.
  scroll(element, part) {
    element.scrollTop = (element.scrollHeight - element.clientHeight) * part;
  },

  // How wide the page is; wider than the window means that it scrolls sideways. The second is
  // what sticks out.
  width() {
    const root = document.scrollingElement;
    const wide = [...document.body.querySelectorAll("*")].filter(
      (element) => element.getBoundingClientRect().right > root.clientWidth + 1,
    );
    return [root.scrollWidth, wide.length ? this.describe(wide[0]) : ""];
  },

  clipboard() {
    return navigator.clipboard.readText();
  },
})
