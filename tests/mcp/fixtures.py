"""Our MCP server with the tools, resources and prompts that the conformance suite wants beside ours.

For that suite only: `python -m tests.mcp.fixtures PORT` serves it as `todowright serve` would.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import sys
import warnings
from typing import Any

import anyio
import mcp.types as types
import uvicorn
from mcp.shared.exceptions import MCPError

from todowright import MemoryStore
from todowright.mcp.server import Context, PlanServer
from todowright.web.app import build

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAA="
SECRET = b"for tests only"
MISSING_CAPABILITY = -32021
TEXTS = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "Watched.",
}
INPUT = "test_input_required_result_"


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def image() -> types.ImageContent:
    return types.ImageContent(data=PNG, mime_type="image/png")


def embedded(uri: str, words: str, kind: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(
        resource=types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    )


def elicit(message: str, **properties: Any) -> types.ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def sample(words: str, most: int = 100) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=text(words))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


STRING, BOOLEAN = {"type": "string"}, {"type": "boolean"}
NAME = elicit("What is your name?", name=STRING)
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_OPTIONS = [
    {"const": f"value{n}", "title": f"{word} Option"}
    for n, word in enumerate(("First", "Second", "Third"), 1)
]
_PLAIN = ["option1", "option2", "option3"]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _OPTIONS},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["One", "Two", "Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _OPTIONS}},
}
CONTENTS: dict[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded(
            "test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json"
        ),
    ],
}
TOOLS = (
    *CONTENTS, "test_error_handling", "test_tool_with_logging", "test_tool_with_progress", "test_sampling",
    "test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums", "test_missing_capability",
    *(INPUT + name for name in ("elicitation", "sampling", "list_roots", "request_state", "multiple_inputs",
                                "multi_round", "tampered_state", "capabilities")),
)  # fmt: skip
PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    f"{INPUT}prompt": [],
}


def sealed(state: str) -> str:
    return f"{state}.{hmac.digest(SECRET, state.encode(), 'sha256').hex()}"


def opened(state: str | None) -> str:
    """The state that we gave out ourselves."""
    plain = (state or "").partition(".")[0]
    if state != sealed(plain):
        raise MCPError(types.INVALID_PARAMS, "the state is not ours")
    return plain


def needs(requests: dict[str, Any], state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state and sealed(state))


class Fixtures(PlanServer):
    """The plan tool, and what the suite wants beside it."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(), session="conformance")
        handlers = {"completion/complete": (types.CompleteRequestParams, self._complete)}
        handlers["logging/setLevel"] = (types.SetLevelRequestParams, self._set_level)  # type: ignore[assignment]
        for method, (params, handler) in handlers.items():
            self.server.add_request_handler(method, params, handler)

    async def _complete(self, _: Context, params: Any) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))

    async def _set_level(self, _: Context, params: Any) -> types.EmptyResult:
        return types.EmptyResult()

    async def _list_tools(self, context: Context, params: Any) -> types.ListToolsResult:
        ours = await super()._list_tools(context, params)
        schema = {"type": "object", "properties": {"prompt": STRING, "message": STRING}}
        more = [
            types.Tool(name=name, description=f"Fixture {name}", input_schema=schema)
            for name in TOOLS
        ]
        return types.ListToolsResult(tools=[*ours.tools, *more])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        name, given = params.name, params.arguments or {}
        if name in CONTENTS:
            return types.CallToolResult(content=CONTENTS[name])
        if name.startswith(INPUT):
            return await self._input(context, name.removeprefix(INPUT), params)
        if name not in TOOLS:
            return await super()._call_tool(context, params)
        words = await getattr(self, f"_{name}")(context, given)
        return types.CallToolResult(content=[text(words)], is_error=name == "test_error_handling")

    async def _test_error_handling(self, context: Context, _: Any) -> str:
        return "This tool intentionally returns an error for testing"

    async def _test_tool_with_logging(self, context: Context, _: Any) -> str:
        for words in ("started", "processing data", "completed"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await context.session.send_log_message(
                    "info", f"Tool {words}", related_request_id=context.request_id
                )
            await anyio.sleep(0.05)
        return "Logged."

    async def _test_tool_with_progress(self, context: Context, _: Any) -> str:
        for part in (0, 50, 100):
            await context.session.report_progress(part, 100, f"Completed step {part} of 100")
            await anyio.sleep(0.05)
        return "Progressed."

    async def _test_sampling(self, context: Context, given: Any) -> str:
        message = types.SamplingMessage(role="user", content=text(given.get("prompt", "")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = await context.session.create_message(
                [message], max_tokens=100, related_request_id=context.request_id
            )
        return f"LLM response: {getattr(result.content, 'text', '')}"

    async def _elicited(self, context: Context, message: str, properties: Any) -> str:
        schema = {"type": "object", "properties": properties, "required": []}
        result = await context.session.elicit_form(
            message, schema, related_request_id=context.request_id
        )
        return f"User response: action={result.action}, content={json.dumps(result.content)}"

    async def _test_elicitation(self, context: Context, given: Any) -> str:
        return await self._elicited(context, given.get("message", ""), {"response": STRING})

    async def _test_elicitation_sep1034_defaults(self, context: Context, _: Any) -> str:
        return await self._elicited(context, "Please review", DEFAULTS)

    async def _test_elicitation_sep1330_enums(self, context: Context, _: Any) -> str:
        return await self._elicited(context, "Please select", ENUMS)

    async def _test_missing_capability(self, context: Context, _: Any) -> str:
        declared = context.session.client_capabilities
        if declared is None or declared.sampling is None:
            lacking: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_CAPABILITY, "this needs sampling", data=lacking)
        return "The client can sample."

    async def _input(self, context: Context, kind: str, params: Any) -> Any:
        """Tools that ask the client for more before they answer."""
        answers, state = params.input_responses or {}, params.request_state
        declared = context.session.client_capabilities
        first: dict[str, Any] = {
            "elicitation": ({"user_name": NAME}, None),
            "sampling": ({"capital_question": sample("What is the capital of France?")}, None),
            "list_roots": ({"client_roots": types.ListRootsRequest()}, None),
            "request_state": ({"confirm": elicit("Please confirm", ok=BOOLEAN)}, "asked"),
            "tampered_state": ({"confirm": elicit("Please confirm", ok=BOOLEAN)}, "asked"),
            "multiple_inputs": (
                {"user_name": NAME, "greeting": sample("Generate a greeting", 50), "client_roots": types.ListRootsRequest()},
                "asked",
            ),
            "multi_round": ({"step1": elicit("Step 1: What is your name?", name=STRING)}, "one"),
            "capabilities": (
                {"question": sample("Anything?")} if declared and declared.sampling is not None else {"user_name": NAME}, None,
            ),
        }  # fmt: skip
        wanted, first_state = first[kind]
        known = opened(state) if state else ""
        if kind == "multi_round" and "step1" in answers and known == "one":
            return needs(
                {"step2": elicit("Step 2: What is your favorite color?", color=STRING)}, "two"
            )
        if not known.startswith("two") and not wanted.keys() <= answers.keys():
            return needs(wanted, first_state)
        told = "; ".join(str(each.model_dump(exclude_none=True)) for each in answers.values())
        name = getattr(answers.get("user_name"), "content", None) or {}
        return types.CallToolResult(
            content=[text(f"Hello, {name.get('name', '')}! state-ok {told}")]
        )

    async def _subscribe(self, context: Context, params: Any) -> types.EmptyResult:
        if str(params.uri) in TEXTS:
            return types.EmptyResult()
        return await super()._subscribe(context, params)

    async def _list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        ours = await super()._list_resources(context, params)
        more = [types.Resource(name=uri, uri=uri, mime_type="text/plain") for uri in TEXTS]
        more.append(
            types.Resource(name="binary", uri="test://static-binary", mime_type="image/png")
        )
        return types.ListResourcesResult(resources=[*ours.resources, *more])

    async def _list_templates(
        self, context: Context, params: Any
    ) -> types.ListResourceTemplatesResult:
        ours = await super()._list_templates(context, params)
        more = types.ResourceTemplate(name="template", uri_template="test://template/{id}/data")
        return types.ListResourceTemplatesResult(
            resource_templates=[*ours.resource_templates, more]
        )

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri in TEXTS:
            found: Any = types.TextResourceContents(
                uri=uri, mime_type="text/plain", text=TEXTS[uri]
            )
        elif uri == "test://static-binary":
            found = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        elif uri.startswith("test://template/"):
            identity = uri.split("/")[3]
            data = json.dumps(
                {"id": identity, "templateTest": True, "data": f"Data for ID: {identity}"}
            )
            found = types.TextResourceContents(uri=uri, mime_type="application/json", text=data)
        else:
            return await super()._read_resource(context, params)
        return types.ReadResourceResult(contents=[found])

    async def _list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        ours = await super()._list_prompts(context, params)
        more = [
            types.Prompt(
                name=name,
                description=f"Fixture {name}",
                arguments=[
                    types.PromptArgument(name=each, description=each, required=True)
                    for each in arguments
                ],
            )
            for name, arguments in PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=[*ours.prompts, *more])

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        if params.name == f"{INPUT}prompt" and not params.input_responses:
            return needs(
                {"user_context": elicit("What context should the prompt use?", context=STRING)}
            )
        said: dict[str, list[Any]] = {
            "test_simple_prompt": [text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments": [
                text(
                    f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
                )
            ],
            "test_prompt_with_embedded_resource": [
                embedded(
                    given.get("resourceUri", "test://x"), "Embedded resource content for testing."
                ),
                text("Please process the embedded resource above."),
            ],
            "test_prompt_with_image": [image(), text("Please analyze the image above.")],
            f"{INPUT}prompt": [text(f"With this context: {params.input_responses}")],
        }
        if params.name not in said:
            return await super()._get_prompt(context, params)
        messages = [
            types.PromptMessage(role="user", content=content) for content in said[params.name]
        ]
        return types.GetPromptResult(messages=messages)


def main(port: int) -> None:
    plans = Fixtures()
    http = plans.http()
    app = build(plans.store, keys=None, mounted=http.handle_request, started=http.run)
    listener = socket.create_server(("127.0.0.1", port))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
