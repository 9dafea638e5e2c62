// Getting 13 cards in: a 52-card grid, a field to type or paste into, and the board they go to.
import { cardsOf, createBoard, createGrid, nothing } from "./board.js";
import { read, SEGMENTS } from "./cards.js";
import { button, draw, h, say } from "./dom.js";
import { t } from "./i18n.js";

/** A text as a position: `front | middle | back`, or cards of a hand; with what cannot be read and what is there twice. */
export function position(text) {
  const parts = text.split(/[|/;\n]+/).map((part) => part.trim()).filter(Boolean);
  const all = read(text);
  const twice = all.cards.filter((card, place) => all.cards.indexOf(card) !== place);
  const held = nothing();
  if (parts.length === 3) SEGMENTS.forEach((zone, place) => { held[zone] = read(parts[place]).cards; });
  else held.hand = all.cards;
  return { held, bad: all.bad, twice, parts: parts.length };
}

/** What to say of a text that is not taken as it is; "" where it is. */
export function fault({ bad, twice, held }) {
  if (bad.length) return t("entry.unknown", { what: bad[0].slice(0, 12) });
  if (twice.length) return t("entry.twice", { card: twice[0] });
  const count = cardsOf(held).length;
  return count > 13 ? t("entry.many", { n: count }) : "";
}

/**
 * The way cards are put in and set. `taken(card)` names who else holds a card; `extra` are more buttons.
 */
export function createEntry({ rules, changed, checked, tells, taken = () => "", extra = () => [] }) {
  let open = null;
  let typed = "";
  const board = createBoard({ rules, checked, tells, removable: true, name: t("board.name"), changed(held, how) { refresh(); changed(held, how); } });
  const grid = createGrid({
    label: t("grid.name"),
    state: (card) => (cardsOf(board.held).includes(card) ? "in" : taken(card)),
    toggle(card) {
      if (taken(card) && !cardsOf(board.held).includes(card)) return say(t("grid.taken", { card, who: taken(card) }));
      if (!board.toggle(card)) say(t("entry.full"));
      else say(t("cards.of", { n: cardsOf(board.held).length }));
    },
  });
  const message = h("p", { class: "message", role: "alert" });
  const text = h("input", {
    type: "text", class: "typed", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", enterkeyhint: "done", k: "typed",
    on: {
      input() { typed = text.value; tell(); },
      keydown(event) { if (event.key === "Enter") { event.preventDefault(); takeText(true); } },
      change() { takeText(true); },
    },
  });
  const bar = h("div", { class: "entry-bar" });
  const counted = h("p", { class: "counted" });
  grid.element.append(counted);
  const root = h("div", { class: "entry" }, bar, message, grid.element, board.element);

  /** Typed cards show up as they are typed; only a whole text is held against 13. */
  function tell() {
    const found = position(text.value);
    const trouble = fault(found);
    message.textContent = trouble && (found.twice.length || cardsOf(found.held).length > 13) ? trouble : "";
    if (!trouble && cardsOf(found.held).length === 13) takeText(false);
  }

  function takeText(whole) {
    if (!text.value.trim()) { message.textContent = ""; return; }
    const found = position(text.value);
    const trouble = fault(found);
    message.textContent = trouble;
    text.setAttribute("aria-invalid", String(Boolean(trouble)));
    if (trouble) return;
    if (whole || cardsOf(found.held).length === 13) {
      const clash = cardsOf(found.held).find((card) => taken(card));
      if (clash) { message.textContent = t("grid.taken", { card: clash, who: taken(clash) }); return; }
      const next = joined(found);
      if (cardsOf(next).length > 13) { message.textContent = t("entry.full"); return; }
      put(next, "typed");
      text.value = typed = "";
      say(t("cards.of", { n: cardsOf(board.held).length }));
    }
  }

  /** A whole hand takes the place of what is there; a few cards come to it. */
  function joined({ held, parts }) {
    if (parts === 3 || cardsOf(held).length >= 13) return held;
    const here = cardsOf(board.held);
    return { ...structuredClone(board.held), hand: [...board.held.hand, ...held.hand.filter((card) => !here.includes(card))] };
  }

  function put(held, how = "put") {
    const typing = document.activeElement === text;
    board.put(held);
    refresh();
    if (typing && text.hidden) board.focus();
    changed(board.held, how);
  }

  const full = () => cardsOf(board.held).length >= 13;

  function refresh() {
    const showing = open ?? !full();
    grid.element.hidden = text.hidden = !showing;
    grid.draw();
    text.setAttribute("aria-label", t("entry.type"));
    text.placeholder = t("entry.placeholder");
    const count = cardsOf(board.held).length;
    counted.textContent = t("cards.of", { n: count });
    draw(bar, text,
      h("div", { class: "buttons" },
        button(showing ? t("entry.hide") : t("entry.cards"), () => { open = !showing; refresh(); }, { class: "plain", k: "cards", "aria-expanded": String(showing) }),
        extra(),
        button(t("entry.clear"), () => { open = null; put(nothing(), "clear"); }, { class: "plain", k: "clear", disabled: !count })));
    if (document.activeElement !== text) text.value = typed;
  }
  refresh();
  return {
    element: root, board, put, refresh,
  };
}
