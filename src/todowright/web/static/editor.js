// Where a person writes: new words for a step, both wordings where they clash, a new step.

import { icon } from "./draw.js";
import { make, plainly } from "./dom.js";
import { named } from "./tree.js";
import { place } from "./desk.js";

const parted = (text) => text.split(/\s+/).filter(Boolean);
// The words of one text; marked is what is not in the longest sequence of both; in long ones, not in the other.
const marked = (mine, other) => {
  const [one, two] = [mine, other].map(parted),
    words = one.length * two.length > 1e5 && new Set(two);
  const most = words ? [] : [...one, ""].map(() => new Uint16Array(two.length + 1));
  for (let i = most.length - 2; i >= 0; i -= 1)
    for (let j = two.length - 1; j >= 0; j -= 1) most[i][j] = one[i] === two[j] ? most[i + 1][j + 1] + 1 : Math.max(most[i + 1][j], most[i][j + 1]);
  const runs = [];
  let j = 0;
  for (const [i, word] of one.entries()) {
    while (!words && j < two.length && word !== two[j] && most[i][j + 1] === most[i][j]) j += 1;
    const both = words ? words.has(word) : word === two[j] && most[i][j] > most[i + 1][j];
    if (both) j += 1;
    if (i && runs.at(-1).both === both) runs.at(-1).text += ` ${word}`;
    else runs.push({ both, text: word });
  }
  return runs.map(({ both, text }, i) => (both ? plainly(`${i ? " " : ""}${text}${runs[i + 1] ? " " : ""}`) : make("ins", {}, plainly(text))));
};

const clash = (desk, mine, plan, finish) => {
  const todo = plan.todos[place(plan, mine.number)],
    who = named(plan.agent);
  const act = (text, cls, onclick) => make("button", { type: "button", class: `btn ${cls}`.trim(), onclick }, text);
  const add = () => finish(() => desk.change(plan.agent, { do: "add", text: mine.text.trim() }));
  const use = () => finish(() => desk.change(plan.agent, { do: "reword", step: mine.number, text: mine.text.trim() }, todo));
  const theirs = todo
    ? make("dl", {}, make("dt", {}, "Yours"), make("dd", {}, ...marked(mine.text, todo.content)), make("dt", {}, who), make("dd", {}, ...marked(todo.content, mine.text)))
    : "";
  const buttons = todo
    ? [act("Use mine", "main", use), act(`Keep ${who}’s`, "", () => finish(null)), act("Add mine as a new step", "", add)]
    : [act("Add mine as a new step", "main", add), act("Throw mine away", "", () => finish(null))];
  return make(
    "div",
    { class: "clash", id: "clash", role: "alert", "data-key": "clash" },
    make("p", {}, todo ? `${who} reworded this step while you were typing` : `This step is gone: ${who} took it off while you were typing`),
    theirs,
    make("div", {}, ...buttons),
  );
};

export const editor = (desk, plan, words) => {
  const mine = desk.editing,
    key = `${mine.agent} ${mine.number}`;
  const todo = plan.todos[place(plan, mine.number)];
  if (!todo) mine.clash = true;
  const close = () => {
    if (desk.editing === mine) desk.editing = null;
    desk.draft(key, "");
    desk.redraw();
  };
  const finish = (act) => {
    act?.();
    close();
  };
  const save = () => {
    const text = mine.text.trim();
    if (!todo) return; // the buttons below say what can be done
    if (!text || text === todo.content) return finish(null);
    if (todo.content !== mine.seen.content) {
      mine.clash = true;
      return desk.redraw();
    }
    desk.editing = null; // the draft is kept until it is sent
    desk.draft(key, text);
    desk.change(plan.agent, { do: "reword", step: mine.number, text }, mine.seen);
  };
  const input = make("input", {
    "aria-label": "New words",
    "aria-describedby": mine.clash ? "clash" : null,
    maxlength: 2000,
    id: "reword",
    dir: "auto",
    "data-key": `reword ${mine.number}`,
    oninput: (event) => {
      if (desk.editing !== mine) return; // it is sent, and the field goes with the next frame
      mine.text = event.target.value;
      desk.draft(key, mine.text);
    },
    onkeydown: (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") save();
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (mine.text.trim() === words || !mine.text.trim()) return close();
      desk.editing = null; // what was typed stays as a draft
      desk.left(mine, () => desk.draft(key, ""));
      desk.redraw();
    },
  });
  input.value = mine.text;
  queueMicrotask(() => {
    if (!mine.fresh || !input.isConnected) return;
    mine.fresh = false;
    input.focus();
    input.select();
  });
  return make("span", { class: "edit", "data-key": "edit" }, input, mine.clash ? clash(desk, mine, plan, finish) : "");
};

export const adder = (desk, plan, depth) => {
  const key = `add ${plan.agent}`;
  const field = make("input", {
    class: "add-step",
    placeholder: "Add a step",
    "aria-label": plan.agent === "main" ? "A new step" : `A new step of ${plan.agent}`,
    "aria-keyshortcuts": "n",
    maxlength: 2000,
    dir: "auto",
    "data-key": "add",
    "data-agent": plan.agent,
    oninput: (event) => desk.draft(key, event.target.value),
  });
  field.value = desk.drafts[key] || "";
  const put = (form, first) => {
    const input = form.querySelector("input"),
      text = input.value.trim();
    if (!text) return input.focus();
    input.value = "";
    desk.draft(key, "");
    const at = plan.todos.findIndex((todo) => todo.status === "pending");
    const after = first && at >= 0 ? { after: plan.todos[at - 1]?.number ?? 0 } : {};
    desk.change(plan.agent, { do: "add", text, ...after });
  };
  const onsubmit = (event) => {
    event.preventDefault();
    put(event.target, false);
  };
  const first = { type: "button", class: "btn first", title: "The agent hears of it with its next call, as the next thing to do", onclick: (event) => put(event.target.form, true) };
  return make(
    "li",
    { "data-key": "adder", class: "adding" },
    make("form", { class: "row add", onsubmit, style: { "--d": depth } }, icon("plus"), field, make("button", { class: "btn put" }, "Add"), make("button", first, "Do this first")),
  );
};
