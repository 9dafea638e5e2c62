// The page: modes in the fragment, settings, and what is said when the server is gone.
import { again, here, server, useToken } from "./api.js";
import { button, dialog, draw, field, h, icon, select, toast } from "./dom.js";
import { choose, LANGUAGES, speak, t } from "./i18n.js";
import { loadRules } from "./rules.js";
import { set, settings } from "./store.js";

/** The modes; each one's module is fetched when it is first gone to. */
const MODES = {
  set: async () => (await import("./set.js")).createSet(),
  score: async () => (await import("./score.js")).createScore(),
  play: async () => (await import("./play.js")).createPlay(),
};
let made = {};
let mode = null;
let asksToken = false;

const where = () => {
  const [name, rest = ""] = location.hash.slice(1).split("?");
  return [name in MODES ? name : settings.mode in MODES ? settings.mode : "set", new URLSearchParams(rest)];
};

async function go() {
  const [name, options] = where();
  made[mode]?.hide?.();
  mode = name;
  set({ mode });
  drawTop();
  made[name] ||= await MODES[name]();
  if (mode !== name) return;
  const main = document.getElementById("main");
  if (main.firstElementChild !== made[name].element) main.replaceChildren(made[name].element);
  made[name].show(options);
}

function drawTop() {
  document.title = `${t(`tab.${mode}`)} · ${t("title")}`;
  document.getElementById("brand").textContent = t("title");
  document.getElementById("skip").textContent = t("skip");
  document.getElementById("tune").setAttribute("aria-label", t("settings"));
  const tabs = document.getElementById("tabs");
  tabs.setAttribute("aria-label", t("modes"));
  draw(tabs, Object.keys(MODES).map((name) => h("a", { href: `#${name}`, class: "tab", k: `tab:${name}`, "aria-current": name === mode ? "page" : undefined }, icon(name), h("span", {}, t(`tab.${name}`)))));
  drawBanner();
}

function drawBanner() {
  const banner = document.getElementById("banner");
  banner.classList.toggle("shown", !here || asksToken);
  if (asksToken) {
    const token = h("input", { type: "password", k: "token", "aria-label": t("token"), autocomplete: "off" });
    draw(banner, h("form", { class: "token", on: { submit(event) { event.preventDefault(); asksToken = false; useToken(token.value.trim()); loadRules(); drawBanner(); } } },
      h("span", {}, t("token.asks")), token, h("button", { type: "submit", class: "plain" }, t("token.use"))));
  } else draw(banner, !here && [h("span", {}, t("gone.kept")), button(t("gone.retry"), () => again(), { class: "plain", k: "retry" })]);
}

server.addEventListener("gone", drawBanner);
server.addEventListener("back", () => { drawBanner(); if (!asksToken) toast(t("back")); });
server.addEventListener("token", () => { if (!asksToken) { asksToken = true; drawBanner(); } });

function theme(chosen) {
  set({ theme: chosen });
  document.documentElement.dataset.chosen = chosen;
  document.dispatchEvent(new Event("theme"));
}

async function language(code) {
  set({ language: code });
  await speak(choose(code));
  made[mode]?.hide?.();
  made = {};
  go();
}

function tune() {
  dialog(t("settings"), t("close"), (close) => h("div", { class: "form" },
    field(t("settings.language"), select([["", t("settings.browser")], ...Object.entries(LANGUAGES)], settings.language, (code) => { close(); language(code); }, { k: "language" })),
    field(t("settings.theme"), select([["", t("settings.system")], ["light", t("settings.light")], ["dark", t("settings.dark")]], settings.theme, theme, { k: "theme" })),
    field(t("settings.four"), h("input", { type: "checkbox", role: "switch", checked: settings.colours !== 2, k: "colours", on: { change(event) {
      set({ colours: event.target.checked ? 4 : 2 });
      document.documentElement.dataset.colours = String(settings.colours);
    } } }), { class: "check" }),
    h("section", { class: "help" }, h("h3", {}, t("help.keys")), h("dl", {}, ["arrows", "place", "pick", "delete", "escape"].map((key) => [h("dt", {}, t(`help.${key}.key`)), h("dd", {}, t(`help.${key}`))])))));
}

document.getElementById("tune").addEventListener("click", tune);
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); document.getElementById("main").focus(); });
addEventListener("hashchange", go);
addEventListener("online", () => again());

await speak(choose(settings.language)).catch(() => speak("en"));
loadRules();
await go();
document.documentElement.dataset.ready = "";

/** For tests and the curious: the modes as they are made. */
export const mode_of = (name) => made[name];
