// What a person does to the plans of a session: one edit after the other, each on the newest revision.

import * as api from "./api.js";
import { say } from "./dom.js";

const TRIES = 6;
const place = (plan, id) => plan.todos.findIndex((todo) => todo.id === id);

export const MOVES = {
  up: (id) => (plan) => {
    const at = place(plan, id);
    return at > 0 ? { do: "move", id, after: plan.todos[at - 2]?.id ?? "" } : null;
  },
  down: (id) => (plan) => {
    const at = place(plan, id);
    return at >= 0 && at < plan.todos.length - 1 ? { do: "move", id, after: plan.todos[at + 1].id } : null;
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
    note.textContent = "";
    for (let tries = 0; tries < TRIES; tries += 1) {
      const plan = plans.get(agent);
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
        if (seen && plans.has(agent) && !same(plans.get(agent), seen)) break;
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
    drafts: new Map(),
    redraw,
    reword: (plan, todo) => {
      desk.editing = { agent: plan.agent, id: todo.id, text: todo.content, fresh: true };
      redraw();
    },
    change: (agent, edit, seen = null) => {
      line = line.then(() => attempt(agent, edit, seen));
      return line;
    },
    key: (event) => {
      const at = document.activeElement?.closest("li[data-id]");
      const plan = at && plans.get(at.dataset.agent);
      const todo = plan?.todos[place(plan, at.dataset.id)];
      if (!todo || !desk.edits) return false;
      if (event.key === "e") desk.reword(plan, todo);
      else if (event.key === "x") desk.change(plan.agent, MOVES.toggle(todo.id));
      else if (event.key === "c") desk.change(plan.agent, { do: "cancel", id: todo.id }, todo);
      else if (event.altKey && event.key === "ArrowUp") desk.change(plan.agent, MOVES.up(todo.id));
      else if (event.altKey && event.key === "ArrowDown") desk.change(plan.agent, MOVES.down(todo.id));
      else return false;
      return true;
    },
  };
  return desk;
};
