// The plans, each with its sub-agents' below it. What is far from what goes on is folded, with a count.

const steps = (plan, depth) => {
  const rules = depth ? { most: 4, ahead: 1 } : { most: 8, ahead: 3 };
  const held = isUsed() ? last.get(plan.agent) || [] : []; // nothing folds under the pointer
  const stay = new Set([...touched, ...held, state.editing?.agent === plan.agent ? state.editing.number : 0]);
  let folds = 0;
  return parted(plan.todos, { ...rules, stay }).flatMap((part) => {
    if (part.length === 1) return [row(plan, part[0], false)];
    const keys = part.map((todo) => `${plan.agent} ${todo.number}`), open = keys.some((key) => opened.has(key));
    const toggle = () => {
      for (const key of keys) open ? opened.delete(key) : opened.add(key);
      last.clear();
      redraw();
    };
    const head = make("li", { "data-key": `fold ${folds++}`, "data-inner": "yes" }, folding(tally(part), open, toggle, `${part[0].number} ${part.length}`));
    return [head, ...(open ? part.map((todo) => row(plan, todo, true)) : [])];
  });
};

const isOver = (plan, below) => plan.todos.every(closed) && below(plan.agent).every((each) => isOver(each, below));
// The plans of sub-agents; where more than two have finished, those are one line.
const children = (agent, below, depth) => {
  const all = below(agent), over = all.filter((plan) => isOver(plan, below)), key = `finished ${agent}`;
  const toggle = () => { opened.has(key) ? opened.delete(key) : opened.add(key); redraw(); };
  if (over.length < 3) return all.map((plan) => section(plan, below, depth));
  const shown = opened.has(key) ? all : all.filter((plan) => !over.includes(plan));
  const head = folding(`${over.length} sub-agents finished`, opened.has(key), toggle);
  return [...shown.map((plan) => section(plan, below, depth)), make("p", { "data-key": "finished", "data-inner": "yes" }, head)];
};

const section = (plan, below, depth = 0) => {
  const done = count(plan.todos, "completed"), total = plan.todos.length - count(plan.todos, "cancelled");
  const told = `${done} of ${total} done`, key = `agent ${plan.agent}`;
  const over = depth > 0 && isOver(plan, below), open = !over || opened.has(key);
  const toggle = () => { opened.has(key) ? opened.delete(key) : opened.add(key); redraw(); };
  const name = over ? folding(named(plan.agent), open, toggle) : make("b", { "data-key": "name" }, named(plan.agent));
  const head = make(depth ? "h2" : "h1", { "data-key": "head", "data-inner": "yes" }, name, make("span", {}, told));
  const bar = make("div", { class: "bar", "data-key": "bar", "data-inner": "yes", role: "progressbar", "aria-label": `Progress of ${named(plan.agent)}`, "aria-valuemin": 0, "aria-valuemax": total, "aria-valuenow": done }, make("div", { "data-key": "done", "data-inner": "yes", "data-share": total ? (100 * done) / total : 0 }));
  const inside = open ? [
    !over && bar,
    make("ol", { "data-key": "steps", "data-inner": "yes" }, ...steps(plan, depth)),
    ...children(plan.agent, below, depth + 1),
    !over && adder(plan),
  ] : [];
  return make("section", { "data-key": plan.agent, "data-agent": plan.agent, "data-inner": "yes" }, head, ...inside.filter(Boolean));
};

const endings = (ended) => {
  if (!ended.length) return null;
  const told = ended.length > 1 ? `${ended.length} sub-agents ended` : `${named(ended[0].agent)} ended: ${ended[0].ended}`;
  return make("p", { class: "foot ended" }, told);
};
