// One session in depth: its plans as they move, edits, history, timeline.

import * as api from "./api.js";
import { filled, gently, make, progress, say, written } from "./dom.js";
import { makeDesk } from "./desk.js";
import { FRESH, planSection } from "./plan.js";
import { historySlider } from "./slider.js";
import { lives, timeline } from "./timeline.js";

const MANY = 8;
const byName = (one, other) => one.agent.localeCompare(other.agent, undefined, { numeric: true });
const mainFirst = (one, other) => (other.agent === "main") - (one.agent === "main") || byName(one, other);

const known = new WeakMap();
const livesOf = (revisions) => {
  if (!revisions) return [];
  if (!known.has(revisions)) known.set(revisions, lives(revisions));
  return known.get(revisions);
};

// What somebody who does not see the page is told of a move.
const news = (before, after) => {
  const was = new Map((before?.todos || []).map((todo) => [todo.id, todo.status]));
  const done = after.todos.filter((todo) => todo.status === "completed" && was.get(todo.id) !== "completed");
  const now = after.todos.find((todo) => todo.status === "in_progress" && was.get(todo.id) !== "in_progress");
  const told = [...done.map((todo) => `${todo.content} is done`), now ? `now ${now.content}` : ""];
  return told.filter(Boolean).join("; ");
};

export const sessionPage = (main, name, entitled) => {
  const plans = new Map(),
    past = new Map(),
    moved = new Map();
  let looking = null,
    moments = [],
    dirty = true,
    fading = 0,
    left = false,
    loaded = false,
    waiting = 0;

  const note = make("p", { class: "fault toast", role: "alert" }),
    trouble = make("p", { class: "fault", role: "status" });
  const body = make("div"),
    chart = make("div");
  const slider = historySlider((moment) => {
    looking = moment;
    drawing.soon();
  });
  const search = make("input", { type: "search", placeholder: "Find a step", "aria-label": "Find a step" });
  const hide = make("button", { type: "button", "aria-pressed": "false" }, "Hide what is done");
  const tools = make("div", { class: "tools", hidden: true }, search, hide);
  search.oninput = () => drawing.soon();
  hide.onclick = () => {
    hide.setAttribute("aria-pressed", String(hide.getAttribute("aria-pressed") !== "true"));
    drawing.soon();
  };
  main.replaceChildren(
    make("p", {}, make("a", { href: "#/" }, "← all plans")),
    make("h1", {}, written(name)),
    slider.element,
    tools,
    trouble,
    body,
    make("h2", {}, "Who was on what, and when"),
    chart,
    note,
  );

  const order = () => [...plans.values()].sort(mainFirst);
  // A store that began anew counts from 1 again, at a later time.
  const newer = (plan) => {
    const known = plans.get(plan.agent);
    return !known || plan.revision >= known.revision || plan.updated_at > known.updated_at;
  };
  const take = (plan) => {
    if (!newer(plan)) return;
    const before = new Map((plans.get(plan.agent)?.todos || []).map((todo) => [todo.id, todo]));
    for (const todo of plan.todos) {
      const was = before.get(todo.id);
      if (plans.has(plan.agent) && (was?.status !== todo.status || was?.content !== todo.content))
        moved.set(`${plan.agent} ${todo.id}`, Date.now());
    }
    plans.set(plan.agent, plan);
  };

  const atMoment = (moment) =>
    [...past.entries()]
      .map(([agent, revisions]) =>
        agent === moment.agent
          ? moment
          : revisions.filter((each) => each.updated_at <= moment.updated_at).at(-1),
      )
      .filter(Boolean)
      .map((plan) => (plan === moment ? plan : { ...plan, changes: [] }))
      .sort(mainFirst);

  const desk = makeDesk({ plans, take, note, redraw: () => drawing.soon(), reload: () => refresh() });

  const wanted = () => {
    const text = search.value.trim().toLowerCase(),
      open = hide.getAttribute("aria-pressed") === "true";
    return (todo) =>
      (!open || (todo.status !== "completed" && todo.status !== "cancelled")) &&
      (!text || todo.content.toLowerCase().includes(text));
  };

  const drawing = gently(() => {
    if (left) return;
    const shown = looking ? atMoment(looking) : order();
    const subs = shown.filter((plan) => plan.agent.includes("/")).length;
    const steps = shown.reduce((sum, plan) => sum + plan.todos.length, 0);
    tools.hidden = steps <= MANY;
    desk.wanted = wanted();
    const context = { wanted: desk.wanted, frozen: Boolean(looking), folded: subs > 3, moved };
    slider.update(moments);
    const at = document.activeElement?.closest("li[data-id]");
    const next = at?.nextElementSibling || at?.previousElementSibling;
    desk.mind();
    filled(
      body,
      shown.length
        ? shown.map((plan) => planSection(desk, plan, { ...context, lives: livesOf(past.get(plan.agent)) }))
        : [
            make(
              "p",
              { class: "quiet" },
              loaded ? "There is no session of this name, or it has no plan." : "Loading …",
            ),
          ],
    );
    // A button that can do no more, such as "up" on the first step, lets go: its step does not.
    if (at && !at.isConnected) next?.querySelector("button")?.focus();
    if (at?.isConnected && !at.contains(document.activeElement)) at.querySelector("button")?.focus();
    if (at?.contains(document.activeElement) && document.activeElement.disabled)
      at.querySelector("button")?.focus();
    if (dirty) drawChart();
    dirty = false;
    entitled();
    const fresh = [...moved.values()].some((at) => Date.now() - at < FRESH);
    if (fresh && !fading) fading = setTimeout(() => ((fading = 0), drawing.soon()), FRESH);
  });

  const drawChart = () =>
    filled(chart, [
      timeline(order().map((plan) => ({ agent: plan.agent, revisions: past.get(plan.agent) || [] }))),
    ]);

  // Only what is not known yet is fetched: a history may be long.
  const remember = async (plan) => {
    const known = past.get(plan.agent) || [];
    const last = known.at(-1);
    const anew = last && (last.revision > plan.revision || known[0].updated_at > plan.updated_at);
    const start = anew ? [] : known;
    const { revisions } = await api.history(name, plan.agent, start.at(-1)?.revision ?? 0);
    const now = anew ? [] : past.get(plan.agent) || [];
    const behind = now.at(-1)?.revision ?? 0;
    past.set(plan.agent, [...now, ...revisions.filter((each) => each.revision > behind)]);
  };

  const refresh = async () => {
    try {
      const data = await api.session(name);
      desk.edits = data.edits;
      const there = new Set(data.plans.map((plan) => plan.agent));
      for (const agent of [...plans.keys()])
        if (!there.has(agent)) [plans, past].forEach((map) => map.delete(agent));
      data.plans.forEach(take);
      trouble.textContent = "";
      await Promise.all(data.plans.map((plan) => remember(plan).catch(() => {})));
    } catch (error) {
      if (error.status === 404) [plans, past].forEach((map) => map.clear());
      else if (!left) trouble.textContent = error.message;
    }
    loaded = true;
    if (left) return;
    moments = [...past.values()].flat().sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1));
    dirty = true;
    drawing.soon();
  };

  refresh();
  const working = () => order().some((plan) => plan.todos.some((todo) => todo.status === "in_progress"));
  const clocks = [
    setInterval(() => !looking && working() && drawChart(), 5000),
    setInterval(refresh, 60000), // who has ended tells nobody
  ];

  const step = (by) => {
    const steps = [...body.querySelectorAll("li[data-id]")];
    const at = steps.indexOf(document.activeElement?.closest("li[data-id]"));
    const next = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
    next?.querySelector("button")?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };

  return {
    title: () => {
      const todos = (plans.get("main") || order()[0])?.todos || [];
      const { done, total } = progress(todos);
      return total ? `(${done}/${total}) ${name}` : name;
    },
    plan: (plan) => {
      if (plan.session !== name) return;
      const told = news(plans.get(plan.agent), plan);
      if (told && plans.has(plan.agent) && newer(plan)) say(told);
      take(plan);
      if (!looking) drawing.soon();
      waiting ||= setTimeout(() => {
        waiting = 0;
        refresh();
      }, 200);
    },
    again: refresh,
    key: (event) => {
      if (event.key === "Escape") location.hash = "#/";
      else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
      else if (event.key === "n") body.querySelector("input.add")?.focus();
      else return !looking && desk.key(event);
      return true;
    },
    leave: () => {
      left = true;
      clocks.forEach(clearInterval);
      [waiting, fading].forEach(clearTimeout);
      drawing.stop();
    },
  };
};
