"""A provider that stumbles, refuses, breaks off or talks nonsense."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import Provider, Say, calls, says
from todowright.agent import Agent, Limits, ModelError, events, load_model
from todowright.errors import UnknownName

Make = Callable[..., Talk]


def observed(happened: list[events.Event]) -> list[events.Observation]:
    return [event for event in happened if isinstance(event, events.Observation)]


@pytest.mark.parametrize(
    ("stumble", "wait"),
    [
        (Say(status=429, headers={"retry-after": "3"}), 3.0),
        (Say(status=529, headers={"retry-after": "7"}), 7.0),
        (Say(status=503), 1.0),
        (Say("Half of an answ", drop=True), 1.0),
        (Say("x", (("bash", {"command": "touch no"}),), drop=True), 1.0),
        (Say(error_in_stream="overloaded_error"), 1.0),
    ],
    ids=["429", "529", "503", "dropped text", "dropped call", "error in the stream"],
)
def test_what_passes_is_tried_again_after_the_wait_that_was_asked_for(
    talk: Make, stumble: Say, wait: float
) -> None:
    made = talk(says(stumble, "All well."))

    happened = made.run()

    assert made.waits == [wait]
    waiting = [event for event in happened if isinstance(event, events.Waiting)]
    assert [event.seconds for event in waiting] == [wait]
    assert happened[-1].text == "All well."
    assert len(made.agent.messages) == 2  # nothing of the half answer is kept
    assert not (made.folder / "no").exists()


@pytest.mark.parametrize(
    "stumble",
    [
        Say(error_in_stream="invalid_request_error"),
        Say(error_in_stream="authentication_error"),
        Say(status=429, error="insufficient_quota"),
    ],
    ids=["request", "key", "quota"],
)
def test_what_does_not_pass_is_not_tried_again(talk: Make, stumble: Say) -> None:
    made = talk(says(stumble))

    assert made.run()[-1].reason == "error"
    assert made.waits == []


def test_waits_grow_have_a_ceiling_and_an_end(talk: Make) -> None:
    made = talk(
        says(*[Say(status=500)] * 2, *[Say(status=429, headers={"retry-after": "9999"})] * 9),
        limits=Limits(wait=30),
    )

    happened = made.run()

    assert made.waits == [1.0, 2.0, 30, 30, 30]
    end = happened[-1]
    assert isinstance(end, events.Ended)
    assert end.reason == "error"
    assert "429" in end.text
    assert "\n" not in end.text


def test_a_refused_request_ends_the_run_cleanly_and_the_next_run_goes_on(talk: Make) -> None:
    made = talk(says(Say(status=400, text="bad things"), "Fine now."))

    first = made.run("One")
    second = made.run("Two")

    assert first[-1].reason == "error"
    assert "bad things" in first[-1].text
    assert made.waits == []
    assert second[-1].text == "Fine now."


@pytest.mark.parametrize("arguments", ['{"command": "touch no', "[1, 2]", '"text"', "{'a': 1}"])
def test_malformed_arguments_are_answered_not_run(talk: Make, arguments: str) -> None:
    made = talk(says(Say("", (("bash", arguments), ("bash", {"command": "echo yes"}))), "Ok."))

    happened = made.run()

    first, second = observed(happened)
    assert first.is_error
    assert "send the call again" in first.text
    assert second.text == "yes"
    assert not (made.folder / "no").exists()


def test_halves_of_a_character_are_put_together_and_lone_ones_do_no_harm(talk: Make) -> None:
    made = talk(
        says(
            Say("", (("write_file", '{"path": "a", "content": "\\ud83d"}'),)),
            Say("", (("write_file", '{"path": "b", "content": "\\ud83d\\ude00"}'),)),
            "Fine.",
        )
    )

    first, second = observed(made.run("\udcff a name that was no Unicode"))

    assert first.is_error
    assert second.text == "Wrote 1 characters."
    assert (made.folder / "b").read_text("utf-8") == "😀"


def test_a_tool_that_nobody_offers_is_answered_with_those_that_are(talk: Make) -> None:
    made = talk(says(calls(("rm_rf", {})), "Ok."))

    (told,) = observed(made.run())

    assert told.is_error
    assert told.text.startswith("Error: no tool is called 'rm_rf': use bash, read_file, ")


def test_a_text_that_was_cut_off_goes_on(talk: Make) -> None:
    made = talk(says(Say("A very long answer that has no end", cut=True), "and its end."))

    happened = made.run()

    assert [event.text for event in happened if isinstance(event, events.Reminder)] == [
        "<reminder>Your answer was cut off. Go on where it ended.</reminder>"
    ]
    assert happened[-1].text == "A very long answeand its end."


def test_an_answer_with_open_steps_is_not_lost_when_it_is_asked_to_go_on(talk: Make) -> None:
    made = talk(says(calls(("plan", {"steps": ["One"]})), "THE REPORT", "Nothing more.", "Nope."))

    assert made.run()[-1].text == "THE REPORT\n\nNothing more.\n\nNope."


def test_waiting_for_a_provider_and_a_batch_of_calls_keep_to_the_time(talk: Make) -> None:
    made = talk(
        says(*[Say(status=529, headers={"retry-after": "30"})] * 9),
        limits=Limits(seconds=0.5),
        sleep=time.sleep,
    )
    assert made.run()[-1].reason == "time"
    sleeps = [("bash", {"command": "sleep 30"})] * 5
    made = talk(says(calls(*sleeps)), limits=Limits(seconds=1))
    began = time.monotonic()
    happened = made.run()
    assert time.monotonic() - began < 25
    assert happened[-1].reason == "time"
    told = [event.text for event in happened if isinstance(event, events.Observation)]
    assert told[0].startswith("Error: stopped after ")
    assert told[1:] == ["Error: not run, the time is up"] * 4


def test_a_refusal_of_the_model_is_said(talk: Make) -> None:
    made = talk(says(Say("I will not.", stop="refusal")))

    end = made.run()[-1]

    assert isinstance(end, events.Ended)
    assert (end.reason, end.text) == ("refusal", "I will not.")


def test_an_answer_of_nothing_at_all_is_one_when_it_comes_again(talk: Make) -> None:
    made = talk(says(Say(""), Say(""), "Now."))

    assert made.run("One")[-1].reason == "answer"
    assert made.run("Two")[-1].text == "Now."


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(rounds=3), "rounds"),
        (Limits(tokens=2000), "tokens"),
        (Limits(seconds=0.3), "time"),
    ],
)
def test_a_run_ends_at_its_limits(talk: Make, limits: Limits, reason: str) -> None:
    made = talk(says(*[calls(("bash", {"command": "sleep 0.05"}))] * 99), limits=limits)

    end = made.run()[-1]

    assert isinstance(end, events.Ended)
    assert end.reason == reason
    assert end.rounds < 12
    assert end.text.startswith("stopped after")


def test_what_stands_fast_is_read_from_the_cache(tmp_path: Any) -> None:
    bash = calls(("bash", {"command": "seq 500"}))
    provider = Provider(says(calls(("plan", {"steps": ["One", "Two"]})), *[bash] * 6, *["Ok."] * 3))
    model = load_model("anthropic:m", provider.environ("anthropic"))
    try:
        agent = Agent(model, folder=tmp_path)
        thoughts = [e for e in agent.run("Go") if isinstance(e, events.Thought)]
    finally:
        model._client.close()  # type: ignore[attr-defined]
        provider.close()

    shares = [thought.usage.cached / thought.usage.read for thought in thoughts[3:8]]
    assert min(shares) > 0.5
    assert shares[-1] > 0.8  # the longer the run, the less is new


@pytest.mark.parametrize(
    ("name", "environ", "told"),
    [
        (None, {}, "no model: set ANTHROPIC_API_KEY or OPENAI_API_KEY"),
        ("anthropic:x", {}, "ANTHROPIC_API_KEY is not set"),
        ("openai:x", {}, "OPENAI_API_KEY is not set"),
        (
            "openai:x",
            {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "no answer from http://127.0.0.1:9/v1 (OPENAI_BASE_URL)",
        ),
        (
            "anthropic:x",
            {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},
            "no answer from http://127.0.0.1:9 (ANTHROPIC_BASE_URL)",
        ),
        ("scripted:/nowhere.jsonl", {}, "the script /nowhere.jsonl cannot be read"),
    ],
)
def test_no_key_or_no_server_is_one_line_before_anything_happens(
    name: str | None, environ: dict[str, str], told: str
) -> None:
    with pytest.raises(ModelError) as raised:
        load_model(name, environ)

    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


def test_a_wrong_key_is_named(api: str) -> None:
    provider = Provider(says())
    try:
        environ = provider.environ(api) | {f"{api.upper()}_API_KEY": "wrong"}
        with pytest.raises(ModelError, match=f"refuses the key in {api.upper()}_API_KEY"):
            load_model(f"{api}:x", environ)
    finally:
        provider.close()


def test_an_unknown_provider_is_told_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="use anthropic:NAME, openai:NAME, scripted:NAME"):
        load_model("gemini:x", {})


@pytest.mark.parametrize(
    "name", ["functions.bash", "read file", "bash<|channel|>commentary", "x" * 200]
)
def test_a_name_that_no_provider_takes_back_is_mended_in_the_conversation(
    talk: Make, name: str
) -> None:
    made = talk(says(calls((name, {})), "Ok."))

    (told,) = observed(made.run())

    assert told.is_error


@pytest.mark.parametrize(
    "arguments", ['{"path": "x", "line": NaN}', '{"path": "x", "line": 1e999}']
)
def test_numbers_that_json_does_not_know_are_refused(talk: Make, arguments: str) -> None:
    made = talk(says(Say("", (("read_file", arguments),)), "Ok."))

    (told,) = observed(made.run())

    assert "invalid JSON" in told.text


def chunks(
    *deltas: dict[str, Any], finish: str | None = "tool_calls", usage: Any = None, done: bool = True
) -> Say:
    """A stream of the Chat Completions API, as odd as some servers send it."""
    lines = [
        {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    lines.append(
        {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage}
    )
    text = "".join(f"data: {json.dumps(line)}\n\n" for line in lines)
    return Say(raw=text + ("data: [DONE]\n\n" if done else ""))


def piece(
    index: int | None, identity: str | None, name: str | None, arguments: str
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "tool_calls": [{"index": index, "id": identity, "type": "function", "function": function}]
    }


@pytest.fixture
def odd(tmp_path: Any) -> Any:
    """Runs an agent against such streams; the answers to its calls, and how it ended."""
    made: list[Provider] = []

    def run(*answers: Say) -> tuple[list[events.Observation], Any]:
        provider = Provider(says(*answers))
        made.append(provider)
        model = load_model("openai:m", provider.environ("openai"))
        happened = list(Agent(model, folder=tmp_path, sleep=lambda _: None).run("Go"))
        model._client.close()  # type: ignore[attr-defined]
        assert provider.refused == []
        return observed(happened), happened[-1]

    yield run
    for provider in made:
        provider.close()


@pytest.mark.parametrize("indices", [(0, 0), (None, None), (0, 1), (None, 3)])
def test_calls_of_servers_that_do_not_count_are_told_apart(odd: Any, indices: Any) -> None:
    first, second = indices
    told, end = odd(
        chunks(
            piece(first, "a", "bash", '{"command": '),
            piece(first, None, None, '"echo one"}'),
            piece(second, "b", "bash", '{"command": "echo two"}'),
        ),
        Say("Done."),
    )

    assert [each.text for each in told] == ["one", "two"]
    assert end.reason == "answer"


def test_calls_in_a_stream_that_stops_short_are_not_made(odd: Any, tmp_path: Path) -> None:
    half = chunks(piece(0, "a", "bash", '{"command": "touch no"}'), finish=None, done=False)
    told, end = odd(half, Say("Done."))

    assert (told, end.text) == ([], "Done.")
    assert not (tmp_path / "no").exists()


def test_a_name_that_is_repeated_in_every_piece_is_one_name(odd: Any) -> None:
    told, _ = odd(
        chunks(piece(0, "a", "bash", '{"command": '), piece(0, "a", "bash", '"echo one"}')),
        Say("Done."),
    )
    assert [each.text for each in told] == ["one"]


def test_calls_without_an_id_get_one_each(odd: Any) -> None:
    call = chunks(piece(0, "", "bash", '{"command": "echo one"}'))
    told, _ = odd(call, call, Say("Done."))
    assert len({each.id for each in told}) == 2


@pytest.mark.parametrize(
    "usage", [{}, {"prompt_tokens": 5}, {"prompt_tokens": None, "completion_tokens": None}]
)
def test_usage_with_holes_is_no_trouble(odd: Any, usage: Any) -> None:
    _, end = odd(chunks({"content": "Hello"}, finish="stop", usage=usage))
    assert (end.reason, end.text) == ("answer", "Hello")


def test_an_answer_without_a_finish_reason_is_an_answer(odd: Any) -> None:
    _, end = odd(chunks({"content": "Hello"}, finish=None))
    assert (end.reason, end.text) == ("answer", "Hello")


def test_a_page_that_is_no_stream_is_said_at_once(odd: Any) -> None:
    _, end = odd(Say(raw="<html>Welcome</html>"))
    assert (end.reason, end.text[:41]) == ("error", "the server did not answer with a stream: ")


def test_what_a_listener_raises_is_not_the_providers_fault(talk: Make) -> None:
    def deaf(_: str) -> None:
        raise RuntimeError("no ears")

    made = talk(says("Hello"), on_text=deaf)

    with pytest.raises(RuntimeError, match="no ears"):
        made.run()
    assert len(made.provider.requests) == 1


class Faulty:
    name = "mine"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def answer(self, request: Any, on_text: Any) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ConnectionError("gone"), "mine: ConnectionError: gone"),
        ("Hello", "mine gave a str, not an Answer"),
    ],
)
def test_a_provider_of_ones_own_that_fails_ends_the_run_with_one_line(
    tmp_path: Any, answer: Any, told: str
) -> None:
    *_, end = Agent(Faulty(answer), folder=tmp_path).run("Go")
    assert isinstance(end, events.Ended)
    assert (end.reason, end.text) == ("error", told)


def test_an_address_without_a_model_is_told_how_to_name_one() -> None:
    with pytest.raises(ModelError, match="name its model, with --model openai:NAME"):
        load_model(None, {"OPENAI_BASE_URL": "http://localhost:11434/v1"})


@pytest.mark.parametrize(
    "line", ["5", "[]", "{", '{"calls": ["x"]}', '{"calls": 5}', '{"calls": [["bash", "ls"]]}']
)
def test_a_script_that_is_none_is_told_with_its_line(tmp_path: Any, line: str) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"text": "Hello"}\n' + line + "\n")
    with pytest.raises(ModelError, match=r"s\.jsonl, line 2: a line of a script is"):
        load_model(f"scripted:{script}", {})


def test_a_blank_task_means_to_go_on(talk: Make) -> None:
    made = talk(says("One.", "Two."))
    made.run("   ")
    assert made.run("now really")[-1].text == "Two."
