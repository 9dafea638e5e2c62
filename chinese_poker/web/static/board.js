// A hand being set: front, middle, back and the cards not placed yet; by drag, by tap and tap, and by keys.
import { Gone, post, Problem, server } from "./api.js";
import { byRank, bySuit, cardName, DECK, face, ROOM, SEGMENTS, words } from "./cards.js";
import { button, debounce, draw, h, say } from "./dom.js";
import { language, t } from "./i18n.js";

const ZONES = [...SEGMENTS, "hand"];
const FAR = 6;
const KEYS = { 1: "front", 2: "middle", 3: "back", 0: "hand", f: "front", m: "middle", b: "back", h: "hand" };

export const nothing = () => ({ front: [], middle: [], back: [], hand: [] });
export const cardsOf = (held) => ZONES.flatMap((zone) => held[zone]);
export const isSet = (held) => !held.hand.length && SEGMENTS.every((zone) => held[zone].length === ROOM[zone]);
export const segmentsOf = (held) => Object.fromEntries(SEGMENTS.map((zone) => [zone, held[zone].join(" ")]));

/** The segments filled up to their sizes, so that those which are complete can be judged now; null where none fits. */
function filled(held) {
  const taken = new Set(cardsOf(held));
  const spare = [...held.hand, ...DECK.filter((card) => !taken.has(card))];
  const whole = taken.size === 13 && !held.hand.length;
  const segments = {};
  for (const zone of SEGMENTS) {
    segments[zone] = [...held[zone]];
    while (!whole && segments[zone].length < ROOM[zone]) segments[zone].push(spare.shift());
  }
  const all = SEGMENTS.flatMap((zone) => segments[zone]);
  return all.length === 13 && new Set(all).size === 13 ? segments : null;
}

const ENDS = { front_beats_middle: ["front", "middle"], middle_beats_back: ["middle", "back"], middle_equals_back: ["middle", "back"] };

/**
 * A board. `changed(held)` hears of each change, `checked(verdict)` of each judgement; `rules()` names the rule set;
 * `removable` lets cards be taken out; `tells()` is whether naturals are announced.
 */
export function createBoard({ rules, changed, checked = () => {}, removable = false, tells = () => true, name }) {
  let held = nothing();
  let picked = null;
  let target = null;
  let roving = null;
  let verdict = null;
  let order = byRank;
  let drag = null;
  let dragged = false;
  const rows = {};
  const root = h("div", { class: "board", role: "group", "aria-label": name });
  const felt = h("div", { class: "felt" });
  const tools = h("div", { class: "tools" });
  const judged = h("div", { class: "verdict", role: "status", "aria-live": "polite" });
  for (const zone of ZONES) {
    const said = h("span", { class: "said" });
    const title = h("span", { class: "zone-name" });
    const slots = h("div", { class: "slots" });
    const row = h("div", { class: `zone zone-${zone}`, role: "group", "data-zone": zone }, h("div", { class: "zone-head" }, title, said, zone === "hand" && tools), slots);
    rows[zone] = { row, slots, said, title };
    if (zone === "hand") continue;
    felt.append(row);
  }
  rows.front.row.append(judged);
  root.append(felt, rows.hand.row);

  const zoneOf = (card) => ZONES.find((zone) => held[zone].includes(card));

  function itemOf(zone, index) {
    const card = held[zone][index];
    const key = card ? `card:${card}` : `slot:${zone}:${index}`;
    const tab = key === roving ? "0" : "-1";
    if (!card) {
      const label = zone === "hand" ? t("board.empty_hand") : t("board.empty", { segment: t(`segment.${zone}`) });
      return h("button", { type: "button", class: "slot", k: key, tabindex: tab, "aria-label": label, "data-zone": zone, "data-index": index });
    }
    return h("button", {
      type: "button", class: `card suit-${card[1]}${picked === card ? " picked" : ""}`, k: key, tabindex: tab, "data-zone": zone, "data-index": index,
      "data-card": card, "aria-pressed": String(picked === card),
      "aria-label": t("board.card", { card: cardName(card), place: t(`place.${zone}`) }),
    }, face(card));
  }

  const shown = (zone) => (zone === "hand" ? held.hand.length : Math.max(ROOM[zone], held[zone].length));

  function drawCards() {
    const keys = ZONES.flatMap((zone) => Array.from({ length: shown(zone) }, (_, i) => (held[zone][i] ? `card:${held[zone][i]}` : `slot:${zone}:${i}`)));
    if (!keys.includes(roving)) roving = keys.find((key) => key.startsWith("card:") && held.hand.includes(key.slice(5))) || keys[0];
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.k : null;
    for (const zone of ZONES) {
      const { row, slots } = rows[zone];
      draw(slots, Array.from({ length: shown(zone) }, (_, i) => itemOf(zone, i)));
      row.classList.toggle("target", target === zone);
      const count = { n: held[zone].length, of: zone === "hand" ? cardsOf(held).length : ROOM[zone] };
      row.setAttribute("aria-label", t(zone === "hand" ? "board.hand_count" : "board.count", { segment: t(`segment.${zone}`), ...count }));
      rows[zone].title.textContent = zone === "hand" ? t("board.hand") : t(`segment.${zone}`);
    }
    if (focused && document.activeElement?.dataset?.k !== focused) root.querySelector(`[data-k="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    draw(tools, cardsOf(held).length > 1 && button(t("entry.sort"), sort, { class: "text-button", k: "sort" }),
      held.hand.length < cardsOf(held).length && button(t("entry.gather"), gather, { class: "text-button", k: "gather" }));
    rows.hand.row.classList.toggle("done", !held.hand.length);
    drawVerdict();
  }

  function drawVerdict() {
    for (const zone of SEGMENTS) {
      const complete = held[zone].length === ROOM[zone];
      const wrong = held[zone].length > ROOM[zone] || (verdict?.foul && verdict.whole && !complete);
      const said = complete && verdict ? words(verdict[zone], language === "en") : "";
      rows[zone].said.textContent = said || (held[zone].length || wrong ? t("board.of", { n: held[zone].length, of: ROOM[zone] }) : "");
      rows[zone].row.classList.toggle("wrong", wrong || Boolean(verdict?.reasons.some((reason) => ENDS[reason]?.includes(zone))));
    }
    rows.hand.said.textContent = held.hand.length ? t("cards.count", { n: held.hand.length }) : isSet(held) ? t("board.all_placed") : t("board.none_yet");
    const lines = [];
    if (verdict?.reasons.length) {
      lines.push(h("strong", { class: "foul" }, t("foul")), h("span", {}, verdict.reasons.map((reason) => t(`foul.${reason}`)).join(", ")));
    } else if (verdict?.whole) {
      lines.push(h("strong", { class: "legal" }, t("legal")));
    }
    if (tells() && verdict?.naturals.length) {
      lines.unshift(h("strong", { class: "natural" }, t("natural")), h("span", {}, verdict.naturals.map((natural) => t(`natural.${natural}`)).join(", ")));
    }
    const key = lines.map((line) => line.textContent).join("|");
    if (judged.dataset.said !== key) {
      judged.dataset.said = key;
      judged.replaceChildren(...lines);
    }
  }

  let asked = 0;
  async function judge() {
    const mine = ++asked;
    const segments = filled(held);
    if (!segments || !cardsOf(held).length) {
      verdict = null;
      drawVerdict();
      return checked(null);
    }
    const query = typeof rules() === "string" ? `?rules=${encodeURIComponent(rules())}` : "";
    try {
      const said = await post(`/api/check${query}`, Object.fromEntries(SEGMENTS.map((zone) => [zone, segments[zone].join(" ")])));
      if (mine !== asked) return;
      const complete = (zone) => held[zone].length === ROOM[zone];
      const whole = !held.hand.length && cardsOf(held).length === 13;
      const reasons = said.foul_reasons.filter((reason) => whole || ENDS[reason]?.every(complete));
      verdict = { ...said, reasons, whole, naturals: cardsOf(held).length === 13 ? said.naturals : [] };
    } catch (error) {
      if (!(error instanceof Gone || error instanceof Problem)) throw error;
      if (mine === asked) verdict = null;
    }
    drawVerdict();
    checked(verdict);
  }
  const judgeSoon = debounce(judge, 60);

  function update(how) {
    verdict = null;
    drawCards();
    judgeSoon();
    changed(held, how);
  }

  /** Takes all cards back into the hand. */
  function gather() {
    held = { ...nothing(), hand: order(cardsOf(held)) };
    picked = target = null;
    update("gather");
    focus("hand", 0);
  }

  function sort() {
    order = order === byRank ? bySuit : byRank;
    held.hand = order(held.hand);
    for (const zone of SEGMENTS) held[zone] = order(held[zone]);
    update("sort");
    say(t(order === byRank ? "entry.by_rank" : "entry.by_suit"));
  }

  /** Moves a card; on a card of another place the two change places; a full place refuses. */
  function move(card, zone, index = null) {
    const from = zoneOf(card);
    const at = held[from].indexOf(card);
    const other = index === null ? undefined : held[zone][index];
    if (other === card) return false;
    if (other !== undefined && from !== zone) {
      held[from][at] = other;
      held[zone][index] = card;
      say(t("said.swapped", { card: cardName(card), other: cardName(other) }));
    } else if (from === zone) {
      if (other === undefined) return false;
      held[from].splice(at, 1);
      held[from].splice(index, 0, card);
    } else if (held[zone].length >= ROOM[zone]) {
      say(t("said.full", { segment: t(`segment.${zone}`) }));
      rows[zone].row.classList.remove("full");
      void rows[zone].row.offsetWidth;
      rows[zone].row.classList.add("full");
      return false;
    } else {
      held[from].splice(at, 1);
      held[zone].push(card);
      say(t("said.moved", { card: cardName(card), place: t(`place.${zone}`), n: held[zone].length, of: ROOM[zone] }));
    }
    if (target && held[target].length >= ROOM[target]) target = null;
    if (from === "hand" || zone === "hand") held.hand = order(held.hand);
    picked = null;
    update("move");
    return true;
  }

  function tap(item) {
    const { zone, card } = item.dataset;
    if (card) {
      if (picked === card) picked = null;
      else if (target && target !== zone && !picked && held[target].length < ROOM[target]) return move(card, target);
      else if (picked && !(zone === "hand" && zoneOf(picked) === "hand")) return move(picked, zone, held[zone].indexOf(card));
      else picked = card;
      if (picked) say(t("said.picked", { card: cardName(card) }));
      return drawCards();
    }
    if (picked) return move(picked, zone);
    target = target === zone ? null : zone;
    if (target) say(t("said.target", { segment: t(`segment.${zone}`) }));
    drawCards();
  }

  root.addEventListener("click", (event) => {
    if (dragged) {
      dragged = false;
      return;
    }
    const item = event.target.closest("[data-zone][data-k]");
    if (event.target.closest(".tools")) return;
    if (item) {
      roving = item.dataset.k;
      tap(item);
      return;
    }
    const zone = event.target.closest("[data-zone]")?.dataset.zone;
    if (zone && picked) move(picked, zone);
  });

  root.addEventListener("focusin", (event) => {
    const key = event.target.dataset.k;
    if (!key || !event.target.dataset.zone || key === roving) return;
    root.querySelector(`[data-k="${CSS.escape(roving)}"]`)?.setAttribute("tabindex", "-1");
    event.target.setAttribute("tabindex", "0");
    roving = key;
  });

  const focus = (zone, index) => {
    const items = rows[zone].slots.children;
    items[Math.max(0, Math.min(index, items.length - 1))]?.focus();
  };

  function across(zone, index, step) {
    const places = ZONES.filter((name) => rows[name].slots.children.length);
    const to = places[places.indexOf(zone) + step];
    if (to) focus(to, to === "hand" || zone === "hand" ? Math.round((index * shown(to)) / Math.max(1, shown(zone))) : index);
  }

  root.addEventListener("keydown", (event) => {
    const item = event.target.closest("[data-zone][data-k]");
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const { zone, card } = item.dataset;
    const index = Number(item.dataset.index);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const steps = { ArrowRight: () => focus(zone, index + 1), ArrowLeft: () => focus(zone, index - 1), ArrowDown: () => across(zone, index, 1), ArrowUp: () => across(zone, index, -1), Home: () => focus(zone, 0), End: () => focus(zone, 99) };
    if (steps[key]) steps[key]();
    else if (key in KEYS) {
      const moving = picked || card;
      if (moving && KEYS[key] !== zoneOf(moving) && move(moving, KEYS[key])) focusNear(zone, index);
    } else if (key === "Escape" && (picked || target)) {
      picked = target = null;
      drawCards();
    } else if ((key === "Delete" || key === "Backspace") && removable && card) {
      held[zone].splice(index, 1);
      say(t("said.removed", { card: cardName(card) }));
      update("remove");
      focusNear(zone, index);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function focusNear(zone, index) {
    const near = held[zone].length ? zone : held.hand.length ? "hand" : zone;
    if (rows[near].slots.children.length) focus(near, index);
    else focus("back", 0);
  }

  root.addEventListener("pointerdown", (event) => {
    const item = event.target.closest("[data-card]");
    dragged = false;
    if (!item || event.button || !event.isPrimary) return;
    drag = { card: item.dataset.card, item, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  });
  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < FAR) return;
      const box = drag.item.getBoundingClientRect();
      drag.ghost = drag.item.cloneNode(true);
      drag.ghost.classList.add("ghost");
      drag.ghost.removeAttribute("data-k");
      drag.ghost.setAttribute("aria-hidden", "true");
      Object.assign(drag.ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
      (root.closest("dialog") || document.body).append(drag.ghost);
      drag.item.classList.add("lifted");
      root.setPointerCapture(drag.id);
    }
    drag.ghost.style.transform = `translate(${x}px, ${y}px) rotate(2deg) scale(1.06)`;
    const over = place(event);
    for (const zone of ZONES) rows[zone].row.classList.toggle("over", over?.zone === zone);
  });
  const place = (event) => {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const zone = root.contains(under) ? under.closest("[data-zone]") : null;
    if (!zone) return null;
    const card = under.closest("[data-card]")?.dataset.card;
    return { zone: zone.dataset.zone, index: card ? held[zone.dataset.zone].indexOf(card) : null };
  };
  const drop = (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { card, ghost, item } = drag;
    drag = null;
    if (!ghost) return;
    dragged = true;
    setTimeout(() => { dragged = false; }, 0);
    ghost.remove();
    item.classList.remove("lifted");
    for (const zone of ZONES) rows[zone].row.classList.remove("over");
    const over = event.type === "pointerup" ? place(event) : null;
    if (over) {
      const swaps = over.index !== null && !(over.zone === "hand" && zoneOf(card) !== "hand");
      const room = held[over.zone].length < ROOM[over.zone] && zoneOf(card) !== over.zone;
      move(card, over.zone, swaps && !room ? over.index : null);
    }
  };
  root.addEventListener("pointerup", drop);
  root.addEventListener("pointercancel", drop);
  root.addEventListener("dragstart", (event) => event.preventDefault());
  server.addEventListener("back", () => { if (root.isConnected) judge(); });

  drawCards();
  return {
    element: root,
    get held() { return held; },
    get verdict() { return verdict; },
    /** Takes a whole position; says nothing to `changed`. */
    put(next) {
      held = { ...nothing(), ...structuredClone(next) };
      held.hand = order(held.hand);
      picked = target = verdict = roving = null;
      drawCards();
      judgeSoon();
    },
    /** Takes a card in, to the place that waits for it, or out. */
    toggle(card) {
      const zone = zoneOf(card);
      if (zone) held[zone] = held[zone].filter((other) => other !== card);
      else if (cardsOf(held).length >= 13) return false;
      else held[target && held[target].length < ROOM[target] ? target : "hand"].push(card);
      if (target && held[target].length >= ROOM[target]) target = null;
      held.hand = order(held.hand);
      update(zone ? "remove" : "add");
      return true;
    },
    /** Gives the focus to where the arrows begin. */
    focus() { root.querySelector('[data-zone][tabindex="0"]')?.focus({ preventScroll: true }); },
    again() { root.setAttribute("aria-label", name); drawCards(); judge(); },
  };
}

/** The 52 cards to choose from; `state(card)` says what a card is: "" free, "in" held, or who else has it. */
export function createGrid({ state, toggle, label }) {
  const root = h("div", { class: "grid", role: "group", "aria-label": label });
  let at = 0;
  const cells = DECK.map((card, index) =>
    h("button", { type: "button", class: `cell suit-${card[1]}`, "data-card": card, tabindex: index ? "-1" : "0", on: { click: () => toggle(card) } }, face(card).slice(0, 2)));
  for (let suit = 0; suit < 4; suit += 1) root.append(h("div", { class: "grid-suit" }, cells.slice(13 * suit, 13 * suit + 13)));
  root.addEventListener("focusin", (event) => {
    const next = cells.indexOf(event.target);
    if (next < 0) return;
    cells[at].tabIndex = -1;
    at = next;
    cells[at].tabIndex = 0;
  });
  root.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 13, ArrowUp: -13 };
    const to = event.key === "Home" ? at - (at % 13) : event.key === "End" ? at - (at % 13) + 12 : at + (steps[event.key] ?? NaN);
    if (!cells[to]) return;
    cells[to].focus();
    event.preventDefault();
  });
  return {
    element: root,
    draw() {
      for (const cell of cells) {
        const { card } = cell.dataset;
        const is = state(card);
        cell.classList.toggle("in", is === "in");
        cell.classList.toggle("taken", Boolean(is) && is !== "in");
        cell.setAttribute("aria-pressed", String(is === "in"));
        cell.setAttribute("aria-disabled", String(Boolean(is) && is !== "in"));
        cell.setAttribute("aria-label", is && is !== "in" ? t("grid.taken", { card: cardName(card), who: is }) : cardName(card));
      }
    },
  };
}
