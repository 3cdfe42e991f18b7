"""Tool definitions as each API wants them, held against the types of the official clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from todowright import TodoWrite, UnknownName, load_dialect
from todowright.names import DIALECTS

Json = dict[str, Any]
GEMINI_SCHEMA = {
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
    "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
    "default", "items", "minimum", "maximum",
}  # fmt: skip
"""The fields of `Schema` in the reference of the Gemini API."""

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def typed(kind: Any, value: Json) -> None:
    """Hold a value against a client's own type: its keys, and what they hold."""
    TypeAdapter(kind).validate_python(value, strict=True)
    assert value.keys() <= kind.__annotations__.keys()


@every_dialect
def test_anthropic_gets_a_name_a_description_and_an_input_schema(dialect: str) -> None:
    from anthropic.types import ToolParam

    todo = TodoWrite(dialect, environ={})
    for found, tool in zip(todo.definitions("anthropic"), todo.tools, strict=True):
        typed(ToolParam, found)
        Draft202012Validator.check_schema(found["input_schema"])
        told = {"name": tool.name, "description": tool.description}
        assert found == {**told, "input_schema": tool.input_schema}


@every_dialect
def test_chat_completions_get_functions(dialect: str) -> None:
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.shared_params import FunctionDefinition

    todo = TodoWrite(dialect, environ={})
    for found, tool in zip(todo.definitions("openai"), todo.tools, strict=True):
        typed(ChatCompletionFunctionToolParam, found)
        typed(FunctionDefinition, found["function"])
        assert found["function"]["name"] == tool.name
        assert found["function"]["parameters"] == tool.input_schema


@every_dialect
def test_responses_get_flat_functions_that_are_not_strict(dialect: str) -> None:
    from openai.types.responses import FunctionToolParam

    todo = TodoWrite(dialect, environ={})
    for found, tool in zip(todo.definitions("responses"), todo.tools, strict=True):
        typed(FunctionToolParam, found)
        assert found["strict"] is False
        assert (found["name"], found["parameters"]) == (tool.name, tool.input_schema)


@every_dialect
def test_gemini_gets_one_tool_with_the_part_of_the_schema_that_it_takes(dialect: str) -> None:
    todo = TodoWrite(dialect, environ={})
    (found,) = todo.definitions("gemini")
    assert list(found) == ["functionDeclarations"]
    for declared, tool in zip(found["functionDeclarations"], todo.tools, strict=True):
        assert declared.keys() == {"name", "description", "parameters"}
        for schema in schemas(declared["parameters"]):
            assert schema.keys() <= GEMINI_SCHEMA
            assert isinstance(schema["type"], str)
            assert all(isinstance(each, str) for each in schema.get("enum", ()))
        properties = declared["parameters"]["properties"]
        assert properties.keys() == tool.input_schema["properties"].keys()


def schemas(schema: Json) -> Iterator[Json]:
    """A schema, and those within it."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from schemas(inner)
    if "items" in schema:
        yield from schemas(schema["items"])


@every_dialect
def test_mcp_gets_tools_that_its_own_type_reads_and_writes_the_same(dialect: str) -> None:
    from mcp.types import Tool

    todo = TodoWrite(dialect, environ={})
    for found, tool in zip(todo.definitions("mcp"), todo.tools, strict=True):
        read = Tool.model_validate(found)
        assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == found
        assert read.name == tool.name
        assert read.input_schema == tool.input_schema


def test_a_nullable_type_of_a_dialects_own_schema_is_told_to_gemini_its_way() -> None:
    from todowright.dialects.definitions import definitions
    from todowright.dialects.dialect import Tool

    one = {"anyOf": [{"type": ["string", "null"], "const": "x"}]}
    (found,) = definitions([Tool("a", "b", {"type": "object", "properties": {"x": one}})], "gemini")
    (declared,) = found["functionDeclarations"]
    assert declared["parameters"]["properties"] == {
        "x": {"anyOf": [{"type": "string", "nullable": True}]}
    }


def test_the_definitions_show_the_limits_that_the_environment_sets() -> None:
    todo = TodoWrite("shell", environ={"TODO_MAX_ITEMS": "2"})
    (found,) = todo.definitions("anthropic")
    assert found["input_schema"]["properties"]["todos"]["maxItems"] == 2


def test_a_host_may_change_its_copy() -> None:
    todo = TodoWrite()
    todo.definitions("anthropic")[0]["input_schema"]["properties"].clear()
    assert todo.definitions("anthropic")[0]["input_schema"]["properties"]
    assert load_dialect("lean").tools[0].input_schema["properties"]


@pytest.mark.parametrize("name", ["claude", "", None, ["openai"]])
def test_an_unknown_api_is_told_with_those_there_are(name: Any) -> None:
    with pytest.raises(UnknownName) as caught:
        TodoWrite().definitions(name)
    assert "use one of anthropic, openai, responses, gemini, mcp" in str(caught.value)
    assert "\n" not in str(caught.value)
