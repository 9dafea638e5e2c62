// Score: the seats of a deal, what is wrong with them, who owes whom.
import { Gone, post, Problem, server } from "./api.js";
import { cardsOf, nothing } from "./board.js";
import { cardName, minis, read, SEGMENTS, words } from "./cards.js";
import { emptySeat, dealOf, fromLink, hasCards, tableOf, toLink } from "./document.js";
import { button, debounce, dialog, draw, field, h, say, select, toast } from "./dom.js";
import { createEntry, fault, position } from "./entry.js";
import { language, signed, t } from "./i18n.js";
import { createNight } from "./night.js";
import { rulesChooser, rulesDocument } from "./rules.js";
import { settlement, tone, unitsTable } from "./settlement.js";
import { keep, kept } from "./store.js";

const fresh = (names = ["", ""], rules = "basic") => ({ rules, banker: null, more: {}, seats: names.map((name) => emptySeat(name)), correcting: null });

export function createScore() {
  let table = { ...fresh(), ...kept("score", {}) };
  let result = null;
  let faults = [];
  let rules = null;
  let asked = 0;
  let waits = false;
  const naturals = new Map();
  const bar = h("div", { class: "options" });
  const seatsArea = h("div", { class: "seats" });
  const seatButtons = h("div", { class: "buttons" });
  const outcome = h("section", { class: "outcome", "aria-labelledby": "outcome-title" });
  const notice = h("div", { class: "notice", role: "status" });
  const views = [];

  const seatName = (seat) => table.seats[seat]?.name || t(`seat.${seat}`);

  const night = createNight({
    /** A night was opened: its rule set and its players are the table's. */
    opened(open) {
      if (!open) return changed(false);
      table.rules = open.rules;
      if (!table.seats.some(hasCards) && open.players.length >= 2) table.seats = open.players.slice(0, 4).map((name) => emptySeat(name));
      build();
      changed(false);
    },
    correct(number, deal) {
      stash();
      Object.assign(table, tableOf(deal), { correcting: number });
      if (deal.rules === undefined && night.open) table.rules = night.open.rules;
      build();
      changed();
      bar.scrollIntoView({ block: "start" });
      say(t("score.correcting", { n: number }));
    },
    share: (deal) => share(deal),
  });

  const root = h("section", { class: "mode score", "aria-label": t("tab.score") },
    h("div", { class: "work" }, bar, notice, seatsArea, seatButtons, outcome), night.element);

  /** What was there before a link or a deal of the night took its place. */
  function stash() {
    if (table.seats.some(hasCards) && table.correcting === null) keep("score.before", table);
  }

  function changed(ask = true) {
    keep("score", table);
    if (ask) [result, faults] = [null, []];
    update();
    soon();
  }

  async function ask() {
    const mine = ++asked;
    rulesDocument(table.rules).then((document) => { if (mine === asked) { rules = document; update(); } }).catch(() => {});
    if (!table.seats.some((seat) => hasCards(seat) || seat.surrender)) {
      [result, faults, waits] = [null, [], false];
      return update();
    }
    for (const seat of table.seats) findNaturals(seat, mine);
    try {
      const answer = await post("/api/score", dealOf(table));
      if (mine !== asked) return;
      for (const player of answer.players) if (!player.vacant && !table.seats[player.seat].name) player.name = seatName(player.seat);
      [result, faults, waits] = [answer, [], false];
      say(answer.players.filter((player) => !player.vacant).map((player) => `${player.name} ${signed(player.total)}`).join(", "));
    } catch (error) {
      if (mine !== asked) return;
      if (error instanceof Problem) [result, faults, waits] = [null, error.errors.length ? error.errors : [{ code: "", pointer: "", message: error.message }], false];
      else if (error instanceof Gone) [result, faults, waits] = [null, [], true];
      else throw error;
    }
    update();
  }
  const soon = debounce(ask, 120);
  server.addEventListener("back", () => { if (root.isConnected) ask(); });

  const naturalsKey = (seat) => `${typeof table.rules === "string" ? table.rules : ""}:${[...cardsOf(seat.held)].sort().join("")}`;
  async function findNaturals(seat, mine) {
    const cards = cardsOf(seat.held);
    const key = naturalsKey(seat);
    if (seat.raw || cards.length !== 13 || new Set(cards).size !== 13 || naturals.has(key)) return;
    const query = typeof table.rules === "string" ? `?rules=${encodeURIComponent(table.rules)}` : "";
    const { naturals: held } = await post(`/api/check${query}`, { hand: cards.join(" ") }).catch(() => ({}));
    if (!held) return;
    naturals.set(key, held);
    if (mine === asked && held.length) update();
  }

  /** What is wrong at a place: the faults whose pointer leads there. */
  const faultsAt = (seat) => faults.filter(({ pointer }) => pointer === `/players/${seat}` || pointer?.startsWith(`/players/${seat}/`));

  function told(seat, { code, pointer, message }) {
    const [, , , zone, place] = pointer.split("/");
    const card = zone && place !== undefined ? table.seats[seat].held[zone]?.[Number(place)] : null;
    const count = cardsOf(table.seats[seat].held).length;
    if (code === "wrong_count") return t("fault.wrong_count", { n: count, more: Math.abs(13 - count), what: t(count < 13 ? "fault.missing" : "fault.over", { n: Math.abs(13 - count) }) });
    if (code === "duplicate_card" && card && language !== "en") return t("fault.duplicate_card", { card: cardName(card), place: t(`place.${zone}`) });
    if (language !== "en" && t(`fault.${code}`) !== `fault.${code}`) return t(`fault.${code}`);
    return message;
  }

  /** The places of a seat's cards that a fault points at, by segment. */
  function marksOf(seat) {
    const marks = {};
    for (const { pointer, code } of faultsAt(seat)) {
      const [, , , zone, place] = pointer.split("/");
      if (zone && place !== undefined) (marks[zone] ||= {})[Number(place)] = code === "duplicate_card" ? "twice" : "unknown";
    }
    for (const zone of [...SEGMENTS, "hand"]) {
      table.seats[seat].held[zone].forEach((card, place) => {
        if (faults.some(({ code }) => code === "duplicate_card") && holders(card) > 1) (marks[zone] ||= {})[place] = "twice";
      });
    }
    return marks;
  }
  const holders = (card) => table.seats.reduce((sum, seat) => sum + cardsOf(seat.held).filter((other) => other === card).length, 0);

  function viewSeat(seat) {
    const own = () => table.seats[seat];
    const name = h("input", { type: "text", class: "seat-name", maxlength: 100, autocomplete: "off", k: `name:${seat}`, "aria-label": t("seat.name", { n: seat + 1 }), placeholder: t(`seat.${seat}`), value: own().name,
      on: { input() { own().name = name.value.trim(); changed(); } } });
    const typed = h("input", { type: "text", class: "typed", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", k: `typed:${seat}`,
      "aria-label": t("seat.type", { name: seatName(seat) }), placeholder: t("seat.placeholder"),
      on: { change: take, keydown(event) { if (event.key === "Enter") { event.preventDefault(); take(); } }, input: () => { if (!fault(position(typed.value)) && cardsOf(position(typed.value).held).length === 13) take(); } } });
    const total = h("output", { class: "seat-total" });
    const body = h("div", { class: "seat-body" });
    const root = h("section", { class: "seat", role: "group" }, h("div", { class: "seat-head" }, name, total), body, typed);

    function take() {
      const text = typed.value.trim();
      if (!text) return;
      const found = position(text);
      const parts = text.split(/[|/;\n]+/).map((part) => part.trim());
      Object.assign(own(), { held: found.held, declare: "", raw: found.bad.length ? (parts.length === 3 ? Object.fromEntries(SEGMENTS.map((zone, i) => [zone, parts[i]])) : { hand: text }) : null });
      typed.value = "";
      changed();
    }

    return {
      root,
      update() {
        const mine = own();
        const outcomeOf = result?.players[seat];
        const wrong = faultsAt(seat);
        root.setAttribute("aria-label", seatName(seat));
        root.classList.toggle("filled", hasCards(mine));
        root.classList.toggle("vacant", mine.vacant);
        name.hidden = typed.hidden = mine.vacant;
        if (document.activeElement !== name) name.value = mine.name;
        name.setAttribute("aria-invalid", String(wrong.some(({ pointer }) => pointer.endsWith("/name"))));
        total.textContent = outcomeOf && !outcomeOf.vacant ? signed(outcomeOf.total) : "";
        total.className = `seat-total ${tone(outcomeOf?.total ?? 0)}`;
        total.setAttribute("aria-label", t("seat.total", { name: seatName(seat) }));
        const marks = marksOf(seat);
        const shown = (zone, label) => h("div", { class: "row" }, h("span", { class: "row-name" }, label), minis(mine.held[zone], marks[zone]), h("span", { class: "row-words" }, outcomeOf?.[zone] ? words(outcomeOf[zone], language === "en") : ""));
        const placed = SEGMENTS.some((zone) => mine.held[zone].length);
        const held = naturals.get(naturalsKey(mine)) || [];
        const declarable = mine.declare && !held.includes(mine.declare) ? [mine.declare, ...held] : held;
        draw(body,
          mine.vacant ? h("p", { class: "note" }, t("seat.vacant")) : [
            hasCards(mine) && !mine.raw && h("div", { class: "rows" }, placed && SEGMENTS.map((zone) => shown(zone, t(`short.${zone}`))), mine.held.hand.length > 0 && shown("hand", placed ? t("seat.unplaced") : t("seat.hand"))),
            mine.raw && h("p", { class: "raw" }, Object.values(mine.raw).map((cards) => (Array.isArray(cards) ? cards.join(" ") : cards)).join(" | ")),
            outcomeOf?.foul && h("p", { class: "foul-line" }, h("strong", {}, t("foul")), " ", outcomeOf.foul_reasons.map((reason) => t(`foul.${reason}`)).join(", ")),
            outcomeOf?.natural && h("p", { class: "natural-line" }, h("strong", {}, t("natural")), " ", t(`natural.${outcomeOf.natural}`)),
            wrong.length > 0 && h("ul", { class: "faults" }, [...new Set(wrong.map((one) => told(seat, one)))].map((line) => h("li", { class: wrong.every(({ code }) => code === "wrong_count") ? "todo" : "" }, line)))],
          h("div", { class: "buttons" },
            !mine.vacant && button(t("seat.set"), () => edit(seat), { class: hasCards(mine) ? "plain" : "plain strong", k: `set:${seat}`, "aria-label": t("seat.set_name", { name: seatName(seat) }) }),
            hasCards(mine) && button(t("entry.clear"), () => { Object.assign(mine, { held: nothing(), raw: null, declare: "" }); changed(); }, { class: "plain", k: `clear:${seat}`, "aria-label": t("seat.clear_name", { name: seatName(seat) }) }),
            declarable.length > 0 && button(mine.declare ? t("seat.declared", { natural: t(`natural.${mine.declare}`) }) : t("seat.declare", { natural: t(`natural.${declarable[0]}`) }), () => { mine.declare = mine.declare ? "" : declarable[0]; changed(); }, { class: "plain toggle", k: `declare:${seat}`, "aria-pressed": String(Boolean(mine.declare)) }),
            (rules?.surrender != null || mine.surrender) && !mine.vacant && button(t("seat.surrender"), () => { mine.surrender = !mine.surrender; changed(); }, { class: "plain toggle", k: `surrender:${seat}`, "aria-pressed": String(mine.surrender) }),
            mine.vacant && button(t("seat.fill"), () => { mine.vacant = false; changed(); }, { class: "plain", k: `fill:${seat}` })));
      },
    };
  }

  /** Sets a seat's cards on the board, in a dialog of its own. */
  async function edit(seat) {
    const mine = table.seats[seat];
    const taken = (card) => {
      const other = table.seats.findIndex((one, place) => place !== seat && cardsOf(one.held).includes(card));
      return other < 0 ? "" : seatName(other);
    };
    await dialog(t("seat.title", { name: seatName(seat) }), t("close"), (close) => {
      const entry = createEntry({
        rules: () => table.rules, taken,
        changed(held) { Object.assign(mine, { held, raw: null }); if (cardsOf(held).length !== 13) mine.declare = ""; changed(); },
        extra: () => h("button", { type: "button", class: "plain", k: "rest", on: { click: rest } }, t("seat.random")),
      });
      /** Cards at random out of those that nobody holds. */
      async function rest() {
        const { hands } = await post("/api/deal", { players: 4 }).catch(() => ({ hands: [] }));
        const free = hands.flatMap((hand) => read(hand).cards).filter((card) => !taken(card));
        if (free.length >= 13) entry.put({ ...nothing(), hand: free.slice(0, 13) });
      }
      entry.board.put(mine.held);
      entry.refresh();
      const done = button(t("done"), () => close(), { class: "main", k: "done" });
      return h("div", {}, entry.element, h("div", { class: "dialog-foot" }, done));
    }, { class: "wide" });
    seatsArea.querySelector(`[data-k="set:${seat}"]`)?.focus();
  }

  function build() {
    views.length = 0;
    table.seats.forEach((_, seat) => views.push(viewSeat(seat)));
    draw(seatsArea, views.map((view) => view.root));
    seatsArea.dataset.seats = table.seats.length;
    const inNight = night.open;
    draw(bar,
      rulesChooser(table.rules, (name) => { table.rules = name; changed(); }, inNight ? { disabled: true } : {}),
      h("div", { class: "banker-field" }));
    update();
  }

  function update() {
    for (const view of views) view.update();
    const banks = rules && rules.banker !== "none";
    draw(bar.lastElementChild, (banks || table.banker !== null) && field(t("score.banker"), select(
      [["", t("none")], ...table.seats.map((_, seat) => [String(seat), seatName(seat)])], table.banker === null ? "" : String(table.banker),
      (seat) => { table.banker = seat === "" ? null : Number(seat); changed(); }, { k: "banker" })));
    const general = faults.filter(({ pointer }) => !/^\/players\/\d/.test(pointer || ""));
    draw(notice,
      table.correcting !== null && h("p", { class: "correcting" }, t("score.correcting", { n: table.correcting }), " ", button(t("cancel"), cancel, { class: "text-button", k: "cancel-correct" })),
      kept("score.before", null) && table.correcting === null && h("p", {}, t("score.from_link"), " ", button(t("score.restore"), restore, { class: "text-button", k: "restore" })),
      waits && h("p", { class: "todo" }, t("score.waits")),
      general.map((one) => h("p", { class: "message" }, t(`fault.${one.code}`) === `fault.${one.code}` || language === "en" ? one.message : t(`fault.${one.code}`))));
    draw(seatButtons,
      table.seats.length < 4 && button(t("score.add_seat"), () => { table.seats.push(emptySeat(night.open?.players[table.seats.length] || "")); build(); changed(); seatsArea.querySelector(`[data-k="name:${table.seats.length - 1}"]`)?.focus(); }, { class: "plain", k: "add-seat" }),
      table.seats.length > 2 && button(t("score.drop_seat"), () => { table.seats.pop(); if (table.banker >= table.seats.length) table.banker = null; build(); changed(); }, { class: "plain", k: "drop-seat" }),
      button(t("score.example"), example, { class: "plain", k: "example", hidden: table.seats.some(hasCards) }),
      button(t("entry.clear_all"), clear, { class: "plain", k: "clear-all", hidden: !table.seats.some(hasCards) }),
      button(t("share"), () => share(dealOf(table)), { class: "plain", k: "share", hidden: !table.seats.some(hasCards) }));
    draw(outcome, h("h2", { id: "outcome-title" }, t("score.settlement")),
      result ? [unitsTable(result),
        h("div", { class: "outcome-foot" }, button(table.correcting === null ? t("night.add") : t("night.save", { n: table.correcting }), add, { class: "main", k: "add" })),
        settlement(result, rules)]
        : h("p", { class: "note" }, t("score.empty")));
  }

  function clear() {
    table.seats = table.seats.map((seat) => emptySeat(seat.name));
    table.more = {};
    build();
    changed();
  }

  function restore() {
    table = { ...fresh(), ...kept("score.before", {}) };
    keep("score.before", null);
    build();
    changed();
  }

  function cancel() {
    const before = kept("score.before", null);
    table = before || fresh(table.seats.map((seat) => seat.name), table.rules);
    table.correcting = null;
    keep("score.before", null);
    build();
    changed();
  }

  async function add() {
    const deal = dealOf({ ...table, rules: null });
    const names = table.seats.map((seat, place) => (seat.vacant ? null : seat.name || result?.players[place]?.name || ""));
    deal.players.forEach((player, place) => { if (player && !player.name && names[place]) player.name = names[place]; });
    const correcting = table.correcting;
    if (!night.open && !(await night.start(names.filter((name) => name !== null), table.rules))) return;
    const kept = correcting === null ? await night.add(deal) : await night.put(correcting, deal);
    if (!kept) return;
    table.correcting = null;
    keep("score.before", null);
    clear();
    seatsArea.querySelector('[data-k^="set:"]')?.focus({ preventScroll: true });
  }

  async function share(deal) {
    const link = toLink(deal);
    await dialog(t("share.title"), t("close"), () => {
      const shown = h("input", { type: "text", readonly: true, value: link, "aria-label": t("share.link"), class: "link" });
      return h("div", {}, h("p", {}, t("share.what")), shown, h("div", { class: "dialog-foot" },
        navigator.share && button(t("share.send"), () => navigator.share({ url: link }).catch(() => {}), { class: "plain" }),
        button(t("share.copy"), async () => {
          try { await navigator.clipboard.writeText(link); } catch { shown.select(); document.execCommand("copy"); }
          toast(t("share.copied"));
        }, { class: "main", k: "copy" })));
    });
  }

  /** A deal to look at: dealt now, set by the strongest strategy that there is. */
  async function example() {
    try {
      const players = table.seats.length;
      const [{ hands }, names] = await Promise.all([post("/api/deal", { players }), import("./play.js").then((play) => play.strategyNames())]);
      const { arrangements } = await post("/api/arrange", { hands, rules: table.rules, strategy: names.at(-1), players });
      table.seats = tableOf({ players: arrangements }).seats.map((seat, place) => ({ ...seat, name: table.seats[place].name }));
      build();
      changed();
    } catch (error) {
      if (!(error instanceof Gone || error instanceof Problem)) throw error;
      toast(error.message || t("gone"));
    }
  }

  return {
    element: root,
    show(options) {
      const linked = options.get("deal") && fromLink(options.get("deal"));
      if (options.has("deal")) {
        history.replaceState(null, "", "#score");
        if (linked) {
          stash();
          table = { ...tableOf(linked), correcting: null };
          keep("score", table);
        } else toast(t("share.bad"));
      }
      build();
      night.show(options.get("night"));
      ask();
    },
    /** Takes a deal document, as a link does; comes back once it is settled. */
    load(deal) {
      table = { ...tableOf(deal), correcting: null };
      build();
      keep("score", table);
      return ask();
    },
  };
}
