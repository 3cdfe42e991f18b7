"""What is wrong with a built site: links that lead nowhere, things loaded from the net, public names left out."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

PUBLIC = ("", ".agent", ".dialects", ".formats", ".host", ".plan", ".shell", ".stores")
"""The packages whose `__all__` is public."""
_LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("source", "src"),
    ("iframe", "src"),
}
_NAMING = {"next", "prev", "index", "search"}
"""What a `link` only names."""


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for key in ("id", "name") if (name := given.get(key))}
        for key in ("href", "src"):
            if address := given.get(key):
                self.links.append(address)
                if (tag, key) in _LOADED and given.get("rel") not in _NAMING:
                    self.loaded.append(address)


def faults(site: Path) -> list[str]:
    """What is wrong, one line each."""
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    return [*_links(site, pages), *_styles(site), *_names(pages)]


def _links(site: Path, pages: dict[Path, _Page]) -> Iterator[str]:
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name}: loads {address} from the net"
        for address in page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name}: {address} is not there"
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {address} has no such place"


def _styles(site: Path) -> Iterator[str]:
    for path in site.rglob("*.css"):
        text = path.read_text("utf-8")
        if "@import" in text or "url(http" in text or "url(//" in text:
            yield f"{path.relative_to(site)}: loads something from elsewhere"


def _names(pages: dict[Path, _Page]) -> Iterator[str]:
    known = {anchor for page in pages.values() for anchor in page.anchors}
    for package in PUBLIC:
        module = import_module(f"todowright{package}")
        for name in module.__all__:
            places = {
                f"todowright.{name}",
                f"todowright{package}.{name}",
                f"module-todowright{package}.{name}",
            }
            if not places & known:
                yield f"todowright{package}.{name} is public, and no page describes it"
