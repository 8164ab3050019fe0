"""The plugin in SGLang's real parser layer."""

import json

import pytest
import servers

servers.prepare("sglang")
layer = pytest.importorskip("sglang.srt.function_call.function_call_parser", reason="SGLang's parser layer cannot be imported here")

from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: E402

import sluice.sglang  # noqa: E402

TOOLS = [Tool(type="function", function={"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}})]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


@pytest.fixture(scope="module", autouse=True)
def plugin():
    sluice.sglang.register()


def test_names():
    from sglang.srt.function_call.parser_names import TOOL_CALL_PARSER_NAMES

    assert {f"sluice_{s['name']}" for s in sluice.syntaxes()} <= set(TOOL_CALL_PARSER_NAMES)


def test_whole():
    text, calls = layer.FunctionCallParser(TOOLS, "sluice_hermes").parse_non_stream("Let me see." + CALL)
    assert text == "Let me see." and calls[0].name == "get_weather" and json.loads(calls[0].parameters) == {"city": "Paris"}


def streamed(text, tools, size):
    """A response in pieces: its text, and [name, arguments] of its calls."""
    parser = layer.FunctionCallParser(tools, "sluice_hermes")
    pieces = [parser.parse_stream_chunk(text[at:at + size]) for at in range(0, len(text), size)] + [parser.parse_stream_end()]
    calls = {}
    for _, items in pieces:
        for item in items:
            entry = calls.setdefault(item.tool_index, ["", ""])
            entry[0] += item.name or ""
            entry[1] += item.parameters
    return "".join(text for text, _ in pieces), list(calls.values())


def test_every_response(caplog):
    """The stream equals the whole, and the arguments of a call parse if and only if the call is not in doubt."""
    for text, good, doubtful in servers.RESPONSES:
        caplog.clear()
        parser = layer.FunctionCallParser(TOOLS, "sluice_hermes")
        found = (text, [])
        if parser.has_tool_call(text):  # as the server does
            content, items = parser.parse_non_stream(text)
            found = (content, [[item.name, item.parameters] for item in items])
        assert sorted(servers.parses(arguments) for _, arguments in found[1]) == [False] * doubtful + [True] * good, text
        assert len([record for record in caplog.records if record.name == "sluice.sglang"]) == doubtful, text
        for size in (1, 2, 5, 1000):
            assert streamed(text, TOOLS, size) == found, (text, size)
            assert streamed(text, [], size) == (text, [])


def test_structure_info_and_tag():
    detector = layer.FunctionCallParser(TOOLS, "sluice_hermes").detector
    info = detector.structure_info()("get_weather")
    assert info.begin == '<tool_call>\n{"name": "get_weather", "arguments": ' and info.end == "}\n</tool_call>" and info.trigger in info.begin
    assert "get_weather" in json.dumps(detector.get_structural_tag(TOOLS, "required"))
