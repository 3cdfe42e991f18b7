// The slider through a session's history, all its agents together. Its elements stay while revisions
// come in: focus is never lost.

import { make } from "./dom.js";

const made = ({ kind, name }) => (kind === "agent" ? "" : ` by a ${kind}${name ? ` (${name})` : ""}`);
const named = ({ agent, revision, by }) =>
  `${agent === "main" ? "" : `${agent}, `}revision ${revision}${made(by)}`;

export const historySlider = (onLook, onEarlier) => {
  let moments = [],
    partial = false,
    loading = false,
    looking = null;
  const told = make("output", { class: "count" });
  const slider = make("input", {
    type: "range",
    min: 1,
    max: 1,
    value: 1,
    id: "scrub",
  });
  const now = make("button", { type: "button", onclick: () => look(moments.length) }, "Now");
  const label = make("label", { class: "count", for: "scrub" }, "History");
  const earlier = make("button", { type: "button", class: "plain", onclick: () => goBack() }, "Earlier");
  const front = make("span", {}, label, " ", earlier);
  const element = make("div", { class: "scrub", hidden: true }, front, slider, now, told);

  const goBack = async () => {
    if (!partial || loading) return;
    if (!looking) look(1); // what is looked at stays, and the earlier ones come in front of it
    loading = true;
    await onEarlier();
    loading = false;
  };

  const tell = () => {
    const last = moments.at(-1),
      first = moments[0];
    const since = first && first.revision > 1 && !partial ? `; kept from revision ${first.revision} on` : "";
    told.textContent = looking
      ? `${named(looking)}, ${new Date(looking.updated_at).toLocaleString()}`
      : `now, ${last ? named(last) : "nothing yet"}${since}`;
    slider.setAttribute("aria-valuetext", told.textContent);
    element.hidden = moments.length < 2 && !partial;
    if (!partial && document.activeElement === earlier) slider.focus();
    earlier.hidden = !partial;
    now.classList.toggle("away", !looking);
    element.classList.toggle("back", Boolean(looking));
  };

  const look = (place) => {
    looking = place >= moments.length ? null : moments[place - 1];
    slider.value = String(place);
    tell();
    onLook(looking);
  };

  slider.addEventListener("input", () => look(Number(slider.value)));
  // Only once it is let go: a hand at the left end would load all there is.
  slider.addEventListener("change", () => slider.value === "1" && goBack());

  return {
    element,
    update: (found, isPartial) => {
      moments = found;
      partial = isPartial;
      slider.max = String(Math.max(1, moments.length));
      const same = (each) => each.agent === looking.agent && each.revision === looking.revision;
      const place = looking ? moments.findIndex(same) + 1 : 0;
      if (looking && !place) look(moments.length);
      else slider.value = String(place || moments.length);
      tell();
    },
  };
};
