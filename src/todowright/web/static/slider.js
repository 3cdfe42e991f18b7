// The axis is the slider through a session's history. Its elements stay while revisions come in: focus is never lost.

import { ticksOf } from "./axis.js";
import { clock, drawn, iconButton, long } from "./draw.js";
import { filled, make } from "./dom.js";
import { instant, told, who } from "./lives.js";

const day = (at) => new Date(at).toLocaleDateString([], { day: "numeric", month: "short" });
const pct = (n) => `${(100 * n).toFixed(2)}%`;

export const historySlider = (onLook, onEarlier) => {
  let moments = [],
    axis = null,
    partial = false,
    loading = false,
    looking = null,
    lost = "";
  const output = make("output", { class: "cut", for: "scrub" });
  const slider = make("input", { type: "range", min: 0, max: 1000, value: 1000, id: "scrub", "aria-label": "History" });
  const back = iconButton("back", "One revision back", { "aria-keyshortcuts": "[", onclick: () => hop(-1) }),
    on = iconButton("next", "One revision on", { "aria-keyshortcuts": "]", onclick: () => hop(1) });
  const live = make("button", { type: "button", class: "livebtn", onclick: () => look(null) });
  const earlier = make("button", { type: "button", class: "btn", hidden: true, onclick: () => goBack() }, "Earlier");
  const labels = make("div", { class: "labels", "aria-hidden": "true" }),
    points = drawn("path"),
    rail = make("div", { class: "rail" }, make("i"), drawn("svg", { viewBox: "0 0 1000 4", preserveAspectRatio: "none" }, points));
  const scale = make("div", { class: "scale" }, labels, rail, slider);
  const element = make("div", { class: "axis" }, make("div", { class: "when" }, back, on, live, earlier, output), scale);
  const marks = make("div", { class: "marks", "aria-hidden": "true" });
  let width = 480; // asking the page while it is drawn would make it lay everything out at once
  new ResizeObserver(([{ contentRect }]) => {
    if (!contentRect.width || contentRect.width === width) return;
    width = contentRect.width;
    if (axis) ruled();
  }).observe(scale);

  const goBack = async () => {
    if (!partial || loading) return;
    if (!looking) look(moments[0]); // what is looked at stays, and the earlier ones come in front of it
    loading = true;
    await onEarlier();
    loading = false;
  };
  const index = () => (looking ? moments.findIndex((each) => each.agent === looking.agent && each.revision === looking.revision) : moments.length - 1);
  const hop = (by) => {
    const to = index() + by;
    if (to < 0) return goBack();
    if (moments[to]) look(moments[to]);
  };
  const look = (moment) => {
    looking = moment === moments.at(-1) ? null : moment;
    tell();
    onLook(looking);
  };

  const tell = () => {
    const moment = looking || moments.at(-1),
      at = moment && instant(moment.updated_at);
    const x = axis && moment ? (looking ? axis.at(at) : 1) : 1;
    slider.value = String(Math.round(1000 * x));
    element.parentElement?.style.setProperty("--x", x.toFixed(4));
    const said = moment ? `${who(moment)} ${told(moment)}` : "nothing yet";
    filled(output, moment ? [make("b", {}, new Date(at).toDateString() === new Date().toDateString() ? clock(at) : `${day(at)} ${clock(at)}`), ` ${said}`] : [said]);
    output.title = said;
    const first = moments[0];
    const since = !looking && first?.revision > 1 && !partial ? `; kept from revision ${first.revision} on` : "";
    const of = moment ? `revision ${moment.revision} of ${moment.agent}` : "";
    slider.setAttribute("aria-valuetext", moment ? `${looking ? "" : "Now. "}${clock(at)}, ${of}: ${said}${since}` : said);
    slider.dataset.count = String(moments.length);
    live.textContent = looking ? "Back to now" : lost ? `As of ${lost}` : "Live";
    live.setAttribute("aria-pressed", String(!looking && !lost));
    back.disabled = index() <= 0 && !partial;
    on.disabled = !looking;
    if (!partial && document.activeElement === earlier) slider.focus();
    earlier.hidden = !partial;
  };

  // The nearest revision to where the thumb is.
  slider.addEventListener("input", () => {
    const x = slider.value / 1000;
    if (!moments.length) return;
    if (x >= 1) return look(null);
    const far = (each) => Math.abs(axis.at(instant(each.updated_at)) - x);
    look(moments.reduce((one, other) => (far(other) <= far(one) ? other : one)));
  });
  // Only once it is let go: a hand at the left end would load all there is.
  slider.addEventListener("change", () => looking === moments[0] && goBack());
  slider.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (by) {
      const to = Math.max(0, Math.min(moments.length - 1, index() + by));
      if (by < 0 && index() === 0) goBack();
      else look(moments[to]);
    } else if (event.key === "Home") {
      if (index() === 0) goBack();
      else {
        look(moments[0]);
        if (partial) goBack();
      }
    } else if (event.key === "End") look(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const ruled = () => {
    const ticks = ticksOf(axis, width);
    const at = (x, more = {}) => ({ style: { left: pct(x) }, ...more });
    filled(labels, [
      ...ticks.map(({ t, x, dated }) => make("span", at(x), dated ? day(t) : clock(t))),
      ...axis.gaps.map(({ x, w, long: l }) => make("span", at(x + w / 2, { class: "gap", title: `${long(l / 1000)} without work, cut out` }), "⋯")),
    ]);
    filled(marks, [
      ...ticks.flatMap(({ x, apart }) => (apart ? [] : make("i", at(x)))),
      ...axis.gaps.map(({ x, w }) => make("i", { class: "gap", style: { left: pct(x), width: pct(w) } })),
    ]);
    const seen = new Set(moments.map((moment) => Math.round(1000 * axis.at(instant(moment.updated_at)))));
    points.setAttribute("d", [...seen].map((x) => `M${x} 0v4`).join(""));
  };

  return {
    element,
    marks,
    look,
    hop,
    looking: () => looking,
    lost: (since) => {
      lost = since;
      tell();
    },
    update: (found, isPartial, newAxis) => {
      moments = found;
      partial = isPartial;
      axis = newAxis;
      if (looking && index() < 0) looking = null;
      ruled();
      tell();
    },
  };
};
