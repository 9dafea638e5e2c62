// Runs before the first paint: the theme, the card colours and the language that were chosen.
(() => {
  const root = document.documentElement;
  let chosen = {};
  try { chosen = JSON.parse(localStorage.getItem("cp.settings")) || {}; } catch { /* no storage: the defaults */ }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => { root.dataset.theme = root.dataset.chosen || (dark.matches ? "dark" : "light"); };
  root.dataset.chosen = ["light", "dark"].includes(chosen.theme) ? chosen.theme : "";
  root.dataset.colours = chosen.colours === 2 ? "2" : "4";
  dark.addEventListener("change", theme);
  document.addEventListener("theme", theme);
  theme();
})();
