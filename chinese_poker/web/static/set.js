// Set: what to do with these 13 cards.
import { Gone, post, Problem, server, stream } from "./api.js";
import { createAdvice, keyOf } from "./advice.js";
import { cardsOf, nothing } from "./board.js";
import { read, SEGMENTS, write } from "./cards.js";
import { debounce, draw, field, h, say, select, toast } from "./dom.js";
import { createEntry } from "./entry.js";
import { signed, t } from "./i18n.js";
import { rulesChooser, rulesDocument } from "./rules.js";
import { keep, kept, set as setSettings, settings } from "./store.js";

export function createSet() {
  let asking = null;
  let askedFor = "";
  let rules = null;
  const bar = h("div", { class: "options" });
  const state = h("p", { class: "note", role: "status" });
  const side = h("section", { class: "side", "aria-label": t("set.suggestions") });
  const heading = h("h2", {});
  const advice = createAdvice({
    take(one) {
      entry.put(Object.fromEntries(SEGMENTS.map((zone) => [zone, read(one[zone]).cards])), "advice");
      say(t("set.taken"));
      toast(t("set.taken"));
    },
    mine: () => keyOf(entry.board.held),
  });
  const entry = createEntry({
    rules: () => settings.rules,
    changed(held) {
      keep("set", held);
      seek();
    },
    extra: () => h("button", { type: "button", class: "plain strong", k: "deal", on: { click: deal } }, t("set.deal")),
  });
  const root = h("section", { class: "mode set", "aria-label": t("tab.set") }, h("div", { class: "work" }, bar, entry.element), side);

  async function deal() {
    try {
      const { hands } = await post("/api/deal", { players: 2 });
      entry.put({ ...nothing(), hand: read(hands[0]).cards }, "deal");
      say(t("set.dealt"));
    } catch (error) {
      trouble(error);
    }
  }

  function trouble(error) {
    if (error instanceof Problem) state.textContent = error.message;
    else if (error instanceof Gone) state.textContent = t("set.waits");
    else if (error.name !== "AbortError") throw error;
  }

  /** Asks for suggestions once there are 13 cards; a change of cards or rules gives up what was asked. */
  async function ask() {
    const cards = cardsOf(entry.board.held);
    const bank = banking();
    const key = JSON.stringify([[...cards].sort(), settings.rules, settings.opponents, bank]);
    if (cards.length !== 13) {
      asking?.abort();
      askedFor = "";
      advice.clear();
      state.textContent = t("set.needs", { n: 13 - cards.length });
      side.classList.remove("ready");
      return;
    }
    if (key === askedFor) return;
    asking?.abort();
    askedFor = key;
    const mine = (asking = new AbortController());
    state.textContent = t("set.thinking");
    side.classList.add("ready");
    advice.clear();
    try {
      let found = null;
      await stream("POST", "/api/suggest", { hand: write(cards), rules: settings.rules, opponents: bank.bank === "theirs" ? 1 : settings.opponents, ...bank, top: 5 }, (event, data) => {
        if (mine !== asking || event !== "suggestions") {
          if (event === "error") state.textContent = data.detail || data.message || "";
          return;
        }
        if (!found) {
          performance.mark("first-suggestion");
          say(t("set.first", { worth: signed(data.suggestions[0].ev, 2) }));
        }
        found = data;
        state.textContent = "";
        advice.show(data, true);
      }, mine.signal);
      if (found && mine === asking) advice.show(found, false);
    } catch (error) {
      if (mine !== asking) return;
      askedFor = "";
      trouble(error);
    }
  }
  const soon = debounce(ask, 30);
  const seek = () => {
    if (cardsOf(entry.board.held).length === 13) soon();
    else ask();
  };
  server.addEventListener("back", () => { if (root.isConnected) seek(); });

  /** Whose the bank is, in a house that has one. */
  const banking = () => (rules?.name !== settings.rules || rules.banker === "none" || (rules.banker === "optional" && !settings.bank) ? {} : { bank: settings.bank || "theirs" });

  function learn() {
    rulesDocument(settings.rules).then((document) => { rules = document; drawBar(); seek(); }).catch(() => {});
  }

  function drawBar() {
    const banks = rules?.name === settings.rules && rules.banker !== "none";
    draw(bar, rulesChooser(settings.rules, (name) => { setSettings({ rules: name }); entry.board.again(); seek(); learn(); }),
      field(t("set.opponents"), select([1, 2, 3].map((n) => [String(n), t("set.against", { n })]), String(settings.opponents), (n) => { setSettings({ opponents: Number(n) }); seek(); }, { k: "opponents" })),
      banks && field(t("set.bank"), select([...(rules.banker === "optional" ? [["", t("none")]] : []), ["mine", t("set.mine")], ["theirs", t("set.theirs")]], banking().bank || "", (bank) => { setSettings({ bank }); seek(); }, { k: "bank" })));
  }

  return {
    element: root,
    show() {
      drawBar();
      learn();
      draw(side, heading, state, advice.element);
      heading.textContent = t("set.suggestions");
      entry.board.put(kept("set", nothing()));
      entry.refresh();
      seek();
    },
  };
}
