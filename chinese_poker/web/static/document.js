// Deals as documents: the seats of the page to JSON and back, and a deal in a link.
import { read, SEGMENTS } from "./cards.js";
import { nothing } from "./board.js";

export const emptySeat = (name = "") => ({ name, held: nothing(), raw: null, declare: "", surrender: false, vacant: false, more: {} });

const text = (cards) => (Array.isArray(cards) ? cards.join(" ") : cards ?? "");

/** The seat that a player of a document is; what the page does not know of it is kept as it is. */
export function seatOf(player) {
  if (player === null) return { ...emptySeat(), vacant: true };
  const { name = "", front, middle, back, hand, declare = "", surrender = false, ...more } = player;
  const given = Object.entries({ front, middle, back, hand }).filter(([, cards]) => cards !== undefined);
  const held = nothing();
  for (const [zone, cards] of given) held[zone] = read(text(cards)).cards;
  const raw = given.some(([, cards]) => read(text(cards)).bad.length) ? Object.fromEntries(given) : null;
  return { name, held, raw, declare, surrender, vacant: false, more };
}

/** The player of a document that a seat is. */
export function playerOf(seat) {
  if (seat.vacant) return null;
  const player = { ...(seat.name ? { name: seat.name } : {}), ...seat.more };
  const { held } = seat;
  const placed = SEGMENTS.some((zone) => held[zone].length);
  if (seat.raw) Object.assign(player, seat.raw);
  else if (placed) for (const zone of SEGMENTS) player[zone] = held[zone];
  else if (held.hand.length) player.hand = held.hand;
  if (seat.declare) player.declare = seat.declare;
  if (seat.surrender) player.surrender = true;
  return player;
}

export const hasCards = (seat) => Boolean(seat.raw) || Object.values(seat.held).some((cards) => cards.length);

export function tableOf(deal) {
  const { players, rules = "basic", banker = null, ...more } = deal;
  return { rules, banker, more, seats: players.map(seatOf) };
}

export function dealOf({ rules, banker, more, seats }) {
  return { ...more, ...(rules === null ? {} : { rules }), ...(banker === null ? {} : { banker }), players: seats.map(playerOf) };
}

/** A deal as the text of a link: JSON in base64url. */
export function toLink(deal) {
  const bytes = new TextEncoder().encode(JSON.stringify(deal));
  const packed = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}#score?deal=${packed}`;
}

export function fromLink(packed) {
  try {
    const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    const deal = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(deal?.players) && deal.players.length <= 4 ? deal : null;
  } catch {
    return null;
  }
}
