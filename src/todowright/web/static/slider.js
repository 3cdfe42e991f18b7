// The slider through a plan's history. Its elements stay while revisions come in: focus is never lost.

import { make } from "./dom.js";

export const historySlider = (onLook) => {
  let revisions = [],
    looking = null;
  const told = make("output", { class: "count" });
  const slider = make("input", {
    type: "range",
    min: 1,
    max: 1,
    value: 1,
    "aria-label": "Revision",
    id: "scrub",
  });
  const now = make("button", { type: "button", onclick: () => look(revisions.length) }, "Now");
  const row = make("div", { class: "scrub" }, slider, now, told);
  const only = make("p", { class: "quiet" }, "One revision so far.");
  const element = make("div", {}, row, only);

  const tell = () => {
    const last = revisions.at(-1);
    told.textContent = looking
      ? `revision ${looking.revision}, ${new Date(looking.updated_at).toLocaleString()}`
      : `now, revision ${last ? last.revision : 0}`;
    slider.setAttribute("aria-valuetext", told.textContent);
    row.hidden = revisions.length < 2;
    only.hidden = !row.hidden;
  };

  const look = (place) => {
    looking = place >= revisions.length ? null : revisions[place - 1];
    slider.value = String(place);
    tell();
    onLook(looking);
  };

  slider.addEventListener("input", () => look(Number(slider.value)));

  return {
    element,
    update: (found) => {
      revisions = found;
      slider.max = String(Math.max(1, revisions.length));
      const place = looking ? revisions.findIndex((each) => each.revision === looking.revision) + 1 : 0;
      if (looking && !place) look(revisions.length);
      else slider.value = String(place || revisions.length);
      tell();
    },
  };
};
