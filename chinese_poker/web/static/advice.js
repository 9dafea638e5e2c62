// Suggestions as they sharpen: value bars with their errors, odds of each segment, and why.
import { cardNames, minis, read, SEGMENTS } from "./cards.js";
import { button, draw, h } from "./dom.js";
import { comma, number, percent, signed, t } from "./i18n.js";

/** The same for the same cards in the same segments, whatever their order. */
export const keyOf = (segments) => SEGMENTS.map((zone) => (Array.isArray(segments[zone]) ? [...segments[zone]] : read(segments[zone]).cards).sort().join()).join("|");

function scale(found) {
  const ends = found.suggestions.flatMap((one) => [one.ev - 2 * one.error, one.ev + 2 * one.error]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const width = high - low || 1;
  return (value) => (100 * (value - low)) / width;
}

function bar(suggestion, at, before) {
  const fill = h("span", { class: `bar-fill${suggestion.ev < 0 ? " minus" : ""}` });
  const zero = h("span", { class: "bar-zero" });
  const whisker = h("span", { class: "bar-whisker" });
  const lay = ({ from, to, low, high, nil }) => {
    Object.assign(fill.style, { left: `${from}%`, width: `${to - from}%` });
    Object.assign(whisker.style, { left: `${low}%`, width: `${high - low}%` });
    zero.style.left = `${nil}%`;
  };
  const places = {
    from: at(Math.min(0, suggestion.ev)), to: at(Math.max(0, suggestion.ev)), nil: at(0),
    low: at(suggestion.ev - 2 * suggestion.error), high: at(suggestion.ev + 2 * suggestion.error),
  };
  lay(before || places);
  if (before) requestAnimationFrame(() => requestAnimationFrame(() => lay(places)));
  return [h("span", { class: "bar", "aria-hidden": "true" }, fill, zero, whisker), places];
}

/** The value of a suggestion with its error, or alone where it is exact. */
export const worth = (one, exact) => signed(one.ev, 2) + (exact ? "" : ` ± ${number(one.error, 2)}`);

const shares = (one) => SEGMENTS.map((zone) => h("span", { class: "share" }, h("span", { class: "share-name" }, t(`short.${zone}`)), percent(one.win[zone])));

/** Where a value comes from, in sentences; the best is held against the next, another one against the best. */
export function reasons(found, one) {
  const best = found.suggestions[0];
  const lines = [t("why.wins", { front: percent(one.win.front), middle: percent(one.win.middle), back: percent(one.win.back) }),
    t("why.scoop", { scoop: percent(one.scoop), scooped: percent(one.scooped) })];
  if (Math.abs(one.bonus) >= 0.005) lines.push(t("why.bonus", { bonus: signed(one.bonus, 2) }));
  const other = one === best ? found.suggestions[1] : one;
  if (other && other !== best) {
    const changes = SEGMENTS.map((zone) => [zone, Math.round(100 * (other.win[zone] - best.win[zone]))]).filter(([, points]) => points);
    const list = changes.map(([zone, points]) => t(points > 0 ? "why.more" : "why.less", { segment: t(`segment.${zone}`), n: Math.abs(points) })).join(comma());
    const sure = found.how === "exact" || other.behind > 2 * other.behind_error;
    const behind = number(other.behind, 3) + (found.how === "exact" ? "" : ` ± ${number(other.behind_error, 3)}`);
    lines.push(t(one === best ? (sure ? "why.next" : "why.next_unsure") : (sure ? "why.this" : "why.this_unsure"), { behind, list: list || t("why.same") }));
  }
  lines.push(t("why.how", { legal: number(found.legal), undominated: number(found.undominated) }));
  return lines;
}

/** A list of suggestions that keeps its places as they sharpen. `take(suggestion)` sets one; without it they are read only. */
export function createAdvice({ take, mine = () => null }) {
  const root = h("div", { class: "advice" });
  const opened = new Set();
  let places = new Map();
  let last = null;

  function show(found, busy) {
    last = [found, busy];
    if (!found) {
      draw(root);
      return;
    }
    const exact = found.how === "exact";
    const at = scale(found);
    const drawn = new Map();
    const items = found.suggestions.map((one, rank) => {
      const key = keyOf(one);
      const [value, laid] = bar(one, at, places.get(key));
      drawn.set(key, laid);
      const body = [
        h("span", { class: "trio" }, SEGMENTS.map((zone) => minis(read(one[zone]).cards))),
        h("span", { class: "worth-line" }, value, h("span", { class: "worth" }, worth(one, exact))),
      ];
      const named = t("advice.name", { rank: rank + 1, worth: worth(one, exact), front: cardNames(read(one.front).cards), middle: cardNames(read(one.middle).cards), back: cardNames(read(one.back).cards) });
      const open = opened.has(key);
      return h("li", { class: `suggestion${mine() === key ? " mine" : ""}` },
        take ? h("button", { type: "button", class: "take", k: `take:${key}`, "aria-label": named, on: { click: () => take(one) } }, body) : h("div", { class: "take" }, body),
        h("div", { class: "odds" }, shares(one), h("span", { class: "share" }, h("span", { class: "share-name" }, t("scoop")), percent(one.scoop)),
          button(t("why"), () => { open ? opened.delete(key) : opened.add(key); show(...last); }, { class: "text-button", k: `why:${key}`, "aria-expanded": String(open) })),
        open && h("div", { class: "why" }, reasons(found, one).map((line) => h("p", {}, line))));
    });
    places = drawn;
    const state = exact ? t("advice.exact") : t(busy ? "advice.busy" : found.how === "separated" ? "advice.sure" : "advice.unsure", { n: number(found.samples) });
    const offers = ["declare", "surrender"].filter((offer) => found[offer]).map((offer) =>
      h("p", { class: `offer${found.advice === offer ? " advised" : ""}` }, t(`advice.${offer}`, {
        natural: found[offer].natural ? t(`natural.${found[offer].natural}`) : "", worth: signed(found[offer].ev, 2), play: signed(found.suggestions[0].ev, 2) }),
      " ", h("strong", {}, t(found.advice === offer ? `advice.do_${offer}` : "advice.do_play"))));
    draw(root, offers, h("ol", { class: "suggestions" }, items), h("p", { class: "note" }, t("advice.each"), " ", state));
  }
  return { element: root, show, clear() { places = new Map(); opened.clear(); show(null); } };
}
