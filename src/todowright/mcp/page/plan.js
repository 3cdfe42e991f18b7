// One copy of the widget: it shows the plan while it is the newest that a chat has of it, and one line when it is not.

const state = { session: "", agent: "main", call: 0, newest: 0, plans: [], version: "", mayEdit: false, editing: null, adding: null, asOf: "" };
const opened = new Set();
let last = new Map(), showsOld = false, hasPlan = false;

const planOf = (agent) => state.plans.find((plan) => plan.agent === agent);
const putPlan = (plan) => {
  state.version = ""; // the next look brings all of it
  state.plans = state.plans.map((each) => (each.agent === plan.agent && each.revision <= plan.revision ? plan : each));
};
const isOld = () => state.call > 0 && state.newest > state.call;
const isFolded = () => isOld() && !showsOld;
const pane = document.getElementById("plan");
const isUsed = () => pane.matches(":hover") || (pane.contains(document.activeElement) && document.activeElement !== document.body);

const foot = () =>
  state.asOf && !isFolded() ? make("p", { class: "foot", "data-key": "foot", "data-look": state.asOf }, `As of ${state.asOf} `, make("button", { type: "button", class: "act", onclick: () => soon() }, "Look again")) : null;

const drawn = () => {
  const plans = state.plans.filter((plan) => plan.todos.length), below = nested(plans);
  const own = planOf(state.agent), tops = state.agent !== "main" && own?.todos.length ? [own] : below("");
  const line = isOld() && folding(showsOld ? "An earlier copy of this plan: hide" : "An earlier copy of this plan: show", showsOld, () => { showsOld = !showsOld; redraw(); soon(); });
  const old = line && make(isFolded() ? "h1" : "p", { "data-key": "old", "data-inner": "yes" }, line);
  if (isFolded()) return [old];
  const shown = tops.map((plan) => section(plan, below));
  return [old, ...(shown.length ? shown : [make("p", { "data-key": "none" }, "No plan yet.")]), endings(state.plans.filter((plan) => plan.ended)), foot()];
};
// Nothing moves while a button is held: it must not slip from under the pointer.
let pressed = false, late = false;
document.addEventListener("pointerdown", (event) => { pressed = event.button === 0; });
for (const name of ["pointerup", "pointercancel", "contextmenu", "blur"])
  window.addEventListener(name, () => {
    pressed = false;
    if (late) setTimeout(redraw);
    late = false;
  });
const redraw = () => {
  if (pressed) return void (late = true);
  fill(pane, drawn());
  for (const bar of pane.querySelectorAll("[data-share]")) bar.style.width = `${bar.dataset.share}%`;
  last = Map.groupBy(pane.querySelectorAll("li[data-number]:not([data-loose])"), (each) => each.dataset.agent);
  for (const [agent, rows] of last) last.set(agent, rows.map((each) => Number(each.dataset.number)));
  if (isFolded()) note("");
};
for (const name of ["pointerleave", "focusout"])
  pane.addEventListener(name, () => setTimeout(() => isUsed() || state.editing || redraw()));

const show = (data) => {
  if (data.newest !== undefined) state.newest = Math.max(state.newest, data.newest);
  if (data.session) state.session = data.session;
  const moved = Array.isArray(data.plans);
  if (moved) {
    state.plans = data.plans.map((plan) => (planOf(plan.agent)?.revision > plan.revision ? planOf(plan.agent) : plan));
    state.version = data.version || "";
    hasPlan = true;
    const now = data.plans.flatMap((plan) => plan.todos).find((todo) => todo.status === "in_progress");
    document.getElementById("say").textContent = now && !isOld() ? `Now: ${plainly(now.content)}` : "";
  }
  redraw();
  return moved;
};

// Looks often while the plan moves, seldom when it rests, not at all when it rests for long, nobody sees it, or a later
// call shows the same plan. The person, the host or a new call make it look again.
const SOON = 3000, LATE = 30000, MOST_QUIET = 20, MOST_DENIED = 3;
let pause = SOON, timer = 0, quiet = 0, denied = 0, seen = true, looking = false, again = false, ready = false;
const soon = () => {
  pause = SOON;
  quiet = denied = 0;
  clearTimeout(timer);
  timer = setTimeout(look, 50);
};
const isWatched = () => ready && seen && !document.hidden && !isFolded() && denied < MOST_DENIED;
const look = async () => {
  if (!isWatched()) return;
  if (looking) return void (again = true);
  looking = true;
  try {
    const given = { agent: state.agent, ...(state.session && { session: state.session }), ...(state.call && { call: state.call }), ...(state.version && { seen: state.version }) };
    const data = await call("plan_view", given);
    if (data.wrong) throw new Error(data.wrong);
    denied = 0;
    const moved = show(data);
    quiet = moved ? 0 : quiet + 1;
    pause = moved ? SOON : Math.min(LATE, pause * 1.5);
  } catch (error) { // the host does not let us look, or the server cannot tell: what is shown stays
    denied += 1;
    pause = Math.min(LATE, pause * 1.5);
  }
  looking = false;
  clearTimeout(timer);
  const rests = !again && (quiet >= MOST_QUIET || (denied >= MOST_DENIED && hasPlan));
  const before = state.asOf;
  state.asOf = rests ? new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
  if (before !== state.asOf) redraw();
  if (isWatched() && !rests) timer = setTimeout(look, again ? 50 : pause);
  again = false;
};
new IntersectionObserver((found) => {
  seen = found.at(-1).isIntersecting;
  if (seen) soon();
}).observe(document.documentElement);
document.addEventListener("visibilitychange", () => document.hidden || soon());
for (const name of ["pointerenter", "focusin"]) document.documentElement.addEventListener(name, () => state.asOf && soon());

// Copies in frames of one origin tell each other at once which is the newest; others learn it when they look.
let channel = null;
const tell = () => channel?.postMessage({ call: state.call });
const join = () => {
  try {
    channel?.close();
    channel = new BroadcastChannel(`todowright ${state.session} ${state.agent}`);
  } catch (error) {
    return; // a host that lets frames share nothing
  }
  channel.onmessage = ({ data }) => {
    if (typeof data?.call !== "number") return;
    if (data.call < state.call) return tell();
    if (data.call <= state.newest) return;
    state.newest = data.call;
    redraw();
  };
  tell();
};

heard["ui/notifications/tool-input"] = ({ arguments: sent = {} }) => {
  const list = sent.steps || sent.todos; // what the model sends is a plan, too, where the host shows no more than that
  if (hasPlan || !Array.isArray(list)) return;
  const todos = list.map((step, at) => ({ number: at + 1, content: String((typeof step === "string" ? step : step?.content || step?.task) || ""), status: statusOf(step || {}) }));
  state.plans = [{ agent: "main", todos }];
  redraw();
};
heard["ui/notifications/tool-result"] = (result) => {
  const carried = result._meta?.["todowright/plan"];
  if (carried && typeof carried.call === "number") {
    state.session = String(carried.session);
    state.agent = String(carried.agent);
    state.call = carried.call;
    state.newest = Math.max(state.newest, state.call);
    join();
  }
  soon();
};
const dress = (context) => {
  if (context?.theme) document.documentElement.dataset.theme = context.theme;
  const font = context?.styles?.variables?.["--font-sans"];
  if (font) document.documentElement.style.setProperty("--font-sans", font);
};
heard["ui/notifications/host-context-changed"] = dress;
heard["ui/resource-teardown"] = () => {
  ready = false;
  clearTimeout(timer);
  channel?.close();
};

ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "todowright", version: "2" }, appCapabilities: {} }).then((result) => {
  state.mayEdit = Boolean(result.hostCapabilities?.serverTools);
  dress(result.hostContext);
  notify("ui/notifications/initialized");
  ready = true;
  redraw();
  soon();
});
