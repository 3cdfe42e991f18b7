// Small tools for building pages. Text is only ever set as text: nothing a todo says can run.

export const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element[key] = value;
    else if (key === "style") for (const [name, each] of Object.entries(value)) element.style.setProperty(name, each);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

// Words that a model or a person wrote: in their own direction, and without what turns it around.
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
export const plainly = (text) => text.replace(TURNS, "\ufffd");
export const written = (text, attributes = {}) => make("bdi", { dir: "auto", ...attributes }, plainly(text));

const HANDLERS = ["onclick", "onsubmit", "oninput", "onkeydown", "ontoggle"];
const keyOf = (node) => node.dataset?.key;

// Make what is on the page like what is wanted, and leave what stays in place: a redraw loses no focus,
// no selection, nothing that is being typed or pressed.
const morph = (old, wanted) => {
  if (old === wanted) return;
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const { name } of [...old.attributes])
    if (!wanted.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (name === "style")
      old.style.cssText = value; // as an attribute the page's policy forbids it
    else if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of HANDLERS) if (old[name] !== wanted[name]) old[name] = wanted[name];
  if (old.tagName !== "INPUT") filled(old, [...wanted.childNodes]);
};

const alike = (one, other) =>
  one.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

export const filled = (parent, wanted) => {
  const children = wanted
    .filter((child) => child !== null && child !== "")
    .map((child) => (typeof child === "string" ? document.createTextNode(child) : child));
  const keyed = new Map([...parent.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  const stay = new Set(children.map((child) => keyOf(child)).filter(Boolean));
  let at = parent.firstChild;
  for (const child of children) {
    while (at && keyOf(at) && !stay.has(keyOf(at))) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    const known = keyOf(child) ? keyed.get(keyOf(child)) : at && alike(at, child) ? at : null;
    if (known && alike(known, child)) {
      morph(known, child);
      if (known === at) at = at.nextSibling;
      else if (known === at?.nextSibling && keyOf(at)) {
        const later = at; // one that went down moves, not all the others up
        at = known.nextSibling;
        moved(parent, later, at);
        at = later;
      } else moved(parent, known, at);
    } else parent.insertBefore(child, at);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
};

const moved = (parent, node, before) => {
  if (parent.moveBefore) return parent.moveBefore(node, before); // keeps focus, selection, composition
  const active = document.activeElement;
  parent.insertBefore(node, before);
  if (node.contains(active) && active !== document.activeElement) active.focus({ preventScroll: true });
};

// While a button is down nothing on the page may move, or the click goes to what is above both places: what comes
// meanwhile waits. A finger's click comes a little after it is lifted.
const FINGER = 100;
const late = new Set();
let pressed = false,
  lifting = 0;
export const afterPress = (act) => (pressed ? late.add(act) : act());
const free = () => {
  pressed = false;
  const acts = [...late];
  late.clear();
  for (const act of acts) act();
};
const down = (event) => {
  if (event.button !== 0 || event.target.type === "range") return;
  clearTimeout(lifting);
  pressed = true;
};
const up = (event) => {
  if (!pressed) return;
  clearTimeout(lifting);
  lifting = setTimeout(free, event.type === "pointerup" && event.pointerType === "touch" ? FINGER : 0);
};
addEventListener("pointerdown", down, true);
for (const name of ["pointerup", "click", "pointercancel", "contextmenu", "blur"]) addEventListener(name, up);

// A page that is drawn at most once a frame, and not while a button is held: it must not slip away.
export const gently = (draw) => {
  let frame = 0;
  const wanted = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (pressed) late.add(wanted); // it was pressed since this frame was asked for
      else draw();
    });
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    late.delete(wanted);
  };
  return { soon: () => afterPress(wanted), stop };
};

// A step that has the focus is taller. When a press elsewhere takes that away, the step keeps its height until
// the press is over.
export const steadily = (surface) => {
  surface.addEventListener("pointerdown", (event) => {
    const at = document.activeElement,
      step = surface.contains(at) && at.closest("li.step, li.adding");
    if (!step || event.button !== 0) return;
    const names = at.matches(":focus-visible") ? ["steady", "lit"] : ["steady"];
    step.classList.add(...names);
    afterPress(() => step.classList.remove(...names));
  });
};

export const WORDS = {
  completed: "done",
  in_progress: "in progress",
  pending: "to do",
  cancelled: "cancelled",
};

export const closed = (todo) => todo.status === "completed" || todo.status === "cancelled";
export const progress = (todos) => ({
  done: todos.filter((todo) => todo.status === "completed").length,
  total: todos.filter((todo) => todo.status !== "cancelled").length,
});

// At most one message in five seconds: the last one counts.
let said = 0,
  saying = 0;
export const say = (text) => {
  clearTimeout(saying);
  saying = setTimeout(
    () => {
      said = Date.now();
      document.getElementById("say").textContent = text;
    },
    Math.max(0, said + 5000 - Date.now()),
  );
};

// What the browser keeps for this page; a private window may keep nothing.
export const kept = {
  get: (key, otherwise = null, box = "localStorage") => {
    try {
      return JSON.parse(window[box].getItem(`todowright.${key}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set: (key, value, box = "localStorage") => {
    try {
      if (value === null) window[box].removeItem(`todowright.${key}`);
      else window[box].setItem(`todowright.${key}`, JSON.stringify(value));
    } catch {
      /* it is not kept */
    }
  },
};
