"""Which todo of a new list is which of the old one, where its text changed."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest

from bench.matching import Case, Score, cases, naive, score
from tests.support import call
from todowright import Change, TodoWrite
from todowright.plan.matching import match
from todowright.plan.model import Todo

CASES = cases()
HALVES = {"tuning": CASES[::2], "held out": CASES[1::2]}
RECALL_BEFORE = 139 / 142
"""What the release before found of the same cases; 139 of the 203 that it called reworded were."""


def test_there_are_enough_cases_and_each_is_labelled_soundly() -> None:
    assert sum(case.judged() for case in CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)
    for case in CASES:
        named = [origin for origin in case.origins if origin is not None]
        assert len(set(named)) == len(named), case.name
        assert all(origin < len(case.before) for origin in named), case.name


@pytest.mark.parametrize("half", HALVES)
def test_what_is_called_reworded_is_reworded_in_95_of_100_cases(half: str) -> None:
    assert score(match, HALVES[half]).precision >= 0.95


def test_no_fewer_rewordings_are_found_than_before() -> None:
    assert score(match, CASES).recall >= RECALL_BEFORE


def test_the_matcher_is_better_than_comparing_letters() -> None:
    ours, letters = score(match, CASES), score(naive, CASES)
    assert ours.precision > letters.precision
    assert ours.recall > letters.recall


def test_a_score_counts_what_is_right_wrong_and_missed() -> None:
    case = Case("", [Todo("a b"), Todo("c d")], [Todo("a x"), Todo("c y"), Todo("z")], [0, 1, None])
    assert score(lambda *_: [0, None, 1], [case]) == Score(right=1, wrong=1, missed=1)


def told(old: str, new: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """What a listener hears, with the numbers of the todos, when the second of three is said anew."""
    todo = TodoWrite("checklist")
    todo(call("checklist", ("Begin", "completed"), old, "End"))
    heard: list[Change] = []
    todo.on_change(heard.append)
    todo(call("checklist", ("Begin", "completed"), new, "End"))
    return {item.todo.content: (item.todo.number, item.kinds) for item in heard[0].items}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Rename the columns", "Feed the cat"),
        ("Fix the map tiles", "Fix flaky upload"),
        ("Test GET /api/programs", "Implement GET /api/programs"),
        ("Implement GET /api/programs", "Verify GET /api/programs"),
        ("Add tests for the parser", "Add the parser"),
        ("Remove the banner from the page", "Add a banner to the page"),
        ("Design the plugin loader", "Implement the plugin loader"),
        ("Translate chapter 8", "Translate chapter 12"),
        ("Issue #12: slow search", "Issue #15: slow search"),
        ("Migrate UserService", "Migrate OrderService"),
        ("Update reader.go for the new context", "Update writer.go for the new context"),
        ("测试登录接口", "实现登录接口"),
        ("编写登录模块的测试", "实现登录模块"),
        ("検索機能をテストする", "検索機能を実装する"),
        ("翻译第4章", "翻译第9章"),
        ("排查中文乱码的原因", "评估插件对图表的支持"),
        ("b", "other"),
    ],
)
def test_other_work_in_the_same_place_is_new_work(old: str, new: str) -> None:
    assert told(old, new) == {new: (4, ("created",)), old: (2, ("dropped",))}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Fix lint errors", "Fix remaining lint errors"),
        (
            "Rerun the tests to see whether the fix holds",
            "Rerun the whole test suite to see whether the fix holds",
        ),
        ("Investigate the leak", "Analyze the leak in the parser"),
        (
            "Implement the plugin system",
            "Implement the plugin system - discovery, checks and hooks",
        ),
        ("Issue #88: clearer errors", "Issue #88 (later): make error texts clearer"),
        ("Create helper RunWithInput", "Create helper RunWithPrompt"),
        ("Test the login", "Verify that the login works"),
        ("Phase 1: Understand the scheduler", "Phase 2: Understand the scheduler"),
        ("Import the customers", "Import the customers (4,120 rows)"),
        ("修复登录超时问题", "修复登录超时问题并补充日志"),
        ("更新文档", "更新 README 文档"),
        ("テストを追加する", "テストを追加します"),
        ("로그인 페이지 구현", "로그인 페이지와 오류 메시지 구현"),
    ],
)
def test_the_same_work_in_other_words_keeps_its_number(old: str, new: str) -> None:
    assert told(old, new) == {new: (2, ("reworded",))}


def test_of_two_that_are_equally_like_an_old_one_neither_is_taken_for_it() -> None:
    before = [Todo("Plan", "completed"), Todo("Fix lint errors")]
    split = [Todo("Plan", "completed"), Todo("Fix lint errors of a"), Todo("Fix lint errors of b")]
    first, *parts = match(before, split)
    assert first == 0
    assert parts in ([None, None], [1, None])


def test_one_step_that_is_alike_by_chance_does_not_make_another_plan_the_same() -> None:
    before = [Todo("Draw a map"), Todo("Paint the fence by the road"), Todo("Mow the lawn")]
    after = [Todo("Call Ann"), Todo("Paint the door by the road"), Todo("Bake a cake")]
    assert match(before, after) == [None, None, None]


HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("count", "length"), [(63, 10_000), (100, 10_000)])
@pytest.mark.parametrize("letters", [HAN, HAN[:40], ["aB", "c_d ", "e.f ", "7 "], ["アイ", "の"]])
def test_texts_are_compared_in_work_that_does_not_grow_with_their_length(
    letters: list[str], count: int, length: int, strict: bool
) -> None:
    random = Random(1)
    before, after = (
        [Todo("".join(random.choices(letters, k=length))) for _ in range(count)] for _ in range(2)
    )
    start = process_time()
    match(before, after, strict=strict)
    assert process_time() - start < 2  # ten seconds before, a tenth of a second now


def test_a_long_list_with_one_new_text_is_matched() -> None:
    before = [Todo(f"Move file {n} to the archive") for n in range(9_000)]
    after = [*before[:-1], Todo("Move file 8999 to the new archive")]
    assert match(before, after)[-1] == 8_999
