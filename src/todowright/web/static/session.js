// One session in depth: its plans as they move, edits, history, timeline.

import * as api from "./api.js";
import { MARKS, WORDS, bar, closed, make, say } from "./dom.js";
import { timeline } from "./timeline.js";

const marked = (kinds) => kinds.flatMap((kind) => [" ", make("span", { class: `tag ${kind}` }, kind)]);

export const sessionPage = (main, name) => {
  const plans = new Map(),
    past = new Map();
  let looking = null,
    fault = "",
    draft = "",
    editing = null,
    left = false;

  const order = () => [...plans.values()].sort((one, other) => one.agent.localeCompare(other.agent));
  const note = make("p", { class: "fault", role: "alert" });
  const body = make("div"),
    scrubber = make("div"),
    chart = make("div");
  main.replaceChildren(
    make("p", {}, make("a", { href: "#/" }, "← all plans")),
    make("h1", {}, name),
    note,
    body,
    make("h2", {}, "History"),
    scrubber,
    make("h2", {}, "Who was on what, and when"),
    chart,
  );

  const change = async (plan, ...edits) => {
    fault = "";
    try {
      const after = await api.edit(plan, edits);
      plans.set(after.agent, after);
      say("The plan was changed. The agent hears of it with its next call.");
      await remember(after.agent);
    } catch (error) {
      fault = error.message;
      await load();
    }
    draw();
  };

  const reword = (todo) => {
    editing = { id: todo.id, text: todo.content, fresh: true };
    draw();
  };

  const acts = (plan, todo, index) => {
    const before = plan.todos[index - 2]?.id ?? "",
      after = plan.todos[index + 1]?.id;
    const act = (label, sign, edit, off) =>
      make(
        "button",
        {
          type: "button",
          class: "plain",
          "aria-label": `${label}: ${todo.content}`,
          title: label,
          disabled: off,
          onclick: () => change(plan, edit),
        },
        sign,
      );
    return make(
      "span",
      { class: "acts" },
      make(
        "button",
        {
          type: "button",
          class: "plain",
          "data-act": "reword",
          "aria-label": `Reword: ${todo.content}`,
          title: "Reword",
          onclick: () => reword(todo),
        },
        "✎",
      ),
      act("Work on this", "▶", { do: "start", id: todo.id }, todo.status === "in_progress"),
      act("Move up", "↑", { do: "move", id: todo.id, after: before }, index === 0),
      act("Move down", "↓", { do: "move", id: todo.id, after }, after === undefined),
      act("Cancel", "✗", { do: "cancel", id: todo.id }, todo.status === "cancelled"),
    );
  };

  const words = (plan, todo, tags) => {
    if (editing?.id === todo.id && !looking) {
      // What is being typed outlives a redraw: updates may come in at any time.
      const mine = editing;
      const input = make("input", { "aria-label": "New words", maxlength: 2000, id: "reword" });
      input.value = mine.text;
      const done = (keep) => {
        if (editing !== mine) return;
        editing = null;
        if (keep && mine.text.trim() && mine.text !== todo.content)
          change(plan, { do: "reword", id: todo.id, text: mine.text });
        else draw();
      };
      input.addEventListener("input", () => {
        mine.text = input.value;
      });
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter") done(true);
        if (event.key === "Escape") {
          event.stopPropagation();
          done(false);
        }
      });
      queueMicrotask(() => {
        input.focus();
        if (mine.fresh) {
          mine.fresh = false;
          input.select();
        } else input.setSelectionRange(mine.at ?? mine.text.length, mine.at ?? mine.text.length);
      });
      return make("span", { class: "text" }, input);
    }
    const text =
      todo.status === "in_progress" && todo.active_form
        ? `${todo.content} (${todo.active_form})`
        : todo.content;
    return make("span", { class: "text" }, text, ...marked(tags));
  };

  const item = (plan, todo, index, tags, frozen) => {
    const ticked = todo.status === "completed";
    const mark = make(
      "button",
      {
        type: "button",
        class: "mark",
        disabled: frozen,
        "aria-label": `${WORDS[todo.status]}: ${todo.content}. ${ticked ? "Take the tick off" : "Tick"}`,
        onclick: () => change(plan, { do: ticked ? "untick" : "tick", id: todo.id }),
      },
      MARKS[todo.status],
    );
    return make(
      "li",
      { class: todo.status, "data-id": todo.id, "data-agent": plan.agent },
      mark,
      words(plan, todo, tags),
      frozen ? null : acts(plan, todo, index),
    );
  };

  const section = (plan, changes, frozen) => {
    const done = plan.todos.filter(closed).length;
    const kinds = new Map((changes || []).map((each) => [each.id, each.kinds]));
    const here = new Set(plan.todos.map((todo) => todo.id));
    const gone = (changes || []).filter((each) => !here.has(each.id));
    const list = make(
      "ol",
      { "aria-label": `Steps of ${plan.agent}` },
      ...plan.todos.map((todo, index) => item(plan, todo, index, kinds.get(todo.id) || [], frozen)),
      ...gone.map((each) =>
        make("li", { class: "gone" }, make("span", { class: "text" }, each.content, ...marked(each.kinds))),
      ),
    );
    const box = make(
      "section",
      { class: plan.agent.includes("/") ? "sub" : "" },
      make(
        "h2",
        {},
        plan.agent === "main" ? "Plan" : plan.agent,
        " ",
        make("span", { class: "count" }, `${done} of ${plan.todos.length} done · revision ${plan.revision}`),
      ),
      bar(done, plan.todos.length),
      plan.summary ? make("p", { class: "quiet" }, plan.summary) : null,
      make("div", { class: "plan" }, list),
    );
    if (!frozen && plan.agent === "main") box.append(adder(plan));
    return box;
  };

  const adder = (plan) => {
    const input = make("input", {
      id: "add",
      placeholder: "A new step",
      "aria-label": "A new step",
      maxlength: 2000,
    });
    input.value = draft;
    input.addEventListener("input", () => {
      draft = input.value;
    });
    const form = make(
      "form",
      {
        class: "tools",
        onsubmit: (event) => {
          event.preventDefault();
          const text = input.value;
          draft = "";
          if (text.trim()) change(plan, { do: "add", text });
        },
      },
      input,
      make("button", {}, "Add"),
    );
    return form;
  };

  const draw = () => {
    if (left) return;
    const at = document.activeElement;
    if (editing && at?.id === "reword") editing.at = at.selectionStart;
    const held = at && at.closest("[data-id]")?.dataset.id,
      field = at && at.id,
      index = held ? [...at.closest("[data-id]").querySelectorAll("button")].indexOf(at) : -1;
    note.textContent = fault;
    const shown = looking ? [looking] : order();
    body.replaceChildren(
      ...(shown.length
        ? shown.map((plan) => section(plan, plan.changes, Boolean(looking)))
        : [make("p", { class: "quiet" }, "This session has no plan.")]),
    );
    if (held && !editing) {
      const again = body.querySelector(`[data-id="${CSS.escape(held)}"]`);
      (again?.querySelectorAll("button")[Math.max(0, index)] || again?.querySelector("button"))?.focus();
    }
    if (field === "add") {
      const input = document.getElementById("add");
      if (input) {
        input.focus();
        input.setSelectionRange(input.value.length, input.value.length);
      }
    }
    chart.replaceChildren(
      timeline(order().map((plan) => ({ agent: plan.agent, revisions: past.get(plan.agent) || [] }))),
    );
  };

  const scrub = () => {
    const revisions = past.get("main") || past.values().next().value || [];
    const last = revisions.length;
    const told = make("output", { class: "count" }, `now, revision ${revisions.at(-1)?.revision ?? 0}`);
    const slider = make("input", {
      type: "range",
      min: 1,
      max: Math.max(1, last),
      value: last,
      "aria-label": "Revision",
      id: "scrub",
    });
    const live = make(
      "button",
      {
        type: "button",
        onclick: () => {
          slider.value = last;
          show();
        },
      },
      "Now",
    );
    const show = () => {
      const at = Number(slider.value),
        revision = revisions[at - 1];
      looking = at >= last ? null : revision;
      told.textContent = looking
        ? `revision ${revision.revision}, ${new Date(revision.updated_at).toLocaleString()}`
        : `now, revision ${revisions.at(-1)?.revision ?? 0}`;
      slider.setAttribute("aria-valuetext", told.textContent);
      draw();
    };
    slider.addEventListener("input", show);
    scrubber.replaceChildren(
      last > 1
        ? make("div", { class: "scrub" }, slider, live, told)
        : make("p", { class: "quiet" }, "One revision so far."),
    );
  };

  const remember = async (agent) => {
    past.set(agent, (await api.history(name, agent)).revisions);
  };

  const load = async () => {
    try {
      const data = await api.session(name);
      plans.clear();
      for (const plan of data.plans) plans.set(plan.agent, plan);
      await Promise.all(data.plans.map((plan) => remember(plan.agent)));
    } catch (error) {
      fault = plans.size ? error.message : "";
    }
    scrub();
    draw();
  };

  let waiting = 0;
  load();
  const clock = setInterval(() => {
    if (!looking && order().some((plan) => plan.todos.some((todo) => todo.status === "in_progress")))
      chart.replaceChildren(
        timeline(order().map((plan) => ({ agent: plan.agent, revisions: past.get(plan.agent) || [] }))),
      );
  }, 5000);
  return {
    title: name,
    plan: (plan) => {
      if (plan.session !== name) return;
      plans.set(plan.agent, plan);
      if (!looking) draw();
      clearTimeout(waiting);
      waiting = setTimeout(async () => {
        try {
          await remember(plan.agent);
        } catch {
          plans.delete(plan.agent);
          past.delete(plan.agent);
        }
        if (!looking && !left) {
          scrub();
          draw();
        }
      }, 150);
    },
    again: load,
    key: (event) => {
      const steps = [...body.querySelectorAll("li[data-id]")];
      const at = document.activeElement?.closest("li[data-id]");
      const index = steps.indexOf(at);
      const plan = at && plans.get(at.dataset.agent),
        todo = plan?.todos.find((each) => each.id === at.dataset.id);
      if (event.key === "Escape") {
        location.hash = "#/";
        return true;
      }
      if (event.key === "j" || event.key === "k") {
        steps[Math.min(steps.length - 1, Math.max(0, index + (event.key === "j" ? 1 : -1)))]
          ?.querySelector("button")
          ?.focus();
        return true;
      }
      if (event.key === "n") {
        document.getElementById("add")?.focus();
        return true;
      }
      if (!todo || looking) return false;
      const where = plan.todos.indexOf(todo);
      if (event.key === "x") {
        change(plan, { do: todo.status === "completed" ? "untick" : "tick", id: todo.id });
        return true;
      }
      if (event.key === "c") {
        change(plan, { do: "cancel", id: todo.id });
        return true;
      }
      if (event.key === "Enter" && document.activeElement.className !== "mark") return false;
      if (event.key === "Enter") {
        reword(todo);
        return true;
      }
      if (event.altKey && event.key === "ArrowUp" && where > 0) {
        change(plan, { do: "move", id: todo.id, after: plan.todos[where - 2]?.id ?? "" });
        return true;
      }
      if (event.altKey && event.key === "ArrowDown" && where < plan.todos.length - 1) {
        change(plan, { do: "move", id: todo.id, after: plan.todos[where + 1].id });
        return true;
      }
      return false;
    },
    leave: () => {
      left = true;
      clearInterval(clock);
      clearTimeout(waiting);
    },
  };
};
