"""A process of its own that runs an agent until it is killed; see `test_resume`."""

from __future__ import annotations

import sys
from pathlib import Path

from todowright import TodoWrite
from todowright.agent import Agent, Limits, as_json, load_model


def main(folder: str, model: str, acknowledged: str) -> None:
    todo = TodoWrite("lean", store=f"sqlite:///{folder}/plans.db", session="long", root=folder)
    agent = Agent(
        load_model(model),
        folder=f"{folder}/work",
        todo=todo,
        limits=Limits(rounds=400, window=20_000, max_tokens=4000),
        transcript=f"{folder}/long.jsonl",
    )
    task = "" if agent.messages else "Do the forty steps"
    with Path(acknowledged).open("a", buffering=1) as log:
        for event in agent.run(task):
            values = as_json(event)
            if values["event"] == "todo_update":
                log.write(f"{values['plan']['revision']}\n")
            if values["event"] == "end":
                log.write(f"end {values['reason']}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
