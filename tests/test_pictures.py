"""The pictures that play, as they are in the repository: every frame is whole."""

from __future__ import annotations

import re
from collections import defaultdict
from html import unescape
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent / "docs" / "pictures"
CASTS = ["demo.svg", "home.svg", "watch.svg", "watch.zh.svg"]
TEXT = re.compile(r'<text x="([\d.]+)" y="(\d+)"[^>]* textLength="([\d.]+)"[^>]*>([^<]*)</text>')


def frames(name: str) -> list[list[tuple[float, float, str]]]:
    """For each frame its rows: where the first text begins, where the last ends, and all of it."""
    found = []
    for group in re.findall(r'<g class="f f\d+">(.*?)</g>', (HERE / name).read_text("utf-8"), re.S):
        rows = defaultdict(list)
        for x, y, length, text in TEXT.findall(group):
            rows[int(y)].append((float(x), float(x) + float(length), unescape(text)))
        found.append(
            [
                (min(row)[0], max(end for _, end, _ in row), " ".join(text for _, _, text in row))
                for _, row in sorted(rows.items())
            ]
        )
    return found


@pytest.mark.parametrize("name", CASTS)
def test_no_frame_has_a_box_that_is_half_drawn(name: str) -> None:
    assert len(frames(name)) > 3
    for number, rows in enumerate(frames(name)):
        edges: tuple[float, float] | None = None
        for left, right, text in rows:
            if text.startswith("┌─ Tasks"):
                assert edges is None, f"frame {number}: a box in a box"
                edges = left, right
            elif text.startswith("└─"):
                assert edges == pytest.approx((left, right), abs=1), f"frame {number}: {text}"
                edges = None
            elif edges is not None:
                assert text.startswith("│"), f"frame {number}: {text}"
                assert text.endswith("│"), f"frame {number}: {text}"
                assert (left, right) == pytest.approx(edges, abs=1), f"frame {number}: {text}"
        assert edges is None, f"frame {number} ends in a box"


def test_the_recording_is_small_whole_at_first_and_still_for_who_wants_no_motion() -> None:
    picture = (HERE / "live.svg").read_text("utf-8")
    assert len(picture.encode()) < 400_000
    images = re.findall(r"<image ([^>]*?) ?href=\"(data:image/webp;base64,)[^\"]+\"/>", picture)
    assert len(images) == picture.count("<image") == picture.count("href=")
    width, height = re.findall(r'viewBox="0 0 (\d+) (\d+)"', picture)[0]
    first, *later = [given for given, _ in images]
    assert first == f'x="0.00" y="0.00" width="{width}.00" height="{height}.00"'
    assert all('class="k k' in each for each in later)
    (style,) = re.findall(r"<style>(.*?) \.k { visibility: hidden; }</style>", picture)
    assert style.startswith("@media (prefers-reduced-motion: no-preference) {")
    (seconds,) = set(re.findall(r"animation: k\d+ ([\d.]+)s", style))
    assert 10 <= float(seconds) <= 16


def test_no_picture_tells_where_it_was_drawn() -> None:
    for path in HERE.glob("*.svg"):
        assert not re.search(r"/(work|home|root|tmp)/", path.read_text("utf-8")), path.name
