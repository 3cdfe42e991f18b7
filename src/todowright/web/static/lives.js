// What the revisions of an agent tell of each of its steps: when it was written, worked on, dropped; in which plan.

import { named } from "./tree.js";

// Two revisions may come within a millisecond, and Date knows no less.
export const instant = (text) => Date.parse(text) + text.slice(23, 26) / 1000;
const OPEN = (status) => status === "pending" || status === "in_progress";

const begun = (todo, at, chapter) => ({
  number: todo.number,
  id: todo.id,
  born: at,
  words: [],
  spans: [],
  gone: null,
  away: [], // when it had been dropped for a while
  chapter,
  todo,
});

// A dropped step that is put back in the same words is the same step, though it has another number.
const returned = (lives, { content, number }) => {
  const life = [...lives.values()].find((each) => (each.gone?.dropped || each.gone?.meant) && each.todo.content === content);
  if (!life) return null;
  lives.delete(life.number);
  life.number = number;
  return life;
};

const isNextPlan = (before, after) => {
  if (!before?.todos.length || !after.todos.length || before.todos.some((todo) => OPEN(todo.status))) return false;
  const old = new Set(before.todos.map((todo) => todo.number));
  return !after.todos.some((todo) => old.has(todo.number));
};

// An agent that takes a step off by the tool that its dialect has for it means it.
const isMeant = ({ by, dialect, changes = [] }) =>
  by.kind === "agent" && ["lean", "tasks"].includes(dialect) && changes.every(({ kinds }) => kinds.every((kind) => ["dropped", "removed", "started"].includes(kind)));

// { lives: Map of number to its life, chapters: [{ from, to, order: [number], summary }] }, the last being the present plan.
export const livesOf = (revisions) => {
  const lives = new Map(),
    chapters = [];
  let before = null,
    full = null; // the last list that was not empty
  for (const revision of revisions) {
    const at = instant(revision.updated_at);
    if (!chapters.length || isNextPlan(full, revision)) chapters.push({ from: at, to: at, order: [], summary: "" });
    const chapter = chapters.at(-1),
      here = new Set();
    for (const todo of revision.todos) {
      here.add(todo.number);
      const life = lives.get(todo.number) || returned(lives, todo) || begun(todo, at, chapters.length - 1);
      lives.set(todo.number, life);
      if (life.gone) life.away.push({ ...life.gone, until: at });
      Object.assign(life, { todo, gone: null });
      if (life.words.at(-1)?.text !== todo.content) life.words.push({ at, text: todo.content });
      const last = life.spans.at(-1);
      if (last?.status === todo.status && last.until === null) continue;
      if (last && last.until === null) last.until = at;
      life.spans.push({ status: todo.status, since: at, until: null });
    }
    if (revision.ended) break;
    const numbers = (before?.todos || []).map((todo) => todo.number);
    for (const [place, number] of numbers.entries()) {
      if (here.has(number)) continue;
      const life = lives.get(number),
        last = life.spans.at(-1);
      last.until = at;
      const open = OPEN(last.status),
        meant = open && isMeant(revision);
      life.gone = {
        at,
        dropped: open && !meant,
        meant,
        by: revision.by,
        after: numbers[place - 1] ?? 0,
      };
    }
    chapter.order = ordered(revision.todos.map((todo) => todo.number), lives, chapters.length - 1);
    if (revision.todos.length) [chapter.to, full] = [at, revision];
    if (revision.summary) chapter.summary = revision.summary;
    before = revision;
  }
  return { lives, chapters };
};

// The steps that are there, with those that are gone at the place they had.
export const ordered = (numbers, lives, chapter) => {
  const order = [...numbers];
  const gone = [...lives.values()].filter((life) => life.gone && life.chapter === chapter);
  for (const life of gone.sort((one, other) => one.number - other.number)) {
    const place = life.gone.after ? order.indexOf(life.gone.after) : -1;
    if (life.gone.after && place < 0) {
      const later = order.findIndex((number) => number > life.number);
      order.splice(later < 0 ? order.length : later, 0, life.number);
    } else order.splice(place + 1, 0, life.number);
  }
  return order;
};

export const wordsAt = (life, moment) => (life.words.findLast((each) => each.at <= moment) || life.words[0]).text;

export const awayAt = (life, moment) => life.away?.find((each) => each.at <= moment && moment < each.until);

export const goneAs = ({ dropped, meant }) => (dropped ? "dropped" : meant ? "cancelled" : "removed");

// completed, in_progress, pending, cancelled; dropped, removed once it is gone; later before it was written.
export const stateAt = (life, moment) => {
  if (moment < life.born) return "later";
  const away = awayAt(life, moment);
  if (away) return goneAs(away);
  if (life.gone && moment >= life.gone.at) return goneAs(life.gone);
  return (life.spans.findLast((span) => span.since <= moment) || life.spans[0]).status;
};

// Milliseconds in progress until a moment.
export const workedOn = (life, moment) =>
  life.spans
    .filter((span) => span.status === "in_progress" && span.since <= moment)
    .reduce((sum, span) => sum + Math.min(span.until ?? moment, moment) - span.since, 0);

const VERBS = {
  created: "added", started: "started", paused: "put back", completed: "finished", cancelled: "cancelled", reopened: "reopened",
  reworded: "reworded", changed: "changed", moved: "moved", dropped: "dropped", removed: "tidied away",
};
export const who = ({ agent, by }) =>
  by.kind === "person" ? by.name || "you" : by.kind === "program" ? by.name || "a program" : named(agent);

// Who did what, in a line.
export const told = (moment) => {
  const { changes = [] } = moment;
  if (moment.ended) return `ended: ${moment.ended}`;
  if (!changes.length) return moment.revision === 1 ? "began a plan" : "sent the plan again";
  const made = changes.filter((each) => each.kinds.includes("created"));
  if (made.length > 2 && made.length >= changes.length - 1 - made.length)
    return `planned ${made.length} steps: ${made[0].content} …`;
  const weight = ({ kinds }) => ["dropped", "reworded", "started", "completed", "cancelled", "reopened", "created"].findIndex((kind) => kinds.includes(kind));
  const order = [...changes].sort((one, other) => (weight(one) + 9) % 9 - ((weight(other) + 9) % 9));
  const parts = order.slice(0, 2).map(({ kinds, content }) => `${VERBS[kinds.at(-1)]} “${content}”`);
  return parts.join("; ") + (order.length > 2 ? `; and ${order.length - 2} more` : "");
};
