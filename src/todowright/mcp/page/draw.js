// What a plan looks like. Text is only ever set as text: nothing a todo says can run.

const WORDS = { completed: "done", in_progress: "in progress", pending: "to do", cancelled: "cancelled" };
const statusOf = (todo) => (Object.hasOwn(WORDS, todo.status) ? todo.status : "pending");
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const plainly = (text) => String(text).replace(TURNS, "\ufffd");

const make = (name, given = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given))
    if (key.startsWith("on")) made[key] = value;
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
};
const icon = (name) => {
  const made = document.getElementById("icons").content.querySelector(`[data-icon=${name}]`).cloneNode(true);
  made.setAttribute("aria-hidden", "true");
  return made;
};

// Make the children of an element those that are wanted. What has a key and looks as it did stays: its focus, and what
// is being typed in it, are not lost when the plan moves.
const able = (node) => [node, ...node.querySelectorAll("button, input")];
const fill = (parent, wanted) => {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let focus = null;
  const next = wanted.filter(Boolean).map((node) => {
    const known = node.dataset.key && old.get(node.dataset.key);
    if (!known || known.tagName !== node.tagName) return node;
    if (node.dataset.inner) {
      fill(known, [...node.children]);
      for (const { name, value } of [...node.attributes]) known.setAttribute(name, value);
      return known;
    }
    if (known.dataset.look === node.dataset.look) return known;
    const at = able(known).indexOf(document.activeElement);
    if (at >= 0) focus = able(node)[at] || able(node)[1];
    return node;
  });
  const stay = new Set(next);
  for (const node of [...parent.childNodes]) if (!stay.has(node)) node.remove();
  next.forEach((node, at) => parent.childNodes[at] !== node && parent.insertBefore(node, parent.childNodes[at] || null));
  focus?.focus({ preventScroll: true });
};

const closed = (todo) => todo.status === "completed" || todo.status === "cancelled";
const count = (todos, status) => todos.filter((todo) => todo.status === status).length;
const tally = (todos) =>
  Object.entries(WORDS)
    .map(([status, word]) => [count(todos, status), word])
    .filter(([number]) => number)
    .map(([number, word]) => `${number} ${word}`)
    .join(", ");

// The steps of a plan in order, each alone, or several that are far from what goes on: [[one], [many, …], …].
const parted = (todos, { most, ahead, stay }) => {
  if (todos.length <= most) return todos.map((todo) => [todo]);
  const on = todos.flatMap((todo, at) => (todo.status === "in_progress" ? [at] : [])).slice(0, 10);
  const from = on.length ? on.at(-1) : todos.findIndex((todo) => todo.status === "pending");
  const near = new Set(on);
  for (let at = from, left = ahead; at >= 0 && at < todos.length && left > 0; at += 1)
    if (todos[at].status === "pending") near.add(at), (left -= 1);
  const first = Math.min(...near);
  if (first > 0 && near.size) near.add(first - 1);
  const parts = [];
  let run = null;
  todos.forEach((todo, at) => {
    if (near.has(at) || stay.has(todo.number)) return (run = null), parts.push([todo]);
    if (run) run.push(todo);
    else parts.push((run = [todo]));
  });
  return parts;
};

const above = (agent) => agent.split("/").slice(0, -1).join("/");
// The plans right below each agent; one whose parents have no plan stands on its own, below "".
const nested = (plans) => {
  const names = new Set(plans.map((plan) => plan.agent)), below = new Map();
  for (const plan of plans) {
    let parent = above(plan.agent);
    while (parent && !names.has(parent)) parent = above(parent);
    below.set(parent, [...(below.get(parent) || []), plan]);
  }
  return (agent) => below.get(agent) || [];
};

const named = (agent) => (agent === "main" ? "Plan" : agent.split("/").at(-1));
const folding = (text, open, onclick, about = "") =>
  make(
    "button",
    { type: "button", class: "fold", "aria-expanded": String(open), "data-key": "fold", "data-look": `${text} ${open} ${about}`, onclick },
    icon("chevron"),
    text,
  );
