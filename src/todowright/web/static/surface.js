// Plan, timeline and history on one surface: every step has its place, its time and its bar on the shared axis.

import { DEEDS } from "./desk.js";
import { adder, editor } from "./editor.js";
import { clock, icon, iconButton, long, short } from "./draw.js";
import { WORDS, make, plainly, progress, written } from "./dom.js";
import { awayAt, goneAs, ordered, stateAt, told, who, wordsAt, workedOn } from "./lives.js";
import { again, receipt, waitingReceipt } from "./receipts.js";
import { busy, label } from "./tree.js";

const MANY_ENDED = 5,
  MANY_WORKING = 6;
export const GLYPHS = { completed: "done", in_progress: "now", pending: "todo", cancelled: "off", dropped: "dropped", removed: "done", later: "left", stuck: "stuck" };
const STATES = { ...WORDS, dropped: "dropped", removed: "done, tidied away", later: "not planned yet", stuck: "stuck" };
const pct = (n) => `${(100 * n).toFixed(2)}%`;

const span = (axis, cls, from, to) =>
  make("i", { class: cls, style: { left: pct(axis.at(from)), width: pct(Math.max(0, axis.at(to) - axis.at(from))) } });

const track = (...bars) => make("span", { class: "track", "aria-hidden": "true" }, ...bars);

export const bars = (life, axis, state, stuckAt) => {
  const out = [],
    end = axis.end,
    work = life.spans.filter((each) => each.status === "in_progress");
  const closedAt = life.spans.find((each) => each.status === "completed" || each.status === "cancelled")?.since;
  const first = work[0]?.since ?? life.gone?.at ?? closedAt ?? end;
  if (first > life.born) out.push(span(axis, "w", life.born, first));
  for (const each of work) {
    const to = each.until ?? end;
    if (each.until !== null || state !== "stuck") out.push(span(axis, each.until === null ? "n" : "d", each.since, to));
    else {
      const late = Math.min(to, Math.max(each.since, stuckAt * 1000));
      out.push(span(axis, "n", each.since, late), span(axis, "over", late, to));
    }
  }
  if (!work.length && closedAt && state !== "cancelled") out.push(span(axis, "d", closedAt, closedAt));
  if (life.gone?.dropped) out.push(make("i", { class: "r", style: { left: pct(axis.at(life.gone.at)) } }));
  return track(...out);
};

const kept = (extras) =>
  Object.entries(extras).map(([key, text]) => make("span", { class: "extra", title: `${key}: ${text}` }, written(`${key}: ${text}`)));

const acts = (desk, plan, todo) => {
  const off = (edit) => !edit;
  const act = (sign, name, edit, more = {}) =>
    iconButton(sign, `${name}: ${todo.content}`, { "data-key": name, disabled: off(edit), onclick: () => desk.change(plan.agent, edit, todo), ...more });
  const offered = (sign, name, edit, more) => (edit ? act(sign, name, edit, more) : null);
  const { wanted } = desk;
  const first = DEEDS.first(plan, todo);
  return make(
    "span",
    { class: "acts", "data-key": "acts" },
    iconButton("edit", `Reword: ${todo.content}`, { "data-key": "Reword", onclick: () => desk.reword(plan, todo) }),
    offered("play", "Work on this", DEEDS.start(plan, todo), todo.status === "in_progress" ? { disabled: true } : {}),
    act("up", "Move up", DEEDS.up(plan, todo, wanted)),
    act("down", "Move down", DEEDS.down(plan, todo, wanted)),
    plan.todos.length > 3 && first ? act("first", "Do this first", first) : null,
    offered("undo", "Put back", DEEDS.putBack(plan, todo)),
    offered("x", "Cancel", DEEDS.cancel(plan, todo)),
    offered("x", "Remove", DEEDS.remove(plan, todo)),
  );
};

export const putBack = (desk, plan, life) => {
  const here = plan.todos.some((todo) => todo.number === life.gone.after);
  desk.change(plan.agent, { do: "add", text: life.todo.content, ...(life.gone.after && !here ? {} : { after: life.gone.after }) });
};

const dropNote = (context, plan, life) => {
  const { desk, frozen, moment } = context;
  const gone = awayAt(life, moment) || (life.gone?.at <= moment ? life.gone : null);
  if (!gone?.dropped && !gone?.meant) return [];
  const { at, by } = gone;
  const text = `${gone.meant ? "taken off" : "dropped"} at ${clock(at)} by ${who({ agent: plan.agent, by })}`;
  const button = { type: "button", class: "btn put", "aria-label": `Put back: ${life.todo.content}`, onclick: () => putBack(desk, plan, life) };
  const offer = !frozen && life.gone && desk.edits && plan.deeds.includes("add");
  return [make("span", { class: "note" }, text, offer ? make("button", button, "Put back") : "")];
};

const receiptOf = (context, plan, number) => {
  const { desk, frozen, people, now } = context;
  if (frozen) return null;
  const job = desk.pending(plan.agent, number);
  if (job) return waitingReceipt(job);
  const edit = people(plan.agent).find((each) => each.number === number);
  if (!edit) return null;
  const back = desk.edits ? again(edit, plan) : null;
  return receipt(edit, plan, now / 1000, back ? () => desk.change(plan.agent, back) : null);
};

const step = (context, plan, life, todo, depth, below = []) => {
  const { desk, frozen, moment, axis, glance, fresh } = context;
  const view = glance(plan.agent);
  let state = frozen ? stateAt(life, moment) : todo ? todo.status : goneAs(life.gone || {});
  if (!frozen && state === "in_progress" && view?.state === "stuck") state = "stuck";
  const words = plainly(frozen ? wordsAt(life, moment) : (todo || life.todo).content);
  const edited = !frozen && desk.editing?.number === life.number && desk.editing.agent === plan.agent;
  const tick = todo && DEEDS.tick(plan, todo);
  const cls = state === "stuck" ? "in_progress stuck" : state;
  const kinds = fresh(plan.agent, life.number);
  const mark = {
    type: "button",
    class: "mark",
    role: "checkbox",
    "aria-checked": state === "completed" || state === "removed" ? "true" : state === "in_progress" || state === "stuck" ? "mixed" : "false",
    "aria-label": `${words} (${STATES[state]})`,
    disabled: frozen || !desk.edits || !tick,
    onclick: () => desk.change(plan.agent, tick, todo),
  };
  const active = !frozen && todo?.status === "in_progress" && todo.active_form && todo.active_form !== todo.content ? ` (${todo.active_form})` : "";
  const text = edited
    ? editor(desk, plan, words)
    : make(
        "span",
        { class: "text" },
        make("span", { class: "what", title: words + active }, written(words, { class: "t" }), ...(frozen ? kinds.filter((kind) => kind !== "dropped").map((kind) => make("span", { class: "tag" }, ` ${kind}`)) : [])),
        ...(todo ? kept(todo.extras) : []),
        ...dropNote(context, plan, life),
        receiptOf(context, plan, life.number),
        frozen || !desk.edits || !todo || todo.number < 0 ? null : acts(desk, plan, todo),
      );
  const spent = workedOn(life, Math.min(moment, axis.end));
  return make(
    "li",
    { class: `step ${cls}${kinds.length ? " fresh" : ""}`, "data-number": life.number, "data-agent": plan.agent, "data-id": life.id, "data-key": life.number, tabindex: -1 },
    make(
      "div",
      { class: "row", style: { "--d": depth } },
      make("button", mark, icon(GLYPHS[state], `g-${GLYPHS[state]}`)),
      text,
      make("span", { class: "dur" }, spent >= 1000 || state === "in_progress" || state === "stuck" ? short(spent / 1000) : ""),
      bars(life, axis, state, view?.stuck_at),
    ),
    below.length ? make("ul", { class: "under", "data-key": "under" }, ...helpers(context, below, depth + 1)) : null,
  );
};

const chapter = (context, plan, model, at, depth) => {
  const { axis, moment, number } = context;
  const { from, to, order, summary } = model.chapters[at];
  const lives = order.map((each) => model.lives.get(each));
  const done = lives.filter((life) => life.spans.some((each) => each.status === "completed")).length;
  const name = `Plan ${number(plan, model) - (model.chapters.length - 1 - at)}`;
  const about = summary || lives[0]?.words.at(-1).text || "";
  return make(
    "li",
    { class: `chapter${moment < from ? " later" : ""}`, "data-key": `chapter ${at}` },
    make(
      "details",
      {},
      make(
        "summary",
        { class: "row", style: { "--d": depth } },
        icon("next", "chev"),
        make("span", { class: "text" }, make("span", { class: "chap" }, make("b", {}, name), ` · ${done}/${lives.length} · ${long((to - from) / 1000)}`), written(about, { class: "t about" })),
        make("span", { class: "dur" }),
        track(span(axis, "d", from, to)),
      ),
      make("ol", { class: "plan", "data-key": "steps" }, ...lives.map((life) => step(context, plan, life, null, depth + 1))),
    ),
  );
};

// The steps of one agent, its earlier plans folded in front of them.
const steps = (context, plan, depth) => {
  const { desk, frozen, below } = context;
  const model = context.model(plan),
    last = model.chapters.length - 1;
  const todos = new Map(plan.todos.map((todo) => [todo.number, todo]));
  const born = (todo) => ({ number: todo.number, id: todo.id, born: context.now, words: [{ at: 0, text: todo.content }], spans: [], gone: null, todo });
  const order = ordered(plan.todos.map((todo) => todo.number), model.lives, last);
  const lifeOf = (number) => model.lives.get(number) || born(todos.get(number));
  const wanted = (number) => {
    const todo = todos.get(number) || lifeOf(number).todo;
    return desk.wanted(todo) || (desk.editing?.number === number && desk.editing.agent === plan.agent);
  };
  const shown = order.filter(wanted);
  const helped = below.get(plan.agent) || [];
  const serving = (number) => helped.filter((each) => each.serves === number);
  const loose = helped.filter((each) => !shown.includes(each.serves));
  const chapters = model.chapters.slice(0, -1).map((_, at) => chapter(context, plan, model, at, depth));
  return [
    ...chapters,
    ...shown.map((number) => step(context, plan, lifeOf(number), frozen ? null : todos.get(number), depth, serving(number))),
    ...(depth && desk.adding !== plan.agent && !desk.drafts[`add ${plan.agent}`] ? [] : frozen || !desk.edits || !plan.deeds.includes("add") ? [] : [adder(desk, plan, depth)]),
    ...(loose.length ? [make("li", { class: "loose", "data-key": "loose" }, make("ul", { class: "under" }, ...helpers(context, loose, depth, true)))] : []),
  ];
};

const ending = (context, plan, depth) => {
  const model = context.model(plan);
  const from = model.chapters[0]?.from,
    to = Date.parse(plan.updated_at);
  return make(
    "li",
    { class: "sub over", "data-key": plan.agent },
    make(
      "p",
      { class: "row agent ended", title: plan.agent, style: { "--d": depth } },
      icon("done", "g-done"),
      make("span", { class: "text" }, written(label(plan), { class: "who" }), make("span", { class: "sum" }, written(`ended: ${plan.ended}`))),
      track(...(from ? [span(context.axis, "p", from, to)] : [])),
    ),
    ...(context.below.has(plan.agent) ? [make("ul", { class: "under" }, ...helpers(context, context.below.get(plan.agent), depth + 1))] : []),
  );
};

const sub = (context, plan, depth, isLoose) => {
  const view = context.glance(plan.agent),
    model = context.model(plan);
  const { done, total } = progress(plan.todos);
  const from = model.chapters[0]?.from ?? context.now;
  const later = context.moment < from,
    finished = view?.state === "done";
  const stuck = view?.state === "stuck" && !context.frozen;
  const facts = later
    ? ["not there yet"]
    : [
        `${done}/${total}`,
        ...(isLoose ? [" · of no step"] : []),
        ...(stuck
          ? [" · ", make("b", { class: "amber" }, `stuck ${long(view.idle_seconds)}`), view.usual_seconds === null ? "" : `, usually ${long(view.usual_seconds)} a step`]
          : finished
            ? [" · done"]
            : []),
      ];
  const to = finished ? Date.parse(plan.updated_at) : context.axis.end;
  const { desk } = context;
  const more = context.frozen || !desk.edits || !plan.deeds.includes("add") ? [] : [make("span", { class: "acts more", "data-key": "more" }, iconButton("plus", `Add a step: ${plan.agent}`, { onclick: () => desk.add(plan.agent) }))];
  const summary = make(
    "summary",
    { class: "row agent", title: plan.agent, style: { "--d": depth } },
    icon("next", "chev"),
    make("span", { class: "text" }, written(label(plan), { class: "who" }), make("span", { class: "sum" }, ...facts)),
    make("span", { class: "dur" }),
    track(span(context.axis, "p", from, Math.max(from, to))),
  );
  const open = !finished && !(context.folded && !stuck);
  return make(
    "li",
    { class: `sub${later ? " later" : ""}`, "data-key": plan.agent, "data-agent": plan.agent, style: { "--d": depth } },
    make("details", { open }, summary, make("ol", { class: "plan", "data-key": "steps", "aria-label": `Steps of ${plan.agent}` }, ...steps(context, plan, depth + 1))),
    ...more,
  );
};

// Sub-agents: those that have ended are a line each, and one fold where they are many.
const helpers = (context, plans, depth, isLoose = false) => {
  const isQuiet = (plan) => Boolean(plan.ended) && !busy(plan, context.below);
  const quiet = plans.filter(isQuiet),
    others = plans.filter((plan) => !isQuiet(plan));
  const shown = others.map((plan) => (plan.ended ? ending(context, plan, depth) : sub(context, plan, depth, isLoose)));
  const lines = quiet.map((plan) => ending(context, plan, depth));
  if (quiet.length <= MANY_ENDED) return [...shown, ...lines];
  const count = make("summary", { class: "row agent", style: { "--d": depth } }, icon("next", "chev"), make("span", { class: "text" }, `${quiet.length} sub-agents ended`));
  return [...shown, make("li", { class: "sub", "data-key": "endings" }, make("details", { class: "endings" }, count, make("ul", {}, ...lines)))];
};

export const surfaceRows = (context, plans) => {
  const roots = context.below.get("") || [];
  const working = plans.filter((plan) => plan.agent.includes("/") && !plan.ended).length;
  const whole = { ...context, folded: working > MANY_WORKING };
  const [first, ...others] = roots;
  if (!first) return [];
  const own = first.ended ? [ending(whole, first, 0)] : first.agent.includes("/") ? [sub(whole, first, 0)] : steps(whole, first, 0);
  return [...own, ...helpers(whole, others, 0)];
};

export const feedLine = (moment) => `${who(moment)} ${told(moment)}`;
