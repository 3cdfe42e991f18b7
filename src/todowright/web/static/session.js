// One session in depth: its plans as they move, edits, history, timeline.

import * as api from "./api.js";
import { filled, gently, make, progress, say, written } from "./dom.js";
import { makeDesk } from "./desk.js";
import { fleetOf } from "./fleet.js";
import { pastOf } from "./past.js";
import { FRESH, planSections } from "./plan.js";
import { historySlider } from "./slider.js";
import { lives, timeline } from "./timeline.js";

const MANY = 8;
const mainFirst = (one, other) => (other.agent === "main") - (one.agent === "main");

const known = new WeakMap();
const livesOf = (revisions) => {
  if (!known.has(revisions)) known.set(revisions, lives(revisions));
  return known.get(revisions);
};

// What somebody who does not see the page is told of a move.
const news = (before, after) => {
  const was = new Map((before?.todos || []).map((todo) => [todo.number, todo.status]));
  const done = after.todos.filter((todo) => todo.status === "completed" && was.get(todo.number) !== "completed");
  const now = after.todos.find((todo) => todo.status === "in_progress" && was.get(todo.number) !== "in_progress");
  const told = [...done.map((todo) => `${todo.content} is done`), now ? `now ${now.content}` : ""];
  return told.filter(Boolean).join("; ");
};

export const sessionPage = (main, name, entitled) => {
  const plans = new Map(),
    past = pastOf(name),
    moved = new Map();
  let looking = null,
    dirty = true,
    fading = 0,
    left = false,
    loaded = false,
    waiting = 0;

  const note = make("p", { class: "fault toast", role: "alert" }),
    trouble = make("p", { class: "fault", role: "status" });
  const body = make("div"),
    fleet = make("div", { class: "fleet" }),
    chart = make("div");
  const slider = historySlider(
    (moment) => {
      looking = moment;
      drawing.soon();
    },
    async () => {
      try {
        await past.goBack();
      } catch (error) {
        note.textContent = error.message;
      }
      dirty = true;
      drawing.soon();
    },
  );
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
    fleet,
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
    const before = new Map((plans.get(plan.agent)?.todos || []).map((todo) => [todo.number, todo]));
    for (const todo of plan.todos) {
      const was = before.get(todo.number);
      if (plans.has(plan.agent) && (was?.status !== todo.status || was?.content !== todo.content))
        moved.set(`${plan.agent} ${todo.number}`, Date.now());
    }
    plans.set(plan.agent, plan);
  };

  const atMoment = (moment) =>
    order()
      .map(({ agent }) => (agent === moment.agent ? moment : past.at(agent, moment.updated_at)))
      .filter(Boolean)
      .map((plan) => (plan === moment ? plan : { ...plan, changes: [] }));

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
    const steps = shown.reduce((sum, plan) => sum + plan.todos.length, 0);
    tools.hidden = steps <= MANY;
    desk.wanted = wanted();
    const lived = (agent) => livesOf(past.of(agent));
    const context = { wanted: desk.wanted, frozen: Boolean(looking), moved, lives: lived };
    slider.update(past.moments(), past.isPartial());
    const at = document.activeElement?.closest("li[data-number]");
    const next = at?.nextElementSibling || at?.previousElementSibling;
    desk.mind();
    filled(
      body,
      shown.length
        ? planSections(desk, shown, context)
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
      timeline(
        order()
          .filter((plan) => !plan.ended)
          .map(({ agent }) => ({ agent, revisions: past.of(agent) })),
        past.horizon(),
      ),
    ]);

  // Leases run out by themselves: it is asked for again while somebody works.
  const drawFleet = async () => {
    if (!order().some((plan) => plan.dialect === "tasks")) return filled(fleet, []);
    const told = await api.fleet(name).catch(() => null);
    if (told && !left) filled(fleet, fleetOf(told.sessions[0], order()));
  };

  const refresh = async () => {
    try {
      const data = await api.session(name);
      desk.edits = data.edits;
      const there = new Set(data.plans.map((plan) => plan.agent));
      for (const agent of [...plans.keys()])
        if (!there.has(agent)) [plans, past].forEach((each) => each.delete(agent));
      data.plans.forEach(take);
      trouble.textContent = "";
      await Promise.all([drawFleet(), ...data.plans.map((plan) => past.follow(plan).catch(() => {}))]);
    } catch (error) {
      if (error.status === 404) [plans, past].forEach((each) => each.clear());
      else if (!left) trouble.textContent = error.message;
    }
    loaded = true;
    if (left) return;
    dirty = true;
    drawing.soon();
  };

  refresh();
  const working = () => order().some((plan) => plan.todos.some((todo) => todo.status === "in_progress"));
  const clocks = [
    setInterval(() => !looking && working() && (drawChart(), drawFleet()), 5000),
    setInterval(refresh, 60000), // a plan that was deleted tells nobody
  ];

  const ofMain = (one, other) => (other.dataset.agent === "main") - (one.dataset.agent === "main");
  const step = (by) => {
    const steps = [...body.querySelectorAll("li[data-number]")];
    const at = steps.indexOf(document.activeElement?.closest("li[data-number]"));
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
      else if (event.key === "n") [...body.querySelectorAll("input.add")].sort(ofMain)[0]?.focus();
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
