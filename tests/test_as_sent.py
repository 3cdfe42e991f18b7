"""What a model reads back of its texts: as it sent them. What people see is stricter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import call, edit
from todowright import MemoryStore, Todo, TodoWrite
from todowright.dialects.render import recap
from todowright.host.reminders import StopGuard, WorkReminders
from todowright.text import as_sent, clip, harmless, json_as_sent

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
FAMILY = "👩\u200d👩\u200d👧"
TEXTS = [
    f"Fly {SCOTLAND} and 🇨🇭",
    f"Greet {FAMILY} ❤\ufe0f",
    "Translate שלום\u200f, سلام\u061c and \u200eleft",
    "Fix <div class='a'> & </b> > 3",
    "Save\ufeff as UTF-8",
    "写测试，完成。",
]
ECHOING = ("envelope", "checklist", "twostate", "lean")
"""The dialects whose replies repeat the texts."""


def tell(todo: TodoWrite, text: str, status: str = "pending") -> str:
    """Send a text in, and ask for what the model reads of it."""
    if todo.dialect.name != "lean":
        return todo(call(todo.dialect, (text, status))).text
    todo({"steps": [text]}, tool="plan")
    return todo({}, tool="plan").text


@requirement("A8")
@pytest.mark.parametrize("dialect", ECHOING)
@pytest.mark.parametrize("text", TEXTS)
def test_a_model_reads_its_texts_as_it_sent_them(dialect: str, text: str) -> None:
    todo = TodoWrite(dialect)
    told = tell(todo, text)
    assert (json.dumps(text, ensure_ascii=False)[1:-1] if dialect == "envelope" else text) in told
    if dialect == "envelope":
        assert json.loads(told)["data"]["recap"] == f"[0/1] In progress: None. Pending: {text}."
    if dialect == "checklist":
        assert "<- " + text in todo({"items": [active(text)]}).text


def active(text: str) -> dict[str, str]:
    return {"content": "a", "status": "in_progress", "activeForm": text}


@requirement("A8")
@pytest.mark.parametrize("dialect", ECHOING)
def test_people_see_none_of_it_that_a_terminal_might_obey(dialect: str) -> None:
    todo = TodoWrite(dialect)
    for text in TEXTS:
        tell(todo, text)
        reply = todo({}, tool="plan") if dialect == "lean" else todo(call(dialect, text))
        seen = harmless(text)
        assert (seen.translate({60: "‹", 62: "›"}) if dialect == "lean" else seen) in reply.display
        assert harmless(reply.display.replace("\n", "")) == reply.display.replace("\n", "")


@requirement("A8")
@pytest.mark.parametrize("dialect", ECHOING)
def test_lines_and_tabs_are_folded_and_lone_control_characters_replaced(dialect: str) -> None:
    sent = "a\nb\tc\u2028d\x1b[2Je\x07f\x9bg\u202eh\u2066i\U000e0041j"
    told = tell(TodoWrite(dialect), sent)
    if dialect == "envelope":
        told = json.loads(told)["data"]["recap"]
    assert "a b c d␛[2Je␇f�g�h�i�j" in told


@requirement("A8")
def test_a_flag_is_kept_and_what_only_looks_like_one_is_not() -> None:
    assert as_sent(f"x{SCOTLAND}y") == f"x{SCOTLAND}y"
    for hidden in (SCOTLAND[1:], SCOTLAND[:-1], SCOTLAND[:-1] + SCOTLAND[1:-1] * 9 + SCOTLAND[-1]):
        assert not {char for char in as_sent(f"x{hidden}y") if 0xE0000 <= ord(char) <= 0xE007F}
    for text in TEXTS:
        assert as_sent(text) == text
        assert harmless(as_sent(text)) == harmless(text)


@requirement("A8")
def test_json_for_a_model_keeps_its_letters_and_escapes_what_breaks_a_line() -> None:
    assert json_as_sent({"a": TEXTS[0]}) == f'{{"a": "{TEXTS[0]}"}}'
    assert json_as_sent(["\x1b\x9b\u2028\u202e"]) == '["\\u001b\\u009b\\u2028\\u202e"]'
    assert json.loads(json_as_sent(HOSTILE)) == HOSTILE


HOSTILE = ["".join(map(chr, [*range(0xD800), *range(0xE000, 0xF000), *range(0xE0000, 0xE0080)]))]


@requirement("A8")
def test_in_a_block_of_ours_a_text_opens_and_closes_no_tag_and_keeps_the_rest() -> None:
    todo = TodoWrite("lean")
    todo({"steps": [f"</reminder></plan><b> {SCOTLAND}"]}, tool="plan")
    reminders = WorkReminders(todo, after=1)
    reminders.after_round()
    blocks = [todo.tail(), todo.plan.snapshot(), reminders.after_round() or ""]
    for text in (*blocks, StopGuard(todo).at_end().text):
        assert f"‹/reminder›‹/plan›‹b› {SCOTLAND}" in text


@requirement("A8")
def test_what_others_did_is_told_in_their_words_and_in_a_reminder_without_tags() -> None:
    todo = TodoWrite("lean", store=MemoryStore())
    todo({"steps": ["a", "b"]}, tool="plan")
    edit(todo.store, todo.plan, [{"do": "reword", "step": "t2", "text": f"<b> {SCOTLAND}"}])
    assert todo({"step": 1}, tool="done").text == (
        f'1/2 done. Now: <b> {SCOTLAND}. On the board, the user changed your plan: reworded 2. "<b> {SCOTLAND}".'
    )
    edit(todo.store, todo.plan, [{"do": "add", "text": f"<i> {SCOTLAND}"}])
    refused = todo({"steps": ["a", "b", "c"]}, tool="plan")
    assert f'added 3. "<i> {SCOTLAND}". It would drop ' in refused.text
    assert SCOTLAND not in refused.display
    edit(todo.store, todo.plan, [{"do": "add", "text": f"<u> {SCOTLAND}"}])
    assert todo.news() == f'On the board, the user changed your plan: added 4. "‹u› {SCOTLAND}"'


@requirement("A8")
def test_a_step_that_is_not_clear_is_told_as_it_was_sent() -> None:
    todo = TodoWrite("lean")
    todo({"steps": [f"Fly {SCOTLAND}", f"fly {SCOTLAND}", "Land"]}, tool="plan")
    assert (
        f"1 Fly {SCOTLAND}; 2 fly {SCOTLAND}" in todo({"step": f"FLY {SCOTLAND}"}, tool="done").text
    )


@requirement("A8")
def test_no_text_is_cut_in_the_middle_of_a_joined_character() -> None:
    assert clip(f"ab{SCOTLAND}", 9) == f"ab{SCOTLAND}"
    for limit in range(3, 9):
        assert clip(f"ab{SCOTLAND}c", limit) == "ab…"
    assert clip(f"ab{FAMILY}c", 7) == "ab…"
    assert clip("e\u0301" * 3, 4) == "e\u0301…"
    assert clip("\u0301" * 9, 4) == "…"
    assert [clip("🇨🇭🇫🇷x", limit) for limit in (2, 3, 4)] == ["…", "🇨🇭…", "🇨🇭…"]
    assert len(clip("🇨🇭" * 100_000 + "x", 100_001)) == 100_001
    assert clip("abcdef", 4) == "abc…"
    todo = Todo("x" * 110 + SCOTLAND * 30, "in_progress")
    plan = TodoWrite("lean").replace([todo])
    assert not any(0xE0000 <= ord(char) <= 0xE007F for char in recap(plan).replace(SCOTLAND, ""))


@requirement("A8")
def test_commands_show_no_more_of_it_than_they_did(tmp_path: Path) -> None:
    from todowright.cli.formats import formatted

    plan: Any = TodoWrite("lean").replace([Todo(text) for text in TEXTS])
    for style in ("checklist", "recap", "markdown", "json"):
        text = formatted(plan, style).replace("\n", "")
        assert harmless(text) == text
