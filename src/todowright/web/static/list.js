// Every session at a glance.

import * as api from "./api.js";
import { bar, closed, lasting, make } from "./dom.js";

const STUCK = 600;
const FILTERS = {
  all: () => true,
  working: (row) => row.now,
  stuck: (row) => row.stuck,
  finished: (row) => row.finished,
};

const glance = (plan) => {
  const now = plan.todos.find((todo) => todo.status === "in_progress");
  return {
    agent: plan.agent,
    total: plan.todos.length,
    closed: plan.todos.filter(closed).length,
    now: now ? now.active_form || now.content : null,
    finished: plan.todos.length > 0 && plan.todos.every(closed),
    words: plan.todos.map((todo) => todo.content).join("\n"),
  };
};

export const listPage = (main) => {
  const rows = new Map();
  let total = 0,
    waiting = 0,
    filter = "all",
    query = "",
    frame = 0;

  const search = make("input", {
    type: "search",
    placeholder: "Search sessions and steps",
    "aria-label": "Search",
    oninput: () => {
      query = search.value.toLowerCase();
      load();
    },
  });
  const buttons = Object.keys(FILTERS).map((name) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": String(name === filter),
        onclick: () => {
          filter = name;
          buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.textContent === name)));
          draw();
        },
      },
      name,
    ),
  );
  const list = make("ul", { class: "rows", "aria-label": "Sessions" });
  const count = make("p", { class: "count", role: "status" });
  const heading = make("h1", {}, "Plans");
  main.replaceChildren(
    heading,
    make("div", { class: "tools", role: "search" }, search, ...buttons),
    count,
    list,
  );

  const summed = (row) => {
    const agents = [...row.agents.values()];
    const first = agents.find((agent) => agent.agent === "main") || agents[0] || {};
    const total = agents.reduce((sum, agent) => sum + agent.total, 0);
    const done = agents.reduce((sum, agent) => sum + agent.closed, 0);
    const now = agents.map((agent) => agent.now).filter(Boolean);
    const idle = (Date.now() - row.updated) / 1000;
    const finished = total > 0 && agents.every((agent) => agent.finished || !agent.total);
    return {
      first,
      agents,
      total,
      done,
      now: now.join(" · "),
      idle,
      finished,
      stuck: now.length > 0 && idle > STUCK,
    };
  };

  const line = (row) => {
    const sum = summed(row);
    const more = sum.agents.length > 1 ? ` · ${sum.agents.length} agents` : "";
    const state = sum.finished ? "finished" : sum.stuck ? "stuck" : "";
    const age = row.updated
      ? `${sum.stuck ? "stuck for " : ""}${lasting(sum.idle)}${sum.stuck ? "" : " ago"}`
      : "";
    return make(
      "li",
      { class: state, "data-session": row.session },
      make(
        "a",
        { href: `#/${encodeURIComponent(row.session)}` },
        make("span", { class: "name" }, row.session, make("span", { class: "count" }, more)),
        make(
          "span",
          { class: "now" },
          sum.now || (sum.finished ? "all done" : sum.total ? "paused" : "no steps"),
        ),
        make(
          "span",
          {},
          make("span", { class: "count" }, `${sum.done} of ${sum.total}`),
          bar(sum.done, sum.total),
        ),
        make("span", { class: "age" }, age),
      ),
    );
  };

  const draw = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const found = [...rows.values()].filter((row) => FILTERS[filter](summed(row)) && matches(row));
      found.sort((one, other) => other.updated - one.updated);
      const at = document.activeElement && document.activeElement.closest("[data-session]");
      list.replaceChildren(...found.map(line));
      if (at) {
        const again = [...list.children].find((each) => each.dataset.session === at.dataset.session);
        if (again) again.firstChild.focus();
      }
      const most = filter === "all" && !query ? Math.max(total, found.length) : found.length;
      const told = most === 1 ? "1 session" : `${most} sessions`;
      count.textContent =
        most > found.length ? `${told}, the ${found.length} that moved last are shown` : told;
    });
  };

  const matches = (row) =>
    !query ||
    row.found === query ||
    row.session.toLowerCase().includes(query) ||
    [...row.agents.values()].some((agent) => (agent.words || "").toLowerCase().includes(query));

  const load = async () => {
    const asked = query;
    try {
      const data = await api.sessions(asked);
      if (asked !== query) return;
      total = data.total;
      heading.textContent = data.project ? `Plans of ${data.project}` : "Plans";
      if (!asked) rows.clear();
      for (const row of data.sessions) {
        const agents = new Map(row.agents.map((agent) => [agent.agent, agent]));
        rows.set(row.session, {
          session: row.session,
          updated: Date.parse(row.updated_at) || 0,
          agents,
          found: asked,
        });
      }
      draw();
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
  const clock = setInterval(draw, 15000);
  return {
    title: "Plans",
    plan: (plan) => {
      const row = rows.get(plan.session) || { session: plan.session, agents: new Map() };
      row.updated = Date.parse(plan.updated_at) || Date.now();
      row.agents.set(plan.agent, glance(plan));
      rows.set(plan.session, row);
      draw();
      clearTimeout(waiting); // who has ended, a sub-agent say, tells nobody
      waiting = setTimeout(load, 1500);
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
      clearInterval(clock);
      clearTimeout(waiting);
      cancelAnimationFrame(frame);
    },
  };
};
