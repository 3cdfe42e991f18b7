// What the page asks the server for, and the stream of what changes.

export const plain = (name) => encodeURIComponent(name);
const agentPath = (agent) => agent.split("/").map(encodeURIComponent).join("/");

const answered = async (answer) => {
  const data = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(data.error || answer.statusText), { status: answer.status });
  return data;
};
const read = async (path) => answered(await fetch(path, { headers: { accept: "application/json" } }));

export const sessions = (query = "") => read(`api/sessions?q=${plain(query)}`);
export const session = (name) => read(`api/sessions/${plain(name)}`);
export const fleet = (name) => read(`api/fleet?session=${plain(name)}`);
// A page of the last revisions: behind one that is known, or in front of one.
export const history = (name, agent, query) =>
  read(`api/sessions/${plain(name)}/history/${agentPath(agent)}?${new URLSearchParams(query)}`);

export const edit = async (plan, edits) =>
  answered(
    await fetch(`api/sessions/${plain(plan.session)}/plans/${agentPath(plan.agent)}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", "if-match": `"${plan.revision}"` },
      body: JSON.stringify({ edits }),
    }),
  );

// One stream for the page. The browser reconnects by itself and says the last it saw; whoever shows
// something loads it when the stream opens, so that nothing is missed between the two.
export const listen = (onPlan, onState) => {
  const stream = new EventSource("api/events");
  stream.addEventListener("open", () => onState("live"));
  stream.addEventListener("error", () =>
    onState(stream.readyState === EventSource.CLOSED ? "refused" : "lost"),
  );
  stream.addEventListener("plan", (event) => onPlan(JSON.parse(event.data)));
  return () => stream.close();
};
