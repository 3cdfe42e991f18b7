// The page: which view is shown, the stream that feeds it, keys, dark and light.

import { listen } from "./api.js";
import { listPage } from "./list.js";
import { sessionPage } from "./session.js";

const main = document.getElementById("main"),
  link = document.getElementById("link"),
  help = document.getElementById("help");
let view = null;

const sessionOf = (hash) => {
  try {
    return hash.startsWith("#/") ? decodeURIComponent(hash.slice(2)) : "";
  } catch {
    return ""; // not an address of ours
  }
};

const entitled = () => (document.title = `${view.title()} · todowright`);

const route = () => {
  view?.leave();
  const name = sessionOf(location.hash);
  view = name ? sessionPage(main, name, entitled) : listPage(main);
  entitled();
};

const PORT = location.port === "8700" ? "" : ` --port ${location.port || 80}`;
const STATES = {
  live: "live",
  lost: "not connected, trying again",
  refused: `not connected: todowright serve --link${PORT} gives a link that works`,
};
const listening = () =>
  listen(
    (plan) => view?.plan(plan),
    (state) => {
      link.textContent = STATES[state];
      link.className = `link ${state === "live" ? "live" : "lost"}`;
      if (state === "live") view?.again();
      if (state === "refused") retry();
    },
  );

let again = 0;
const retry = async () => {
  try {
    const { status } = await fetch("api/sessions?limit=0");
    if (status === 401 || status === 403) return; // only another link helps
  } catch {
    /* not there yet */
  }
  clearTimeout(again);
  again = setTimeout(() => {
    hush();
    if (!document.hidden) hush = listening();
  }, 3000);
};

// A browser has few connections for one server: a page that nobody sees gives its own back.
let hush = listening();
document.addEventListener("visibilitychange", () => {
  hush();
  if (!document.hidden) hush = listening();
});

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

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  route();
  main.focus({ preventScroll: true });
});
route();
