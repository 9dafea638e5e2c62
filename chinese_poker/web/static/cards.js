// Cards: read from text, written, drawn.
import { h, svg } from "./dom.js";
import { t } from "./i18n.js";

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
export const SEGMENTS = ["front", "middle", "back"];
export const ROOM = { front: 3, middle: 5, back: 5, hand: 13 };
export const DECK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));

const SIGNS = { "♠": "s", "♤": "s", "♥": "h", "♡": "h", "❤": "h", "♦": "d", "♢": "d", "♣": "c", "♧": "c" };
const PLAYING = { 0xa: "s", 0xb: "h", 0xc: "d", 0xd: "c" };
const PIPS = [, "A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", , "Q", "K"];

/** The cards of a text and the pieces of it that are none: `As`, `as`, `10h`, `A♠`, `🂡`, apart or together. */
export function read(text) {
  const cards = [];
  const bad = [];
  for (const piece of text.split(/[\s,;.|/·]+/).filter(Boolean)) {
    const pattern = /(10|[2-9tjqka])\ufe0e?([shdc♠♤♥♡❤♦♢♣♧])[\ufe0e\ufe0f]?|([\u{1f0a1}-\u{1f0de}])/giuy;
    while (pattern.lastIndex < piece.length) {
      const at = pattern.lastIndex;
      const match = pattern.exec(piece);
      if (!match) {
        bad.push(piece.slice(at));
        break;
      }
      if (match[3]) {
        const code = match[3].codePointAt(0);
        const rank = PIPS[code & 15];
        if (rank) cards.push(rank + PLAYING[(code >> 4) & 15]);
        else bad.push(match[3]);
      } else {
        const suit = SIGNS[match[2]] || match[2].toLowerCase();
        cards.push(match[1].replace("10", "T").toUpperCase() + suit);
      }
    }
  }
  return { cards, bad };
}

export const write = (cards) => cards.join(" ");

const worth = (card) => 4 * (14 - RANKS.indexOf(card[0])) - SUITS.indexOf(card[1]);

export const byRank = (cards) => [...cards].sort((a, b) => worth(b) - worth(a));
export const bySuit = (cards) => [...cards].sort((a, b) => DECK.indexOf(a) - DECK.indexOf(b));

export const shownRank = (card) => card[0].replace("T", "10");

/** What a card is called, for who hears the page. */
export const cardName = (card) => t("card.name", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
export const cardNames = (cards) => cards.map(cardName).join(", ");

const pip = (suit, name) => svg("svg", { class: name, "aria-hidden": "true" }, svg("use", { href: `#suit-${suit}` }));

/** The face of a card: a corner and a pip. */
export const face = (card) => [
  h("span", { class: "rank", "aria-hidden": "true" }, shownRank(card)),
  pip(card[1], "corner"),
  pip(card[1], "pip"),
];

/** A small card to be read, not touched. */
export const mini = (card, mark) =>
  h("span", { class: `mini suit-${card[1]}${mark ? ` ${mark}` : ""}` },
    h("span", { class: "rank" }, shownRank(card)), pip(card[1], "corner"));

/** A run of small cards with one name. */
export const minis = (cards, marks = {}) =>
  h("span", { class: "minis", role: "img", "aria-label": cardNames(cards) || t("none") },
    cards.map((card, place) => mini(card, marks[place])));

/** A segment in words: the server's in English, else its category with the ranks that make it. */
export function words(segment, english) {
  if (!segment) return "";
  if (english) return segment.words;
  if (!segment.category) return t("cards.count", { n: read(segment.cards).cards.length });
  const counts = new Map();
  for (const card of read(segment.cards).cards) counts.set(card[0], (counts.get(card[0]) || 0) + 1);
  const ranks = [...counts].sort((a, b) => b[1] - a[1] || RANKS.indexOf(a[0]) - RANKS.indexOf(b[0])).map(([rank]) => rank);
  const straight = segment.category.startsWith("straight");
  const top = straight && ranks[0] === "A" && ranks[1] === "5" ? "5" : ranks[0];
  const name = (rank) => (rank || "").replace("T", "10");
  const made = { high_card: 1, one_pair: 1, two_pair: 2, three_of_a_kind: 1, flush: 1, four_of_a_kind: 1 }[segment.category] ?? ranks.length;
  const kickers = ranks.slice(made).map(name).join("-");
  return t(`made.${segment.category}`, { a: name(top), b: name(ranks[1]) }) + (kickers ? ` (${kickers})` : "");
}
