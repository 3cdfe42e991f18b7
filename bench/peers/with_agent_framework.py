"""agent-framework's TodoProvider. Run by bench.tokens in an environment with `agent-framework-core`.

It has no status in progress and no call for a whole list: the plan is added, then completed step
by step, however many states the session has.
"""

import asyncio
import json
import sys

from agent_framework import AgentSession, SessionContext, TodoProvider


async def main() -> None:
    states = json.load(sys.stdin)
    provider, session = TodoProvider(), AgentSession()
    context = SessionContext(session_id=session.session_id, input_messages=[])
    await provider.before_run(agent=None, session=session, context=context, state={})
    tools = {tool.name: tool for tool in context.tools}
    definition = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters()}
        for tool in tools.values()
    ]
    steps = [text for text, _, _ in states[0]]
    said = [("todos_add", {"todos": [{"title": text} for text in steps]})]
    for number in range(1, len(steps) + 1):
        items = [{"id": number, "reason": "Finished"}]
        said.append(("todos_complete", {"items": items}))
    calls = []
    for name, arguments in said:
        found = await tools[name].invoke(arguments=arguments)
        text = (
            found
            if isinstance(found, str)
            else "".join(getattr(part, "text", "") for part in found)
        )
        calls.append([arguments, text])
    prompt = "\n".join(context.instructions)
    json.dump({"definition": definition, "prompt": prompt, "calls": calls}, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
