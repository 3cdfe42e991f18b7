"""What makes the documentation a site. Whether the site itself works, `docs/site/test_built.py` tries in a browser."""

from __future__ import annotations

from pathlib import Path

from docs.site.check import faults
from docs.site.docstrings import plain


def test_what_is_wrong_with_a_site_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="gone.html"></a><a href="#nowhere"></a><a href="https://example.org/"></a>'
        '<script src="https://cdn.example/x.js"></script><img src="gone.png">'
        '<p id="here"></p><a href="#here"></a>'
    )
    (tmp_path / "site.css").write_text("body { background: url(https://cdn.example/x.png) }")
    told = faults(tmp_path)
    assert told[:5] == [
        "index.html: loads https://cdn.example/x.js from the net",
        "index.html: gone.html is not there",
        "index.html: #nowhere has no such place",
        "index.html: gone.png is not there",
        "site.css: loads something from elsewhere",
    ]
    assert "todowright.TodoWrite is public, and no page describes it" in told


def test_docstrings_are_read_as_plain_text_with_code() -> None:
    given = ["A `*b*` of *args and name_ | x.", "", "    for x in y:", "        pass"]
    assert plain(given) == [
        r"A `*b*` of \*args and name\_ \| x.",
        "",
        "::",
        "",
        "    for x in y:",
        "        pass",
    ]
