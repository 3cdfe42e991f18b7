// What is shown has an address: #/NAME?agent=…&step=…&rev=…&q=…

const FILTERS = ["project", "agents", "age", "state", "q"];

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

// Where many projects are shown, a session's name in addresses is PROJECT~NAME.
let projects = new Map(); // its name: what is known of it
export const knowProjects = (found) => (projects = new Map(found.map((each) => [each.project, each])));
export const folderOf = (project) => projects.get(project)?.folder || null;
export const bare = (session) => {
  const at = session.indexOf("~");
  return projects.has(session.slice(0, at)) ? session.slice(at + 1) : session;
};

export const where = () => {
  const [path, query = ""] = location.hash.startsWith("#/") ? location.hash.slice(2).split("?", 2) : [""];
  const [name, step] = path.split("/").map(decoded);
  const params = new URLSearchParams(query);
  if (step) params.set("step", step);
  return { session: name || "", params };
};

export const address = (session, params) => {
  const query = params.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
  return `#/${encodeURIComponent(session)}${query ? `?${query}` : ""}`;
};

// The address of a session under the filters that are set now, or were set in `now`.
export const linkTo = (session, change = {}, now = where().params) => {
  const params = new URLSearchParams();
  for (const key of FILTERS) if (now.get(key)) params.set(key, now.get(key));
  for (const [key, value] of Object.entries(change)) if (value) params.set(key, value);
  return address(session, params);
};

// Change what is shown of the page one is on; no entry in the browser's history.
export const note = (change) => {
  const { session, params } = where();
  for (const [key, value] of Object.entries(change))
    if (value) params.set(key, value);
    else params.delete(key);
  history.replaceState(history.state, "", address(session, params));
};
