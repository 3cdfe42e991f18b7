// Who was on what, and when: a bar for each step of each agent.

import { lasting, make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

// The spans of each step of one agent: [{ content, spans: [{ status, since, until }] }]
export const lives = (revisions, now) => {
  const found = new Map();
  for (const revision of revisions) {
    const at = Date.parse(revision.updated_at);
    const here = new Set();
    for (const todo of revision.todos) {
      here.add(todo.id);
      const life = found.get(todo.id) || { content: todo.content, spans: [], gone: false };
      found.set(todo.id, life);
      life.content = todo.content;
      const last = life.spans.at(-1);
      if (last && last.status === todo.status && last.until === null) continue;
      if (last && last.until === null) last.until = at;
      life.spans.push({ status: todo.status, since: at, until: null });
    }
    for (const [id, life] of found) {
      const last = life.spans.at(-1);
      if (!here.has(id) && last.until === null) {
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

export const timeline = (agents) => {
  const all = agents.flatMap(({ revisions }) => revisions).map((revision) => Date.parse(revision.updated_at));
  if (!all.length) return make("p", { class: "quiet" }, "Nothing yet.");
  const open = agents.some(({ revisions }) =>
    revisions.at(-1)?.todos.some((todo) => todo.status === "in_progress"),
  );
  const start = Math.min(...all),
    end = Math.max(open ? Date.now() : Math.max(...all), start + 1);
  const box = make("div", { class: "timeline" });
  for (const { agent, revisions } of agents) {
    if (agents.length > 1) box.append(make("p", { class: "count" }, agent));
    for (const life of lives(revisions, end)) {
      const chart = document.createElementNS(SVG, "svg");
      chart.setAttribute("viewBox", "0 0 1000 12");
      chart.setAttribute("preserveAspectRatio", "none");
      const worked = life.spans
        .filter((span) => span.status === "in_progress")
        .reduce((sum, span) => sum + span.until - span.since, 0);
      chart.setAttribute("role", "img");
      chart.setAttribute("aria-label", `${life.content}: ${lasting(worked / 1000)} in progress`);
      for (const span of life.spans) {
        const rect = document.createElementNS(SVG, "rect");
        const x = (1000 * (span.since - start)) / (end - start);
        rect.setAttribute("x", x);
        rect.setAttribute("width", Math.max(1, (1000 * (span.until - start)) / (end - start) - x));
        rect.setAttribute("y", span.status === "in_progress" ? 1 : 4);
        rect.setAttribute("height", span.status === "in_progress" ? 10 : 4);
        rect.setAttribute("class", `t-${span.status}`);
        chart.append(rect);
      }
      box.append(
        make(
          "div",
          { class: "line" },
          make("span", { class: "what", title: life.content }, life.content),
          chart,
          make("span", { class: "long" }, lasting(worked / 1000)),
        ),
      );
    }
  }
  return box;
};
