// Every session at a glance, as the server judges it: loaded once, then only what moved.

import * as api from "./api.js";
import { knowProjects } from "./address.js";
import { kept } from "./dom.js";

const PACE = 100; // milliseconds between two questions, however much moves
export const NEEDS = ["stuck", "waiting", "dropped", "not_kept"];

export const makeRows = (onChange) => {
  const rows = new Map();
  const seen = kept.get("seen", {});
  let number = 0,
    asked = 0,
    last = 0,
    skew = 0,
    waiting = 0,
    loading = null,
    again = false,
    query = "";

  const take = (data) => {
    skew = data.now - Date.now() / 1000;
    number = Math.max(number, data.number);
    asked = data.now;
    knowProjects(data.projects);
    const { project, projects, edits } = data;
    Object.assign(store, { project, projects, edits, loaded: true, trouble: "" });
  };

  const looked = (some) => {
    for (const { session } of some) seen[session] = store.now();
    store.looks += 1;
    kept.set("seen", seen);
    onChange();
  };

  const store = {
    rows,
    project: "",
    projects: [],
    edits: true,
    loaded: false,
    trouble: "",
    earlier: 0,
    showEarlier: false,
    found: null, // the sessions that a search led to, with the steps it found
    now: () => Date.now() / 1000 + skew,

    looks: 0, // how often somebody looked at what was dropped: rows are judged anew then
    unseen: (row) =>
      row.needs.filter(({ kind, at }) => kind === "stuck" || kind === "waiting" || at > (seen[row.session] || 0)),
    group: (row) => (row.state !== "needs_you" || store.unseen(row).length ? row.state : row.otherwise),
    look: (session) => {
      const row = rows.get(session);
      if (!row || !store.unseen(row).some(({ kind }) => kind === "dropped" || kind === "not_kept")) return;
      looked([row]);
    },
    lookAtAll: () => looked([...rows.values()].filter((row) => row.needs.length)),

    // All of them; a plan that was deleted tells nobody.
    load: async () => {
      const words = query;
      try {
        const data = await api.sessions({ ...(store.showEarlier ? {} : { earlier: "no" }), ...(words ? { q: words } : {}) });
        if (words !== query) return;
        number = 0;
        take(data);
        if (!words) {
          rows.clear();
          store.earlier = data.earlier;
        }
        store.found = words ? new Map(data.sessions.map((row) => [row.session, row.hits])) : null;
        for (const row of data.sessions) rows.set(row.session, { ...row, asked: data.now });
      } catch (error) {
        store.trouble = error.status ? error.message : "";
      }
      onChange();
    },

    // Those that moved, and those whose state changed by itself.
    news: async () => {
      if (loading) return (again = true);
      loading = true;
      last = Date.now();
      try {
        const data = await api.sessions({ after: number, since: Math.floor(asked), earlier: "no" });
        const before = JSON.stringify(store.projects);
        take(data);
        if (before !== JSON.stringify(data.projects)) store.load(); // one came, or is gone with its sessions
        else if (query && data.sessions.some(({ session }) => !rows.has(session))) store.load(); // is it looked for?
        for (const row of data.sessions) rows.set(row.session, { ...row, asked: data.now });
        if (data.sessions.length) onChange();
      } catch {
        /* the stream says it */
      }
      loading = false;
      if (again) {
        again = false;
        store.soon();
      }
    },
    soon: () => {
      waiting ||= setTimeout(() => {
        waiting = 0;
        store.news();
      }, Math.max(0, last + PACE - Date.now()));
    },
    search: (words) => {
      if (words === query) return;
      query = words;
      if (!words) store.found = null;
      store.load();
    },
  };
  return store;
};
