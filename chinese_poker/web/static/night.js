// The night: deals added up, who stands where, undo and correction, and every browser that looks on.
import { call, download, get, Gone, post, Problem, server, stream } from "./api.js";
import { chart } from "./chart.js";
import { button, dialog, draw, field, h, say, toast } from "./dom.js";
import { number, rulesName, signed, t } from "./i18n.js";
import { rulesChooser } from "./rules.js";
import { settlement, segmentRows, tone } from "./settlement.js";
import { keep, kept, settings } from "./store.js";

const pause = (wait) => new Promise((done) => { setTimeout(done, wait); });

/** What the server did not hear yet, oldest first: it is sent when the server is back, each once. */
let outbox = kept("outbox", []);

export function createNight({ opened, correct, share }) {
  let nights = kept("nights", []);
  let open = kept("night", null);
  let following = null;
  let sending = false;
  const root = h("section", { class: "side night", "aria-labelledby": "night-title" });

  function set(night, tell = true) {
    const other = night?.id !== open?.id;
    open = night;
    keep("night", open);
    if (other && tell) {
      history.replaceState(null, "", night ? `#score?night=${encodeURIComponent(night.id)}` : "#score");
      opened(open);
      follow();
    }
    render();
  }

  async function list() {
    nights = await get("/api/nights");
    keep("nights", nights);
    render();
  }

  async function refresh(id = open?.id) {
    if (id === undefined || id === null) return;
    try {
      const night = await get(`/api/nights/${encodeURIComponent(id)}`);
      if (open?.id === night.id || open === null) set(night, open === null);
    } catch (error) {
      if (error instanceof Problem && error.status === 404 && open?.id === id) {
        toast(t("night.deleted"));
        set(null);
      } else tell(error);
    }
  }

  /** Hears of each change that any browser makes to the night, for as long as it is open. */
  async function follow() {
    following?.abort();
    if (!open) return;
    const mine = (following = new AbortController());
    const { id } = open;
    while (!mine.signal.aborted && root.isConnected) {
      try {
        await stream("GET", `/api/nights/${encodeURIComponent(id)}/events`, undefined, () => { if (!mine.signal.aborted) refresh(id); }, mine.signal);
      } catch (error) {
        if (mine.signal.aborted || error instanceof Problem) return;
      }
      await pause(1500);
    }
  }

  function tell(error) {
    if (error instanceof Problem) toast(error.errors[0]?.message || error.message);
    else if (!(error instanceof Gone)) throw error;
  }

  async function show(id) {
    render();
    if (id && id !== open?.id) {
      await get(`/api/nights/${encodeURIComponent(id)}`).then((night) => set(night)).catch(tell);
    } else {
      if (open) history.replaceState(null, "", `#score?night=${encodeURIComponent(open.id)}`);
      await refresh();
      follow();
    }
    list().catch(tell);
    flush();
  }

  /** Opens a new night after asking for its terms; false where nobody wanted it. */
  async function start(players = [], rules = settings.rules) {
    const terms = { title: "", rules, unit: "1", currency: "", ...kept("terms", {}) };
    terms.rules = rules;
    const made = await dialog(t("night.new"), t("close"), (close) => {
      const title = h("input", { type: "text", maxlength: 100, value: new Date().toLocaleDateString(document.documentElement.lang, { weekday: "long", day: "numeric", month: "long" }) });
      const unit = h("input", { type: "text", inputmode: "decimal", value: terms.unit });
      const currency = h("input", { type: "text", maxlength: 10, value: terms.currency, placeholder: "EUR" });
      const names = Array.from({ length: 4 }, (_, seat) => h("input", { type: "text", maxlength: 100, value: players[seat] || "", placeholder: t(`seat.${seat}`) }));
      const message = h("p", { class: "message", role: "alert" });
      const create = async () => {
        const wanted = {
          title: title.value.trim() || t("night"), rules: terms.rules,
          ...(unit.value.trim() ? { unit: unit.value.trim().replace(",", ".") } : {}), ...(currency.value.trim() ? { currency: currency.value.trim() } : {}),
          players: names.map((name) => name.value.trim()).filter(Boolean),
        };
        try {
          const night = await post("/api/nights", wanted);
          keep("terms", { unit: unit.value, currency: currency.value });
          close(night);
        } catch (error) {
          message.textContent = error instanceof Gone ? t("gone") : error.errors?.map((one) => one.message).join(" ") || error.message;
        }
      };
      return h("form", { class: "form", on: { submit(event) { event.preventDefault(); create(); } } },
        field(t("night.title"), title),
        rulesChooser(terms.rules, (name) => { terms.rules = name; }),
        h("div", { class: "pair" }, field(t("night.unit"), unit), field(t("night.currency"), currency)),
        h("fieldset", {}, h("legend", {}, t("night.players")), h("div", { class: "pair" }, names.map((name, seat) => field(t("seat.name", { n: seat + 1 }), name, { class: "unnamed" })))),
        message, h("div", { class: "dialog-foot" }, h("button", { type: "submit", class: "main" }, t("night.create"))));
    });
    if (!made) return false;
    await get(`/api/nights/${encodeURIComponent(made.id)}`).then((night) => set(night)).catch(tell);
    list().catch(tell);
    return Boolean(open);
  }

  const add = (deal) => send({ method: "POST", path: `/api/nights/${encodeURIComponent(open.id)}/deals`, body: deal, key: crypto.randomUUID?.() || String(Math.random()).slice(2) });
  const put = (n, deal) => send({ method: "PUT", path: `/api/nights/${encodeURIComponent(open.id)}/deals/${n}`, body: deal });

  /** Puts a write into the outbox and sends it; true once it is sure not to be lost. */
  async function send(write) {
    outbox.push(write);
    keep("outbox", outbox);
    render();
    const refused = await flush();
    return refused !== write;
  }

  /** Sends what waits; gives back a write that the server refused. */
  async function flush() {
    if (sending) return null;
    sending = true;
    let refused = null;
    try {
      while (outbox.length) {
        const write = outbox[0];
        try {
          const answer = await call(write.method, write.path, write.body, { key: write.key });
          toast(t(write.method === "POST" ? "night.added" : "night.corrected", { n: answer.number }));
          say(t(write.method === "POST" ? "night.added" : "night.corrected", { n: answer.number }));
        } catch (error) {
          if (error instanceof Gone || error.status >= 500 || error.status === 401) break;
          tell(error);
          refused = write;
        }
        outbox.shift();
        keep("outbox", outbox);
      }
    } finally {
      sending = false;
    }
    if (outbox.length) toast(t("night.kept"));
    await refresh().catch(() => {});
    render();
    return refused;
  }
  server.addEventListener("back", () => { if (root.isConnected) { flush(); list().catch(tell); } });

  async function undo() {
    try {
      const { undone, number: n } = await post(`/api/nights/${encodeURIComponent(open.id)}/undo`, {}, { match: open.version });
      toast(t(`night.undone_${undone}`, { n }));
      say(t(`night.undone_${undone}`, { n }));
      await refresh();
    } catch (error) {
      tell(error);
      await refresh();
    }
  }

  async function save(what, name) {
    try {
      const link = h("a", { href: URL.createObjectURL(await download(`/api/nights/${encodeURIComponent(open.id)}/${what}`)), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch (error) { tell(error); }
  }

  function bringIn() {
    const file = h("input", { type: "file", accept: ".jsonl,.ndjson,.json", on: { async change() {
      try {
        const { nights: [night] } = await post("/api/nights/import", await file.files[0].text());
        await list();
        if (night) await get(`/api/nights/${encodeURIComponent(night.id)}`).then((whole) => set(whole));
      } catch (error) { tell(error); }
    } } });
    file.click();
  }

  async function drop() {
    const sure = await dialog(t("night.delete"), t("close"), (close) => h("div", {}, h("p", {}, t("night.delete_sure", { title: open.title, n: open.deals.length })),
      h("div", { class: "dialog-foot" }, button(t("cancel"), () => close(), { class: "plain" }), button(t("night.delete"), () => close(true), { class: "main danger" }))));
    if (!sure) return;
    try {
      await call("DELETE", `/api/nights/${encodeURIComponent(open.id)}`);
      set(null);
      await list();
    } catch (error) { tell(error); }
  }

  /** Money as the ledger reckons it, with its sign. */
  const cash = (text) => { const sum = String(text ?? "").replace(/^[+-]/, ""); return (/^-/.test(text) ? "\u2212" : /[1-9]/.test(sum) ? "+" : "") + sum; };

  const totals = (deal) => deal.result.players.filter((player) => !player.vacant).map((player) =>
    h("span", { class: "deal-total" }, player.name, " ", h("b", { class: tone(player.total) }, signed(player.total))));

  /** What was done to a deal, in order. */
  async function past(n) {
    try {
      const actions = await get(`/api/nights/${encodeURIComponent(open.id)}/deals/${n}/history`);
      const when = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });
      await dialog(t("night.history_n", { n }), t("close"), () => h("ol", { class: "deals" }, actions.map((action) =>
        h("li", { class: "deal" }, h("span", { class: "deal-totals" }, h("strong", {}, t(`night.did_${action.kind}`)), h("span", { class: "note" }, when.format(new Date(action.recorded)))),
          action.result && h("span", { class: "deal-totals" }, totals(action))))));
    } catch (error) { tell(error); }
  }

  function look(deal) {
    dialog(t("night.deal", { n: deal.number }), t("close"), () => h("div", { class: "look" },
      deal.result.players.filter((player) => !player.vacant).map((player) => h("section", { class: "seat" },
        h("div", { class: "seat-head" }, h("strong", {}, player.name), h("span", { class: `seat-total ${tone(player.total)}` }, signed(player.total))),
        player.front && segmentRows(Object.fromEntries(["front", "middle", "back"].map((zone) => [zone, player[zone].cards])), { strengths: player }),
        player.natural && h("p", { class: "natural-line" }, t(`natural.${player.natural}`)))),
      settlement(deal.result, null)), { class: "wide" });
  }

  function render() {
    const chooser = h("select", { k: "night", on: { change() {
      if (chooser.value === "") set(null);
      else get(`/api/nights/${encodeURIComponent(chooser.value)}`).then((night) => set(night)).catch(tell);
    } } }, h("option", { value: "" }, t("night.none")), nights.concat(open && !nights.some(({ id }) => id === open.id) ? [open] : []).map((night) =>
      h("option", { value: String(night.id), selected: night.id === open?.id }, night.title || t("night"))));
    const head = [
      h("h2", { id: "night-title" }, t("night")),
      h("div", { class: "options" }, field(t("night.which"), chooser, { class: "wide" }), button(t("night.new"), () => start(), { class: "plain", k: "new-night" })),
      outbox.length > 0 && h("p", { class: "todo", role: "status" }, t("night.waiting", { n: outbox.length })),
    ];
    if (!open) {
      draw(root, head, h("p", { class: "note" }, t("night.what")), h("div", { class: "buttons" }, button(t("night.import"), bringIn, { class: "plain", k: "import" })));
      return;
    }
    const { deals, standings } = open;
    const money = standings.some((one) => one.money !== undefined && one.money !== null);
    const width = Math.max(260, root.clientWidth - 2 || 320);
    draw(root, head,
      h("p", { class: "note" }, rulesName(open.rules), open.unit ? ` · ${t("night.per_unit", { unit: open.unit, currency: open.currency || "" })}` : ""),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("night.standings") }, h("table", { class: "standings" },
        h("caption", {}, t("night.standings")),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("player")), h("th", { scope: "col" }, t("night.deals")), h("th", { scope: "col" }, t("units")), money && h("th", { scope: "col" }, `${t("night.money")} ${open.currency || ""}`))),
        h("tbody", {}, standings.map((one) => h("tr", {}, h("th", { scope: "row" }, one.name), h("td", {}, number(one.deals)),
          h("td", { class: `sum ${tone(one.units)}` }, signed(one.units)), money && h("td", { class: tone(one.units) }, cash(one.money))))))),
      deals.length > 0 && chart(deals, width),
      deals.length > 0 && h("ol", { class: "deals", reversed: true, "aria-label": t("night.deals") }, [...deals].reverse().map((deal) =>
        h("li", { class: "deal" }, h("span", { class: "deal-number" }, `${deal.number}`), h("span", { class: "deal-totals" }, totals(deal)),
          h("span", { class: "deal-buttons" },
            button(t("night.look"), () => look(deal), { class: "text-button", k: `look:${deal.number}`, "aria-label": t("night.look_n", { n: deal.number }) }),
            button(t("night.correct"), () => correct(deal.number, deal.deal), { class: "text-button", k: `correct:${deal.number}`, "aria-label": t("night.correct_n", { n: deal.number }) }),
            button(t("share"), () => share({ rules: open.rules, ...deal.deal }), { class: "text-button", k: `share:${deal.number}`, "aria-label": t("night.share_n", { n: deal.number }) }),
            deal.history > 1 && button(t("night.history"), () => past(deal.number), { class: "text-button badge", k: `history:${deal.number}`, "aria-label": t("night.history_n", { n: deal.number }) }))))),
      h("div", { class: "buttons" },
        button(t("night.undo"), undo, { class: "plain", k: "undo" }),
        deals.length > 0 && button("CSV", () => save("export.csv", "night.csv"), { class: "plain", k: "csv" }),
        button("JSON Lines", () => save("export", "night.jsonl"), { class: "plain", k: "jsonl" }),
        button(t("night.import"), bringIn, { class: "plain", k: "import" }),
        button(t("night.delete"), drop, { class: "plain", k: "delete" })));
  }
  new ResizeObserver(([{ contentRect }]) => {
    const drawn = root.querySelector(".chart svg");
    if (drawn && Math.abs(drawn.width.baseVal.value - Math.max(260, contentRect.width - 2)) > 8) render();
  }).observe(root);

  return { element: root, get open() { return open; }, show, start, add, put };
}
