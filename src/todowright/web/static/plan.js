// One plan on the page: its steps, what can be done to each, and what a revision did to them.

import { MOVES } from "./desk.js";
import { MARKS, WORDS, bar, make, progress, written } from "./dom.js";

export const FRESH = 1500;
const marked = (kinds) => kinds.flatMap((kind) => [" ", make("span", { class: `tag ${kind}` }, kind)]);

const button = (label, sign, off, onclick) =>
  make(
    "button",
    {
      type: "button",
      class: "plain",
      "aria-label": label,
      title: label.split(":")[0],
      disabled: off,
      onclick,
    },
    sign,
  );

const acts = (desk, plan, todo, index, wanted) => {
  const act = (label, sign, edit, off = false, seen = todo) =>
    button(`${label}: ${todo.content}`, sign, off, () => desk.change(plan.agent, edit, seen));
  const cancelled = todo.status === "cancelled";
  return make(
    "span",
    { class: "acts" },
    button(`Reword: ${todo.content}`, "✎", false, () => desk.reword(plan, todo)),
    act("Work on this", "▶", { do: "start", id: todo.id }, todo.status === "in_progress"),
    act("Move up", "↑", MOVES.up(todo.id, wanted), !plan.todos.slice(0, index).some(wanted), null),
    act("Move down", "↓", MOVES.down(todo.id, wanted), !plan.todos.slice(index + 1).some(wanted), null),
    cancelled
      ? act("Put back", "↩", { do: "untick", id: todo.id })
      : act("Cancel", "✗", { do: "cancel", id: todo.id }),
  );
};

const editor = (desk, plan, todo) => {
  const mine = desk.editing;
  const done = async (keep) => {
    if (desk.editing !== mine) return;
    desk.editing = null;
    desk.redraw();
    const text = mine.text.trim();
    if (!keep || !text || text === todo.content) return;
    const kept = await desk.change(plan.agent, { do: "reword", id: todo.id, text }, mine.seen);
    if (!kept && !desk.editing) {
      desk.editing = { ...mine, fresh: true }; // nothing that was typed is lost
      desk.redraw();
    }
  };
  const input = make("input", {
    "aria-label": "New words",
    maxlength: 2000,
    id: "reword",
    dir: "auto",
    "data-key": `reword ${todo.id}`,
    oninput: (event) => (mine.text = event.target.value),
    onkeydown: (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") done(true);
      if (event.key === "Escape") {
        event.stopPropagation();
        done(false);
      }
    },
  });
  input.value = mine.text;
  queueMicrotask(() => {
    if (!mine.fresh || !input.isConnected) return;
    mine.fresh = false;
    input.focus();
    input.select();
  });
  return input;
};

const words = (desk, plan, todo, tags, frozen) => {
  const mine = desk.editing;
  if (!frozen && mine?.id === todo.id && mine.agent === plan.agent)
    return make("span", { class: "text" }, editor(desk, plan, todo));
  const active = todo.status === "in_progress" && todo.active_form && todo.active_form !== todo.content;
  return make(
    "span",
    { class: "text" },
    written(active ? `${todo.content} (${todo.active_form})` : todo.content),
    ...marked(tags),
  );
};

const item = (desk, plan, todo, index, tags, { frozen, moved, wanted }) => {
  const ticked = todo.status === "completed",
    fixed = frozen || !desk.edits;
  const label = `${WORDS[todo.status]}: ${todo.content}. ${ticked ? "Take the tick off" : "Tick"}`;
  const onclick = () => desk.change(plan.agent, { do: ticked ? "untick" : "tick", id: todo.id }, todo);
  const at = moved.get(`${plan.agent} ${todo.id}`) || 0;
  const fresh = !frozen && Date.now() - at < FRESH;
  return make(
    "li",
    {
      class: fresh ? `${todo.status} flash` : todo.status,
      "data-id": todo.id,
      "data-agent": plan.agent,
      "data-key": todo.id,
      tabindex: -1,
    },
    make(
      "button",
      { type: "button", class: "mark", disabled: fixed, "aria-label": label, onclick },
      MARKS[todo.status],
    ),
    words(desk, plan, todo, tags, frozen),
    fixed ? null : acts(desk, plan, todo, index, wanted),
  );
};

const adder = (desk, plan) => {
  const input = make("input", {
    class: "add",
    placeholder: "A new step",
    "aria-label": plan.agent === "main" ? "A new step" : `A new step of ${plan.agent}`,
    maxlength: 2000,
    dir: "auto",
    "data-key": "add",
    oninput: (event) => desk.drafts.set(plan.agent, event.target.value),
  });
  input.value = desk.drafts.get(plan.agent) || "";
  const onsubmit = async (event) => {
    event.preventDefault();
    const field = event.target.querySelector("input"),
      text = field.value.trim();
    if (!text) return;
    field.value = "";
    desk.drafts.delete(plan.agent);
    if (!(await desk.change(plan.agent, { do: "add", text })) && !field.value) field.value = text;
  };
  return make("form", { class: "tools", "data-key": "adder", onsubmit }, input, make("button", {}, "Add"));
};

// What is not in the plan any more, though it was never done.
const dropped = (lives) => {
  const gone = lives.filter((life) => life.gone && life.spans.at(-1).status !== "completed");
  if (!gone.length) return null;
  const items = gone.map((life) =>
    make("li", { class: "gone" }, make("span", { class: "text" }, written(life.content))),
  );
  const count = make("summary", {}, `Dropped (${gone.length})`);
  return make(
    "details",
    { class: "dropped" },
    count,
    make("div", { class: "plan" }, make("ol", {}, ...items)),
  );
};

const steps = (desk, plan, context) => {
  const changes = plan.changes || [];
  const kinds = new Map(changes.map((each) => [each.id, each.kinds]));
  const here = new Set(plan.todos.map((todo) => todo.id));
  const again = new Set(
    context.frozen ? [] : context.lives.filter((life) => life.reopened && !life.gone).map((life) => life.id),
  );
  const tags = (todo) => kinds.get(todo.id) || (again.has(todo.id) ? ["reopened"] : []);
  const shown = plan.todos
    .map((todo, index) => [todo, index])
    .filter(([todo]) => context.wanted(todo) || desk.editing?.id === todo.id);
  const gone = changes.filter((each) => !here.has(each.id));
  return make(
    "div",
    { class: "plan", "data-key": "steps" },
    make(
      "ol",
      { "aria-label": `Steps of ${plan.agent}` },
      ...shown.map(([todo, index]) => item(desk, plan, todo, index, tags(todo), context)),
      ...gone.map((each) =>
        make(
          "li",
          { class: "gone" },
          make("span", { class: "text" }, written(each.content), ...marked(each.kinds)),
        ),
      ),
    ),
  );
};

export const planSection = (desk, plan, context) => {
  const { done, total } = progress(plan.todos);
  const depth = plan.agent.split("/").length - 1;
  const count = make("span", { class: "count" }, `${done} of ${total} done · revision ${plan.revision}`);
  const name = plan.agent === "main" ? "Plan" : plan.agent;
  const now = plan.todos.find((todo) => todo.status === "in_progress");
  const parts = [
    bar(done, total),
    plan.summary ? make("p", { class: "quiet", "data-key": "summary" }, written(plan.summary)) : null,
    steps(desk, plan, context),
    context.frozen ? null : dropped(context.lives),
    context.frozen || !desk.edits ? null : adder(desk, plan),
  ];
  const attributes = { class: depth ? `sub sub-${Math.min(depth, 4)}` : "", "data-key": plan.agent };
  if (!depth) return make("section", attributes, make("h2", {}, name, " ", count), ...parts);
  const head = make(
    "h2",
    { title: plan.agent },
    plan.agent.split("/").at(-1),
    " ",
    make("span", { class: "count" }, `${done} of ${total} done`),
    " ",
    now ? make("span", { class: "on" }, written(now.content)) : "",
  );
  const inner = make("details", { open: !context.folded }, make("summary", {}, head), ...parts);
  return make("section", attributes, inner);
};
