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


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_streaming(size):
    parser = layer.FunctionCallParser(TOOLS, "sluice_hermes")
    text, sent = "Hello " + CALL + "\n" + CALL.replace("Paris", "Rome"), ""
    calls = {}
    for at in range(0, len(text), size):
        normal, items = parser.parse_stream_chunk(text[at:at + size])
        sent += normal
        for item in items:
            entry = calls.setdefault(item.tool_index, [None, ""])
            entry[0] = entry[0] or item.name
            entry[1] += item.parameters
    sent += parser.parse_stream_end()[0]
    assert sent == "Hello "
    assert [(name, json.loads(arguments)) for name, arguments in calls.values()] == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]


def test_structure_info_and_tag():
    detector = layer.FunctionCallParser(TOOLS, "sluice_hermes").detector
    info = detector.structure_info()("get_weather")
    assert info.begin == '<tool_call>\n{"name": "get_weather", "arguments": ' and info.end == "}\n</tool_call>" and info.trigger in info.begin
    assert "get_weather" in json.dumps(detector.get_structural_tag(TOOLS, "required"))
