// What became of a person's edit: sent, heard, kept; or changed back.

import { clock } from "./draw.js";
import { make } from "./dom.js";
import { named } from "./tree.js";

const SHOWN = 60; // seconds after it was kept
const VERBS = {
  reworded: "reworded", completed: "ticked", reopened: "opened", started: "started", paused: "put back", cancelled: "cancelled",
  created: "added", moved: "moved", dropped: "removed", removed: "removed", changed: "changed",
};
const STAGES = ["sent", "heard", "kept"];
const verb = (kinds) => VERBS[kinds.find((kind) => kind === "created") || kinds.at(-1)];

const line = (by, stage, name, titles = []) =>
  make(
    "ol",
    { class: "receipt", "data-key": "receipt", "aria-label": `${name}: ${stage ? STAGES.slice(0, stage).join(", ") : "waiting"}` },
    make("li", { class: "by" }, by),
    ...STAGES.map((word, at) => make("li", { class: at < stage ? "ok" : "", title: at < stage ? titles[at] : null }, at === 0 && !stage ? "sent …" : word)),
  );

export const waitingReceipt = (job) =>
  job.waits
    ? make("ol", { class: "receipt", "data-key": "receipt" }, make("li", { class: "by" }, "sent when the link is back"))
    : line("by you", 0, "Your edit");

// Whatever a step's last edit by a person came to; null once there is nothing to tell.
export const receipt = (edit, plan, now, again) => {
  const name = edit.by || "you";
  if (edit.state === "changed") {
    const who = named(plan.agent);
    return make(
      "span",
      { class: "receipt lost", "data-key": "receipt" },
      `${who} changed it back at ${clock(edit.judged_at * 1000)}`,
      again ? make("button", { type: "button", class: "btn put", onclick: again }, "Put mine back") : "",
    );
  }
  if (edit.state === "kept" && now - edit.judged_at > SHOWN) return null;
  const heard = edit.state === "kept" || plan.heard >= edit.revision;
  if (plan.ended && !heard) return make("span", { class: "receipt", "data-key": "receipt" }, `not heard: ${named(plan.agent)} has ended`);
  const at = clock(edit.at * 1000);
  return line(`${verb(edit.kinds)} by ${name}`, edit.state === "kept" ? 3 : heard ? 2 : 1, name === "you" ? "Your edit" : `${name}’s edit`, [at, "", clock(edit.judged_at * 1000)]);
};

// The edit that makes it so again.
export const again = (edit, plan) => {
  const here = plan.todos.find((todo) => todo.number === edit.number);
  if (!here) return { do: "add", text: edit.content };
  if (edit.kinds.includes("reworded")) return { do: "reword", step: edit.number, text: edit.content };
  const deed = { completed: "complete", cancelled: "cancel", reopened: "reopen", started: "start" }[edit.kinds.find((kind) => kind !== "moved")];
  if (deed) return plan.deeds.includes(deed) ? { do: deed, step: edit.number } : null;
  return plan.deeds.includes("cancel") ? { do: "cancel", step: edit.number } : null;
};
