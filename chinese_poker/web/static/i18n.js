// The page's words, out of texts/*.json.

export const LANGUAGES = { en: "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文", vi: "Tiếng Việt", id: "Bahasa Indonesia" };

let texts = {};
let plural = new Intl.PluralRules("en");
export let language = "en";

/** The language to speak: the one chosen, else the first of the browser's that there is. */
export function choose(chosen) {
  if (chosen in LANGUAGES) return chosen;
  for (const wanted of navigator.languages || []) {
    const [base, ...rest] = wanted.split("-");
    if (base === "zh") return rest.some((part) => ["Hant", "TW", "HK", "MO"].includes(part)) ? "zh-Hant" : "zh-Hans";
    if (base in LANGUAGES) return base;
  }
  return "en";
}

export async function speak(code) {
  const answer = await fetch(new URL(`texts/${code}.json`, import.meta.url));
  texts = await answer.json();
  language = code;
  plural = new Intl.PluralRules(code);
  document.documentElement.lang = code;
}

/** A text: `{name}` is filled in, `{n:card|cards}` picks by the number `n`. */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, other) => {
    if (!(name in values)) return whole;
    if (one === undefined) return values[name];
    return plural.select(Number(values[name])) === "one" ? one : other;
  });
}

export const has = (key) => key in texts;

export const number = (value, places = 0) =>
  new Intl.NumberFormat(language, { minimumFractionDigits: places, maximumFractionDigits: places }).format(value);

/** A number with its sign, a true minus, and no sign at nothing. */
export function signed(value, places = 0) {
  const shown = number(Math.abs(value), places);
  if (!/[1-9]/.test(shown)) return shown;
  return `${value < 0 ? "\u2212" : "+"}${shown}`;
}

/** What stands between the things of a list. */
export const comma = () => (language.startsWith("zh") ? "，" : ", ");

export const percent = (share) => `${number(100 * share)}%`;

/** What a rule set is called. */
export const rulesName = (rules) =>
  typeof rules === "string" ? (has(`rules.${rules}`) ? t(`rules.${rules}`) : rules) : rules?.title || rules?.name || t("rules.own");
