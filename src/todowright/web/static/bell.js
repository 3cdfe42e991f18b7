// Being told: the badge on the tab, the list behind the bell, and the browser's notifications.

import { linkTo } from "./address.js";
import { icon, short, some } from "./draw.js";
import { filled, kept, make, plainly, say } from "./dom.js";
import { named, titleOf } from "./tree.js";

const KINDS = { stuck: "stuck", waiting: "waiting", dropped: "dropped", not_kept: "not kept", finished: "finished" };
const GLYPHS = { stuck: "stuck", waiting: "waiting", dropped: "dropped", not_kept: "edit", finished: "done" };
const AFTER = { "": "by the usual time", 300: "after 5 min", 900: "after 15 min", 1800: "after 30 min", 3600: "after 1 h" };
const MOST = 30;

const words = ({ kind, agent, text }) =>
  ({
    stuck: `${named(agent)} is stuck: ${text}`,
    waiting: `${named(agent)} waits for you: ${text}`,
    dropped: `${named(agent)} dropped “${text}”`,
    not_kept: `${named(agent)} did not keep your words: ${text}`,
    finished: text,
  })[kind];

// The icon with a number on it, drawn once for each number.
const badge = (count) => {
  const link = document.querySelector("link[rel=icon]");
  if (!count) return (link.href = "icon.svg");
  const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#3d52d5";
  pen.beginPath();
  pen.roundRect(0, 0, 32, 32, 8);
  pen.fill();
  pen.fillStyle = "#fff";
  pen.font = "bold 22px sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 9 ? "9+" : String(count), 16, 17.5);
  link.href = canvas.toDataURL();
};

export const makeBell = (box, button, store, { open, entitled }) => {
  const told = new Set(kept.get("told", [])),
    events = [];
  const settings = { kinds: { stuck: true, waiting: true, dropped: true, not_kept: true, finished: false }, sessions: {}, ...kept.get("notify", {}) };
  let first = true,
    count = -1,
    opened = kept.get("opened", 0);
  const keep = () => kept.set("notify", settings);

  const found = () => {
    const out = [];
    for (const row of store.rows.values()) {
      const mine = settings.sessions[row.session] ?? {};
      if (mine.off) continue;
      for (const need of store.unseen(row)) {
        if (need.kind === "stuck" && mine.after && store.now() - need.at < mine.after) continue;
        out.push({ ...need, session: row.session, title: titleOf(row), key: `${row.session} ${need.kind} ${need.agent} ${need.number} ${Math.round(need.at)}` });
      }
      if (store.group(row) === "done_today" && row.ended)
        out.push({ kind: "finished", agent: "main", session: row.session, title: titleOf(row), at: row.ended, text: `All ${row.steps.length} steps are done`, key: `${row.session} finished ${Math.round(row.ended)}` });
    }
    return out.sort((one, other) => other.at - one.at);
  };
  const notify = (event) => {
    if (!settings.kinds[event.kind]) return;
    if (event.kind === "stuck" || event.kind === "dropped") say(`${event.title}: ${words(event)}`);
    if (globalThis.Notification?.permission !== "granted" || !document.hidden) return;
    const shown = new Notification(event.title, { body: plainly(words(event)), tag: event.key });
    shown.onclick = () => {
      window.focus();
      open(linkTo(event.session));
    };
  };

  const draw = () => {
    const item = (event) =>
      make(
        "a",
        { href: linkTo(event.session), "data-key": event.key, onclick: () => box.hidePopover() },
        icon(GLYPHS[event.kind], `g-${GLYPHS[event.kind]}`),
        make("span", {}, plainly(words(event))),
        make("time", {}, short(store.now() - event.at)),
        make("small", {}, plainly(event.title)),
      );
    const permission = globalThis.Notification?.permission;
    const ask = make("button", { type: "button", onclick: () => Notification.requestPermission().then(draw) }, "Let the browser tell me");
    const check = (kind) => {
      const input = make("input", { type: "checkbox" });
      input.checked = settings.kinds[kind];
      input.onchange = () => {
        settings.kinds[kind] = input.checked;
        keep();
      };
      return make("label", {}, input, ` ${KINDS[kind]}`);
    };
    // What has the focus or is pressed stays, though events come and go.
    filled(box, [
      make("h2", { id: "news-title", "data-key": "head" }, "Notifications ", make("button", { type: "button", onclick: store.lookAtAll }, "Mark all as seen")),
      ...(events.length ? events.slice(0, MOST).map(item) : [make("p", { class: "none", "data-key": "none" }, "Nothing needs you.")]),
      make("div", { class: "choose", "data-key": "choose", role: "group", "aria-label": "What I am told of on this device" }, ...Object.keys(KINDS).map(check)),
      make("p", { "data-key": "permission" }, permission === "granted" ? "The browser tells you while this page is hidden." : permission === "default" ? ask : "This browser shows no notifications of this page."),
    ]);
  };
  box.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    opened = store.now();
    kept.set("opened", opened);
    draw();
    update();
  });

  const update = () => {
    if (!store.loaded) return;
    events.splice(0, events.length, ...found());
    const news = events.filter((event) => !told.has(event.key));
    for (const event of news) {
      if (!first) notify(event);
      told.add(event.key);
    }
    first = false;
    if (news.length) kept.set("told", [...told].slice(-500));
    const needy = [...store.rows.values()].filter((row) => store.group(row) === "needs_you").length;
    // Sessions, not events: how many there are to go to.
    const fresh = new Set(events.filter((event) => event.at > opened && event.kind !== "finished").map((event) => event.session)).size;
    const mark = button.querySelector(".badge");
    mark.hidden = !fresh;
    mark.textContent = fresh > 99 ? "99+" : String(fresh);
    button.setAttribute("aria-label", fresh ? `Notifications: ${some(fresh, "session")}` : "Notifications");
    if (needy !== count) {
      count = needy;
      badge(needy);
      navigator.setAppBadge?.(needy).catch(() => {});
      entitled();
    }
    if (box.matches(":popover-open")) draw();
  };

  return {
    update,
    count: () => Math.max(0, count),
    isOn: (session) => !settings.sessions[session]?.off,
    wanted: () => globalThis.Notification?.permission === "granted",
    // Next choice for a session: by the usual time, after so long, not at all.
    turn: (session) => {
      const steps = ["", 300, 900, 1800, 3600, "off"];
      const mine = settings.sessions[session] ?? {};
      const at = steps.indexOf(mine.off ? "off" : (mine.after ?? ""));
      const next = steps[(at + 1) % steps.length];
      if (next === "off") settings.sessions[session] = { off: true };
      else if (next) settings.sessions[session] = { after: next };
      else delete settings.sessions[session];
      keep();
      update();
      return next === "off" ? "You are not told of this session" : `You are told when an agent here is stuck ${AFTER[next]}`;
    },
  };
};
