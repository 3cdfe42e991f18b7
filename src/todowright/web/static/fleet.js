// Who works on what in a list of tasks: those at work, ready, blocked and given up, in a few lines.

import { make, written } from "./dom.js";
import { long } from "./draw.js";

const MOST = 8;
const WORDS = { working: "At work", silent: "Silent", failed: "Failed", ready: "Ready", blocked: "Blocked" };

const said = (task) => {
  if (task.state === "blocked")
    return `by ${task.blocked_by.map(({ number, owner }) => `#${number} ${owner}`.trim()).join(", ")}`;
  if (task.state === "failed") return `${task.owner}: ${task.why}`;
  if (task.lease_left === null) return task.owner;
  return task.lease_left < 0 ? `${task.owner}, silent` : `${task.owner}, ${long(task.lease_left)} left`;
};

const line = (task) =>
  make("li", {}, `#${task.number} `, written(task.subject), make("span", { class: "count" }, " ", written(said(task))));

// Only lists of tasks have one: in other plans the agent does all the steps itself.
export const fleetOf = (session, plans) => {
  const shared = new Set(plans.filter((plan) => plan.dialect === "tasks").map((plan) => plan.agent));
  const tasks = (session?.tasks || []).filter((task) => shared.has(task.agent));
  return Object.entries(WORDS).flatMap(([state, word]) => {
    const mine = tasks.filter((task) => task.state === state);
    if (!mine.length) return [];
    const more = mine.length > MOST ? [make("li", { class: "count" }, `and ${mine.length - MOST} more`)] : [];
    const head = make("h3", {}, `${word} `, make("span", { class: "count" }, String(mine.length)));
    const list = make("ul", {}, ...mine.slice(0, MOST).map(line), ...more);
    return [make("section", { class: state, "data-key": state, "aria-label": word }, head, list)];
  });
};
