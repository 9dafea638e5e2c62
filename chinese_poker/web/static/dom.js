// Elements out of values. Whatever comes from a person or the server is text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `on` holds listeners, `k` names it so that it keeps the focus when it is drawn again. */
export const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);

/** The same for SVG. */
export const svg = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);

function fill(element, props, kids) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "k") element.dataset.k = value;
    else if (name === "class") element.setAttribute("class", value);
    else if (["value", "checked", "selected", "disabled", "hidden", "open"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...kids.flat(Infinity).filter((kid) => kid !== undefined && kid !== null && kid !== false));
  return element;
}

/** Draws a region anew; the element that had the focus keeps it, with its selection, if it is still there. */
export function draw(region, ...kids) {
  const held = region.contains(document.activeElement) ? document.activeElement : null;
  const key = held?.dataset.k;
  const marked = held && "selectionStart" in held ? [held.selectionStart, held.selectionEnd] : null;
  region.replaceChildren(...kids.flat(Infinity).filter(Boolean));
  if (!key) return;
  const again = region.querySelector(`[data-k="${CSS.escape(key)}"]`);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (marked && marked[0] !== null) try { again.setSelectionRange(...marked); } catch { /* not a text field */ }
}

export const icon = (name) => svg("svg", { "aria-hidden": "true", class: "icon" }, svg("use", { href: `#icon-${name}` }));

/** A button with a text. */
export const button = (text, click, props = {}) =>
  h("button", { type: "button", ...props, on: { click, ...props.on } }, text);

/** A labelled field. */
export function field(label, control, props = {}) {
  return h("label", { ...props, class: `field ${props.class || ""}` }, h("span", { class: "field-name" }, label), control);
}

export function select(options, value, change, props = {}) {
  const made = h(
    "select",
    { ...props, on: { change: (event) => change(event.target.value) } },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  return made;
}

/** Says something to those who do not see the page. */
export function say(text) {
  const live = document.getElementById("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

let fading;
/** Says something to everybody, for a while. */
export function toast(text) {
  const place = document.getElementById("toast");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("shown"), 3200);
}

/** A dialog over the page; resolves with the value it is closed with. */
export function dialog(title, closeName, build, props = {}) {
  return new Promise((done) => {
    const box = h("dialog", { class: `dialog ${props.class || ""}`, "aria-labelledby": "dialog-title" });
    const close = (value) => { box.returned = value; box.close(); };
    box.append(
      h("header", { class: "dialog-head" },
        h("h2", { id: "dialog-title" }, title),
        h("button", { type: "button", class: "icon-button", "aria-label": closeName, on: { click: () => close() } }, icon("close"))),
      h("div", { class: "dialog-body" }, build(close)),
    );
    box.addEventListener("click", (event) => { if (event.target === box) close(); });
    box.addEventListener("close", () => { box.remove(); done(box.returned); });
    document.body.append(box);
    box.showModal();
  });
}

/** Calls once things have been quiet for a while. */
export function debounce(call, wait) {
  let timer;
  return (...values) => { clearTimeout(timer); timer = setTimeout(() => call(...values), wait); };
}
