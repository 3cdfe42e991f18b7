// The page: which view is shown, the stream that feeds it, keys, dark and light.

import { listen } from "./api.js";
import { listPage } from "./list.js";
import { sessionPage } from "./session.js";

const main = document.getElementById("main"),
  link = document.getElementById("link"),
  help = document.getElementById("help");
let view = null,
  lost = false;

const route = () => {
  view?.leave();
  const name = decodeURIComponent(location.hash.replace(/^#\/?/, ""));
  view = name ? sessionPage(main, name) : listPage(main);
  document.title = `${view.title} · todowright`;
};

listen(
  (plan) => view?.plan(plan),
  (state) => {
    link.textContent = state === "live" ? "live" : "not connected, trying again";
    link.className = `link ${state}`;
    if (state === "lost") lost = true;
    else if (lost) {
      lost = false;
      view?.again();
    }
  },
);

const theme = document.getElementById("theme");
const dress = (name) => {
  if (name) document.documentElement.dataset.theme = name;
};
const stored = () => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
};
dress(stored());
theme.addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const next = dark ? "light" : "dark";
  dress(next);
  try {
    localStorage.setItem("theme", next);
  } catch {
    /* private windows keep nothing */
  }
});
document.getElementById("keys").addEventListener("click", () => help.showModal());

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || help.open) return;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "?") {
    help.showModal();
    event.preventDefault();
  } else if (view?.key(event)) event.preventDefault();
});

addEventListener("hashchange", () => {
  route();
  main.focus({ preventScroll: true });
});
route();
