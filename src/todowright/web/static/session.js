// One session: what it comes to in a line, its agents, and the surface of plan, time and history.

import * as api from "./api.js";
import { bare, linkTo, note, where } from "./address.js";
import { axisOf } from "./axis.js";
import { makeDesk, DEEDS, place } from "./desk.js";
import { cells, clock, doneOf, dot, icon, iconButton, long, short, used } from "./draw.js";
import { afterPress, closed, filled, gently, make, say, steadily, written } from "./dom.js";
import { fleetOf } from "./fleet.js";
import { instant, livesOf, stateAt } from "./lives.js";
import { pastOf } from "./past.js";
import { markdown } from "./markdown.js";
import { historySlider } from "./slider.js";
import { feedLine, putBack, surfaceRows } from "./surface.js";
import { label, nested, titleOf } from "./tree.js";

const MANY = 8,
  FEED = 100,
  FRESH = 1500,
  MANY_DONE = 4;
const mainFirst = (one, other) => (other.agent === "main") - (one.agent === "main");
const models = new WeakMap();
const LETTERS = { completed: "d", in_progress: "n", pending: "p" };

// What somebody who does not see the page is told of a move.
const news = (before, after) => {
  const was = new Map((before?.todos || []).map((todo) => [todo.number, todo.status]));
  const done = after.todos.filter((todo) => todo.status === "completed" && was.get(todo.number) !== "completed");
  return done.map((todo) => `${todo.content} is done`).join("; ");
};

export const sessionPane = (pane, name, store, shell) => {
  const plans = new Map(),
    past = pastOf(name),
    told = new Map(), // agent: what became of people's edits
    moved = new Map();
  let row = null,
    usage = null,
    left = false,
    loaded = false,
    settled = false,
    missing = false,
    waiting = 0,
    fading = 0,
    wantedRev = where().params.get("rev"),
    wantedStep = where().params.get("step");

  const title = make("h1", { id: "title" }, written(bare(name))),
    project = make("span", { class: "proj" }),
    facts = make("ul", { class: "facts" }),
    strip = make("div", { class: "strip", role: "group", "aria-label": "Agents, stuck first" }),
    fleet = make("div", { class: "fleet" }),
    list = make("ol", { class: "plan steps", "data-key": "steps", "aria-label": "Steps" }),
    feed = make("details", { class: "feed" }),
    none = make("div");
  const slider = historySlider(
    (moment) => {
      note({ rev: moment ? `${moment.agent}.${moment.revision}` : "" });
      drawing.soon();
    },
    async () => {
      await past.goBack().catch((error) => shell.fault(error.message));
      drawing.soon();
    },
  );
  const find = make("input", { type: "search", placeholder: "Find a step", "aria-label": "Find a step", value: where().params.get("find") || "" });
  const hide = make("button", { type: "button", class: "btn", "aria-pressed": String(where().params.get("open") === "1") }, "Hide what is done");
  const tools = make("div", { class: "find", hidden: true }, make("label", {}, icon("find"), find), hide);
  find.oninput = () => {
    note({ find: find.value.trim() });
    drawing.soon();
  };
  hide.onclick = () => {
    const on = hide.getAttribute("aria-pressed") !== "true";
    hide.setAttribute("aria-pressed", String(on));
    note({ open: on ? "1" : "" });
    drawing.soon();
  };
  const copy = (text, words) => navigator.clipboard?.writeText(text).then(() => shell.toast(words), () => shell.fault("The browser does not let this page copy."));
  const bell = iconButton("bell", "Notify me of this session", { "aria-keyshortcuts": "m", onclick: () => shell.notify(name) });
  const head = make(
    "header",
    { class: "head" },
    make(
      "div",
      { class: "one" },
      make("a", { class: "ib back", href: linkTo(""), "aria-label": "All sessions" }, icon("back")),
      title,
      project,
      bell,
      iconButton("copy", "Copy as Markdown", { onclick: () => copy(markdown(bare(name), ordered_()), "Copied as Markdown") }, "wide-only"),
      make("a", { class: "ib wide-only", href: `api/sessions/${api.plain(name)}`, download: `${bare(name)}.json`, "aria-label": "Export as JSON", title: "Export as JSON" }, icon("save")),
      iconButton("link", "Copy a link to what is shown", { onclick: () => copy(location.href, "Link copied") }, "wide-only"),
      make("a", { class: "ib wide-only", href: linkTo(""), "aria-label": "Close", "aria-keyshortcuts": "Escape" }, icon("x")),
    ),
    facts,
  );
  const line = make("div", { class: "head-line", "aria-hidden": "true" });
  const surface = make("section", { class: "surface", "aria-label": "Plan and timeline" }, slider.element, slider.marks, line, list, feed);
  pane.replaceChildren(head, strip, tools, fleet, surface, none);

  const order = () => [...plans.values()].sort(mainFirst);
  const ordered_ = () => order().map((plan) => desk.shown(plan));
  // A store that began anew counts from 1 again, at a later time.
  const newer = (plan) => {
    const known = plans.get(plan.agent);
    return !known || plan.revision >= known.revision || plan.updated_at > known.updated_at;
  };
  const take = (plan) => {
    if (!newer(plan)) return;
    const before = new Map((plans.get(plan.agent)?.todos || []).map((todo) => [todo.number, todo]));
    for (const todo of plan.todos) {
      const was = before.get(todo.number);
      if (plans.has(plan.agent) && (was?.status !== todo.status || was?.content !== todo.content))
        moved.set(`${plan.agent} ${todo.number}`, Date.now());
    }
    plans.set(plan.agent, { heard: 0, ...plan });
    drawing.soon();
  };
  const fault = (text, words = "", agent = "") => {
    shell.fault(words && !agent ? `${text} Your words were: ${words}` : text);
    const field = agent && words && fieldOf(agent);
    if (field && !field.value) field.value = words; // nothing that was typed is lost
    if (agent && words) desk.draft(`add ${agent}`, words);
    drawing?.soon();
  };

  const model = (plan) => {
    const revisions = past.of(plan.agent),
      known = models.get(revisions);
    if (known?.revision === plan.revision && known.at === plan.updated_at) return known.made;
    const last = revisions.at(-1);
    const whole = last?.revision === plan.revision || plan.ended || !plan.revision ? revisions : [...revisions, plan];
    const made = livesOf(whole.length ? whole : [plan]);
    models.set(revisions, { revision: plan.revision, at: plan.updated_at, made });
    return made;
  };

  // Nobody works on what was left long ago: its bars end when it did.
  const endOf = (shown) => {
    const now = store.now() * 1000;
    const last = Math.max(...shown.map((plan) => instant(plan.updated_at)), 0);
    const open = shown.some((plan) => !plan.ended && plan.todos.some((todo) => todo.status === "in_progress"));
    return open && now - last < 6 * 3600_000 ? now : Math.max(last, 1);
  };
  const axisFor = (shown, end) => {
    const busy = [];
    for (const plan of shown) {
      const { lives, chapters } = model(plan);
      for (const { from, to } of chapters.slice(0, -1)) busy.push([from, to]);
      for (const life of lives.values())
        for (const span of life.spans) if (span.status === "in_progress") busy.push([span.since, span.until ?? end]);
      for (const each of past.of(plan.agent)) busy.push(Array(2).fill(instant(each.updated_at)));
    }
    const since = Date.parse(past.horizon()) || 0;
    return axisOf(busy.filter(([from]) => from <= end).map(([from, to]) => [Math.max(from, since), Math.min(Math.max(to, since), end)]), end);
  };

  const wanted = () => {
    const text = find.value.trim().toLowerCase(),
      open = hide.getAttribute("aria-pressed") === "true";
    return (todo) => (!open || !closed(todo)) && todo.content.toLowerCase().includes(text);
  };
  const desk = makeDesk({ name, plans, take, redraw: () => drawing.soon(), toast: shell.toast, fault });
  // The field for a new step of an agent, and the focus in it.
  const fieldOf = (agent) => [...list.querySelectorAll("input.add-step")].find((each) => each.dataset.agent === agent);
  desk.add = (agent) => {
    const focus = () => {
      const field = fieldOf(agent);
      for (let fold = field?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      field?.focus();
    };
    desk.adding = agent;
    if (fieldOf(agent)) return focus(); // at once: what is typed next belongs there
    drawing.soon();
    requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  desk.left = (mine, away) => shell.toast(`“${mine.text}” is kept as a draft`, away, "Throw away");

  // The agents as they were at a moment, from their steps alone.
  const glanceAt = (plan, moment) => {
    const { lives, chapters } = model(plan);
    if (!chapters.length || moment < chapters[0].from) return null;
    const chapter = chapters.findLastIndex((each) => each.from <= moment);
    const found = [...lives.values()].filter((life) => life.chapter === chapter);
    const steps = found.map((life) => LETTERS[stateAt(life, moment)] || "").join("");
    const state = steps.includes("n") ? "working" : steps && !steps.includes("p") ? "done" : "idle";
    const on = found.find((life) => stateAt(life, moment) === "in_progress");
    const since = on?.spans.findLast((span) => span.since <= moment).since;
    return { agent: plan.agent, state, steps, on_since: since && since / 1000, began: chapters[chapter].from / 1000 };
  };
  const drawHead = (glances, now) => {
    const count = (state) => glances.filter((each) => each.state === state);
    const stuck = count("stuck"),
      steps = glances.map((each) => each.steps).join("");
    const working = count("working").length,
      looking = slider.looking();
    const began = looking ? Math.min(...glances.map((each) => each.began)) : row?.began;
    const until = !looking && row?.ended ? row.ended : now;
    const fact = (hidden, ...text) => make("li", {}, make("span", { class: "vh" }, hidden), ...text);
    const dropped = row?.needs.filter((each) => each.kind === "dropped").length;
    filled(facts, [
      ...(working ? [fact("", `${working} working`)] : []),
      ...(stuck.length ? [fact("", make("b", { class: "amber" }, `${stuck.length} stuck ${long(Math.max(...stuck.map((each) => each.idle_seconds)))}`))] : []),
      ...(!looking && dropped ? [fact("", make("b", { class: "red" }, `${dropped} dropped`))] : []),
      ...(steps ? [fact("done: ", `${doneOf(steps)}/${steps.length}`)] : []),
      ...(began ? [fact("this plan has taken ", long(until - began))] : []),
      ...(!looking && usage ? [used(usage)] : []),
    ]);
    const agent = where().params.get("agent");
    const card = (view) => {
      const time = view.state === "stuck" ? `stuck ${long(view.idle_seconds)}` : view.on_since ? short(now - view.on_since) : view.state === "done" ? "done" : "idle";
      return make(
        "button",
        { type: "button", class: view.state[0], "aria-pressed": String(agent === view.agent), "data-key": view.agent, title: view.agent, onclick: () => pick(view.agent) },
        make("span", {}, dot(view.state), make("b", { class: "cut" }, label(view)), make("span", { class: "vh" }, `${view.state}, ${doneOf(view.steps)} of ${view.steps.length} done`), make("small", {}, time)),
        cells(view.steps, 160),
      );
    };
    const finished = count("done").filter((each) => each.agent !== agent);
    const folded = finished.length >= MANY_DONE ? finished : [];
    const shown = glances.filter((each) => !folded.includes(each)).map(card);
    if (folded.length) shown.push(make("button", { type: "button", class: "d", "data-key": "done", disabled: true }, make("span", {}, dot("done"), make("b", {}, `${folded.length} done`)), cells("d", 160)));
    filled(strip, glances.length > 1 || agent ? shown : []);
  };
  const pick = (agent) => {
    note({ agent: where().params.get("agent") === agent ? "" : agent });
    drawing.soon();
  };

  const drawing = gently(() => {
    if (left) return;
    const { params } = where(),
      looking = slider.looking();
    row = store.rows.get(name) || row;
    const all = ordered_(),
      branch = params.get("agent");
    const inBranch = (plan) => !branch || plan.agent === branch || plan.agent.startsWith(`${branch}/`);
    const shown = all.some((plan) => plan.agent === branch) ? all.filter(inBranch) : all;
    const now = store.now() * 1000,
      end = endOf(shown),
      axis = axisFor(shown, end);
    const moment = looking ? instant(looking.updated_at) : Math.max(now, end);
    tools.hidden = all.every((plan) => plan.todos.length <= MANY);
    desk.wanted = wanted();
    const stepsOf = ({ agent, state, steps }) => {
      const plan = desk.waiting() && all.find((each) => each.agent === agent);
      const letters = plan && plan.todos.map(({ status }) => (status === "in_progress" && state === "stuck" ? "s" : LETTERS[status]));
      return letters ? [..."dsnp"].map((each) => each.repeat(letters.filter((letter) => letter === each).length)).join("") : steps;
    };
    const glances = looking
      ? shown.map((plan) => glanceAt(plan, moment)).filter(Boolean)
      : (row?.agents || []).map((each) => ({ ...each, steps: stepsOf(each), idle_seconds: each.idle_seconds + Math.max(0, store.now() - (row.asked ?? store.now())) }));
    const views = new Map(glances.map((each) => [each.agent, each]));
    drawHead(glances.filter((each) => inBranch(each) || !looking), moment / 1000);
    filled(title, [written(row ? titleOf(row) : bare(name))]);
    title.title = bare(name);
    project.textContent = row?.project || "";
    const changes = new Map((looking?.changes || []).map((each) => [each.number, each.kinds]));
    const context = {
      desk,
      axis,
      moment,
      now,
      frozen: Boolean(looking),
      below: nested(shown),
      model,
      glance: (agent) => (looking ? glanceAt(plans.get(agent), moment) : views.get(agent)),
      people: (agent) => told.get(agent)?.people || [],
      number: (plan, { chapters }) => Math.max(told.get(plan.agent)?.plan_number || 1, chapters.length),
      fresh: (agent, number) =>
        looking ? (agent === looking.agent && changes.get(number)) || [] : Date.now() - (moved.get(`${agent} ${number}`) || 0) < FRESH ? ["moved"] : [],
    };
    const at = document.activeElement?.closest("li.step");
    surface.classList.toggle("past", Boolean(looking));
    filled(list, surfaceRows(context, shown));
    slider.update(past.moments(), past.isPartial(), axis);
    // A button that can do no more, such as "up" on the first step, lets go: its step does not.
    if (at?.isConnected && (!at.contains(document.activeElement) || document.activeElement.disabled))
      (at.querySelector("button.mark:not([disabled])") || at.querySelector("button:not([disabled])") || at).focus({ preventScroll: true });
    drawFeed();
    surface.hidden = feed.hidden = head.hidden = !shown.length;
    filled(none, shown.length || !loaded ? [] : [make("h1", { class: "none" }, missing ? `There is no session of this name, or it has no plan: ${name}.` : "Loading …")]);
    if (wantedStep) focusStep();
    if (settled) wantedStep = ""; // who came for a step that is not there is not taken to it later
    shell.entitled();
    const fresh = [...moved.values()].some((when) => Date.now() - when < FRESH);
    if (fresh && !fading)
      fading = setTimeout(() => {
        fading = 0;
        drawing.soon();
      }, FRESH);
  });
  const drawFeed = () => {
    const moments = past.moments().slice(-FEED).reverse();
    const line = (moment) => make("li", { "data-key": `${moment.agent}.${moment.revision}` }, make("button", { type: "button", onclick: () => slider.look(moment) }, make("time", {}, clock(moment.updated_at)), written(feedLine(moment), { class: "cut" })));
    const lines = feed.open ? [make("ol", { "data-key": "lines" }, ...moments.map(line))] : [];
    filled(feed, [make("summary", { class: "row" }, icon("next", "chev"), make("b", {}, "Activity"), make("span", { class: "n" }, ` ${past.moments().length}`)), ...lines]);
  };
  feed.addEventListener("toggle", () => drawing.soon());
  steadily(surface);
  list.addEventListener("focusin", (event) => {
    const step = event.target.closest("li.step");
    if (step?.dataset.id) note({ step: `${step.dataset.id}`, ...(step.dataset.agent === "main" ? {} : { in: step.dataset.agent }) });
  });

  const focusStep = () => {
    const agent = where().params.get("in") || where().params.get("agent") || "main";
    const found = [...list.querySelectorAll("li.step")].filter((each) => each.dataset.id === wantedStep || each.dataset.number === wantedStep);
    const step = found.find((each) => each.dataset.agent === agent) || found[0];
    if (!step) return;
    wantedStep = "";
    for (let fold = step.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    step.focus({ preventScroll: true });
    step.scrollIntoView({ block: "center" });
  };
  // The revision that the address names; earlier pages are loaded for it.
  const lookBack = async () => {
    for (let pages = 0; wantedRev && pages < 25; pages += 1) {
      const [agent, number] = [wantedRev.slice(0, wantedRev.lastIndexOf(".")), Number(wantedRev.slice(wantedRev.lastIndexOf(".") + 1))];
      const moment = past.moments().find((each) => each.agent === agent && each.revision === number);
      if (moment || !past.isPartial()) {
        wantedRev = "";
        if (moment) slider.look(moment);
      } else await past.goBack();
    }
  };

  // Leases run out by themselves: it is asked for again while somebody works.
  const drawFleet = async () => {
    const known = order().some((plan) => plan.dialect === "tasks") ? await api.fleet(name).catch(() => null) : { sessions: [] };
    if (known && !left) afterPress(() => filled(fleet, fleetOf(known.sessions[0], order())));
  };
  // A move is told once, whether the stream or an answer brings it first.
  const hear = (plan) => {
    const words = plans.has(plan.agent) && newer(plan) && news(plans.get(plan.agent), plan);
    if (words) say(words);
    take(plan);
  };
  const refresh = async () => {
    const asked = [...plans.keys()];
    try {
      const data = await api.session(name);
      if (left) return;
      if (data.session !== name) return shell.renamed(data.session);
      desk.edits = data.edits;
      row = { ...data.row, asked: data.now };
      usage = data.usage;
      store.rows.set(name, row);
      missing = false;
      const there = new Set(data.plans.map((plan) => plan.agent));
      // Who came since this was asked for is not in the answer, and stays.
      for (const agent of asked) if (!there.has(agent)) [plans, past, told].forEach((each) => each.delete(agent));
      for (const { people, dropped, plan_number, ...plan } of data.plans) {
        told.set(plan.agent, { people, dropped, plan_number });
        hear(plan);
      }
      mind();
      loaded = true;
      drawing.soon();
      await Promise.all([drawFleet(), ...data.plans.map((plan) => past.follow(plan).catch(() => {}))]);
      if (wantedRev) {
        slider.update(past.moments(), past.isPartial(), axisFor(order(), endOf(order())));
        await lookBack();
      }
    } catch (error) {
      if (error.status === 404) {
        missing = true;
        [plans, past, told].forEach((each) => each.clear());
      } else if (!left && error.status) shell.trouble(error.message);
    }
    loaded = settled = true;
    if (!left) drawing.soon();
  };
  // Who was rewording a step of a sub-agent that ended keeps the words.
  const mind = () => {
    const mine = desk.editing,
      plan = mine && plans.get(mine.agent);
    if (!mine || (plan && !plan.ended)) return;
    desk.editing = null;
    shell.fault(`The sub-agent has ended, and its steps are gone. Your words were: ${mine.text}`);
  };

  refresh();
  const working = () => order().some((plan) => plan.todos.some((todo) => todo.status === "in_progress"));
  const clocks = [
    setInterval(() => {
      if (document.hidden || shell.isLost()) return;
      if (working()) {
        drawing.soon();
        drawFleet();
      }
    }, 5000),
    setInterval(() => !shell.isLost() && refresh(), 60000), // a plan that was deleted tells nobody
  ];
  let looked = setTimeout(function seen() {
    if (!document.hidden) store.look(name);
    looked = setTimeout(seen, 2000);
  }, 2000);

  const focused = () => {
    const at = document.activeElement?.closest("li.step"),
      plan = at && plans.get(at.dataset.agent);
    const shown = plan && desk.shown(plan);
    return { at, plan: shown, todo: shown?.todos[place(shown, Number(at.dataset.number))] };
  };
  const walk = (by) => {
    const steps = [...list.querySelectorAll("li.step")].filter((each) => each.offsetParent);
    const at = steps.indexOf(document.activeElement?.closest("li.step"));
    const next = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
    (next?.querySelector("button.mark:not([disabled])") || next)?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const stepKey = (event) => {
    const { at, plan, todo } = focused();
    if (!at || !desk.edits || slider.looking()) return false;
    if (event.key === "p" && !todo) {
      const life = model(plans.get(at.dataset.agent)).lives.get(Number(at.dataset.number));
      if (life?.gone?.dropped || life?.gone?.meant) putBack(desk, plan, life);
      return true;
    }
    if (!todo) return false;
    const change = (edit) => desk.change(plan.agent, edit, todo);
    if (event.altKey && event.key === "ArrowUp") change(DEEDS.up(plan, todo, desk.wanted));
    else if (event.altKey && event.key === "ArrowDown") change(DEEDS.down(plan, todo, desk.wanted));
    else if (event.altKey) return false;
    else if (event.key === "e") desk.reword(plan, todo);
    else if (event.key === "x") change(DEEDS.tick(plan, todo));
    else if (event.key === "s") change(DEEDS.start(plan, todo));
    else if (event.key === "p") change(DEEDS.putBack(plan, todo));
    else if (event.key === "c") change(DEEDS.cancel(plan, todo) || DEEDS.remove(plan, todo));
    else return false;
    return true;
  };

  return {
    name,
    title: () => {
      const steps = row?.steps || "",
        words = row ? titleOf(row) : bare(name);
      return steps ? `${doneOf(steps)}/${steps.length} ${words}` : words;
    },
    plan: (plan) => {
      if (plan.session !== name) return;
      hear(plan);
      waiting ||= setTimeout(() => {
        waiting = 0;
        refresh();
      }, 200);
    },
    redraw: () => store.rows.get(name) !== row && drawing.soon(),
    notified: (on) => {
      bell.setAttribute("aria-pressed", String(on));
      bell.replaceChildren(icon(on ? "bell" : "hush"));
    },
    again: () => {
      refresh();
      desk.pump();
    },
    lost: slider.lost,
    waiting: () => desk.waiting(),
    isInside: () => pane.contains(document.activeElement),
    back: () => slider.looking() && (slider.look(null), true),
    moved: () => {
      const { params } = where();
      find.value = params.get("find") || "";
      [wantedRev, wantedStep] = [params.get("rev"), params.get("step")];
      if (wantedRev) lookBack();
      else if (slider.looking()) slider.look(null);
      drawing.soon();
    },
    undo: () => desk.undo(),
    key: (event) => {
      const fold = document.activeElement?.closest("details");
      if (event.key === "j" || event.key === "k") walk(event.key === "j" ? 1 : -1);
      else if (event.key === "[") slider.hop(-1);
      else if (event.key === "]") slider.hop(1);
      else if (event.key === "m") shell.notify(name);
      else if (event.key === "o" && fold) fold.open = !fold.open;
      else if (event.key === "n") desk.add(document.activeElement?.closest("li.step, li.sub")?.dataset.agent || (plans.has("main") ? "main" : order()[0]?.agent));
      else return stepKey(event);
      return true;
    },
    leave: () => {
      left = true;
      clocks.forEach(clearInterval);
      [waiting, fading, looked].forEach(clearTimeout);
      drawing.stop();
    },
  };
};
