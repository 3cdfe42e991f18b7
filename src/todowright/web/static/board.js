// The page: which session is shown beside the list, the stream that feeds both, keys, dark and light.

import { listen } from "./api.js";
import { address, linkTo, where } from "./address.js";
import { makeBell } from "./bell.js";
import { clock, iconButton, long } from "./draw.js";
import { afterPress, filled, gently, kept, make } from "./dom.js";
import { listPane } from "./list.js";
import { makePalette } from "./palette.js";
import { makeRows } from "./rows.js";
import { sessionPane } from "./session.js";

const by = (id) => document.getElementById(id);
const main = by("main"),
  nav = document.querySelector("nav.list"),
  article = document.querySelector("article.pane"),
  link = by("link"),
  notice = by("notice"),
  help = by("help");
const wide = matchMedia("(min-width: 1200px)");
const LATE = 3000,
  TOLD = 6000,
  FAULT = 10_000;
let view = null,
  list = null,
  bell = null,
  lostSince = 0,
  leaving = 0,
  refused = false;

const drawing = gently(() => {
  list.draw();
  view?.redraw();
  ring();
  by("ro").hidden = store.edits;
  document.body.classList.toggle("ro-mode", !store.edits);
});
const store = makeRows(() => {
  drawing.soon();
  if (document.hidden) ring(); // a page that nobody sees draws no frames, but tells
});
// The bell goes through all sessions: twice a second is enough.
let ringing = 0;
const ring = () => {
  if (!store.loaded) return;
  if (ringing) return (ringing = 2);
  bell.update();
  ringing = 1;
  setTimeout(() => {
    const missed = ringing === 2;
    ringing = 0;
    if (missed) afterPress(ring);
  }, 500);
};

const entitled = () => {
  const count = bell?.count() || 0;
  const name = view ? view.title() : store.project ? `Plans of ${store.project}` : "Plans";
  document.title = `${count ? `(${count}) ` : ""}${name} · todowright`;
};

// Lines that leave by themselves: what was done, with a way back; what went wrong.
const timers = {};
const tell = (id, parts, long_) => {
  clearTimeout(timers[id]);
  filled(by(id), parts);
  if (!parts.length) return;
  const mine = (timers[id] = setTimeout(() => afterPress(() => timers[id] === mine && tell(id, [], 0)), long_));
};
const toast = (text, act = null, word = "Undo") => {
  const button = act && make("button", { type: "button", class: "btn", onclick: () => (tell("toast", [], 0), act()) }, `${word} `, ...(word === "Undo" ? [make("kbd", {}, "⌘Z")] : []));
  tell("note", [], 0);
  tell("toast", text ? [make("span", { class: "cut" }, text), ...(button ? [button] : [])] : [], TOLD);
};
const fault = (text) => tell("note", [make("span", {}, text), iconButton("x", "Close this message", { onclick: () => tell("note", [], 0) })], FAULT);

const shell = {
  toast,
  fault,
  entitled,
  trouble: (text) => bar(text),
  isLost: () => lostSince > 0,
  renamed: (name) => go(address(name, where().params), true), // it was asked for without its project
  notify: (name) => {
    toast(bell.turn(name));
    view?.notified(bell.isOn(name));
  },
};

const route = () => {
  const { session } = where();
  const same = view?.name === session;
  if (!same) {
    view?.leave();
    view = session ? sessionPane(article, session, store, shell) : null;
    view?.notified(bell.isOn(session));
    if (!view) article.replaceChildren();
    if (view && lostSince) view.lost(clock(lostSince));
  } else view?.moved();
  document.body.classList.toggle("open", Boolean(session));
  article.hidden = !session;
  list.restore();
  drawing.soon();
  entitled();
};
const go = (href, quietly = false) => {
  if (quietly) {
    history.replaceState(null, "", href);
    route();
  } else location.hash = href.slice(1);
};

// Being connected, and saying so when not.
const PORT = location.port === "8700" ? "" : ` --port ${location.port || 80}`;
const REFUSED = `not connected: todowright serve --link${PORT} gives a link that works`;
const bar = (text) => afterPress(() => barred(text));
const barred = (text) => {
  notice.hidden = !text;
  if (text) filled(notice, [make("span", {}, ...[text].flat()), make("button", { type: "button", class: "btn", onclick: () => reconnect() }, "Try now")]);
};
const sayLost = () => {
  if (!lostSince) return;
  const count = view?.waiting() || 0,
    wait = count ? `: ${count} ${count === 1 ? "waits" : "wait"}` : "";
  document.body.classList.add("lost");
  link.textContent = refused ? REFUSED : `Offline for ${long((Date.now() - lostSince) / 1000)}`;
  bar([make("b", {}, "Not connected."), ` This is how it was at ${clock(lostSince)}. You can go on: your edits are sent when the link is back${wait}.`]);
  view?.lost(clock(lostSince));
};
const state = (name) => {
  const live = name === "live";
  link.className = `link ${live ? "live" : "lost"}`;
  if (live) {
    [lostSince, refused] = [0, false];
    clearInterval(leaving);
    leaving = 0;
    document.body.classList.remove("lost");
    link.textContent = "Live";
    bar("");
    view?.lost("");
    store.load();
    view?.again();
    return;
  }
  refused = name === "refused";
  if (!lostSince) {
    lostSince = Date.now();
    link.textContent = refused ? REFUSED : "Trying again";
    leaving = setInterval(() => Date.now() - lostSince >= LATE - 50 && sayLost(), 1000);
  }
  if (refused) retry();
};
let again = 0;
const retry = async () => {
  try {
    const { status } = await fetch("api/sessions?limit=0");
    if (status === 401 || status === 403) {
      refused = true;
      return sayLost(); // only another link helps
    }
  } catch {
    /* not there yet */
  }
  clearTimeout(again);
  again = setTimeout(reconnect, 3000);
};
const listening = () =>
  listen((plan) => {
    view?.plan(plan);
    store.soon();
  }, state);
let hush = () => {};
const reconnect = () => {
  hush();
  if (!document.hidden) hush = listening();
};
// A browser has few connections for one server: a page that nobody sees gives its own back, and asks now and then.
document.addEventListener("visibilitychange", () => (document.hidden ? hush() : reconnect()));
setInterval(() => (document.hidden ? bell.wanted() && store.news() : !lostSince && store.news()), 10_000);
setInterval(() => !document.hidden && !lostSince && store.load(), 60_000);
setInterval(() => !lostSince && list.tick(), 1000);

const theme = () => {
  const root = document.documentElement.dataset;
  const dark = root.theme ? root.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.theme = dark ? "light" : "dark";
  kept.set("theme", root.theme);
};
if (kept.get("theme")) document.documentElement.dataset.theme = kept.get("theme");
by("theme").onclick = theme;
by("keys").onclick = () => help.showModal();
const single = by("single");
single.checked = kept.get("keys", true);
single.onchange = () => kept.set("keys", single.checked);

const WAYS = [
  ["A coding agent", "todowright install claude"],
  ["A scripted demo", "todowright serve --open --demo"],
  ["Your own Python", 'TodoWrite(store="sqlite:///plans.db")'],
];
const welcome = () =>
  make(
    "div",
    { class: "empty welcome", "data-key": "welcome" },
    make("h1", {}, "No plans yet"),
    make("p", {}, "This page fills by itself as soon as an agent plans. Three ways to begin:"),
    make("ul", {}, ...WAYS.map(([name, code]) => make("li", {}, make("span", {}, name), make("code", {}, code), iconButton("copy", `Copy: ${code}`, { onclick: () => navigator.clipboard?.writeText(code).then(() => toast("Copied")) })))),
  );

list = listPane(nav, store, { welcome, redraw: drawing.soon });
bell = makeBell(by("news"), by("bell"), store, { open: go, entitled });
const stuckest = () => {
  const found = [...store.rows.values()].flatMap((row) => row.needs.filter(({ kind }) => kind === "stuck").map((need) => ({ ...need, session: row.session })));
  const [worst] = found.sort((one, other) => one.at - other.at);
  if (worst) go(linkTo(worst.session));
  else toast("Nobody is stuck");
};
const palette = makePalette(by("palette"), store, {
  go,
  commands: (words) => [
    ...(words ? [{ sign: "find", text: `Filter the list by “${words}”`, small: "/", act: () => go(linkTo(where().session, { q: words })) }] : []),
    { sign: "stuck", text: "Go to the one stuck for longest", small: "g s", act: stuckest },
    { sign: "theme", text: "Dark or light", small: "t", act: theme },
    { sign: "bell", text: "Mark all as seen", small: "", act: store.lookAtAll },
    { sign: "edit", text: "Keyboard shortcuts", small: "?", act: () => help.showModal() },
  ],
});
by("ask").onclick = palette.open;

let chord = 0;
const step = (direction) => {
  const to = list.next(direction);
  if (!to) return;
  if (view && wide.matches) go(to.getAttribute("href"), true);
  to.focus();
  to.scrollIntoView({ block: "nearest" });
};
const away = () => {
  if (view?.back()) return;
  if (view) go(linkTo(""));
};
const act = (event) => {
  const inSession = view && (!wide.matches || view.isInside());
  if (event.key === "g") chord = Date.now();
  else if (event.key === "s" && Date.now() - chord < 1500) stuckest();
  else if (event.key === "?") help.showModal();
  else if (event.key === "t") theme();
  else if (event.key === ".") list.release();
  else if (event.key === "/" && (!view || wide.matches)) list.find();
  else if ((event.key === "j" || event.key === "k") && !inSession) step(event.key === "j" ? 1 : -1);
  else return Boolean(view?.key(event));
  return true;
};
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "k") event.preventDefault(), palette.open();
    else if (event.key === "z" && !typing && view) event.preventDefault(), view.undo();
    return;
  }
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Escape") return by("news").matches(":popover-open") ? undefined : away();
  if (!single.checked && event.key.length === 1) return;
  if (act(event)) event.preventDefault();
});

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  const before = view?.name;
  route();
  if (view?.name !== before && !nav.contains(document.activeElement)) main.focus({ preventScroll: true });
});
route();
reconnect();
