// The revisions of a session's agents, as far as they are loaded: the last page of each, those that
// come, and earlier pages when somebody looks further back.

import * as api from "./api.js";

const earliest = (revisions) => revisions[0]?.updated_at ?? "";

export const pastOf = (name) => {
  const loaded = new Map(), // agent: its revisions, oldest first
    partial = new Set(); // agents that have earlier ones

  const isSame = (revision, plan) =>
    revision?.revision === plan.revision && revision.updated_at === plan.updated_at;

  let moments = null;
  const put = (agent, revisions, more) => {
    moments = null;
    loaded.set(agent, revisions);
    if (more) partial.add(agent);
    else partial.delete(agent);
  };

  const past = {
    of: (agent) => {
      if (!loaded.has(agent)) loaded.set(agent, []);
      return loaded.get(agent);
    },
    at: (agent, moment) => past.of(agent).findLast((each) => each.updated_at <= moment),
    delete: (agent) => {
      moments = null;
      [loaded, partial].forEach((each) => each.delete(agent));
    },
    clear: () => {
      moments = null;
      [loaded, partial].forEach((each) => each.clear());
    },
    isPartial: () => partial.size > 0,

    // The moment from which on every agent's revisions are loaded; none if they all are.
    horizon: () =>
      [...partial]
        .map((agent) => earliest(past.of(agent)))
        .reduce((one, other) => (one > other ? one : other), ""),

    // Before the horizon it is not known what the others did.
    moments: () => {
      if (moments) return moments;
      const since = past.horizon();
      const found = [...loaded.values()].flat().filter((each) => each.updated_at >= since);
      moments = found.sort((one, other) => (one.updated_at < other.updated_at ? -1 : 1));
      return moments;
    },

    // Load what is behind the last one that is known.
    follow: async (plan) => {
      const { agent } = plan;
      if (isSame(past.of(agent).at(-1), plan)) return;
      const before = past.of(agent);
      if (plan.ended) return put(agent, [...before, { ...plan, changes: [] }], false);
      const anew = before.at(-1)?.revision > plan.revision || earliest(before) > plan.updated_at;
      const after = anew ? 0 : (before.at(-1)?.revision ?? 0);
      const { revisions, earlier } = await api.history(name, agent, { after });
      const now = past.of(agent);
      const last = anew ? 0 : (now.at(-1)?.revision ?? 0);
      const fresh = revisions.filter((each) => each.revision > last);
      if (!fresh.length) return;
      // Where there is a gap between them, those before are loaded again, if somebody looks there.
      if (last && fresh[0].revision === last + 1) put(agent, [...now, ...fresh], partial.has(agent));
      else put(agent, fresh, Boolean(earlier));
    },

    // Load the page in front of the horizon, of whoever it is that has one.
    goBack: async () => {
      const count = past.moments().length;
      while (past.isPartial() && past.moments().length === count) {
        const since = past.horizon();
        const agent = [...partial].find((each) => earliest(past.of(each)) === since);
        const before = past.of(agent)[0].revision;
        const { revisions, earlier } = await api.history(name, agent, { before });
        if (past.of(agent)[0]?.revision !== before) return; // it began anew meanwhile
        put(agent, [...revisions, ...past.of(agent)], Boolean(earlier));
      }
    },
  };
  return past;
};
