// The steps of a plan with what a person may do to them; where the host lets the widget call nothing, only marks.

const mark = (plan, todo, deed) => {
  const status = statusOf(todo);
  const name = `${plainly(todo.content)} (${WORDS[status]})`;
  if (!deed) return make("span", { class: "mark", role: "img", "aria-label": WORDS[status] }, icon(status));
  const checked = { completed: "true", in_progress: "mixed" }[status] || "false";
  const given = { type: "button", class: "mark", role: "checkbox", "aria-checked": checked, "aria-label": name, title: deed === "reopen" ? "Open again" : "Tick off" };
  return make("button", { ...given, onclick: () => change(plan.agent, { do: deed, step: todo.number }, todo) }, icon(status));
};

const drop = async (plan, todo) => {
  const rows = [...document.querySelectorAll(`section[data-agent="${CSS.escape(plan.agent)}"] > ol > li[data-number]`)];
  const at = rows.findIndex((each) => each.dataset.number === String(todo.number));
  await change(plan.agent, { do: dropping(plan, todo), step: todo.number }, todo);
  if (document.activeElement === document.body) (rows[at + 1] || rows[at - 1])?.querySelector("button")?.focus();
};
const openEditor = (plan, todo) => {
  state.editing = { agent: plan.agent, number: todo.number, seen: todo, text: todo.content, fresh: true };
  redraw();
};

const row = (plan, todo, loose) => {
  const status = statusOf(todo), mine = state.editing;
  const editing = mine && mine.agent === plan.agent && mine.number === todo.number;
  const rewords = offers(plan, "reword") && !closed(todo), drops = dropping(plan, todo);
  const kept = Object.entries(todo.extras || {}).map(([key, text]) => `${key}: ${text}`).join(", ");
  const isBusy = busy.has(`${plan.agent} ${todo.number}`);
  const tool = (name, text, onclick) =>
    make("button", { type: "button", title: text, "aria-label": `${text}: ${plainly(todo.content)}`, onclick }, icon(name));
  const made = make("li", {
    class: status, "data-key": `${plan.agent} ${todo.number} ${todo.id}`, "data-number": todo.number, "data-agent": plan.agent, "data-loose": loose ? "yes" : null,
    "data-look": editing ? "editing" : JSON.stringify([todo, plan.deeds, isBusy, state.mayEdit, loose]), "aria-busy": isBusy ? "true" : null,
  }, mark(plan, todo, ticking(plan, todo)));
  if (editing) made.append(field("New words", mine, () => save(plan, mine), () => leave(plan.agent, todo.number)));
  else {
    made.append(make("span", { class: "words", dir: "auto" }, plainly(todo.content), kept ? make("small", {}, plainly(kept)) : null));
    if (rewords || drops)
      made.append(make("span", { class: "deeds" }, rewords && tool("reword", "Reword", () => openEditor(plan, todo)), drops && tool("drop", "Drop", () => drop(plan, todo))));
  }
  return made;
};

const field = (label, mine, enter, escape) => {
  const made = make("input", {
    "aria-label": label, maxlength: 2000, dir: "auto",
    oninput: (event) => { mine.text = event.target.value; },
    onkeydown: (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") escape();
      else if (event.key === "Enter") event.preventDefault(), enter();
    },
  });
  made.value = mine.text;
  if (mine.fresh) {
    mine.fresh = false;
    queueMicrotask(() => made.isConnected && (made.focus(), made.select())); // before the next key
  }
  return made;
};

const leave = (agent, number) => {
  state.editing = null;
  redraw();
  document.querySelector(`li[data-agent="${CSS.escape(agent)}"][data-number="${number}"] button`)?.focus();
};
const save = async (plan, mine) => {
  const text = mine.text.trim();
  if (!text || text === mine.seen.content) return leave(plan.agent, mine.number);
  const made = await change(plan.agent, { do: "reword", step: mine.number, text }, mine.seen);
  if (made.plan) return state.editing === mine && leave(plan.agent, mine.number);
  const now = stepOf(planOf(plan.agent), mine.number);
  if (!made.clash) return;
  if (now) {
    mine.seen = now; // Enter once more uses these words
    note(`${made.why}: Enter uses yours, Escape keeps that`);
  } else {
    state.editing = null;
    state.adding = { agent: plan.agent, text, fresh: true };
    note(`${made.why}: Enter adds yours as a new step`);
    redraw();
  }
};

const adder = (plan) => {
  if (!offers(plan, "add")) return null;
  const mine = state.adding;
  const about = plan.agent === "main" ? "" : ` of ${named(plan.agent)}`;
  if (mine?.agent !== plan.agent) {
    const start = () => { state.adding = { agent: plan.agent, text: "", fresh: true }; redraw(); };
    return make("button", { type: "button", class: "quiet", "data-key": "add", "aria-label": `Add a step${about}`, onclick: start }, icon("plus"), "Add a step");
  }
  const close = () => {
    state.adding = null;
    redraw();
    document.querySelector(`section[data-agent="${CSS.escape(plan.agent)}"] > .quiet`)?.focus();
  };
  const put = async () => {
    const text = mine.text.trim();
    if (!text) return close();
    const made = await change(plan.agent, { do: "add", text });
    if (made.plan && state.adding === mine) close();
  };
  const onsubmit = (event) => { event.preventDefault(); put(); };
  return make("form", { "data-key": "adding", "data-look": "adding", onsubmit }, field(`A new step${about}`, mine, put, close), make("button", {}, "Add"));
};

// Keys on the steps: arrows go up and down, e rewords, Delete drops, n adds.
document.addEventListener("keydown", (event) => {
  const at = event.target.closest?.("li[data-number]");
  if (!at || event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const plan = planOf(at.dataset.agent), todo = plan && stepOf(plan, Number(at.dataset.number));
  const marks = [...document.querySelectorAll("button.mark, .fold")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const act = {
    e: () => todo && !closed(todo) && offers(plan, "reword") && openEditor(plan, todo),
    Delete: () => todo && dropping(plan, todo) && drop(plan, todo),
    n: () => document.querySelector(`section[data-agent="${CSS.escape(plan.agent)}"] > .quiet`)?.click(),
  }[event.key];
  if (!step && !act) return;
  event.preventDefault();
  if (step) marks[marks.indexOf(at.querySelector(".mark")) + step]?.focus();
  else act();
});
