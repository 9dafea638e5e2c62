// A result in words: who won what from whom, item by item.
import { minis, read, SEGMENTS, words } from "./cards.js";
import { h } from "./dom.js";
import { language, signed, t } from "./i18n.js";

/** What to call the players of a result so that people tell them apart. */
export function namesOf(result) {
  const names = result.players.map((player) => (player.vacant ? "" : player.name));
  return names.map((name, seat) => (name && names.filter((other) => other === name).length > 1 ? t("seat.shared", { name, seat: seat + 1 }) : name));
}

const times = (factor) => t({ 2: "times.2", 3: "times.3" }[factor] || "times.n", { n: factor });
const said = (segment) => words(segment, language === "en");

function why(item, [i, j], result, names, rules) {
  const [first, second] = [result.players[i], result.players[j]];
  const segment = item.segment && t(`segment.${item.segment}`);
  switch (item.reason) {
    case "segment": {
      const [a, b] = [said(first[item.segment]), said(second[item.segment])];
      if (!a || !b) return segment;
      if (!item.units || first[item.segment].words === second[item.segment].words) return t(item.units ? "item.tie_rule" : "item.both", { segment, hand: a });
      return t("item.over", { segment, better: item.units > 0 ? a : b, worse: item.units > 0 ? b : a });
    }
    case "bonus":
      return t("item.bonus", { segment, hand: said((item.units > 0 ? first : second)[item.segment]) });
    case "bonus_cap":
      return t("item.bonus_cap", { n: rules?.bonuses.cap ?? "" });
    case "scoop_factor":
      return t("item.scoop_factor", { times: rules ? times(rules.scoop.factor) : "" });
    case "home_run":
      return t("item.home_run", { times: rules ? times(rules.home_run.factor) : "" });
    case "foul":
      return [first, second].flatMap((player, at) => (player.foul
        ? [t("item.foul", { name: names[[i, j][at]], why: (player.foul_reasons || []).map((reason) => t(`foul.${reason}`)).join(", ") })] : [])).join(" · ");
    case "natural":
      return [first, second].flatMap((player, at) => (player.natural
        ? [t("item.natural", { name: names[[i, j][at]], natural: t(`natural.${player.natural}`) })] : [])).join(" · ");
    case "surrender":
      return [first, second].flatMap((player, at) => (player.surrender ? [t("item.surrender", { name: names[[i, j][at]] })] : [])).join(" · ");
    case "cap":
      return t("item.cap", { n: rules?.cap ?? "" });
    default:
      return t(`item.${item.reason}`);
  }
}

/** Every pair of a result, item by item; with a seat given, its pairs first and the others folded away. */
export function settlement(result, rules, seat = null) {
  const names = namesOf(result);
  const section = (matchup) => {
    const [i, j] = matchup.players;
    const [winner, loser] = matchup.total >= 0 ? [i, j] : [j, i];
    const said = !matchup.total ? "settle.even" : winner === seat ? "settle.you_win" : loser === seat ? "settle.you_lose" : "settle.wins";
    return h("section", { class: "matchup" },
      h("h3", {}, t(said, { first: names[i], second: names[j], winner: names[winner], loser: names[loser], n: Math.abs(matchup.total) })),
      h("ul", {}, matchup.items.map((item) => h("li", {},
        h("span", { class: "item-why" }, why(item, matchup.players, result, names, rules)),
        h("span", { class: "item-units" }, item.units ? `${names[item.units > 0 ? i : j]} ${signed(Math.abs(item.units))}` : "0")))));
  };
  const [own, others] = [true, false].map((is) => result.matchups.filter(({ players }) => (seat === null || players.includes(seat)) === is));
  return h("div", { class: "settlement" },
    result.home_run !== null && h("p", { class: "home-run" }, t("settle.home_run", { name: names[result.home_run] })),
    h("div", { class: "matchups" }, own.map(section)),
    others.length > 0 && h("details", {}, h("summary", {}, t("settle.others")), h("div", { class: "matchups" }, others.map(section))));
}

/** Units by player and opponent, with the sums. */
export function unitsTable(result) {
  const names = namesOf(result);
  const seated = result.players.filter((player) => !player.vacant);
  const paid = (i, j) => {
    for (const { players: [a, b], total } of result.matchups) {
      if (a === i && b === j) return signed(total);
      if (a === j && b === i) return signed(-total);
    }
    return "";
  };
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("settle.table") }, h("table", { class: "units" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("settle.from")), seated.map((player) => h("th", { scope: "col" }, names[player.seat])), h("th", { scope: "col" }, t("units")))),
    h("tbody", {}, seated.map((player) => h("tr", {}, h("th", { scope: "row" }, names[player.seat]),
      seated.map((other) => h("td", {}, other === player ? "·" : paid(player.seat, other.seat))),
      h("td", { class: `sum ${tone(player.total)}` }, signed(player.total)))))));
}

export const tone = (units) => (units > 0 ? "plus" : units < 0 ? "minus" : "");

/** The segments of a player as small cards with their strengths. */
export function segmentRows(segments, { strengths = {}, marks = {} } = {}) {
  return h("div", { class: "rows" }, SEGMENTS.map((zone) => {
    const cards = Array.isArray(segments[zone]) ? segments[zone] : read(segments[zone] || "").cards;
    return h("div", { class: "row" }, h("span", { class: "row-name" }, t(`short.${zone}`)), minis(cards, marks[zone]), h("span", { class: "row-words" }, said(strengths[zone])));
  }));
}
