"""The statistics as one page that needs nothing else: charts drawn in SVG, no scripts, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from todowright.stats.measure import LONG, Stats

_STYLE = """
:root{--page:#fff;--card:#f6f8fa;--line:#d1d9e0;--text:#1f2328;--soft:#59636e;
--good:#1a7f37;--calm:#6e7781;--warn:#9a6700;--bad:#cf222e;--main:#0969da}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--card:#151b23;--line:#3d444d;--text:#f0f6fc;--soft:#9198a1;
--good:#3fb950;--calm:#8b949e;--warn:#d29922;--bad:#f85149;--main:#4493f8}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:28px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:18px;margin:0 0 12px}
p{margin:0 0 16px}.soft{color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:24px 0}
.figure,section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:16px}
.figure b{display:block;font-size:26px;line-height:1.2}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:16px}
section{min-width:0}svg{width:100%;height:auto;display:block}
svg text{fill:var(--text);font:13px system-ui,sans-serif}svg .axis{fill:var(--soft)}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 8px 4px 0;border-top:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr:first-child td{border-top:0}
"""
_WIDTH, _LEFT = 460, 175


def page(stats: Stats, title: str) -> str:
    """The whole page."""
    done = _share(stats.completed, stats.items - stats.cancelled)
    figures = [
        (f"{stats.sessions:,}", "sessions"),
        (f"{stats.updates:,}", "updates of plans"),
        (f"{stats.items:,}", "items planned"),
        (done, "of them completed"),
        (f"{stats.dropped:,}", "dropped without a word"),
        (_share(stats.lean_of_all, stats.sent or stats.as_lists), "of the tokens, in lean"),
    ]
    shown = "".join(f'<div class="figure"><b>{escape(value)}</b>{escape(name)}</div>' for value, name in figures)  # fmt: skip
    charts = "".join(_charts(stats))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(title)}</h1><p class="soft">What the plans of these agents say, counted by todowright.</p>'
        f'<div class="figures">{shown}</div><div class="charts">{charts}</div></main></body></html>\n'
    )


def _charts(stats: Stats) -> list[str]:
    spent = stats.sent or stats.as_lists
    fates = [
        ("completed", stats.completed, "good"),
        ("cancelled", stats.cancelled, "calm"),
        ("dropped", stats.dropped, "bad"),
        ("left open", stats.left, "warn"),
    ]
    habits = [
        ("never in progress", stats.jumps, "warn"),
        ("ticked in a batch", stats.batched, "warn"),
        ("stuck", stats.stuck, "bad"),
        ("reworded", stats.reworded, "calm"),
        ("reopened", stats.reopened, "calm"),
    ]
    rounds = _bins(stats.rounds, (1, 2, 3, 5, LONG, 20), "round")
    lasted = _bins([each / 60 for each in stats.seconds], (1, 2, 5, 10, 30, 60), "minute")
    models = [(name, count, "main") for name, count in stats.models.most_common(8)]
    of = "calls and their answers" if stats.sent else "the whole list for each update"
    parts = [
        ("What became of the items", fates, ""),
        ("How they were ticked", habits, "Items that were completed without being started, several at once, or not at all."),
        ("Rounds between two updates", rounds, "How often the model spoke before it touched its plan again."),
        ("Time in progress of an item", lasted, "From the update that started it to the one that completed it."),
        ("Tokens for planning, about", [("as it was", spent, "main"), ("in lean", stats.lean_of_all, "good")], f"Counted by words and signs, for {of}; the definitions of the tools come on top."),
        ("Updates by model", models, ""),
    ]  # fmt: skip
    return [_section(heading, rows, note) for heading, rows, note in parts if any(row[1] for row in rows)]  # fmt: skip


def _section(heading: str, rows: Sequence[tuple[str, int, str]], note: str) -> str:
    told = f'<p class="soft">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(heading)}</h2>{told}{_bars(heading, rows)}</section>"


def _bars(heading: str, rows: Sequence[tuple[str, int, str]]) -> str:
    """Bars with their names and numbers beside them, so that nothing is told by colour alone."""
    most = max(row[1] for row in rows) or 1
    drawn = []
    for index, (name, number, colour) in enumerate(rows):
        y, size = 30 * index, max(2, (_WIDTH - _LEFT - 70) * number / most) if number else 0
        label = name if len(name) <= 21 else f"{name[:20]}…"
        drawn.append(
            f'<text x="{_LEFT - 10}" y="{y + 19}" text-anchor="end">{escape(label)}<title>{escape(name)}</title></text>'
            f'<rect x="{_LEFT}" y="{y + 5}" width="{size:.1f}" height="20" rx="3" fill="var(--{colour})"/>'
            f'<text class="axis" x="{_LEFT + size + 8:.1f}" y="{y + 19}">{number:,}</text>'
        )
    told = "; ".join(f"{name}: {number:,}" for name, number, _ in rows)
    height = 30 * len(rows)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(heading)}. {escape(told)}">'
        f"{''.join(drawn)}</svg>"
    )


def _bins(values: Sequence[float], edges: Sequence[int], unit: str) -> list[tuple[str, int, str]]:
    """How many values fall up to each edge, and beyond the last."""
    rows: list[tuple[str, int, str]] = []
    below = float("-inf")
    for edge in edges:
        count = sum(below < value <= edge for value in values)
        name = f"up to {edge} {unit}" if not rows else f"over {below:g} to {edge}"
        rows.append((name, count, "main"))
        below = edge
    rows.append((f"over {edges[-1]}", sum(value > below for value in values), "warn"))
    return rows


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "-"
