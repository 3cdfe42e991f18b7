// One plan on the page: its steps, what can be done to each, and what a revision did to them.

import { DEEDS, MOVES } from "./desk.js";
import { MARKS, WORDS, bar, make, progress, written } from "./dom.js";
import { busy, label, nested } from "./tree.js";

export const FRESH = 1500;
const MANY_ENDED = 5;
const MANY_WORKING = 6;
const marked = (kinds) => kinds.flatMap((kind) => [" ", make("span", { class: `tag ${kind}` }, kind)]);

const kept = (extras) =>
  Object.entries(extras).flatMap(([key, text]) => [
    " ",
    make("span", { class: "extra", title: `${key}: ${text}` }, written(`${key}: ${text}`)),
  ]);

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
  const offered = (label, sign, edit, off) => (edit ? act(label, sign, edit, off) : null);
  const { number, status } = todo;
  return make(
    "span",
    { class: "acts" },
    button(`Reword: ${todo.content}`, "✎", false, () => desk.reword(plan, todo)),
    offered("Work on this", "▶", DEEDS.start(plan, todo), status === "in_progress"),
    act("Move up", "↑", MOVES.up(number, wanted), !plan.todos.slice(0, index).some(wanted), null),
    act("Move down", "↓", MOVES.down(number, wanted), !plan.todos.slice(index + 1).some(wanted), null),
    offered("Put back", "↩", DEEDS.putBack(plan, todo)),
    offered("Cancel", "✗", DEEDS.cancel(plan, todo)),
    offered("Remove", "✗", DEEDS.remove(plan, todo)),
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
    const kept = await desk.change(plan.agent, { do: "reword", step: todo.number, text }, mine.seen);
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
    "data-key": `reword ${todo.number}`,
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

const isEdited = (desk, plan, todo) =>
  desk.editing?.number === todo.number && desk.editing.agent === plan.agent;

const words = (desk, plan, todo, tags, frozen) => {
  if (!frozen && isEdited(desk, plan, todo))
    return make("span", { class: "text" }, editor(desk, plan, todo));
  const active = todo.status === "in_progress" && todo.active_form && todo.active_form !== todo.content;
  return make(
    "span",
    { class: "text" },
    written(active ? `${todo.content} (${todo.active_form})` : todo.content),
    ...kept(todo.extras),
    ...marked(tags),
  );
};

const item = (desk, plan, todo, index, tags, { frozen, moved, wanted }) => {
  const ticked = todo.status === "completed",
    tick = DEEDS.tick(plan, todo),
    fixed = frozen || !desk.edits;
  const told = `${WORDS[todo.status]}: ${todo.content}. ${ticked ? "Take the tick off" : "Tick"}`;
  const onclick = () => desk.change(plan.agent, tick, todo);
  const at = moved.get(`${plan.agent} ${todo.number}`) || 0;
  const fresh = !frozen && Date.now() - at < FRESH;
  return make(
    "li",
    {
      class: fresh ? `${todo.status} flash` : todo.status,
      "data-number": todo.number,
      "data-agent": plan.agent,
      "data-key": todo.number,
      tabindex: -1,
    },
    make(
      "button",
      { type: "button", class: "mark", disabled: fixed || !tick, "aria-label": told, onclick },
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
    "data-agent": plan.agent,
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

const steps = (desk, plan, context, shown, served) => {
  const changes = plan.changes || [];
  const kinds = new Map(changes.map((each) => [each.number, each.kinds]));
  const here = new Set(plan.todos.map((todo) => todo.number));
  const lives = context.frozen ? [] : context.lives(plan.agent);
  const again = new Set(lives.filter((life) => life.reopened && !life.gone).map((life) => life.number));
  const tags = (todo) => kinds.get(todo.number) || (again.has(todo.number) ? ["reopened"] : []);
  const gone = changes.filter((each) => !here.has(each.number));
  const lines = ([todo, index]) => [
    item(desk, plan, todo, index, tags(todo), context),
    ...(served.has(todo.number)
      ? [
          make(
            "li",
            { class: "under", "data-key": `under ${todo.number}` },
            ...helpers(desk, served.get(todo.number), context),
          ),
        ]
      : []),
  ];
  return make(
    "div",
    { class: "plan", "data-key": "steps" },
    make(
      "ol",
      { "aria-label": `Steps of ${plan.agent}` },
      ...shown.flatMap(lines),
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

// A sub-agent that has ended is one line; whoever of its own still works stands below it.
const ending = (desk, plan, context) =>
  make(
    "div",
    { "data-key": plan.agent },
    make("p", { class: "ended", title: plan.agent }, written(`${label(plan)} ended: ${plan.ended}`)),
    ...helpers(desk, context.below.get(plan.agent) || [], context),
  );

const helpers = (desk, plans, context) => {
  const isQuiet = (plan) => Boolean(plan.ended) && !busy(plan, context.below);
  const quiet = plans.filter(isQuiet),
    others = plans.filter((plan) => !isQuiet(plan));
  const shown = others.map((plan) =>
    plan.ended ? ending(desk, plan, context) : section(desk, plan, context, true),
  );
  const lines = quiet.map((plan) => ending(desk, plan, context));
  if (quiet.length <= MANY_ENDED) return [...shown, ...lines];
  const count = make("summary", { class: "ended" }, `${quiet.length} sub-agents ended`);
  return [...shown, make("details", { class: "endings", "data-key": "endings" }, count, ...lines)];
};

// The sub-agents of a plan, by the step that they work on; those of no step that is shown are loose.
const helping = (plans, numbers) => {
  const served = new Map(),
    loose = [];
  for (const plan of plans) {
    if (!numbers.has(plan.serves)) loose.push(plan);
    else served.set(plan.serves, [...(served.get(plan.serves) || []), plan]);
  }
  return { served, loose };
};

const heading = (plan, isSub, helped) => {
  const { done, total } = progress(plan.todos);
  const far = `${done} of ${total} done`;
  const count = (text) => make("span", { class: "count" }, text);
  if (!isSub) {
    const name = plan.agent === "main" ? "Plan" : plan.agent;
    return make("h2", {}, name, " ", count(`${far} · revision ${plan.revision}`));
  }
  const working = helped.filter((each) => !each.ended).length;
  const more = working ? ` · ${working} sub-agent${working > 1 ? "s" : ""}` : "";
  const now = plan.todos.find((todo) => todo.status === "in_progress");
  return make(
    "h2",
    { title: plan.agent },
    written(label(plan)),
    " ",
    count(far + more),
    " ",
    now ? make("span", { class: "on" }, written(now.content)) : "",
  );
};

const section = (desk, plan, context, isSub) => {
  const { done, total } = progress(plan.todos);
  const shown = plan.todos
    .map((todo, index) => [todo, index])
    .filter(([todo]) => context.wanted(todo) || isEdited(desk, plan, todo));
  const helped = context.below.get(plan.agent) || [];
  const { served, loose } = helping(helped, new Set(shown.map(([todo]) => todo.number)));
  const parts = [
    bar(done, total),
    plan.summary ? make("p", { class: "quiet", "data-key": "summary" }, written(plan.summary)) : null,
    steps(desk, plan, context, shown, served),
    context.frozen ? null : dropped(context.lives(plan.agent)),
    context.frozen || !desk.edits ? null : adder(desk, plan),
    ...helpers(desk, loose, context),
  ];
  const attributes = { class: isSub ? "sub" : "", "data-key": plan.agent };
  const head = heading(plan, isSub, helped);
  if (!isSub) return make("section", attributes, head, ...parts);
  const inner = make("details", { open: !context.folded }, make("summary", {}, head), ...parts);
  return make("section", attributes, inner);
};

// All plans of a session, each sub-agent's below the step it serves, or below its parent's.
export const planSections = (desk, plans, context) => {
  const below = nested(plans);
  const working = plans.filter((plan) => plan.agent.includes("/") && !plan.ended).length;
  const whole = { ...context, below, folded: working > MANY_WORKING };
  return (below.get("") || []).map((plan) =>
    plan.ended ? ending(desk, plan, whole) : section(desk, plan, whole, plan.agent.includes("/")),
  );
};
