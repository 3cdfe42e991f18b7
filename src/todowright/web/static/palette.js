// ⌘K: sessions, steps of all sessions, commands.

import * as api from "./api.js";
import { bare, linkTo } from "./address.js";
import { icon, marked } from "./draw.js";
import { afterPress, filled, make, plainly } from "./dom.js";
import { glyphOf } from "./list.js";
import { GLYPHS } from "./surface.js";
import { named, titleOf } from "./tree.js";

const MOST = 5;

export const makePalette = (box, store, { commands, go }) => {
  let options = [],
    chosen = 0,
    steps = [],
    asking = 0;
  const input = make("input", { role: "combobox", "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list", "aria-label": "Find", placeholder: "Find a session, a step or a command" });
  const list = make("div", { role: "listbox", id: "found", "aria-label": "Found", tabindex: 0 });
  const keys = make("footer", {}, make("span", {}, make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " choose"), make("span", {}, make("kbd", {}, "⏎"), " open"), make("span", {}, make("kbd", {}, "esc"), " close"));
  box.replaceChildren(make("label", {}, icon("find"), input), list, keys);

  // Nobody works on a step of a session that was left.
  const signOf = ({ session, status, dropped }) => {
    const row = status === "in_progress" && store.rows.get(session);
    return GLYPHS[dropped ? "dropped" : row && ["abandoned", "earlier"].includes(store.group(row)) ? "later" : status];
  };
  const take = (option) => {
    if (!option) return;
    box.close();
    if (option.href) go(option.href);
    else option.act();
  };
  const draw = () => {
    const words = input.value.trim(),
      low = words.toLowerCase();
    const sessions = [...store.rows.values()]
      .filter((row) => `${row.session} ${titleOf(row)}`.toLowerCase().includes(low))
      .sort((one, other) => (store.group(other) === "needs_you") - (store.group(one) === "needs_you") || (one.updated_at < other.updated_at ? 1 : -1))
      .slice(0, MOST)
      .map((row) => ({ sign: glyphOf(store, row), text: titleOf(row), small: row.project, href: linkTo(row.session) }));
    const found = (words ? steps : []).slice(0, 3 * MOST).map((step) => ({
      sign: signOf(step),
      text: step.content,
      small: [titleOf(store.rows.get(step.session) || { session: bare(step.session) }), ...(step.agent === "main" ? [] : [named(step.agent)])].join(" · "),
      href: linkTo(step.session, { step: step.id || String(step.number), in: step.agent === "main" ? "" : step.agent }),
    }));
    const orders = commands(words).filter(({ text }) => text.toLowerCase().includes(low));
    const kinds = [["Sessions", sessions], ["Steps", found], ["Commands", orders]].filter(([, some]) => some.length);
    options = kinds.flatMap(([, some]) => some);
    chosen = Math.min(chosen, Math.max(0, options.length - 1));
    let n = 0;
    const option = (each) => {
      const at = n++;
      return make(
        "div",
        { role: "option", id: `o${at}`, "aria-selected": String(at === chosen), onclick: () => take(each) },
        icon(each.sign, `g-${each.sign}`),
        make("span", { class: "cut", dir: "auto" }, ...marked(plainly(each.text), low)),
        make("small", {}, each.small || ""),
      );
    };
    filled(list, kinds.length ? kinds.map(([kind, some]) => make("div", { role: "group", "aria-label": kind, "data-key": kind }, make("span", { "aria-hidden": "true" }, kind), ...some.map(option))) : [make("p", { class: "none" }, "Nothing is called that")]);
    if (options.length) input.setAttribute("aria-activedescendant", `o${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const ask = async () => {
    const words = input.value.trim();
    const data = words ? await api.search(words).catch(() => ({ found: [] })) : { found: [] };
    if (words !== input.value.trim()) return;
    afterPress(() => {
      steps = data.found;
      draw();
    });
  };
  input.oninput = () => {
    chosen = 0;
    draw();
    clearTimeout(asking);
    asking = setTimeout(ask, 80);
  };
  input.onkeydown = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && options.length) {
      event.preventDefault();
      chosen = (chosen + by + options.length) % options.length;
      draw();
      document.getElementById(`o${chosen}`).scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.isComposing) take(options[chosen]);
  };
  return {
    open: () => {
      chosen = 0;
      steps = [];
      input.value = "";
      draw();
      if (!box.open) box.showModal();
      input.focus();
    },
  };
};
