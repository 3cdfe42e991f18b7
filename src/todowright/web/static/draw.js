// Words for times, and small drawings: icons, cells, dots, the last hour.

import { make, plainly } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
export const drawn = (name, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
export const icon = (name, cls = "") =>
  drawn("svg", { class: `i ${cls}`.trim(), "aria-hidden": "true" }, drawn("use", { href: `#i-${name}` }));

export const iconButton = (sign, label, more = {}, cls = "") =>
  make("button", { type: "button", class: `ib ${cls}`.trim(), "aria-label": label, title: label.split(":")[0], ...more }, icon(sign));

const two = (n) => String(n).padStart(2, "0");
export const clock = (at) => {
  const day = new Date(at);
  return `${two(day.getHours())}:${two(day.getMinutes())}`;
};
// In columns: 24s 4m 1h 29m 1d.
export const short = (seconds) => {
  const s = Math.max(0, Math.floor(seconds)),
    m = Math.floor(s / 60);
  if (s < 60) return `${s}s`;
  if (m < 60) return `${m}m`;
  if (m < 1440) return `${Math.floor(m / 60)}h ${two(m % 60)}m`;
  return `${Math.floor(m / 1440)}d`;
};
// In sentences: 24 s, 33 min, 1 h 29 min, 2 d.
export const long = (seconds) => {
  const s = Math.max(0, Math.floor(seconds)),
    m = Math.floor(s / 60);
  if (s < 60) return `${s} s`;
  if (m < 60) return `${m} min`;
  if (m < 1440) return `${Math.floor(m / 60)} h${m % 60 ? ` ${m % 60} min` : ""}`;
  return `${Math.floor(m / 1440)} d`;
};

// One cell for each step; more than 16 become one piece for each state.
export const cells = (steps, width) => {
  const list = [...steps];
  const runs = list.length > 16 ? [..."dsnp"].map((c) => [c, list.filter((x) => x === c).length]).filter(([, n]) => n) : list.map((c) => [c, 1]);
  const gap = width / runs.length < 8 ? 1 : 2,
    one = (width - (runs.length - 1) * gap) / (list.length || 1);
  let x = 0;
  const boxes = runs.map(([cls, n]) => {
    const box = drawn("rect", { class: cls, x: x.toFixed(1), width: (one * n).toFixed(1), y: 1, height: 6 });
    x += one * n + gap;
    return box;
  });
  const frame = { class: "cells", viewBox: `0 0 ${width} 8`, preserveAspectRatio: "none", "shape-rendering": "crispEdges", "aria-hidden": "true" };
  return drawn("svg", frame, ...boxes);
};

export const some = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
export const doneOf = (steps) => steps.split("d").length - 1;

// Revisions in twelve times five minutes; nothing for a silent hour.
export const spark = (counts) => {
  const path = counts.map((n, i) => (n ? `M${i * 5 + 2.5} 16v-${Math.min(6, n) * 2.5}` : "")).join("");
  const parts = path ? [drawn("path", { class: "base", d: "M0 15.5h60" }), drawn("path", { d: path })] : [];
  return drawn("svg", { class: "spark", viewBox: "0 0 60 16", "aria-hidden": "true" }, ...parts);
};

const DOTS = { stuck: "s", working: "w", idle: "i", done: "d" };
export const dot = (state) => make("i", { class: `dot ${DOTS[state]}` });
export const dots = (agents) => {
  const told = `${some(agents.length, "agent")}: ${agents.map((each) => each.state).join(", ")}`;
  const more = agents.length > 5 ? [`+${agents.length - 5}`] : [];
  return make("span", { class: "dots" }, make("span", { class: "vh" }, told), ...agents.slice(0, 5).map((each) => dot(each.state)), ...more);
};

// The words with what was looked for marked.
export const marked = (text, query) => {
  const at = query ? text.toLowerCase().indexOf(query.toLowerCase()) : -1;
  if (at < 0) return [text];
  const end = at + query.length;
  return [text.slice(0, at), make("mark", {}, text.slice(at, end)), text.slice(end)];
};

// What requests to models took: claude-opus · 12.3k in · 4.1k out · 0.08 $.
const tokens = (n) => (n >= 999950 ? `${(n / 1e6).toFixed(1)}M` : n >= 1000 ? `${(n / 1000).toFixed(1)}k` : `${n}`);
export const used = ({ by, models, requests, input, output, cached, cost, cost_is_whole }) => {
  const model = by.toSorted((one, other) => other.input - one.input).find((each) => each.models.length)?.models[0];
  const more = models.length > 1 ? ` +${models.length - 1}` : "";
  const price = cost === null ? [] : [`${cost_is_whole ? "" : "≥ "}${cost && cost < 0.01 ? "< 0.01" : cost.toFixed(2)} $`];
  const title = `${requests} requests, ${Math.round((100 * cached) / (input || 1))} % of what was read came from a cache`;
  return make("li", { class: "used", title }, [...(model ? [plainly(model).replace(/-\d{8}$/, "") + more] : []), `${tokens(input)} in`, `${tokens(output)} out`, ...price].join(" · "));
};
