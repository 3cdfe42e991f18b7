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

// Make what is on the page like what is wanted, and leave in place whatever stays: focus, selection,
// what is being typed or pressed are never lost to a redraw.
export const morph = (old, wanted) => {
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

// A page that is drawn at most once a frame, and not while a button is held: it must not slip away.
export const gently = (draw) => {
  let frame = 0,
    pressed = false,
    late = false;
  const soon = () => {
    if (pressed) late = true;
    else if (!frame)
      frame = requestAnimationFrame(() => {
        frame = 0;
        if (pressed) late = true; // it was pressed since this frame was asked for
        else draw();
      });
  };
  const down = (event) => (pressed = event.button === 0 && event.target.type !== "range");
  const up = () => {
    pressed = false;
    if (late) setTimeout(soon);
    late = false;
  };
  const heard = { pointerdown: down, pointerup: up, pointercancel: up, contextmenu: up, blur: up };
  for (const [name, handler] of Object.entries(heard)) addEventListener(name, handler);
  const stop = () => {
    cancelAnimationFrame(frame);
    for (const [name, handler] of Object.entries(heard)) removeEventListener(name, handler);
  };
  return { soon, stop };
};

// A step that has the focus is taller. A press elsewhere takes the focus away: the step keeps its height
// until the press is over, so that what was pressed does not slip from under the pointer.
export const steadily = (list) => {
  const down = () => {
    const at = document.activeElement,
      step = list.contains(at) && at.closest("li.step");
    if (!step) return;
    const names = at.matches(":focus-visible") ? ["steady", "lit"] : ["steady"];
    step.classList.add(...names);
    const stop = new AbortController();
    const up = () => {
      stop.abort();
      setTimeout(() => step.classList.remove(...names));
    };
    for (const name of ["pointerup", "pointercancel", "contextmenu", "blur"]) addEventListener(name, up, { signal: stop.signal });
  };
  list.addEventListener("pointerdown", down);
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
