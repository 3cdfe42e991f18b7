// What the page asks the server for, and the stream of what changes.

export const plain = (name) => encodeURIComponent(name);
const agentPath = (agent) => agent.split("/").map(encodeURIComponent).join("/");

const read = async (path) => {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || answer.statusText);
  return data;
};

export const sessions = (query = "") => read(`api/sessions?q=${plain(query)}`);
export const session = (name) => read(`api/sessions/${plain(name)}`);
export const history = (name, agent) => read(`api/sessions/${plain(name)}/history/${agentPath(agent)}`);

export const edit = async (plan, edits) => {
  const answer = await fetch(`api/sessions/${plain(plan.session)}/plans/${agentPath(plan.agent)}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", "if-match": `"${plan.revision}"` },
    body: JSON.stringify({ edits }),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || answer.statusText);
  return data;
};

// One stream for the page. The browser reconnects by itself and says the last number it saw.
export const listen = (onPlan, onState) => {
  const stream = new EventSource("api/events");
  stream.addEventListener("open", () => onState("live"));
  stream.addEventListener("error", () => onState("lost"));
  stream.addEventListener("plan", (event) => onPlan(JSON.parse(event.data)));
  return () => stream.close();
};
