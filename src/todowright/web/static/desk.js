// What a person does to the plans of a session. It shows at once; edits wait in line, and each is sent on the newest
// revision. What could not be made keeps its words.

import * as api from "./api.js";
import { closed, kept, say } from "./dom.js";

const TRIES = 40; // a busy agent may be quicker many times in a row
const STATUS = { complete: "completed", reopen: "pending", start: "in_progress", cancel: "cancelled" };
const DID = { complete: "Ticked", reopen: "Opened", start: "Started", cancel: "Cancelled", reword: "Reworded", add: "Added", move: "Moved", remove: "Removed" };
export const place = (plan, number) => plan.todos.findIndex((todo) => todo.number === number);
const offers = (plan, deed) => plan.deeds.includes(deed);
const isFirst = (after) => after === 0 || after === undefined;

// What can be done to a step where the plan's dialect has words for it.
export const DEEDS = {
  tick: (plan, { status, number }) => {
    const deed = status === "completed" ? "reopen" : "complete";
    return offers(plan, deed) ? { do: deed, step: number } : null;
  },
  start: (plan, { number }) => (offers(plan, "start") ? { do: "start", step: number } : null),
  putBack: (plan, { status, number }) =>
    status === "cancelled" && offers(plan, "reopen") ? { do: "reopen", step: number } : null,
  cancel: (plan, { status, number }) =>
    status !== "cancelled" && offers(plan, "cancel") ? { do: "cancel", step: number } : null,
  // A dialect that cannot cancel lets go of an open step in the only way it has.
  remove: (plan, todo) =>
    !offers(plan, "cancel") && !closed(todo) && offers(plan, "remove") ? { do: "remove", step: todo.number } : null,
  // Past the next step that is shown; what is hidden stays where it is.
  up: (plan, { number }, wanted) => {
    const at = place(plan, number);
    const above = plan.todos.findLastIndex((todo, index) => index < at && wanted(todo));
    return above >= 0 ? { do: "move", step: number, after: plan.todos[above - 1]?.number ?? 0 } : null;
  },
  down: (plan, { number }, wanted) => {
    const at = place(plan, number);
    const below = plan.todos.findIndex((todo, index) => index > at && wanted(todo));
    return at >= 0 && below >= 0 ? { do: "move", step: number, after: plan.todos[below].number } : null;
  },
  // Before all others that wait.
  first: (plan, { number, status }) => {
    const at = plan.todos.findIndex((todo) => todo.status === "pending");
    if (status !== "pending" || at < 0 || plan.todos[at].number === number) return null;
    return { do: "move", step: number, after: plan.todos[at - 1]?.number ?? 0 };
  },
};

// The plan as it will be once an edit is made.
const applied = (plan, edit, key) => {
  const todos = [...plan.todos],
    at = todos.findIndex((todo) => todo.number === edit.step);
  const into = (todo) => {
    const behind = isFirst(edit.after) && edit.after !== undefined ? -1 : todos.findIndex((each) => each.number === edit.after);
    todos.splice(edit.after === undefined ? todos.length : behind + 1, 0, todo);
  };
  if (edit.do === "add") into({ number: -key, id: "", content: edit.text, status: "pending", active_form: "", extras: {} });
  else if (at < 0) return plan;
  else if (edit.do === "reword") todos[at] = { ...todos[at], content: edit.text };
  else if (edit.do === "remove") todos.splice(at, 1);
  else if (edit.do === "move") into(...todos.splice(at, 1));
  else {
    if (edit.do === "start")
      for (const [index, todo] of todos.entries())
        if (todo.status === "in_progress") todos[index] = { ...todo, status: "pending" };
    todos[at] = { ...todos[at], status: STATUS[edit.do] };
  }
  return { ...plan, todos };
};

// The stream may tell of a new step before the answer does.
const isThere = (plan, { edit, high }) =>
  edit.do === "add" && plan.todos.some((todo) => todo.number > high && todo.content === edit.text);

// What takes an edit back.
const inverse = (before, edit, after) => {
  const at = place(before, edit.step),
    was = before.todos[at];
  if (edit.do === "add") {
    const old = new Set(before.todos.map((todo) => todo.number));
    const made = after.todos.find((todo) => !old.has(todo.number));
    return made ? { do: offers(after, "remove") ? "remove" : "cancel", step: made.number } : null;
  }
  if (!was) return null;
  if (edit.do === "reword") return { do: "reword", step: edit.step, text: was.content };
  if (edit.do === "move") return { do: "move", step: edit.step, after: before.todos[at - 1]?.number ?? 0 };
  if (edit.do === "remove") return { do: "add", text: was.content, after: before.todos[at - 1]?.number ?? 0 };
  const deed = Object.keys(STATUS).find((each) => STATUS[each] === was.status);
  return was.status !== STATUS[edit.do] && offers(after, deed) ? { do: deed, step: edit.step } : null;
};

export const makeDesk = ({ name, plans, take, redraw, toast, fault }) => {
  const line = kept.get(`edits.${name}`, [], "sessionStorage");
  const drafts = kept.get(`drafts.${name}`, {});
  const undos = [];
  let busy = false,
    keys = line.reduce((most, job) => Math.max(most, job.key), 0);

  const keep = () => kept.set(`edits.${name}`, line.length ? line : null, "sessionStorage");
  const draft = (key, text) => {
    if (text) drafts[key] = text;
    else delete drafts[key];
    kept.set(`drafts.${name}`, Object.keys(drafts).length ? drafts : null);
  };
  const done = (job) => {
    line.splice(line.indexOf(job), 1);
    keep();
    redraw();
  };

  // The step that was meant still says what the person saw, whatever else has moved.
  const trouble = (plan, { edit, seen }) => {
    if (!seen || edit.step < 0) return "";
    const todo = plan.todos[place(plan, seen.number)];
    return !todo ? "gone" : todo.content !== seen.content ? "reworded" : "";
  };
  const clashed = (job, why) => {
    const plan = plans.get(job.agent),
      todo = plan?.todos[place(plan, job.seen.number)];
    if (job.edit.do !== "reword" || !plan || plan.ended)
      return fault(`“${job.seen.content}” ${why === "gone" ? "is gone meanwhile" : `has changed meanwhile: it says “${todo.content}”`}. Look again.`, job.edit.text);
    desk.editing = { agent: job.agent, number: job.seen.number, text: job.edit.text, seen: job.seen, clash: true, fresh: true };
  };
  const send = async (job) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const plan = plans.get(job.agent);
      const why = plan ? trouble(plan, job) : "gone";
      if (why) return clashed(job, why);
      const todo = plan.todos[place(plan, job.edit.step)];
      if (STATUS[job.edit.do] && todo?.status === STATUS[job.edit.do]) return null;
      const made = job.edit.step < 0 ? { ...job.edit, step: job.seen.content } : job.edit;
      try {
        const { note, ...after } = await api.edit(plan, [made]);
        take(after);
        if (note) fault(note);
        if (job.edit.do === "reword" && drafts[`${job.agent} ${job.edit.step}`] === job.edit.text) draft(`${job.agent} ${job.edit.step}`, "");
        say("The plan was changed. The agent hears of it with its next call.");
        const back = inverse(plan, made, after);
        job.undo ||= {};
        Object.assign(job.undo, { agent: job.agent, edit: back, sent: true });
        if (job.undo.wanted && back) desk.change(job.agent, back);
        return null;
      } catch (error) {
        if (!error.status) throw error;
        if (error.status !== 412) {
          if (job.edit.do === "reword") desk.editing ||= { agent: job.agent, number: job.edit.step, text: job.edit.text, seen: job.seen, fresh: true };
          return fault(error.message, job.edit.do === "add" ? job.edit.text : "", job.agent);
        }
        if (error.plan) take(error.plan);
      }
    }
    return fault("The plan moves too fast: try again.", job.edit.text, job.agent);
  };
  const pump = async () => {
    if (busy) return;
    busy = true;
    try {
      while (line.length) {
        const [job] = line;
        if (!plans.has(job.agent)) await new Promise((later) => setTimeout(later, 300));
        await send(job);
        done(job);
      }
    } catch {
      for (const job of line) job.waits = true; // the link is gone: they are sent when it is back
      keep();
      redraw();
    }
    busy = false;
  };

  const desk = {
    editing: null,
    edits: true,
    wanted: () => true,
    redraw,
    draft,
    drafts,
    waiting: () => line.length,
    pump,
    shown: (plan) => line.filter((job) => job.agent === plan.agent && !isThere(plan, job)).reduce((now, job) => applied(now, job.edit, job.key), plan),
    pending: (agent, number) => line.find((job) => job.agent === agent && (job.edit.step === number || -job.key === number)),
    reword: (plan, todo) => {
      const text = drafts[`${plan.agent} ${todo.number}`] || todo.content;
      desk.editing = { agent: plan.agent, number: todo.number, text, seen: todo, fresh: true };
      redraw();
    },
    change: (agent, edit, seen = null, { quietly = false } = {}) => {
      if (!edit) return;
      keys += 1;
      const high = Math.max(0, ...(plans.get(agent)?.todos || []).map((todo) => todo.number));
      const job = { key: keys, agent, edit, high, seen: seen && { number: seen.number, content: seen.content } };
      line.push(job);
      if (!quietly) {
        const undo = (job.undo = {});
        undos.push(undo);
        undos.splice(0, undos.length - 20);
        toast(`${DID[edit.do]} “${edit.text || seen?.content || ""}”`, () => desk.undo(undo));
      }
      keep();
      redraw();
      pump();
    },
    undo: (which = undos.at(-1)) => {
      const at = undos.indexOf(which);
      if (at < 0) return;
      undos.splice(at, 1);
      toast("");
      const job = line.find((each) => each.undo === which);
      if (job && line.indexOf(job) > 0) return done(job); // not sent yet: nobody will notice
      if (job) which.wanted = true;
      else if (which.edit) desk.change(which.agent, which.edit, null, { quietly: true });
      else fault("This cannot be taken back here.");
    },
  };
  if (line.length) setTimeout(pump, 500);
  return desk;
};
