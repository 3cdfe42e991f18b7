// What a person does to the plans of a session: one edit after the other, each on the newest revision.

import * as api from "./api.js";
import { say } from "./dom.js";

const TRIES = 6;
const place = (plan, id) => plan.todos.findIndex((todo) => todo.id === id);

export const MOVES = {
  // Past the next step that is shown; what is hidden stays where it is.
  up: (id, wanted) => (plan) => {
    const at = place(plan, id);
    const above = plan.todos.findLastIndex((todo, index) => index < at && wanted(todo));
    return above >= 0 ? { do: "move", id, after: plan.todos[above - 1]?.id ?? "" } : null;
  },
  down: (id, wanted) => (plan) => {
    const at = place(plan, id);
    const below = plan.todos.findIndex((todo, index) => index > at && wanted(todo));
    return at >= 0 && below >= 0 ? { do: "move", id, after: plan.todos[below].id } : null;
  },
  toggle: (id) => (plan) => {
    const todo = plan.todos[place(plan, id)];
    return todo ? { do: todo.status === "completed" ? "untick" : "tick", id } : null;
  },
};

export const makeDesk = ({ plans, take, note, redraw, reload }) => {
  let line = Promise.resolve();

  // The step that was meant is still as the person saw it, whatever else has moved.
  const same = (plan, seen) => {
    const todo = plan.todos[place(plan, seen.id)];
    return todo && todo.content === seen.content && todo.status === seen.status;
  };

  const attempt = async (agent, edit, seen) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const plan = plans.get(agent);
      if (seen && plan && !same(plan, seen)) break;
      const made = plan && (typeof edit === "function" ? edit(plan) : edit);
      if (!made) return true;
      try {
        take(await api.edit(plan, [made]));
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
      desk.editing = { agent: plan.agent, id: todo.id, text: todo.content, seen: todo, fresh: true };
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
      if (!plan || place(plan, mine.id) >= 0) return;
      desk.editing = null;
      desk.drafts.set(mine.agent, mine.text);
      note.textContent = "The step you were rewording is gone: your words are in “A new step”.";
      setTimeout(() => {
        const field = document.querySelector("input.add");
        if (field) Object.assign(field, { value: mine.text }).focus();
      });
    },
    key: (event) => {
      const at = document.activeElement?.closest("li[data-id]");
      const plan = at && plans.get(at.dataset.agent);
      const todo = plan?.todos[place(plan, at.dataset.id)];
      const plainly = !event.altKey;
      if (!todo || !desk.edits) return false;
      if (event.key === "e" && plainly) desk.reword(plan, todo);
      else if (event.key === "x" && plainly) desk.change(plan.agent, MOVES.toggle(todo.id));
      else if (event.key === "c" && plainly) desk.change(plan.agent, { do: "cancel", id: todo.id }, todo);
      else if (event.altKey && event.key === "ArrowUp")
        desk.change(plan.agent, MOVES.up(todo.id, desk.wanted));
      else if (event.altKey && event.key === "ArrowDown")
        desk.change(plan.agent, MOVES.down(todo.id, desk.wanted));
      else return false;
      return true;
    },
  };
  return desk;
};
