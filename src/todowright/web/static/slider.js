// The slider through a session's history, all its agents together. Its elements stay while revisions
// come in: focus is never lost.

import { make } from "./dom.js";

const named = ({ agent, revision, by }) =>
  `${agent === "main" ? "" : `${agent}, `}revision ${revision}${by ? ` by a ${by}` : ""}`;

export const historySlider = (onLook) => {
  let moments = [],
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
  const element = make("div", { class: "scrub", hidden: true }, label, slider, now, told);

  const tell = () => {
    const last = moments.at(-1),
      first = moments[0];
    const since = first && first.revision > 1 ? `; kept from revision ${first.revision} on` : "";
    told.textContent = looking
      ? `${named(looking)}, ${new Date(looking.updated_at).toLocaleString()}`
      : `now, ${last ? named(last) : "nothing yet"}${since}`;
    slider.setAttribute("aria-valuetext", told.textContent);
    element.hidden = moments.length < 2;
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

  return {
    element,
    update: (found) => {
      moments = found;
      slider.max = String(Math.max(1, moments.length));
      const same = (each) => each.agent === looking.agent && each.revision === looking.revision;
      const place = looking ? moments.findIndex(same) + 1 : 0;
      if (looking && !place) look(moments.length);
      else slider.value = String(place || moments.length);
      tell();
    },
  };
};
