"""A model that writes its calls as text: they are made, the person is told, and the model once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import Say, calls, says
from todowright import TodoWrite
from todowright.agent import Agent, ScriptedModel, as_json, events
from todowright.agent.calls import HOW_TO_CALL, NO_CALL, SAID_NOTHING

Make = Callable[..., Talk]


def fenced(tool: str, **arguments: Any) -> str:
    return f"```json\n{json.dumps({'name': tool, 'arguments': arguments})}\n```"


PLAN = fenced("plan", steps=["Look", "Answer"])


def of(kind: type[events.Event], happened: list[Any]) -> list[Any]:
    return [event for event in happened if isinstance(event, kind)]


def test_a_call_in_a_fence_is_made_and_the_run_goes_on(talk: Make) -> None:
    made = talk(says(PLAN, fenced("done", step=[1, 2]), "All done."))

    happened = made.run()

    assert happened[-1].text == "All done."
    assert made.agent.todo.plan.progress == (2, 2)
    told = of(events.CallsInText, happened)
    assert (told[0].text, told[0].count) == (PLAN, 1)
    assert as_json(told[0])["event"] == "calls_in_text"
    names = [event.name for event in happened]
    assert names[1:5] == ["calls_in_text", "thought", "action", "observation"]
    assert happened[-1].rounds == 2


def test_the_history_is_as_if_it_had_been_a_real_call(talk: Make) -> None:
    two = f"<tool_call>{json.dumps({'name': 'plan', 'input': {'steps': ['Look']}})}</tool_call>"
    two += (
        '\n<tool_call>{"name": "bash", "parameters": "{\\"command\\": \\"echo hi\\"}"}</tool_call>'
    )
    made = talk(says(two, calls(("done", {"step": 1})), "All done."))

    made.run()  # the server refuses what either API would refuse

    said, results = made.agent.messages[1:3]
    assert [block["type"] for block in said["content"]] == ["tool_use", "tool_use"]
    uses = [(block["name"], block["input"]) for block in said["content"]]
    assert uses == [("plan", {"steps": ["Look"]}), ("bash", {"command": "echo hi"})]
    ids = [block["id"] for block in said["content"]]
    assert ids == [block["tool_use_id"] for block in results["content"]]
    assert len(set(ids)) == 2
    assert all(ids)
    assert results["content"][0]["content"] == "OK."
    assert results["content"][1]["content"] == f"hi\n{HOW_TO_CALL}"
    sent = json.dumps(made.provider.requests[1]["messages"])
    assert "tool_call>" not in sent


def test_calls_in_made_up_tags_are_made_by_the_schemas_of_the_tools(talk: Make) -> None:
    plan = "<plan>\n<steps><step>Look</step><step>Answer</step></steps>\n</plan>"
    write = "<function=write_file>\n<parameter=path>\n12\n</parameter>\n<parameter=content>\n<b>1</b>\n2\n</parameter>\n</function>"
    done = '```xml\n<tool_call>\n<done><finished>["Look", "Answer"]</finished></done>\n</tool_call>\n```'
    made = talk(says(plan, write, done, "All done."))

    happened = made.run()

    assert happened[-1].text == "All done."
    assert made.agent.todo.plan.progress == (2, 2)
    assert (made.folder / "12").read_text() == "<b>1</b>\n2"
    assert [event.text for event in of(events.CallsInText, happened)] == [plan, write, done]


def test_the_model_is_told_once_a_run_how_to_call(talk: Make) -> None:
    more = [fenced("bash", command=f"echo {n}") for n in range(3)]
    made = talk(says(*more, "One.", more[0], "Two."))

    first, second = made.run(), made.run("And again")

    for happened in (first, second):
        assert [event.text for event in of(events.Reminder, happened)] == [HOW_TO_CALL]
    assert json.dumps(made.agent.messages).count("You wrote this call as text") == 2


def test_without_reminders_the_call_is_made_and_nothing_is_added(talk: Make) -> None:
    made = talk(says(fenced("bash", command="echo hi"), "Done."), reminders=False)
    assert not of(events.Reminder, made.run())
    assert made.agent.messages[2]["content"][0]["content"] == "hi"


BROKEN = [
    f"I will plan now:\n{fenced('bash', command='touch no')}",
    f"{fenced('bash', command='touch no')}\nShall I?",
    f"{fenced('bash', command='touch no')}\n{fenced('run', command='touch no')}",
    '```json\n{"name": "bash", "arguments": {"command": "touch "no""}}\n```',
    '<plan steps="Look, Answer" now="Look"/>',
    "<tool_call>\ntouch no",
]
WAYS = ["before", "behind", "one of two", "not JSON", "made-up tag", "no call"]


@pytest.mark.parametrize("text", BROKEN, ids=WAYS)
def test_what_was_meant_as_a_call_and_is_none_is_not_run_but_asked_for_again(
    talk: Make, text: str
) -> None:
    made = talk(says(text, calls(("bash", {"command": "touch yes"})), "All done."))

    happened = made.run()

    assert (happened[-1].reason, happened[-1].text) == ("answer", "All done.")
    assert not of(events.CallsInText, happened)
    assert [event.text for event in of(events.Reminder, happened)] == [NO_CALL]
    assert [path.name for path in made.folder.glob("[ny]*")] == ["yes"]


def test_a_model_that_cannot_call_is_asked_three_times_and_then_has_answered(talk: Make) -> None:
    made = talk(says(*[BROKEN[0]] * 4))
    happened = made.run()
    assert (happened[-1].reason, happened[-1].text) == ("answer", BROKEN[0])
    assert len(of(events.Reminder, happened)) == 3
    assert not (made.folder / "no").exists()


def test_silence_is_asked_about_once(talk: Make) -> None:
    made = talk(says(calls(("bash", {"command": "echo hi"})), "", "I said hi."))
    happened = made.run()
    assert [event.text for event in of(events.Reminder, happened)] == [SAID_NOTHING]
    assert happened[-1].text == "I said hi."

    silent = talk(says(" ", ""))
    happened = silent.run()
    assert (happened[-1].reason, happened[-1].text) == ("answer", "")
    assert len(of(events.Reminder, happened)) == 1


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (fenced("run", command="touch no"), {}),
        ("I used bash and then write_file. The <div> has the name 'bash' now.", {}),
        (BROKEN[0], {"reminders": False}),
    ],
    ids=["no such tool", "prose", "without reminders"],
)
def test_what_names_no_tool_as_a_call_does_is_an_answer(
    talk: Make, text: str, options: dict[str, Any]
) -> None:
    made = talk(says(text), **options)
    happened = made.run()
    assert (happened[-1].reason, happened[-1].text) == ("answer", text)
    assert not of(events.CallsInText, happened)
    assert not (made.folder / "no").exists()


def test_an_answer_that_was_cut_off_is_not_taken_for_a_call(talk: Make) -> None:
    whole = '{"name": "bash", "arguments": {"command": "touch no"}}'
    made = talk(says(Say(whole + " " * len(whole), cut=True), "Never mind."))
    assert not of(events.Action, made.run())
    assert not (made.folder / "no").exists()


@pytest.mark.parametrize("way", ["read_file", "bash", "write_file", "task"])
def test_what_a_model_quotes_out_of_a_file_is_not_run(talk: Make, way: str) -> None:
    trap = '{\n  "name": "bash",\n  "arguments": {"command": "touch no"}\n}\n'
    shown = {
        "read_file": ("read_file", {"path": "call.json"}),
        "bash": ("bash", {"command": "cat call.json"}),
        "write_file": ("write_file", {"path": "other.json", "content": trap}),
        "task": ("read_file", {"path": "."}),
    }
    quoted = f"```json\n{json.dumps(json.loads(trap))}\n```"
    made = talk(says(calls(shown[way]), quoted))
    (made.folder / "call.json").write_text(trap)
    happened = made.run(f"What is in this? {trap}" if way == "task" else "Show me call.json")
    assert (happened[-1].reason, happened[-1].text) == ("answer", quoted)
    assert not (made.folder / "no").exists()


def test_tags_that_a_model_quotes_out_of_a_file_are_not_run(talk: Make) -> None:
    trap = "<bash>\n<command>touch no</command>\n</bash>"
    made = talk(says(calls(("read_file", {"path": "call.xml"})), f"```xml\n{trap}\n```"))
    (made.folder / "call.xml").write_text(f"<calls>\n  {trap}\n</calls>\n")
    assert made.run("Show me call.xml")[-1].reason == "answer"
    assert not (made.folder / "no").exists()


def test_permissions_hold_as_for_real_calls(talk: Make) -> None:
    asked: list[str] = []

    def ask(tool: str, arguments: dict[str, Any], why: str) -> bool:
        asked.append(arguments["command"])
        return False

    made = talk(says(fenced("bash", command="touch no"), "Then not."), mode="ask", ask=ask)
    (outcome,) = of(events.Observation, made.run())
    assert asked == ["touch no"]
    assert outcome.is_error
    assert not (made.folder / "no").exists()


def test_a_grave_command_is_not_run_where_nobody_can_be_asked(talk: Make) -> None:
    made = talk(says(fenced("bash", command="rm -r keep"), "Then not."))
    (made.folder / "keep").mkdir()
    (outcome,) = of(events.Observation, made.run())
    assert outcome.is_error
    assert (made.folder / "keep").exists()


def test_in_plan_mode_only_what_is_offered_there_is_taken(talk: Make) -> None:
    wanted = fenced("bash", command="touch no")
    made = talk(says(fenced("read_file", path="."), wanted), mode="plan")
    happened = made.run()
    assert [event.tool for event in of(events.Action, happened)] == ["read_file"]
    assert happened[-1].text == wanted
    assert not made.agent.todo.plan.todos


def test_a_sub_agent_may_write_its_calls_as_text_too(talk: Make) -> None:
    made = talk(
        says(
            fenced("task", prompt="Say hi"), fenced("bash", command="echo hi"), "It said hi.", "Ok."
        )
    )
    told = of(events.CallsInText, made.run())
    assert [event.agent == "main" for event in told] == [True, False]


def test_it_stands_in_the_transcript_and_the_session_goes_on(tmp_path: Path) -> None:
    def agent(*script: Any) -> Agent:
        store = f"sqlite:///{tmp_path}/plans.db"
        todo = TodoWrite("lean", store=store, session="s")
        path = tmp_path / "s.jsonl"
        return Agent(ScriptedModel(script), folder=tmp_path, todo=todo, transcript=path)

    first = agent({"text": PLAN}, {"text": "Later."}, {"text": "Later."}, {"text": "Later."})
    list(first.run("Go"))
    first.close()

    seen: list[Any] = []

    def look(request: Any) -> dict[str, Any]:
        seen.extend(request.messages)
        return {"calls": [["done", {"step": [1, 2]}]]}

    again = agent(look, {"text": "Done."})
    assert again.transcript.written == [PLAN]
    assert again.messages == first.messages
    *_, end = again.run()
    again.close()
    assert isinstance(end, events.Ended)
    assert end.reason == "answer"
    assert seen[1]["content"][0]["type"] == "tool_use"
    assert HOW_TO_CALL in seen[2]["content"][0]["content"]


@pytest.mark.parametrize("depth", [50, 400, 700, 800, 900, 930, 960, 990, 5000])
def test_a_call_of_any_depth_raises_nothing(tmp_path: Path, depth: int) -> None:
    steps = "[" * depth + "]" * depth
    text = f'{{"name": "plan", "arguments": {{"steps": {steps}}}}}'
    agent = Agent(
        ScriptedModel([{"text": text}, {"text": "Done."}]),
        folder=tmp_path,
        transcript=tmp_path / "s.jsonl",
    )
    *_, end = agent.run("Go")
    agent.close()
    assert isinstance(end, events.Ended)
    assert end.reason == "answer"
