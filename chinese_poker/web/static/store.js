// What the browser keeps: everything that was put in, so that a reload loses nothing.

/** A value that was kept, or the one that stands in for it. */
export function kept(key, otherwise) {
  try {
    const text = localStorage.getItem(`cp.${key}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(`cp.${key}`, JSON.stringify(value));
  } catch { /* no room or not allowed: the page still works until it is closed */ }
}

export const settings = { theme: "", colours: 4, language: "", rules: "basic", opponents: 3, ...kept("settings", {}) };

export function set(changes) {
  Object.assign(settings, changes);
  keep("settings", settings);
}
