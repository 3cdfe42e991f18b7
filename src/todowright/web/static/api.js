// What the page asks the server for, and the stream of what changes.

export const plain = (name) => encodeURIComponent(name);
const agentPath = (agent) => agent.split("/").map(encodeURIComponent).join("/");

const answered = async (answer) => {
  const data = await answer.json();
  if (!answer.ok)
    throw Object.assign(new Error(data.error || answer.statusText), { status: answer.status, plan: data.plan });
  return data;
};
const TRIES = 5;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
// Who asks too often is told to wait, and does.
const asked = async (path, options) => {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(path, options);
    if (answer.status !== 429 || tries === TRIES) return answer;
    await pause(1000);
  }
};
const read = async (path) => answered(await asked(path, { headers: { accept: "application/json" } }));

// When the day began for who looks, in seconds.
export const midnight = () => Math.floor(new Date().setHours(0, 0, 0, 0) / 1000);

export const sessions = (query) => read(`api/sessions?${new URLSearchParams({ midnight: midnight(), ...query })}`);
export const session = (name) => read(`api/sessions/${plain(name)}?midnight=${midnight()}`);
export const search = (words) => read(`api/search?q=${plain(words)}`);
export const fleet = (name) => read(`api/fleet?session=${plain(name)}`);
// A page of the last revisions: behind one that is known, or in front of one.
export const history = (name, agent, query) =>
  read(`api/sessions/${plain(name)}/history/${agentPath(agent)}?${new URLSearchParams(query)}`);

export const edit = async (plan, edits) =>
  answered(
    await asked(`api/sessions/${plain(plan.session)}/plans/${agentPath(plan.agent)}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", "if-match": `"${plan.revision}"` },
      body: JSON.stringify({ edits }),
    }),
  );

// One stream for the page. The browser reconnects by itself and says the last it saw; whoever shows something
// loads it when the stream opens, or when revisions were left out since it read too slowly: so nothing is missed.
export const listen = (onPlan, onState) => {
  const stream = new EventSource("api/events");
  stream.addEventListener("open", () => onState("live"));
  stream.addEventListener("error", () =>
    onState(stream.readyState === EventSource.CLOSED ? "refused" : "lost"),
  );
  stream.addEventListener("behind", () => onState("live"));
  stream.addEventListener("plan", (event) => onPlan(JSON.parse(event.data)));
  return () => stream.close();
};
