// What a person does to the plans of a session: one edit after the other, each on the newest revision.

import * as api from "./api.js";
import { closed, say } from "./dom.js";

const TRIES = 40; // a busy agent may be quicker many times in a row
const place = (plan, number) => plan.todos.findIndex((todo) => todo.number === number);
const offers = (plan, deed) => plan.deeds.includes(deed);

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
    !offers(plan, "cancel") && !closed(todo) && offers(plan, "remove")
      ? { do: "remove", step: todo.number }
      : null,
};

export const MOVES = {
  // Past the next step that is shown; what is hidden stays where it is.
  up: (number, wanted) => (plan) => {
    const at = place(plan, number);
    const above = plan.todos.findLastIndex((todo, index) => index < at && wanted(todo));
    return above >= 0 ? { do: "move", step: number, after: plan.todos[above - 1]?.number ?? 0 } : null;
  },
  down: (number, wanted) => (plan) => {
    const at = place(plan, number);
    const below = plan.todos.findIndex((todo, index) => index > at && wanted(todo));
    return at >= 0 && below >= 0 ? { do: "move", step: number, after: plan.todos[below].number } : null;
  },
  toggle: (number) => (plan) => {
    const todo = plan.todos[place(plan, number)];
    return todo ? DEEDS.tick(plan, todo) : null;
  },
};

export const makeDesk = ({ plans, take, note, redraw, reload }) => {
  let line = Promise.resolve();

  // The step that was meant is still as the person saw it, whatever else has moved.
  const same = (plan, seen) => {
    const todo = plan.todos[place(plan, seen.number)];
    return todo && todo.content === seen.content && todo.status === seen.status;
  };

  const attempt = async (agent, edit, seen) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const plan = plans.get(agent);
      if (seen && plan && !same(plan, seen)) break;
      const made = plan && (typeof edit === "function" ? edit(plan) : edit);
      if (!made) return true;
      try {
        const { note: trouble, ...after } = await api.edit(plan, [made]);
        take(after);
        note.textContent = trouble;
        say("The plan was changed. The agent hears of it with its next call.");
        redraw();
        return true;
      } catch (error) {
        if (error.status !== 412) {
          note.textContent = error.message;
          return false;
        }
        await reload();
      }
    }
    note.textContent = seen
      ? `“${seen.content}” has changed meanwhile: look again.`
      : "The plan moves too fast.";
    return false;
  };

  const desk = {
    editing: null,
    edits: true,
    wanted: () => true,
    drafts: new Map(),
    redraw,
    reword: (plan, todo) => {
      desk.editing = { agent: plan.agent, number: todo.number, text: todo.content, seen: todo, fresh: true };
      redraw();
    },
    change: (agent, edit, seen = null) => {
      note.textContent = "";
      line = line.then(() => attempt(agent, edit, seen));
      return line;
    },
    // Who was rewording a step that is gone keeps the words, as a new step to be.
    mind: () => {
      const mine = desk.editing;
      const plan = mine && plans.get(mine.agent);
      if (!plan || place(plan, mine.number) >= 0) return;
      desk.editing = null;
      if (plan.ended) {
        note.textContent = `The sub-agent has ended, and its steps are gone. Your words were: ${mine.text}`;
        return;
      }
      desk.drafts.set(mine.agent, mine.text);
      note.textContent = "The step you were rewording is gone: your words are in “A new step”.";
      setTimeout(() => {
        const fields = [...document.querySelectorAll("input.add")];
        const field = fields.find((each) => each.dataset.agent === mine.agent);
        if (field) Object.assign(field, { value: mine.text }).focus();
      });
    },
    key: (event) => {
      const at = document.activeElement?.closest("li[data-number]");
      const plan = at && plans.get(at.dataset.agent);
      const todo = plan?.todos[place(plan, Number(at.dataset.number))];
      const plainly = !event.altKey;
      if (!todo || !desk.edits) return false;
      if (event.key === "e" && plainly) desk.reword(plan, todo);
      else if (event.key === "x" && plainly) desk.change(plan.agent, MOVES.toggle(todo.number));
      else if (event.key === "c" && plainly) desk.change(plan.agent, DEEDS.cancel(plan, todo) || DEEDS.remove(plan, todo), todo);
      else if (event.altKey && event.key === "ArrowUp")
        desk.change(plan.agent, MOVES.up(todo.number, desk.wanted));
      else if (event.altKey && event.key === "ArrowDown")
        desk.change(plan.agent, MOVES.down(todo.number, desk.wanted));
      else return false;
      return true;
    },
  };
  return desk;
};
