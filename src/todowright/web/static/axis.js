// The axis of a session: linear while anybody works, a sliver for every long silence.

const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 180, 720, 1440].map((n) => n * MINUTE);
const GAP = 0.06,
  ALL_GAPS = 0.24;

export const axisOf = (busy, end) => {
  const spans = busy.map(([from, to]) => [from, Math.max(from, to)]).sort((a, b) => a[0] - b[0]);
  if (!spans.length) spans.push([end - MINUTE, end]);
  const merged = (gap) => {
    const parts = [];
    for (const [from, to] of spans) {
      const last = parts.at(-1);
      if (last && from - last[1] <= gap) last[1] = Math.max(last[1], to);
      else parts.push([from, to]);
    }
    return parts;
  };
  const work = merged(0).reduce((sum, [from, to]) => sum + to - from, 0);
  const parts = merged(Math.max(5 * MINUTE, 0.08 * work));
  const gap = parts.length > 1 ? Math.min(GAP, ALL_GAPS / (parts.length - 1)) : 0;
  const room = 1 - gap * (parts.length - 1),
    sum = parts.reduce((n, [from, to]) => n + Math.max(1000, to - from), 0);
  let x = 0;
  const laid = parts.map(([from, to]) => {
    const part = { from, to, x, w: (room * Math.max(1000, to - from)) / sum };
    x += part.w + gap;
    return part;
  });
  const at = (moment) => {
    const part = laid.findLast((each) => each.from <= moment) || laid[0];
    if (moment > part.to) return part === laid.at(-1) ? 1 : part.x + part.w + gap / 2;
    return part.x + (part.w * Math.max(0, moment - part.from)) / Math.max(1000, part.to - part.from);
  };
  const gaps = laid.slice(1).map((part, i) => ({ x: laid[i].x + laid[i].w, w: gap, long: part.from - laid[i].to }));
  return { at, gaps, laid, end };
};

// The labels that fit: at round moments, else where work began; in the middle of a narrow part.
export const ticksOf = (axis, width) => {
  const isFree = (x) => axis.gaps.every((gap) => Math.abs((gap.x + gap.w / 2) * width - x) > 28);
  const perPixel = axis.laid.reduce((n, part) => Math.max(n, (part.to - part.from) / Math.max(1, part.w * width)), 0);
  const every = STEPS.find((step) => step / perPixel >= 48) || STEPS.at(-1);
  const found = [];
  let last = -Infinity,
    day = "";
  const put = (t, on = t) => {
    const x = axis.at(on) * width,
      now = new Date(t).toDateString();
    if (x - last < 40 || x > width || !isFree(x)) return false;
    const dated = now !== day && (day || now !== new Date(axis.end).toDateString());
    found.push({ t, x: x / width, dated, apart: on !== t });
    [last, day] = [x, now];
    return true;
  };
  for (const { from, to } of axis.laid) {
    const zone = new Date(from).getTimezoneOffset() * MINUTE;
    let told = false;
    for (let t = Math.ceil((from - zone) / every) * every + zone; t <= to; t += every) told = put(t) || told;
    if (!told && !put(from)) put(from, (from + to) / 2);
  }
  return found;
};
