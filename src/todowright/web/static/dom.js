// Small tools for building pages. Text is only ever set as text: nothing a todo says can run.

export const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

export const MARKS = { completed: "✓", in_progress: "●", pending: "○", cancelled: "✗" };
export const WORDS = {
  completed: "done",
  in_progress: "in progress",
  pending: "waiting",
  cancelled: "cancelled",
};

export const closed = (todo) => todo.status === "completed" || todo.status === "cancelled";

export const bar = (done, total) => {
  const inner = make("span");
  inner.style.width = `${total ? (100 * done) / total : 0}%`;
  return make(
    "span",
    {
      class: "bar",
      role: "progressbar",
      "aria-label": "progress",
      "aria-valuemin": 0,
      "aria-valuemax": total || 1,
      "aria-valuenow": done,
    },
    inner,
  );
};

export const lasting = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d`;
};

export const say = (text) => {
  document.getElementById("say").textContent = text;
};
