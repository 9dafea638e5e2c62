// Play: a real shuffle, players to beat, and what each hand gave away.
import { createAdvice, keyOf } from "./advice.js";
import { get, Gone, post, Problem, server } from "./api.js";
import { cardsOf, createBoard, isSet, nothing, segmentsOf } from "./board.js";
import { read, ROOM, SEGMENTS } from "./cards.js";
import { losses } from "./chart.js";
import { button, draw, field, h, say, select, toast } from "./dom.js";
import { has, number, percent, rulesName, signed, t } from "./i18n.js";
import { rulesChooser, rulesDocument } from "./rules.js";
import { segmentRows, settlement, tone } from "./settlement.js";
import { keep, kept } from "./store.js";

/** The strategies that there are, from the weakest to the strongest. */
export async function strategyNames() {
  const names = await get("/api/strategies");
  keep("strategies", names);
  return names;
}
const strategyName = (name) => (has(`strategy.${name}`) ? t(`strategy.${name}`) : name);

const FRESH = { phase: "idle", rules: "basic", opponents: 3, strategy: "", clock: 0, hints: false };

/** The skill of hands: 100 is the best play, 0 gives away as much as the weakest strategy does with the same cards. */
export function skill(record) {
  const counted = record.filter((hand) => !hand.hinted && hand.weakest !== null && hand.weakest !== undefined);
  const [mine, weakest] = [counted.reduce((sum, hand) => sum + hand.lost, 0), counted.reduce((sum, hand) => sum + hand.weakest, 0)];
  return weakest > 0 ? Math.max(0, Math.round(100 * (1 - mine / weakest))) : null;
}

export function createPlay() {
  let game = { ...FRESH, ...kept("play", {}) };
  let record = kept("record", []);
  let strategies = kept("strategies", ["equilibrium"]);
  let rules = null;
  let ticking = null;
  let busy = false;
  const options = h("div", { class: "options" });
  const stage = h("div", { class: "stage" });
  const side = h("section", { class: "side record", "aria-labelledby": "record-title" });
  const message = h("p", { class: "message", role: "alert" });
  const clock = h("output", { class: "clock", role: "timer", "aria-live": "off" });
  const actions = h("div", { class: "play-actions" });
  const advice = createAdvice({ take: (one) => { game.hinted = true; board.put(Object.fromEntries(SEGMENTS.map((zone) => [zone, read(one[zone]).cards]))); held(board.held); }, mine: () => keyOf(board.held) });
  const after = createAdvice({ take: null, mine: () => game.review?.played && keyOf(game.review.played) });
  const board = createBoard({
    rules: () => game.rules, name: t("play.board"), tells: () => game.hints || game.phase === "open",
    changed: (position) => held(position),
  });
  const root = h("section", { class: "mode play", "aria-label": t("tab.play") }, h("div", { class: "work" }, options, message, stage), side);

  function save() { keep("play", game); }

  function held(position) {
    game.held = position;
    save();
    drawActions();
  }

  function trouble(error) {
    if (error instanceof Problem) message.textContent = error.errors[0]?.message || error.message;
    else if (error instanceof Gone) message.textContent = t("play.waits");
    else throw error;
  }

  /** One thing at a time: a second tap while the server is asked does nothing. */
  async function once(work) {
    if (busy) return;
    busy = true;
    message.textContent = "";
    drawActions();
    try {
      await work();
    } catch (error) {
      trouble(error);
    } finally {
      busy = false;
      drawActions();
    }
  }

  const deal = () => once(async () => {
    const { hands } = await post("/api/deal", { players: game.opponents + 1 });
    Object.assign(game, { phase: "set", hands, held: { ...nothing(), hand: read(hands[0]).cards }, declare: false, hinted: game.hints, result: null, review: null, naturals: [], deadline: game.clock ? Date.now() + 1000 * game.clock : null });
    save();
    show();
    say(t("play.dealt"));
    board.element.scrollIntoView({ block: "nearest" });
    board.element.querySelector('.zone-hand [tabindex="0"], .zone-hand .card')?.focus({ preventScroll: true });
  });

  /** Lays what is not placed where there is room, back first, as it lies in the hand. */
  function lay() {
    const position = structuredClone(board.held);
    for (const zone of [...SEGMENTS].reverse()) while (position[zone].length < ROOM[zone]) position[zone].push(position.hand.shift());
    board.put(position);
    game.held = position;
  }

  const open = (declared = null) => once(async () => {
    if (!isSet(board.held) && !declared) return;
    game.declare = declared;
    const mine = declared ? { name: t("play.you"), hand: cardsOf(board.held).join(" "), declare: declared } : { name: t("play.you"), ...segmentsOf(board.held) };
    const { arrangements } = await post("/api/arrange", { hands: game.hands.slice(1), rules: game.rules, strategy: game.strategy, players: game.opponents + 1 });
    const table = { rules: game.rules, players: [mine, ...arrangements.map((player, i) => ({ name: `${strategyName(game.strategy)} ${i + 1}`, ...player }))] };
    if (rules?.banker === "required") table.banker = 1;
    const result = await post("/api/score", table);
    clearInterval(ticking);
    Object.assign(game, { phase: "open", result, table, deadline: null });
    save();
    show();
    say(t("play.opened", { units: signed(result.players[0].total) }));
    await judge();
  });

  /** What the hand gave away, and the weakest strategy with the same cards: the measure of the skill figure. */
  async function judge() {
    const { table } = game;
    const review = await post("/api/review", { deal: table, seat: 0, against: game.strategy, top: 5 });
    const { suggestions: found } = review;
    const playing = found.suggestions[0].ev;
    const best = Math.max(playing, found.declare?.ev ?? -Infinity, found.surrender?.ev ?? -Infinity);
    const each = found.opponents;
    const missed = each * (best - playing);
    const lost = game.declare ? each * Math.max(0, best - found.declare.ev) : review.given_away + missed;
    let weakest = null;
    const [name] = strategies;
    const { arrangements: [other] } = await post("/api/arrange", { hands: [game.hands[0]], rules: game.rules, strategy: name, players: game.opponents + 1 });
    if (other.front) {
      const judged = await post("/api/review", { deal: { ...table, players: [{ name: "0", ...other }, ...table.players.slice(1)] }, seat: 0, against: game.strategy, top: 1 });
      weakest = (judged.given_away ?? 0) + missed;
    }
    game.review = { ...review, lost };
    record = [...record, { at: Date.now(), rules: game.rules, opponents: game.opponents, strategy: game.strategy, lost, error: review.error ?? 0, weakest, units: game.result.players[0].total, hinted: game.hinted }].slice(-1000);
    keep("record", record);
    save();
    drawStage();
    drawRecord();
    say(t("play.lost", { n: number(lost, 2) }));
  }

  function tick() {
    const left = Math.max(0, Math.ceil((game.deadline - Date.now()) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    clock.classList.toggle("late", left <= 10);
    if (left === 10) say(t("play.ten"));
    if (left > 0 || game.phase !== "set") return;
    clearInterval(ticking);
    lay();
    toast(t("play.time"));
    open();
  }

  async function hint() {
    game.hints = !game.hints;
    if (game.hints && game.phase === "set") game.hinted = true;
    save();
    drawOptions();
    drawStage();
    board.again();
    if (game.hints && game.phase === "set") {
      try {
        advice.show(await post("/api/suggest", { hand: game.hands[0], rules: game.rules, opponents: rules?.banker === "required" ? 1 : game.opponents, against: game.strategy, top: 3, ...(rules?.banker === "required" ? { bank: "theirs" } : {}) }), false);
      } catch (error) { trouble(error); }
    }
  }

  function drawOptions() {
    const change = (changes) => { Object.assign(game, changes); save(); drawOptions(); };
    const switchHints = field(t("play.hints"), h("input", { type: "checkbox", role: "switch", k: "hints", checked: game.hints, on: { change: hint } }), { class: "check" });
    options.classList.toggle("terms", game.phase === "set");
    if (game.phase === "set") {
      draw(options, h("p", { class: "note" }, `${rulesName(game.rules)} · ${t("play.against", { n: game.opponents })}, ${strategyName(game.strategy)}`), switchHints);
      return;
    }
    draw(options,
      rulesChooser(game.rules, (name) => { change({ rules: name }); rulesDocument(name).then((document) => { rules = document; }).catch(() => {}); }),
      field(t("play.players"), select([1, 2, 3].map((n) => [String(n), t("play.against", { n })]), String(game.opponents), (n) => change({ opponents: Number(n) }), { k: "players" })),
      field(t("play.strategy"), select(strategies.map((name) => [name, strategyName(name)]), game.strategy, (strategy) => change({ strategy }), { k: "strategy" })),
      field(t("play.clock"), select([0, 30, 60, 90, 120].map((n) => [String(n), n ? t("play.seconds", { n }) : t("play.no_clock")]), String(game.clock), (n) => change({ clock: Number(n) }), { k: "clock" })),
      switchHints);
  }

  function drawActions() {
    if (game.phase === "set") {
      const ready = isSet(board.held);
      const ranked = Object.entries(rules?.naturals.worth || {}).filter(([, units]) => units).map(([name]) => name);
      const declaring = ranked.length > 0 && select([["", t("play.declare")], ...ranked.map((name) => [name, t(`natural.${name}`)])], "", (name) => { if (name) open(name); }, { k: "declare", "aria-label": t("play.declare"), class: "plain" });
      draw(actions, game.deadline && clock,
        button(t("play.open"), () => open(), { class: "main", k: "open", disabled: !ready || busy }),
        declaring);
    } else {
      draw(actions, button(t(game.phase === "open" ? "play.next" : "play.deal"), deal, { class: "main", k: "deal", disabled: busy }));
    }
  }

  function verdict() {
    const { review } = game;
    if (!review) return h("div", { class: "verdict-card" }, h("p", { class: "note" }, t("play.judging")), !busy && button(t("retry"), () => once(judge), { class: "plain", k: "judge" }));
    const exact = review.lost < 0.005;
    const unsure = !exact && review.error && review.lost < 2 * review.error;
    return h("div", { class: `verdict-card ${exact || unsure ? "good" : "gave"}` },
      h("p", { class: "big" }, exact ? t("play.best") : t("play.gave", { n: number(review.lost, 2) }), review.error >= 0.005 && !exact ? h("span", { class: "note" }, ` ± ${number(review.error, 2)}`) : ""),
      unsure && h("p", { class: "note" }, t("play.as_good")),
      review.best && !exact && h("div", {}, h("p", { class: "note" }, t("play.better")), segmentRows(review.best)),
      review.suggestions.advice === "declare" && !game.declare && h("p", {}, t("play.missed", { natural: t(`natural.${review.suggestions.declare.natural}`) })),
      review.given_away_seen > 0 && h("p", { class: "note" }, t("play.seen", { n: review.given_away_seen })));
  }

  function drawStage() {
    if (game.phase === "set") {
      draw(stage, board.element, actions, game.hints && advice.element);
      if (!game.hints) advice.clear();
      return;
    }
    if (game.phase === "open") {
      const { result } = game;
      const mine = result.players[0];
      after.show(game.review?.suggestions, false);
      draw(stage,
        h("div", { class: "opened-head" }, h("p", { class: `big ${tone(mine.total)}` }, t("play.result", { units: signed(mine.total) })), actions),
        verdict(),
        h("div", { class: "opened" }, result.players.map((player, seat) => h("section", { class: "seat filled", "aria-label": player.name },
          h("div", { class: "seat-head" }, h("strong", {}, player.name), h("span", { class: `seat-total ${tone(player.total)}` }, signed(player.total))),
          player.front ? segmentRows(Object.fromEntries(SEGMENTS.map((zone) => [zone, player[zone].cards])), { strengths: player }) : segmentRows({ front: "", middle: "", back: "", ...handRows(game.table.players[seat].hand) }),
          player.foul && h("p", { class: "foul-line" }, h("strong", {}, t("foul")), " ", player.foul_reasons.map((reason) => t(`foul.${reason}`)).join(", ")),
          player.natural && h("p", { class: "natural-line" }, h("strong", {}, t("natural")), " ", t(`natural.${player.natural}`))))),
        settlement(result, rules, 0),
        game.review && h("section", { class: "after" }, h("h2", {}, t("play.top")), after.element));
      return;
    }
    draw(stage, h("div", { class: "welcome" }, h("h2", {}, t("play.title")), h("p", {}, t("play.what")), actions));
  }

  const handRows = (hand = "") => { const { cards } = read(hand); return { front: cards.slice(0, 3), middle: cards.slice(3, 8), back: cards.slice(8) }; };

  function drawRecord() {
    const counted = record.filter((hand) => !hand.hinted);
    const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0);
    const lost = counted.map((hand) => hand.lost);
    const middle = mean(lost);
    const error = lost.length > 1 ? Math.sqrt(mean(lost.map((loss) => (loss - middle) ** 2)) / (lost.length - 1)) : 0;
    const figure = skill(record);
    const fact = (name, value, more) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, value, more ? h("span", { class: "note" }, more) : ""));
    draw(side, h("h2", { id: "record-title" }, t("record")),
      record.length ? [
        h("dl", { class: "facts" },
          fact(t("record.skill"), figure === null ? "–" : number(figure)),
          fact(t("record.loss"), number(middle, 2), error ? ` ± ${number(error, 2)}` : ""),
          fact(t("record.best"), percent(mean(lost.map((loss) => (loss < 0.05 ? 1 : 0))))),
          fact(t("record.hands"), number(record.length)),
          fact(t("record.units"), signed(record.reduce((sum, hand) => sum + hand.units, 0)))),
        losses(record, Math.max(260, side.clientWidth - 2 || 320)),
        h("p", { class: "note" }, t("record.what", { weakest: strategyName(strategies[0]) })),
        h("div", { class: "buttons" }, button(t("record.reset"), () => { record = []; keep("record", record); drawRecord(); }, { class: "plain", k: "reset" }))]
        : h("p", { class: "note" }, t("record.empty")));
  }

  function show() {
    clearInterval(ticking);
    if (!strategies.includes(game.strategy)) game.strategy = strategies.at(-1);
    rulesDocument(game.rules).then((document) => { rules = document; drawActions(); if (game.phase === "open") drawStage(); }).catch(() => {});
    if (game.phase === "set") {
      board.put(game.held);
      if (game.deadline) { ticking = setInterval(tick, 250); tick(); }
    }
    drawOptions();
    drawActions();
    drawStage();
    drawRecord();
  }

  const learn = () => strategyNames().then((names) => { strategies = names; if (!names.includes(game.strategy)) game.strategy = names.at(-1); drawOptions(); }).catch(() => {});
  server.addEventListener("back", () => { if (root.isConnected) { learn(); message.textContent = ""; if (game.phase === "open" && !game.review) once(judge); } });
  return { element: root, show() { show(); learn(); }, hide() { clearInterval(ticking); } };
}
