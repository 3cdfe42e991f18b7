// A session as Markdown, for a message or a file.

import { nested } from "./tree.js";

const BOXES = { completed: "[x]", in_progress: "[ ] **now:**", pending: "[ ]", cancelled: "[x] ~~cancelled~~" };
const oneLine = (text) => text.replace(/\s+/g, " ").replace(/([\\`*_[\]<>#])/g, "\\$1");

export const markdown = (name, plans) => {
  const below = nested(plans);
  const lines = (plan, depth) => {
    const helped = below.get(plan.agent) || [],
      pad = "  ".repeat(depth);
    const inner = (some) => some.flatMap((each) => [`${pad}  - ${oneLine(each.agent.split("/").at(-1))}${each.ended ? `: ${oneLine(each.ended)}` : ""}`, ...lines(each, depth + 2)]);
    const steps = plan.todos.flatMap((todo) => [`${pad}- ${BOXES[todo.status]} ${oneLine(todo.content)}`, ...inner(helped.filter((each) => each.serves === todo.number))]);
    const numbers = new Set(plan.todos.map((todo) => todo.number));
    return [...steps, ...inner(helped.filter((each) => !numbers.has(each.serves)))];
  };
  return `# ${oneLine(name)}\n\n${(below.get("") || []).flatMap((plan) => lines(plan, 0)).join("\n")}\n`;
};
