// The server: asks, streams, notices when it is gone and when it is back.

const POLITE = { "Content-Type": "application/json" };

export class Problem extends Error {
  constructor(status, document) {
    super(document?.detail || document?.title || `HTTP ${status}`);
    this.status = status;
    this.errors = document?.errors || [];
  }
}

/** The server does not answer. */
export class Gone extends Error {}

export const server = new EventTarget();
export let here = true;

const given = location.hash.match(/[#&?]token=([^&]+)/);
if (given) {
  sessionStorage.setItem("cp.token", decodeURIComponent(given[1]));
  history.replaceState(null, "", location.pathname + location.hash.replace(given[0], ""));
}

export function useToken(token) {
  sessionStorage.setItem("cp.token", token);
  server.dispatchEvent(new Event("back"));
}

function headers(more) {
  const token = sessionStorage.getItem("cp.token");
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

async function ask(method, path, { body, signal, accept, key, match } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal,
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      headers: headers({
        ...(body === undefined ? {} : typeof body === "string" ? { "Content-Type": "application/x-ndjson" } : POLITE),
        ...(accept ? { Accept: accept } : {}),
        ...(key ? { "Idempotency-Key": key } : {}),
        ...(match === undefined ? {} : { "If-Match": String(match) }),
      }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    lost();
    throw new Gone();
  }
  if ([502, 503, 504].includes(answer.status)) {
    lost();
    throw new Gone();
  }
  found();
  if (answer.status === 401) server.dispatchEvent(new Event("token"));
  if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => null));
  return answer;
}

export async function call(method, path, body, options = {}) {
  const answer = await ask(method, path, { body, ...options });
  return answer.status === 204 ? null : answer.json();
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body, options);

export async function download(path) {
  return (await ask("GET", path)).blob();
}

/** Server-sent events, one `heard(event, data)` each, until the stream or the signal ends. */
export async function stream(method, path, body, heard, signal) {
  const answer = await ask(method, path, { body, signal, accept: "text/event-stream" });
  if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    heard("suggestions", await answer.json());
    return;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      for (const block of blocks) {
        let event = "message";
        const data = [];
        for (const line of block.split(/\r?\n/)) {
          if (line.startsWith("event:")) event = line.slice(6).trim();
          else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
        }
        if (data.length) heard(event, JSON.parse(data.join("\n")));
      }
    }
  } catch (error) {
    if (error.name === "AbortError" || signal?.aborted) throw error;
    lost();
    throw new Gone();
  }
}

let waiting;
function lost() {
  if (here) {
    here = false;
    server.dispatchEvent(new Event("gone"));
  }
  if (!waiting) again(700);
}

/** Asks for a sign of life, ever less often, until one comes. */
export function again(wait = 0) {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    try {
      const answer = await fetch("/api/health", { headers: headers({}), cache: "no-store" });
      if (answer.status < 500) return found();
    } catch { /* still gone */ }
    again(Math.min(10000, wait * 1.6 || 700));
  }, wait);
}

function found() {
  clearTimeout(waiting);
  waiting = undefined;
  if (here) return;
  here = true;
  server.dispatchEvent(new Event("back"));
}
