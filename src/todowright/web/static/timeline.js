// Who was on what, and when: a bar for each step of each agent.

import { WORDS, lasting, make, written } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const LEGEND = ["in_progress", "completed", "pending", "cancelled"];

// The spans of each step of one agent: [{ number, content, spans: [{ status, since, until }], gone, reopened }]
export const lives = (revisions, now = Date.now()) => {
  const found = new Map();
  for (const revision of revisions) {
    const at = Date.parse(revision.updated_at);
    const here = new Set();
    for (const todo of revision.todos) {
      here.add(todo.number);
      const life = found.get(todo.number) || { number: todo.number, spans: [], gone: false, reopened: false };
      found.set(todo.number, life);
      life.content = todo.content;
      life.gone = false;
      const last = life.spans.at(-1);
      if (last && last.status === todo.status && last.until === null) continue;
      if (last && last.until === null) last.until = at;
      const open = todo.status === "pending" || todo.status === "in_progress";
      life.reopened = open && (life.reopened || last?.status === "completed");
      life.spans.push({ status: todo.status, since: at, until: null });
    }
    for (const [number, life] of found) {
      const last = life.spans.at(-1);
      if (!here.has(number) && last.until === null) {
        last.until = at;
        life.gone = true;
      }
    }
  }
  for (const life of found.values()) {
    const last = life.spans.at(-1);
    if (last.until === null) last.until = now;
  }
  return [...found.values()];
};

const drawn = (name, attributes, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

const line = (life, start, end) => {
  const at = (moment) => (1000 * (Math.max(moment, start) - start)) / (end - start);
  const worked = life.spans
    .filter((span) => span.status === "in_progress")
    .reduce((sum, span) => sum + span.until - span.since, 0);
  const long = lasting(worked / 1000);
  const seen = life.spans.filter((span) => span.until >= start);
  const bars = seen.map((span) => {
    const on = span.status === "in_progress";
    const from = new Date(span.since).toLocaleTimeString();
    const told = `${WORDS[span.status]} from ${from}, ${lasting((span.until - span.since) / 1000)}`;
    const width = Math.max(on ? 3 : 1, at(span.until) - at(span.since));
    const box = { x: at(span.since), width, y: on ? 1 : 4, height: on ? 10 : 4, class: `t-${span.status}` };
    return drawn("rect", box, drawn("title", {}, told));
  });
  const label = `${life.content}: ${long} in progress${life.gone ? ", dropped" : ""}`;
  const frame = { viewBox: "0 0 1000 12", preserveAspectRatio: "none", role: "img", "aria-label": label };
  return make(
    "div",
    { class: life.gone ? "line gone" : "line", "data-key": life.number },
    make("span", { class: "what", title: life.content }, written(life.content)),
    drawn("svg", frame, ...bars),
    make("span", { class: "long" }, worked ? long : "–"),
  );
};

const axis = (start, end) => {
  const time = (at) =>
    new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const legend = LEGEND.map((status) => make("span", { class: `key k-${status}` }, WORDS[status]));
  return make(
    "div",
    { class: "axis", "data-key": "axis" },
    make("span", { class: "legend" }, ...legend),
    make("span", { class: "times" }, make("span", {}, time(start)), make("span", {}, time(end))),
  );
};

// From the moment on from which the history of all of them is loaded, if that is not its beginning.
export const timeline = (agents, since) => {
  const all = agents.flatMap(({ revisions }) => revisions).map((revision) => Date.parse(revision.updated_at));
  if (!all.length) return make("p", { class: "quiet" }, "Nothing yet.");
  const open = agents.some(({ revisions }) =>
    revisions.at(-1)?.todos.some((todo) => todo.status === "in_progress"),
  );
  const first = all.reduce((least, at) => Math.min(least, at)),
    last = all.reduce((most, at) => Math.max(most, at));
  const start = since ? Date.parse(since) : first,
    end = Math.max(open ? Date.now() : last, start + 1);
  const box = make("div", { class: "timeline" }, axis(start, end));
  for (const { agent, revisions } of agents) {
    const part = make("div", { "data-key": `of ${agent}` });
    if (agents.length > 1) part.append(make("p", { class: "count" }, agent));
    part.append(...lives(revisions, end).map((life) => line(life, start, end)));
    box.append(part);
  }
  return box;
};
