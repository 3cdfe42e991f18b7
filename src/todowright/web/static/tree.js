// The plans of a session as trees: each sub-agent's under the one it works for, to any depth.

const above = (agent) => agent.split("/").slice(0, -1).join("/");
// An agent's own name, without what makes it unique.
export const named = (agent) => agent.split("/").at(-1).replace(/-[0-9a-f]{8}$/, "");
// What a session is called: in words where its name is a UUID.
export const titleOf = (row) => row.title || row.name || row.session;
export const label = (plan) => named(plan.agent);

// The plans right below each agent, by its name; below "" are those that work for nobody who has a plan.
export const nested = (plans) => {
  const names = new Set(plans.map((plan) => plan.agent));
  const below = new Map();
  for (const plan of plans) {
    let parent = above(plan.agent);
    while (parent && !names.has(parent)) parent = above(parent);
    if (!below.has(parent)) below.set(parent, []);
    below.get(parent).push(plan);
  }
  return below;
};

// Whether anybody below a plan still works.
export const busy = (plan, below) =>
  (below.get(plan.agent) || []).some((each) => !each.ended || busy(each, below));
