// One session in depth: its plans as they move, edits, history, timeline.

import * as api from "./api.js";
import { make, say } from "./dom.js";
import { planSection } from "./plan.js";
import { historySlider } from "./slider.js";
import { timeline } from "./timeline.js";

export const sessionPage = (main, name) => {
  const plans = new Map(),
    past = new Map();
  let looking = null,
    left = false,
    pressed = false,
    late = false,
    waiting = 0;

  const note = make("p", { class: "fault", role: "alert" });
  const body = make("div"),
    chart = make("div");
  const slider = historySlider((revision) => {
    looking = revision;
    draw();
  });
  main.replaceChildren(
    make("p", {}, make("a", { href: "#/" }, "← all plans")),
    make("h1", {}, name),
    note,
    body,
    make("h2", {}, "History"),
    slider.element,
    make("h2", {}, "Who was on what, and when"),
    chart,
  );

  const order = () => [...plans.values()].sort((one, other) => one.agent.localeCompare(other.agent));
  const newer = (plan) => (plans.get(plan.agent)?.revision ?? 0) <= plan.revision;

  const desk = {
    editing: null,
    draft: "",
    redraw: () => draw(),
    reword: (plan, todo) => {
      desk.editing = { agent: plan.agent, id: todo.id, text: todo.content, fresh: true };
      draw();
    },
    // Makes an edit on the plan that was seen; a new step finds its place on any.
    change: async (plan, edit, again = true) => {
      note.textContent = "";
      try {
        const after = await api.edit(plan, [edit]);
        if (newer(after)) plans.set(after.agent, after);
        say("The plan was changed. The agent hears of it with its next call.");
        await refresh();
        return true;
      } catch (error) {
        await refresh();
        const current = plans.get(plan.agent);
        if (error.status === 412 && edit.do === "add" && again && current)
          return desk.change(current, edit, false);
        note.textContent = error.message;
        return false;
      }
    },
  };

  // Where the person is, so that a redraw leaves them there.
  const place = () => {
    const at = document.activeElement,
      row = at?.closest("li[data-id]");
    if (desk.editing && at?.id === "reword") desk.editing.at = at.selectionStart;
    if (at?.id === "add") return { field: [at.selectionStart, at.selectionEnd] };
    if (!row) return {};
    return {
      id: row.dataset.id,
      agent: row.dataset.agent,
      index: [...row.querySelectorAll("button")].indexOf(at),
    };
  };

  const goBack = (to) => {
    if (to.field) {
      const input = document.getElementById("add");
      input?.focus();
      input?.setSelectionRange(...to.field);
    }
    if (to.id === undefined || desk.editing) return;
    const rows = [...body.querySelectorAll("li[data-id]")];
    const row = rows.find((each) => each.dataset.id === to.id && each.dataset.agent === to.agent);
    const buttons = [...(row?.querySelectorAll("button") ?? [])];
    const wanted = buttons[Math.max(0, to.index)];
    (wanted && !wanted.disabled ? wanted : buttons[0])?.focus();
  };

  const draw = () => {
    if (left) return;
    if (pressed) {
      late = true; // a button that is being pressed must not be replaced
      return;
    }
    const to = place();
    const shown = looking ? [looking] : order();
    body.replaceChildren(
      ...(shown.length
        ? shown.map((plan) => planSection(desk, plan, Boolean(looking)))
        : [make("p", { class: "quiet" }, "This session has no plan.")]),
    );
    goBack(to);
    chart.replaceChildren(
      timeline(order().map((plan) => ({ agent: plan.agent, revisions: past.get(plan.agent) || [] }))),
    );
  };

  const released = () => {
    pressed = false;
    if (late) setTimeout(draw);
    late = false;
  };
  const holds = () => (pressed = true);
  body.addEventListener("pointerdown", holds);
  addEventListener("pointerup", released);
  addEventListener("pointercancel", released);

  // Only what is not known yet is fetched: a history may be long.
  const remember = async (agent) => {
    const known = past.get(agent) || [];
    const { revisions } = await api.history(name, agent, known.at(-1)?.revision ?? 0);
    const last = past.get(agent)?.at(-1)?.revision ?? 0;
    past.set(agent, [...(past.get(agent) || []), ...revisions.filter((each) => each.revision > last)]);
  };

  const refresh = async () => {
    try {
      const data = await api.session(name);
      const there = new Set(data.plans.map((plan) => plan.agent));
      for (const agent of [...plans.keys()])
        if (!there.has(agent)) [plans, past].forEach((map) => map.delete(agent));
      for (const plan of data.plans) if (newer(plan)) plans.set(plan.agent, plan);
      await Promise.all(data.plans.map((plan) => remember(plan.agent).catch(() => {})));
    } catch (error) {
      if (error.status === 404) plans.clear();
    }
    if (left) return;
    slider.update(past.get("main") || past.values().next().value || []);
    draw();
  };

  refresh();
  const clock = setInterval(() => {
    if (!looking && order().some((plan) => plan.todos.some((todo) => todo.status === "in_progress"))) draw();
  }, 5000);

  const step = (by) => {
    const steps = [...body.querySelectorAll("li[data-id]")];
    const at = steps.indexOf(document.activeElement?.closest("li[data-id]"));
    steps[Math.min(steps.length - 1, Math.max(0, at + by))]?.querySelector("button")?.focus();
  };

  const onStep = (event) => {
    const at = document.activeElement?.closest("li[data-id]");
    const plan = at && plans.get(at.dataset.agent);
    const where = plan ? plan.todos.findIndex((each) => each.id === at.dataset.id) : -1;
    if (where < 0 || looking) return false;
    const todo = plan.todos[where];
    const up = event.altKey && event.key === "ArrowUp" && where > 0;
    const down = event.altKey && event.key === "ArrowDown" && where < plan.todos.length - 1;
    if (event.key === "e") desk.reword(plan, todo);
    else if (event.key === "x")
      desk.change(plan, { do: todo.status === "completed" ? "untick" : "tick", id: todo.id });
    else if (event.key === "c") desk.change(plan, { do: "cancel", id: todo.id });
    else if (up) desk.change(plan, { do: "move", id: todo.id, after: plan.todos[where - 2]?.id ?? "" });
    else if (down) desk.change(plan, { do: "move", id: todo.id, after: plan.todos[where + 1].id });
    else return false;
    return true;
  };

  return {
    title: name,
    plan: (plan) => {
      if (plan.session !== name || !newer(plan)) return;
      plans.set(plan.agent, plan);
      if (!looking) draw();
      clearTimeout(waiting);
      waiting = setTimeout(refresh, 200);
    },
    again: refresh,
    key: (event) => {
      if (event.key === "Escape") location.hash = "#/";
      else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
      else if (event.key === "n") document.getElementById("add")?.focus();
      else return onStep(event);
      return true;
    },
    leave: () => {
      left = true;
      clearInterval(clock);
      clearTimeout(waiting);
      removeEventListener("pointerup", released);
      removeEventListener("pointercancel", released);
    },
  };
};
