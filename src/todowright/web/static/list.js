// Every session at a glance.

import * as api from "./api.js";
import { bar, closed, filled, gently, lasting, make, progress, written } from "./dom.js";

const STUCK = 600;
const FILTERS = {
  all: () => true,
  working: (row) => row.now.length > 0,
  stuck: (row) => row.stuck,
  finished: (row) => row.finished,
};
// What was searched for stays while one looks into a session.
const kept = { filter: "all", query: "", scroll: 0 };

const glance = (plan) => {
  const now = plan.todos.find((todo) => todo.status === "in_progress");
  return {
    agent: plan.agent,
    ...progress(plan.todos),
    now: now ? now.active_form || now.content : null,
    finished: plan.todos.length > 0 && plan.todos.every(closed),
    words: plan.todos.map((todo) => todo.content).join("\n"),
    updated: Date.parse(plan.updated_at) || Date.now(),
  };
};

const summed = (row) => {
  const agents = [...row.agents.values()];
  const working = agents.filter((agent) => agent.now);
  const idle = (agent) => (Date.now() - agent.updated) / 1000;
  const stuck = working.filter((agent) => idle(agent) > STUCK).sort((a, b) => a.updated - b.updated)[0];
  const total = agents.reduce((sum, agent) => sum + agent.total, 0);
  return {
    agents,
    total,
    done: agents.reduce((sum, agent) => sum + agent.done, 0),
    now: working.map((agent) => agent.now),
    idle: (Date.now() - row.updated) / 1000,
    finished:
      agents.some((agent) => agent.finished) && agents.every((agent) => agent.finished || !agent.total),
    stuck,
    stuckFor: stuck && idle(stuck),
  };
};

const age = (row, sum) => {
  if (!row.updated) return "";
  if (!sum.stuck) return `${lasting(sum.idle)} ago`;
  const who = sum.agents.length > 1 ? `${sum.stuck.agent.split("/").at(-1)} ` : "";
  return `${who}stuck for ${lasting(sum.stuckFor)}`;
};

const line = (row) => {
  const sum = summed(row);
  const more = sum.agents.length > 1 ? ` · ${sum.agents.length} agents` : "";
  const resting = sum.finished ? "all done" : sum.total ? "paused" : "no steps";
  const state = sum.finished ? "finished" : sum.stuck ? "stuck" : sum.now.length ? "" : "resting";
  return make(
    "li",
    { class: state, "data-session": row.session, "data-key": row.session },
    make(
      "a",
      { href: `#/${encodeURIComponent(row.session)}` },
      make("span", { class: "name" }, written(row.session), make("span", { class: "count" }, more)),
      make("span", { class: "now" }, sum.now.length ? written(sum.now.join(" · ")) : resting),
      make(
        "span",
        { class: "far" },
        make("span", { class: "count" }, `${sum.done} of ${sum.total}`),
        bar(sum.done, sum.total),
      ),
      make("span", { class: "age" }, age(row, sum)),
    ),
  );
};

const nothing = () =>
  make(
    "div",
    { class: "welcome", "data-key": "welcome" },
    make("h2", {}, "No plans yet"),
    make("p", {}, "This page fills by itself as soon as an agent plans. Three ways to begin:"),
    make(
      "ul",
      {},
      make("li", {}, "An agent that speaks MCP: ", make("code", {}, "todowright mcp --print-config claude")),
      make("li", {}, "Your own Python: ", make("code", {}, 'TodoWrite(store="sqlite:///…")')),
      make("li", {}, "Just to see one move: ", make("code", {}, "todowright serve --demo")),
    ),
  );

export const listPage = (main) => {
  const rows = new Map();
  let total = 0,
    waiting = 0,
    loaded = false;

  const search = make("input", {
    type: "search",
    placeholder: "Search sessions and steps",
    "aria-label": "Search",
    oninput: () => {
      kept.query = search.value;
      load();
    },
  });
  search.value = kept.query;
  const buttons = Object.keys(FILTERS).map((name) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": String(name === kept.filter),
        onclick: () => {
          kept.filter = name;
          buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.textContent === name)));
          drawing.soon();
        },
      },
      name,
    ),
  );
  const list = make("ul", { class: "rows", "aria-label": "Sessions" });
  const empty = make("div");
  const count = make("p", { class: "count", role: "status" });
  const heading = make("h1", {}, "Plans");
  const tools = make("div", { class: "tools", role: "search" }, search, ...buttons);
  main.replaceChildren(heading, tools, count, list, empty);

  const query = () => kept.query.trim().toLowerCase();
  const matches = (row) =>
    !query() ||
    row.found === query() ||
    row.session.toLowerCase().includes(query()) ||
    [...row.agents.values()].some((agent) => (agent.words || "").toLowerCase().includes(query()));

  const drawing = gently(() => {
    const found = [...rows.values()].filter((row) => FILTERS[kept.filter](summed(row)) && matches(row));
    found.sort((one, other) => other.updated - one.updated);
    filled(list, found.map(line));
    filled(empty, loaded && !rows.size && !query() ? [nothing()] : []);
    const most = kept.filter === "all" && !query() ? Math.max(total, found.length) : found.length;
    const told = most === 1 ? "1 session" : `${most} sessions`;
    count.textContent = most > found.length ? `${told}, the ${found.length} that moved last are shown` : told;
    if (kept.scroll && found.length) {
      scrollTo(0, kept.scroll);
      kept.scroll = 0;
    }
  });

  const load = async () => {
    const asked = query();
    try {
      const data = await api.sessions(asked);
      if (asked !== query()) return;
      total = data.total;
      heading.textContent = data.project ? `Plans of ${data.project}` : "Plans";
      if (!asked) rows.clear();
      for (const row of data.sessions) {
        const agents = row.agents.map((agent) => [
          agent.agent,
          { ...agent, updated: Date.now() - 1000 * agent.idle_seconds },
        ]);
        rows.set(row.session, {
          session: row.session,
          updated: Date.parse(row.updated_at) || 0,
          agents: new Map(agents),
          found: asked,
        });
      }
      loaded = true;
      count.className = "count";
      drawing.soon();
    } catch (error) {
      count.textContent = error.message;
      count.className = "fault";
    }
  };

  const step = (by) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  };

  load();
  const clocks = [setInterval(drawing.soon, 15000), setInterval(load, 60000)];
  return {
    title: () => "Plans",
    plan: (plan) => {
      const row = rows.get(plan.session) || { session: plan.session, agents: new Map() };
      row.updated = Date.parse(plan.updated_at) || Date.now();
      if (plan.ended) row.agents.delete(plan.agent);
      else row.agents.set(plan.agent, glance(plan));
      rows.set(plan.session, row);
      drawing.soon();
      waiting ||= setTimeout(() => {
        waiting = 0; // a plan that was deleted tells nobody
        load();
      }, 1500);
    },
    again: load,
    key: (event) => {
      if (event.key === "/") {
        search.focus();
        search.select();
        return true;
      }
      if (event.key === "j" || event.key === "k") {
        step(event.key === "j" ? 1 : -1);
        return true;
      }
      return false;
    },
    leave: () => {
      kept.scroll = scrollY;
      clocks.forEach(clearInterval);
      clearTimeout(waiting);
      drawing.stop();
    },
  };
};
