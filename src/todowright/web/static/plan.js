// One plan on the page: its steps, what can be done to each, and what a revision did to them.

import { MARKS, WORDS, bar, closed, make } from "./dom.js";

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

// `desk` is what a person is doing: { editing, draft, change(plan, edit), reword(plan, todo), redraw() }
const acts = (desk, plan, todo, index) => {
  const before = plan.todos[index - 2]?.id ?? "",
    after = plan.todos[index + 1]?.id;
  const act = (label, sign, edit, off) =>
    button(`${label}: ${todo.content}`, sign, off, () => desk.change(plan, edit));
  return make(
    "span",
    { class: "acts" },
    button(`Reword: ${todo.content}`, "✎", false, () => desk.reword(plan, todo)),
    act("Work on this", "▶", { do: "start", id: todo.id }, todo.status === "in_progress"),
    act("Move up", "↑", { do: "move", id: todo.id, after: before }, index === 0),
    act("Move down", "↓", { do: "move", id: todo.id, after }, after === undefined),
    act("Cancel", "✗", { do: "cancel", id: todo.id }, todo.status === "cancelled"),
  );
};

// What is being typed outlives a redraw: updates may come in at any time.
const editor = (desk, plan, todo) => {
  const mine = desk.editing;
  const input = make("input", { "aria-label": "New words", maxlength: 2000, id: "reword" });
  input.value = mine.text;
  const done = (keep) => {
    if (desk.editing !== mine) return;
    desk.editing = null;
    const text = mine.text.trim();
    if (keep && text && text !== todo.content) desk.change(plan, { do: "reword", id: todo.id, text });
    else desk.redraw();
  };
  input.addEventListener("input", () => (mine.text = input.value));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") done(true);
    if (event.key === "Escape") {
      event.stopPropagation();
      done(false);
    }
  });
  queueMicrotask(() => {
    input.focus();
    if (mine.fresh) input.select();
    else input.setSelectionRange(mine.at ?? mine.text.length, mine.at ?? mine.text.length);
    mine.fresh = false;
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
    active ? `${todo.content} (${todo.active_form})` : todo.content,
    ...marked(tags),
  );
};

const item = (desk, plan, todo, index, tags, frozen) => {
  const ticked = todo.status === "completed";
  const label = `${WORDS[todo.status]}: ${todo.content}. ${ticked ? "Take the tick off" : "Tick"}`;
  const onclick = () => desk.change(plan, { do: ticked ? "untick" : "tick", id: todo.id });
  return make(
    "li",
    { class: todo.status, "data-id": todo.id, "data-agent": plan.agent },
    make(
      "button",
      { type: "button", class: "mark", disabled: frozen, "aria-label": label, onclick },
      MARKS[todo.status],
    ),
    words(desk, plan, todo, tags, frozen),
    frozen ? null : acts(desk, plan, todo, index),
  );
};

const adder = (desk, plan) => {
  const input = make("input", {
    id: "add",
    placeholder: "A new step",
    "aria-label": "A new step",
    maxlength: 2000,
  });
  input.value = desk.draft;
  input.addEventListener("input", () => (desk.draft = input.value));
  const onsubmit = async (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text && (await desk.change(plan, { do: "add", text }))) {
      desk.draft = "";
      desk.redraw();
    }
  };
  return make("form", { class: "tools", onsubmit }, input, make("button", {}, "Add"));
};

export const planSection = (desk, plan, frozen) => {
  const done = plan.todos.filter(closed).length;
  const changes = plan.changes || [];
  const kinds = new Map(changes.map((each) => [each.id, each.kinds]));
  const here = new Set(plan.todos.map((todo) => todo.id));
  const gone = changes.filter((each) => !here.has(each.id));
  const count = `${done} of ${plan.todos.length} done · revision ${plan.revision}`;
  const list = make(
    "ol",
    { "aria-label": `Steps of ${plan.agent}` },
    ...plan.todos.map((todo, index) => item(desk, plan, todo, index, kinds.get(todo.id) || [], frozen)),
    ...gone.map((each) =>
      make("li", { class: "gone" }, make("span", { class: "text" }, each.content, ...marked(each.kinds))),
    ),
  );
  const box = make(
    "section",
    { class: plan.agent.includes("/") ? "sub" : "" },
    make("h2", {}, plan.agent === "main" ? "Plan" : plan.agent, " ", make("span", { class: "count" }, count)),
    bar(done, plan.todos.length),
    plan.summary ? make("p", { class: "quiet" }, plan.summary) : null,
    make("div", { class: "plan" }, list),
  );
  if (!frozen && plan.agent === "main") box.append(adder(desk, plan));
  return box;
};
