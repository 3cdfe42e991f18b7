// The sessions by who needs somebody. Nothing moves under the pointer: moves are held, and told.

import { folderOf, linkTo, note, where } from "./address.js";
import { cells, clock, doneOf, dots, icon, long, marked, short, some, spark } from "./draw.js";
import { filled, make, plainly } from "./dom.js";
import { NEEDS } from "./rows.js";
import { named, titleOf } from "./tree.js";

const GROUPS = [
  ["needs_you", "Needs you", "on it / usual"],
  ["working", "Working", "on it / usual"],
  ["abandoned", "Abandoned", "quiet for"],
  ["done_today", "Done today", "took"],
  ["earlier", "Earlier", "quiet for"],
];
const GLYPHS = { stuck: "stuck", waiting: "waiting", dropped: "dropped", not_kept: "edit" };
const CALM = { working: "now", abandoned: "left", done_today: "done", earlier: "left" };
const AGES = { "": "Any age", 3600: "Last hour", 86400: "Last day", 604800: "Last week" };
const RELEASE = 1000;
const wrote = (row) => Date.parse(row.updated_at) / 1000;
const onAgent = (row) => row.agents.find((each) => each.agent === row.on);

export const glyphOf = (store, row) => {
  const [need] = store.unseen(row);
  if (store.group(row) === "needs_you") return GLYPHS[need.kind];
  const between = store.group(row) === "working" && !row.on && store.now() - wrote(row) > 600;
  return between ? "todo" : row.ended !== null ? "done" : CALM[store.group(row)];
};

// Why it needs somebody, what is being done, where it stopped, what came of it.
const nowOf = (store, row, query) => {
  const hit = store.found?.get(row.session)?.[0];
  if (hit) return [make("span", { class: "vh" }, "found: "), ...marked(plainly(hit.content), query)];
  const b = (text, cls = "") => make("b", { class: cls }, text);
  const [need, ...more] = store.unseen(row);
  const who = need && named(need.agent),
    text = need && plainly(need.text);
  if (store.group(row) === "needs_you") {
    const all = [need, ...more].filter((each) => each.kind === "dropped");
    const [first, ...others] = new Set(all.map((each) => named(each.agent)));
    const by = ` by ${first}${others.length ? ` and ${others.length} more` : ""}`;
    const also = (...told) => (all.length ? [make("span", { class: "cut" }, ...told), make("b", { class: "also red" }, ` · ${all.length} dropped`, make("span", { class: "why" }, by))] : told);
    if (need.kind === "stuck") return also(b(who), make("span", { class: "why" }, " is stuck"), `: ${text}`);
    if (need.kind === "waiting") return also(b(who), ` waits for you: ${text}`);
    if (need.kind === "not_kept") return [b("Your words were not kept"), `: ${text}`];
    return [b(`${some(all.length, "step")} dropped`, "red"), `${by}: ${all.map((each) => plainly(each.text)).join("; ")}`];
  }
  const agent = onAgent(row),
    left = [...row.steps].filter((each) => each !== "d").length;
  if (row.ended !== null) return [plainly(row.summary) || (row.steps.length > 1 ? `All ${row.steps.length} steps are done` : row.steps ? "The one step is done" : "No steps")];
  if (store.group(row) === "working") {
    const quiet = store.now() - wrote(row);
    return [agent?.now ? plainly(agent.now) : quiet > 600 ? `between steps for ${long(quiet)}` : "between steps"];
  }
  if (agent?.now) return [`Stopped in: ${plainly(agent.now)}`];
  return [`${some(left, "step")} open, nothing started since ${clock(row.updated_at)}`];
};

const timeOf = (store, row) => {
  const group = store.group(row),
    agent = onAgent(row),
    now = store.now();
  if (row.ended !== null && group !== "needs_you") return [short(row.ended - row.began)];
  if (group === "abandoned" || group === "earlier") return [short(now - wrote(row))];
  if (!agent) return [];
  const [need] = store.unseen(row);
  const usual = !(agent.usual_seconds >= 1) ? [] : [" ", make("i", {}, `/ ${short(agent.usual_seconds)}`)];
  if (need?.kind === "stuck") return [make("b", { class: "amber" }, short(now - need.at)), ...usual];
  return [short(now - (agent.on_since ?? now)), ...usual];
};

const filling = (store, row, query) => {
  const glyph = glyphOf(store, row);
  return [
    icon(glyph, `g-${glyph}`),
    make("span", { class: "name", dir: "auto" }, ...marked(plainly(titleOf(row)), query)),
    make("span", { class: "proj", title: folderOf(row.project) }, row.project),
    dots(row.agents),
    make("span", { class: "now", dir: "auto" }, ...nowOf(store, row, query)),
    make("span", { class: "on" }, ...timeOf(store, row)),
    make(
      "span",
      { class: "far" },
      cells(row.steps, 120),
      make("span", {}, `${doneOf(row.steps)}/${row.steps.length}`),
    ),
    spark(row.activity),
  ];
};

const choice = (name, label, options, onchange) => {
  const select = make("select", { "aria-label": label, "data-filter": name, onchange });
  select.append(...options.map(([value, text]) => make("option", { value }, text)));
  return select;
};

export const listPane = (nav, store, { welcome, redraw }) => {
  const entries = new Map(), // session: the group it is shown in, and its place there
    items = new Map(),
    near = new Set();
  let inside = false,
    focused = false,
    release = 0;

  const input = make("input", { type: "search", placeholder: "Filter", "aria-label": "Search", "aria-keyshortcuts": "/" });
  const set = (key) => (event) => {
    note({ [key]: event.target.value });
    draw();
  };
  const project = choice("project", "Project", [["", "All projects"]], set("project"));
  const agents = choice("agents", "Agent", [["", "All agents"]], set("agents"));
  const age = choice("age", "Age", Object.entries(AGES).sort(([one], [other]) => one - other), set("age"));
  const state = choice("state", "State", [["", "All states"], ...GROUPS.map(([key, title]) => [key, title])], set("state"));
  const filters = make("div", { class: "filters", role: "search" }, make("label", {}, icon("find"), input), project, state, agents, age);
  const body = make("div", { class: "groups" }),
    empty = make("div"),
    troubles = make("div", { class: "troubles", role: "status" }),
    older = make("button", { type: "button", class: "older", hidden: true }, icon("next"), "Earlier ", make("span", { class: "n" }));
  const count = make("p", { class: "vh", role: "status" }),
    title = make("h1", { class: "vh" }, "Plans");
  nav.replaceChildren(title, filters, count, troubles, body, empty, older);
  let typing = 0;
  input.oninput = () => {
    note({ q: input.value.trim() });
    clearTimeout(typing);
    typing = setTimeout(() => store.search(input.value.trim().toLowerCase()), 80);
    draw();
  };
  older.onclick = () => {
    store.showEarlier = true;
    store.load();
  };

  const watching = new IntersectionObserver(
    (found) => {
      for (const { target, isIntersecting } of found)
        if (isIntersecting) {
          near.add(target);
          fill(target);
        } else near.delete(target);
    },
    { rootMargin: "400px" },
  );
  const query = () => (where().params.get("q") || "").toLowerCase();
  // Whether something has changed since it was last drawn: most rows have not.
  const drawnFrom = new WeakMap();
  const isNew = (node, ...from) => {
    const before = drawnFrom.get(node);
    drawnFrom.set(node, from);
    return !before || from.some((each, at) => each !== before[at]);
  };
  const fill = (item, words = query()) => {
    const row = store.rows.get(item.dataset.session);
    if (row && isNew(item.firstChild, row, words, store.looks, store.found?.get(row.session))) filled(item.firstChild, filling(store, row, words));
  };
  const blank = make("li", {}, make("a", { class: "row-s" }, make("span", { class: "name" })));
  const itemOf = (row) => {
    if (items.has(row.session)) return items.get(row.session);
    const item = blank.cloneNode(true);
    item.dataset.session = item.dataset.key = row.session;
    item.firstChild.firstChild.textContent = plainly(titleOf(row));
    items.set(row.session, item);
    watching.observe(item);
    return item;
  };

  const keyIn = (row, group) => {
    const [need] = store.unseen(row);
    if (group === "needs_you") return [NEEDS.indexOf(need.kind), need.at];
    return [0, group === "working" ? -row.began : -wrote(row)];
  };
  const wantedBy = (params) => {
    const [name, inProject, group, oldest] = ["agents", "project", "state", "age"].map((key) => params.get(key));
    const since = oldest ? store.now() - Number(oldest) : 0;
    return (row) =>
      (!store.found || store.found.has(row.session)) &&
      (!inProject || row.project === inProject) &&
      (!group || (entries.get(row.session)?.group ?? store.group(row)) === group) &&
      (!name || row.agents.some((each) => named(each.agent) === name)) &&
      (!since || wrote(row) > since);
  };

  // Somebody is in the list, or has only just left it.
  const isHeld = () => inside || focused || release > 0;
  // Gives each session its place; while somebody is in the list, to newcomers only: true if there are any.
  const settle = () => {
    let came = false;
    for (const session of [...entries.keys()]) if (!store.rows.has(session)) entries.delete(session);
    for (const row of store.rows.values()) {
      const group = store.group(row),
        entry = entries.get(row.session);
      if (entry?.group === group) continue;
      if (!entry) {
        came = isHeld();
        entries.set(row.session, { group, key: came ? [9, store.now()] : keyIn(row, group) });
      } else if (!isHeld()) entries.set(row.session, { group, key: keyIn(row, group) });
    }
    return came;
  };
  const release_ = () => {
    clearTimeout(release);
    release = 0;
    for (const row of store.rows.values()) {
      const group = store.group(row);
      if (entries.get(row.session)?.group !== group) entries.set(row.session, { group, key: keyIn(row, group) });
    }
    draw();
  };
  const letGo = () => {
    clearTimeout(release);
    release = setTimeout(() => {
      release = 0;
      redraw();
    }, RELEASE);
  };

  const options = (select, values, all) => {
    const value = where().params.get(select.dataset.filter) || "";
    const names = [...new Set([...values, ...(value ? [value] : [])])].sort();
    if (isNew(select, names.join("\n"))) filled(select, [["", all], ...names.map((name) => [name, name])].map(([key, text]) => make("option", { value: key, "data-key": `o${key}` }, text)));
    select.value = value;
    select.hidden = names.length < 2 && !value;
  };

  const sections = new Map(
    GROUPS.map(([group]) => {
      const head = make("h2", { id: `g-${group}` }),
        list = make("ul", { class: "rows" });
      const quiet = group === "working" || group === "needs_you" ? "" : " quiet";
      const element = make("section", { class: `group${quiet}`, "data-key": group, "aria-labelledby": `g-${group}` }, head, list);
      return [group, { head, list, element }];
    }),
  );
  const sorted = (rows) =>
    rows.sort(({ session: a }, { session: b }) => {
      const one = entries.get(a).key,
        other = entries.get(b).key;
      return one[0] - other[0] || one[1] - other[1] || (a < b ? -1 : 1);
    });
  const drawGroup = ([group, title, caption], rows, open, query_) => {
    const { head, list, element } = sections.get(group);
    const cap = (text, cls) => make("span", { class: `cap ${cls}`.trim() }, text);
    const moves = rows.filter((row) => store.group(row) !== group).length;
    const told = `${some(moves, "move")} held`;
    const button = { type: "button", class: "held", "aria-keyshortcuts": ".", title: "Apply (.)", onclick: release_ };
    filled(head, [
      make("span", {}, title),
      make("span", { class: "n" }, String(rows.length)),
      ...(moves ? [make("button", button, told)] : []),
      cap(caption, "on"),
      cap("steps", "far"),
      cap("last hour", ""),
    ]);
    const found = sorted(rows).map(itemOf);
    if (isNew(list, found.length, ...found)) filled(list, found);
    const words = query();
    for (const row of rows) drawItem(row, open, query_, words);
    return element;
  };
  const drawItem = (row, open, query_, words) => {
    const item = itemOf(row);
    if (isNew(item, row, query_, store.looks, open === row.session)) {
      const link = item.firstChild;
      link.setAttribute("href", `#/${encodeURIComponent(row.session)}${query_}`);
      if (open === row.session) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      item.className = row.ended !== null ? "finished" : store.group(row) === "needs_you" ? "needy" : "";
    }
    if (near.has(item)) fill(item, words);
  };

  const draw = () => {
    if (!store.loaded && !store.trouble) return;
    // A newcomer above what is pointed at, or has the focus, pushes it down: the list scrolls along.
    const steady = settle() ? body.querySelector("a.row-s:hover") || body.querySelector("a.row-s:focus") : null,
      top = steady?.getBoundingClientRect().top;
    const { session, params } = where();
    const shown = [...store.rows.values()].filter(wantedBy(params));
    const query_ = linkTo("", {}, params).slice(2);
    const groups = GROUPS.map((group) => [group, shown.filter((row) => entries.get(row.session).group === group[0])]);
    filled(
      body,
      groups.filter(([, found]) => found.length).map(([group, found]) => drawGroup(group, found, session, query_)),
    );
    if (steady) nav.scrollTop += steady.getBoundingClientRect().top - top;
    for (const [name, item] of items)
      if (!store.rows.has(name)) {
        watching.unobserve(item);
        near.delete(item);
        items.delete(name);
      }
    nav.classList.toggle("one-project", new Set([...store.rows.values()].map((row) => row.project)).size < 2);
    options(project, [...store.rows.values()].map((row) => row.project).filter(Boolean), "All projects");
    options(agents, [...store.rows.values()].flatMap((row) => row.agents.map((each) => named(each.agent))), "All agents");
    [age, state].forEach((each) => (each.value = params.get(each.dataset.filter) || ""));
    if (document.activeElement !== input && input.value.trim() !== (params.get("q") || "")) input.value = params.get("q") || "";
    older.hidden = store.showEarlier || !store.earlier || Boolean(store.found);
    older.lastChild.textContent = String(store.earlier);
    const filtered = ["q", "project", "agents", "age", "state"].filter((key) => params.get(key));
    filled(empty, nothing(shown, filtered, params));
    filled(troubles, store.projects.filter((each) => each.trouble).map(({ project, trouble }) => make("p", { class: "none fault", "data-key": project }, `Not shown: ${trouble}`)));
    filters.hidden = !store.rows.size && !filtered.length && !store.earlier;
    const told = some(shown.length, "session");
    if (count.textContent !== told) count.textContent = told;
    title.textContent = store.project ? `Plans of ${store.project}` : "Plans";
    title.hidden = Boolean(session) || Boolean(empty.querySelector("h1"));
  };

  const nothing = (shown, filtered, params) => {
    if (store.trouble && !store.rows.size) return [make("p", { class: "none fault" }, store.trouble)];
    if (shown.length) return [];
    if (!filtered.length) return store.rows.size || store.earlier ? [] : [welcome()];
    const clear = () => {
      note(Object.fromEntries(filtered.map((key) => [key, ""])));
      input.value = "";
      store.search("");
      draw();
    };
    const told = filtered.map((key) => `${key === "q" ? "words" : key} “${params.get(key)}”`).join(", ");
    return [make("p", { class: "none", "data-key": "none" }, `No session with ${told}. `, make("button", { type: "button", class: "btn", onclick: clear }, "Clear"))];
  };

  body.addEventListener("pointerenter", () => (inside = true));
  body.addEventListener("pointerleave", () => {
    inside = false;
    letGo();
  });
  body.addEventListener("focusin", () => (focused = true));
  body.addEventListener("focusout", () => {
    focused = body.contains(document.activeElement);
    letGo();
  });
  // Clocks go on without a redraw.
  const tick = () => {
    if (document.hidden) return;
    for (const item of near) {
      const row = store.rows.get(item.dataset.session),
        box = item.querySelector(".on");
      if (row && box) filled(box, timeOf(store, row));
    }
  };

  return {
    draw,
    tick,
    release: release_,
    find: () => {
      input.focus();
      input.select();
    },
    // The session after, or before, the one that is open or in focus.
    next: (by) => {
      const links = [...body.querySelectorAll("a.row-s")];
      const active = links.indexOf(document.activeElement);
      const at = active >= 0 ? active : links.findIndex((each) => each.ariaCurrent === "true");
      return links[Math.min(links.length - 1, Math.max(0, at + by))];
    },
    restore: () => {
      input.value = where().params.get("q") || "";
      store.search(input.value.toLowerCase());
    },
  };
};
