// Rule sets: which there are, what one says, and the field that chooses one.
import { get, server } from "./api.js";
import { field, h } from "./dom.js";
import { rulesName, t } from "./i18n.js";
import { keep, kept } from "./store.js";

let presets = kept("presets", [{ name: "basic", title: "Basic game" }]);
const documents = new Map(Object.entries(kept("rules", {})));
const choosers = new Set();

async function load() {
  presets = await get("/api/rules");
  keep("presets", presets);
  for (const chooser of choosers) chooser.isConnected ? fill(chooser) : choosers.delete(chooser);
}
const tryLoad = () => load().catch(() => { /* the banner tells; the ones kept do until then */ });
server.addEventListener("back", tryLoad);
export const loadRules = tryLoad;

/** The document of a rule set: its own where it is one, else the preset's. */
export async function rulesDocument(rules) {
  if (typeof rules !== "string") return rules;
  if (!documents.has(rules)) {
    documents.set(rules, await get(`/api/rules/${encodeURIComponent(rules)}`));
    keep("rules", Object.fromEntries(documents));
  }
  return documents.get(rules);
}

function fill(chooser) {
  const value = chooser.chosen;
  const own = typeof value !== "string";
  const names = presets.map(({ name }) => name);
  chooser.replaceChildren(
    ...[...names, ...(own || names.includes(value) ? [] : [value])].map((name) => h("option", { value: name, selected: name === value }, rulesName(name))),
    ...(own ? [h("option", { value: "", selected: true }, rulesName(value))] : []));
}

/** A field that chooses a rule set; one written out in a deal stands as "own". */
export function rulesChooser(value, change, props = {}) {
  const chooser = h("select", { k: "rules", ...props, on: { change: () => { if (chooser.value) { chooser.chosen = chooser.value; change(chooser.value); } } } });
  chooser.chosen = value;
  choosers.add(chooser);
  fill(chooser);
  return field(t("rules"), chooser, { class: "wide" });
}
