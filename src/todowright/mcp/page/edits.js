// What a person does to the plan: sent one at a time through the host, on the revision that is shown.

const CHANGED = "the plan has changed meanwhile";
const STATUS = { complete: "completed", reopen: "pending", start: "in_progress", cancel: "cancelled" };
const DID = { complete: "Ticked", reopen: "Opened again", start: "Started", cancel: "Dropped", remove: "Dropped", reword: "Reworded", add: "Added" };
const touched = [];
const busy = new Set();
let line = Promise.resolve();

const offers = (plan, deed) => state.mayEdit && (plan.deeds || []).includes(deed);
const stepOf = (plan, number) => plan.todos.find((todo) => todo.number === number);
const ticking = (plan, todo) => (offers(plan, closed(todo) ? "reopen" : "complete") ? (closed(todo) ? "reopen" : "complete") : "");
const dropping = (plan, todo) => (closed(todo) ? "" : ["cancel", "remove"].find((deed) => offers(plan, deed)) || "");

// A line below the plan, for a while; with a way back where there is one.
let leaving = 0;
const note = (text, back) => {
  const undo = back && make("button", { type: "button", class: "act", onclick: () => { note(""); back(); } }, "Undo");
  document.getElementById("note").replaceChildren(...(text ? [make("span", { dir: "auto" }, plainly(text)), undo].filter(Boolean) : []));
  clearTimeout(leaving);
  if (text) leaving = setTimeout(() => note(""), back ? 8000 : 20000);
};
const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

// What takes an edit back.
const inverse = (before, edit, after) => {
  const at = before.todos.findIndex((todo) => todo.number === edit.step), was = before.todos[at];
  if (edit.do === "add") {
    const old = new Set(before.todos.map((todo) => todo.number));
    const made = after.todos.find((todo) => !old.has(todo.number));
    return made && dropping(after, made) ? { do: dropping(after, made), step: made.number } : null;
  }
  if (edit.do === "reword") return { do: "reword", step: edit.step, text: was.content };
  if (edit.do === "remove") return { do: "add", text: was.content, after: before.todos[at - 1]?.number ?? 0 };
  const deed = Object.keys(STATUS).find((each) => STATUS[each] === was.status);
  return was.status !== STATUS[edit.do] && offers(after, deed) ? { do: deed, step: edit.step } : null;
};

// Whether an edit still means what it meant when the plan has moved: "again", "made" already, or why not.
const judged = (edit, seen, plan, before) => {
  if (edit.do === "add") {
    const old = new Set(before.todos.map((todo) => todo.number));
    return plan.todos.some((todo) => !old.has(todo.number) && todo.content === edit.text) ? "made" : "again";
  }
  const now = stepOf(plan, edit.step);
  if (!now) return `The agent took “${short(seen.content)}” off meanwhile`;
  if (now.content !== seen.content) return `Meanwhile the agent made it “${short(now.content)}”`;
  return "again";
};

const send = async (agent, edit, seen) => {
  const before = planOf(agent);
  for (let tries = 4; tries; tries -= 1) {
    const plan = planOf(agent);
    const given = { session: state.session, agent, revision: plan.revision, edits: [edit] };
    const answer = await call("plan_edit", given);
    if (answer.plan) putPlan(answer.plan);
    if (!answer.wrong) return { plan: answer.plan, before, note: answer.note };
    if (answer.wrong !== CHANGED || !answer.plan) return { why: answer.wrong };
    const verdict = judged(edit, seen, answer.plan, before);
    if (verdict === "made") return { plan: answer.plan, before };
    if (verdict !== "again") return { why: verdict, clash: true };
  }
  return { why: "The plan moves too fast: try again in a moment" };
};

// Make one edit; true when it is in the plan. What went wrong is one line.
const change = (agent, edit, seen, { back = true } = {}) => {
  const key = `${agent} ${edit.step}`;
  busy.add(key);
  redraw();
  const done = line.then(async () => {
    let made;
    try {
      made = await send(agent, edit, seen);
    } catch (error) {
      made = { why: "The host did not let the widget change the plan" };
    }
    busy.delete(key);
    if (made.plan) {
      const fresh = made.plan.todos.filter((todo) => !stepOf(made.before, todo.number)).map((todo) => todo.number);
      touched.unshift(...(edit.do === "add" ? fresh : [edit.step]));
      touched.splice(6);
      const undo = back && inverse(made.before, edit, made.plan);
      const words = edit.text || seen?.content || "";
      note(made.note || `${DID[edit.do]} “${short(words)}”`, undo && (() => change(agent, undo, stepOf(made.plan, undo.step), { back: false })));
    } else note(made.why);
    redraw();
    return made;
  });
  line = done.catch(() => {});
  return done;
};
