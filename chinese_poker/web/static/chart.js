// The night as lines: each player's units after each deal.
import { h, svg } from "./dom.js";
import { signed, t } from "./i18n.js";

const DASHES = ["", "7 4", "2 4", "10 3 2 3"];

/** Running sums by name, from the results of a night's deals. */
function sums(deals) {
  const runs = new Map();
  deals.forEach((deal, index) => {
    for (const player of deal.result.players) {
      if (player.vacant) continue;
      if (!runs.has(player.name)) runs.set(player.name, Array(index + 1).fill(0));
    }
    for (const [name, run] of runs) {
      const gained = deal.result.players.filter((player) => player.name === name).reduce((all, player) => all + player.total, 0);
      run.push(run.at(-1) + gained);
    }
  });
  return runs;
}

function ticks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough));
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, i) => first + i * step);
}

export function chart(deals, width) {
  const runs = sums(deals);
  const height = Math.min(260, Math.max(180, width * 0.45));
  const all = [...runs.values()].flat();
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const box = { left: 38, right: 12, top: 10, bottom: 24 };
  const x = (deal) => box.left + ((width - box.left - box.right) * deal) / Math.max(1, deals.length);
  const y = (units) => box.top + ((height - box.top - box.bottom) * (high - units)) / (high - low || 1);
  const names = [...runs.keys()];
  const told = names.map((name) => `${name} ${signed(runs.get(name).at(-1))}`).join(", ");
  const every = Math.ceil(deals.length / (width < 420 ? 6 : 12));
  return h("figure", { class: "chart" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": t("chart.name", { told }) },
      ticks(low, high).map((units) => [
        svg("line", { class: units ? "rule" : "rule nil", x1: box.left, x2: width - box.right, y1: y(units), y2: y(units) }),
        svg("text", { class: "tick", x: box.left - 6, y: y(units) + 4, "text-anchor": "end" }, signed(units)),
      ]),
      Array.from({ length: deals.length }, (_, i) => i + 1).filter((deal) => deal % every === 0).map((deal) =>
        svg("text", { class: "tick", x: x(deal), y: height - 6, "text-anchor": "middle" }, String(deal))),
      names.map((name, i) => {
        const run = runs.get(name);
        return [
          svg("polyline", { class: `line line-${i % 4}`, "stroke-dasharray": DASHES[i % 4], points: run.map((units, deal) => `${x(deal)},${y(units)}`).join(" ") }),
          svg("circle", { class: `dot line-${i % 4}`, cx: x(run.length - 1), cy: y(run.at(-1)), r: 4 }),
        ];
      })),
    h("figcaption", { class: "legend" }, names.map((name, i) => h("span", { class: "legend-item" },
      svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("line", { class: `line line-${i % 4}`, "stroke-dasharray": DASHES[i % 4], x1: 1, x2: 25, y1: 5, y2: 5 })), name))));
}

/** Loss by hand as bars, with the mean so far as a line. */
export function losses(record, width) {
  const shown = record.slice(-60);
  const height = 120;
  const high = Math.max(1, ...shown.map((hand) => hand.lost));
  const box = { left: 34, right: 6, top: 8, bottom: 8 };
  const step = (width - box.left - box.right) / Math.max(12, shown.length);
  const y = (loss) => box.top + ((height - box.top - box.bottom) * (high - loss)) / high;
  let sum = 0;
  const means = shown.map((hand, i) => (sum += hand.lost) / (i + 1));
  const x = (i) => box.left + step * i;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "losses", "aria-label": t("record.chart", { n: shown.length, mean: means.at(-1)?.toFixed(2) ?? "0" }) },
    ticks(0, high).map((loss) => [
      svg("line", { class: loss ? "rule" : "rule nil", x1: box.left, x2: width - box.right, y1: y(loss), y2: y(loss) }),
      svg("text", { class: "tick", x: box.left - 6, y: y(loss) + 4, "text-anchor": "end" }, String(loss))]),
    shown.map((hand, i) => svg("rect", { class: hand.hinted ? "loss hinted" : "loss", x: x(i) + 1, y: y(hand.lost) - 1, width: Math.max(2, step - 2), height: Math.max(2, y(0) - y(hand.lost) + 1), rx: 1.5 })),
    means.length > 1 && svg("polyline", { class: "line line-1", points: means.map((mean, i) => `${x(i) + step / 2},${y(mean)}`).join(" ") }));
}
