"""How Sphinx makes a site of these pages. `make docs` runs it, by way of `docs.site.build`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import todowright
from docs.site import docstrings, languages, navigation

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "todowright"
author = "The todowright authors"
version = release = todowright.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["site", "pictures/*.py"]
suppress_warnings: list[
    str
] = []  # a page that nothing leads to, or a link that leads nowhere, fails the build

myst_heading_anchors = 4
myst_links_external_new_tab = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "undoc-members": True}
python_use_unqualified_type_names = True
maximum_signature_line_length = 90
add_module_names = False
toc_object_entries_show_parents = "hide"
default_role = "code"

html_theme = "furo"
html_title = "todowright"
html_static_path = ["site/static"]
html_favicon = "../src/todowright/web/static/icon.svg"  # the one of the board
html_css_files = ["site.css"]
templates_path = ["site/templates"]
html_show_copyright = False
html_copy_source = False
html_search_language = "en-zh"
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "languages.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sections.html",
        "sidebar/scroll-end.html",
    ]
}
pygments_style = "a11y-light"
pygments_dark_style = "github-dark"


def setup(app: Sphinx) -> None:
    """Connect what the site adds to Sphinx."""
    for part in (docstrings, languages, navigation):
        part.connect(app)
