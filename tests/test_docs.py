"""The code in the docs runs, and pages in two languages stay in step."""

from __future__ import annotations

import io
import re
import sys
import tokenize
import types
from pathlib import Path

import pytest

from docs import frameworks_costs, frameworks_table
from docs.examples import PAGES, ROOT, blocks, module_name, write
from todowright.adapters.frameworks import FRAMEWORKS, Framework

TWINS = [("README.md", "README.zh.md")] + [
    (f"docs/{name}", f"docs/zh/{name}")
    for name in sorted(
        path.relative_to(ROOT / "docs" / "zh").as_posix()
        for path in (ROOT / "docs" / "zh").rglob("*.md")
    )
]
TWINS += [
    (f"docs/hosts/{path.name}", f"docs/zh/hosts/{path.name}")
    for path in sorted((ROOT / "docs" / "hosts").glob("*.md"))
]
"""Pages in English, each with its Chinese form."""


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_of_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks(page)
    assert found
    for code in found:
        module = types.ModuleType(module_name(code) or "page")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(code, page, "exec"), module.__dict__)


def test_every_block_has_a_file_of_its_own_for_the_type_checkers(tmp_path: Path) -> None:
    write(tmp_path / "examples")
    written = [file.read_text("utf-8") for file in (tmp_path / "examples").iterdir()]
    assert set(written) == {code for page in PAGES for code in blocks(page)}


def test_a_newcomers_dialect_is_one_file_of_under_60_lines() -> None:
    (dialect,) = [code for code in blocks("docs/dialects.md") if code.startswith("# kanban.py")]
    assert len(dialect.splitlines()) < 60


def test_every_field_of_a_dialect_is_documented() -> None:
    import dataclasses

    from todowright.dialects import ListDialect, VerbDialect

    page = (ROOT / "docs" / "dialects.md").read_text("utf-8")
    described = {"list_description", "name"}  # plain from their names
    for field in (*dataclasses.fields(ListDialect), *dataclasses.fields(VerbDialect)):
        assert field.name in described or f"`{field.name}`" in page, field.name


@pytest.mark.parametrize(("english", "chinese"), TWINS)
def test_a_chinese_page_has_the_sections_and_the_code_of_the_english_one(
    english: str, chinese: str
) -> None:
    texts = [(ROOT / name).read_text("utf-8") for name in (english, chinese)]
    for pattern in (r"^#+ ", r"^```", r"^\|", r"\]\((?!README)[^)]+\)"):
        count = [len(re.findall(pattern, text, re.MULTILINE)) for text in texts]
        assert count[0] == count[1], pattern
    ours, theirs = ([words(code) for code in blocks(page)] for page in (english, chinese))
    assert ours == theirs


@pytest.mark.parametrize("language", frameworks_table.HEADS)
def test_the_table_of_frameworks_is_the_one_that_would_be_made_now(language: str) -> None:
    text = frameworks_table.page(language).read_text("utf-8")
    assert text == frameworks_table.with_table(text, language), "python -m docs.frameworks_table"


@pytest.mark.parametrize("language", frameworks_costs.HEADS)
def test_the_tables_of_costs_are_drawn_from_the_figures(language: str) -> None:
    text = frameworks_costs.page(language).read_text("utf-8")
    assert text == frameworks_costs.with_tables(text, language), "python -m docs.frameworks_costs"


@pytest.mark.parametrize("row", FRAMEWORKS, ids=lambda row: row.name)
def test_in_each_framework_ours_was_measured_beside_another_tool_and_costs_no_more_tokens(
    row: Framework,
) -> None:
    pairs = list(frameworks_costs.pairs(frameworks_costs.figures()[row.name]["rows"]))
    assert pairs
    for mine, theirs in pairs:
        for part in ("written", "fresh", "sent"):
            assert mine[part] <= theirs[part], (part, theirs["title"])


def test_every_framework_has_an_adapter_a_page_in_two_languages_an_example_and_a_driver() -> None:
    for row in FRAMEWORKS:
        for file in (
            f"src/todowright/adapters/{row.name}.py",
            f"docs/adapters/{row.name}.md",
            f"docs/zh/adapters/{row.name}.md",
            f"examples/with_{row.name}.py",
            f"tests/adapters/drivers/{row.name}.py",
            f"requirements/adapters/{row.name}.txt",
        ):
            assert (ROOT / file).is_file(), file


def words(code: str) -> list[str]:
    """The code without its comments and texts, which are in the language of the page."""
    told = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type in told]


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


ALL = ["CONTRIBUTING.md", "README.md", "README.zh.md"] + [
    path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))
]


@pytest.mark.parametrize("page", ALL)
def test_every_link_to_a_file_leads_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text("utf-8")):
        assert ((ROOT / page).parent / target).exists(), target


def test_the_index_lists_every_decision_with_its_title_and_status() -> None:
    rows = []
    for path in DECISIONS:
        title, _, status = path.read_text("utf-8").splitlines()[:3]
        number = int(path.name[:4])
        assert title.startswith(f"# {number}. "), path.name
        assert path.name.startswith(f"{number:04}-"), path.name
        shown = title.removeprefix(f"# {number}. "), status.removeprefix("Status: ")
        rows.append(f"| [{number}]({path.name}) | {shown[0]} | {shown[1]} |")
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    assert index.endswith("\n".join(["|---|---|---|", *rows, ""]))
