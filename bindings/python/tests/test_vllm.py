"""The plugin in vLLM's real parser layer."""

import json
import time

import pytest
import servers

servers.prepare("vllm")
vllm_parsers = pytest.importorskip("vllm.tool_parsers", reason="vLLM's parser layer cannot be imported here")

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.parser.abstract_parser import DelegatingParser  # noqa: E402
from vllm.reasoning import ReasoningParserManager  # noqa: E402
from vllm.tool_parsers import ToolParserManager  # noqa: E402

import sluice  # noqa: E402

TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


class Tokenizer:
    """Words of one character, and the markers."""

    name_or_path = "Qwen/Qwen2.5-7B-Instruct"
    marks = {"<tool_call>": 1, "</tool_call>": 2, "<think>": 3, "</think>": 4, "[TOOL_CALLS]": 5}

    def get_vocab(self):
        return self.marks

    vocab = property(get_vocab)

    def encode(self, text):
        ids = []
        while text:
            mark = next((m for m in self.marks if text.startswith(m)), None)
            ids.append(self.marks[mark] if mark else 1000 + ord(text[0]))
            text = text[len(mark) if mark else 1:]
        return ids

    def decode(self, ids, **_):
        names = {i: m for m, i in self.marks.items()}
        return "".join(names.get(i) or chr(i - 1000) for i in ids)


@pytest.fixture(scope="module", autouse=True)
def plugin():
    ToolParserManager.import_tool_parser("sluice.vllm")


def request(**more):
    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "x"}], tools=TOOLS, **more)


def test_every_syntax_is_registered():
    names = ToolParserManager.list_registered()
    for syntax in sluice.syntaxes():
        assert f"sluice_{syntax['name']}" in names
        assert ReasoningParserManager.get_reasoning_parser(f"sluice_{syntax['name']}")
    assert "sluice" in names


def test_whole():
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    found = parser.extract_tool_calls("Let me see." + CALL, request())
    assert found.tools_called and found.content == "Let me see."
    assert found.tool_calls[0].function.name == "get_weather"
    assert json.loads(found.tool_calls[0].function.arguments) == {"city": "Paris"}
    nothing = parser.extract_tool_calls("Hello", request())
    assert not nothing.tools_called and nothing.content == "Hello"


def test_by_the_model():
    parser = ToolParserManager.get_tool_parser("sluice")(Tokenizer())
    assert parser.extract_tool_calls(CALL, request()).tools_called


def composed(reasoning):
    class Parser(DelegatingParser):
        tool_parser_cls = ToolParserManager.get_tool_parser("sluice_hermes")
        reasoning_parser_cls = ReasoningParserManager.get_reasoning_parser("sluice_hermes") if reasoning else None

    return Parser(Tokenizer(), None)


def streamed(text, reasoning=True, size=3, prompt="x"):
    tokenizer, parser = Tokenizer(), composed(reasoning)
    ids = tokenizer.encode(text)
    content, thought, calls = "", "", {}
    pieces = [ids[at:at + size] for at in range(0, len(ids), size)]
    for i, piece in enumerate(pieces):
        delta = parser.parse_delta(tokenizer.decode(piece), piece, request(), prompt_token_ids=tokenizer.encode(prompt),
                                   finished=i == len(pieces) - 1)
        if delta is None:
            continue
        content += delta.content or ""
        thought += delta.reasoning or ""
        for call in delta.tool_calls:
            entry = calls.setdefault(call.index, {"name": None, "id": None, "arguments": ""})
            entry["id"] = entry["id"] or call.id
            entry["name"] = entry["name"] or (call.function and call.function.name)
            entry["arguments"] += (call.function and call.function.arguments) or ""
    return content, thought, [(c["name"], json.loads(c["arguments"])) for c in calls.values()]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_streaming_with_reasoning(size):
    text = "<think>\nThe user asks.\n</think>\n\nLet me see." + CALL + "\n" + CALL.replace("Paris", "Rome")
    content, thought, calls = streamed(text, size=size)
    # line breaks after the closer in a later delta go to the tool parser, as with vLLM's own parsers
    assert thought == "The user asks." and content.lstrip("\n") == "Let me see."
    assert calls == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_reasoning_that_the_prompt_opened(size):
    assert streamed("The user asks.</think>" + CALL, size=size, prompt="x<think>\n") == ("", "The user asks.", [("get_weather", {"city": "Paris"})])


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_no_reasoning_at_all(size):
    assert streamed("Hello" + CALL, size=size) == ("Hello", "", [("get_weather", {"city": "Paris"})])


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_without_a_reasoning_parser_its_markup_is_content(size):
    content, thought, calls = streamed("<think>hm</think>Hello" + CALL, reasoning=False, size=size)
    assert content == "<think>hm</think>Hello" and thought == "" and len(calls) == 1


def test_a_call_that_is_cut_off_is_closed():
    content, _, calls = streamed(CALL[:-20], size=4)
    assert calls[0][0] == "get_weather" and content == ""


def test_whole_with_reasoning():
    parser = composed(True)
    reasoning, content, calls = parser.parse("<think>\nhm\n</think>\n\nHi." + CALL, request(tool_choice="auto"), enable_auto_tools=True)
    assert (reasoning, content, calls[0].name) == ("hm", "Hi.", "get_weather")


def test_special_tokens_stay_in_the_text():
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    assert parser.adjust_request(request()).skip_special_tokens is False
    assert parser.adjust_request(request()).structured_outputs is None


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_demanded_calls_are_constrained(choice):
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    outputs = parser.adjust_request(request(tool_choice=choice)).structured_outputs
    assert "get_weather" in (outputs.structural_tag or outputs.grammar)


def test_a_fragment_is_a_whole_delta():
    """Deltas with a fragment of arguments are made without validation: they must equal validated ones."""
    from vllm.entrypoints.generate.base.protocol import DeltaFunctionCall, DeltaMessage, DeltaToolCall

    from sluice.vllm import _fragment

    made = _fragment(2, '{"a"')
    valid = DeltaMessage(tool_calls=[DeltaToolCall(index=2, function=DeltaFunctionCall(arguments='{"a"'))])
    assert made.model_dump() == valid.model_dump()
    assert made.model_dump(exclude_unset=True) == valid.model_dump(exclude_unset=True)
    assert made.model_dump_json(exclude_none=True) == valid.model_dump_json(exclude_none=True)
    made.content = "x"  # as vLLM does
    made.tool_calls[0].function.arguments += "}"
    other = _fragment(0, "")
    assert other.content is None and other.tool_calls[0].function.arguments == "" and other.model_fields_set == {"tool_calls"}


def test_ids_and_types():
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    delta = parser.extract_tool_calls_streaming("", CALL, CALL, [], [], [], request())
    assert delta.tool_calls[0].type == "function" and delta.tool_calls[0].id
    assert delta.model_dump(exclude_none=True)["tool_calls"][0]["function"]["name"] == "get_weather"


def test_the_time_of_a_long_argument(capsys):
    """64 KiB of code as one argument, in chunks of 4 characters: our plugin and vLLM's own parser, in one run. Reported."""
    code = ("def f(x):\n    return x + 1\n" * 3000)[:65536]
    text = "<tool_call>\n" + json.dumps({"name": "write", "arguments": {"code": code}}) + "\n</tool_call>"

    def run(name):
        class Parser(DelegatingParser):
            tool_parser_cls = ToolParserManager.get_tool_parser(name)
            reasoning_parser_cls = None

        parser, asked, sent = Parser(Tokenizer(), None), request(), []
        pieces = [text[at:at + 4] for at in range(0, len(text), 4)]
        began = time.process_time()
        for i, piece in enumerate(pieces):
            delta = parser.parse_delta(piece, [7], asked, prompt_token_ids=[], finished=i == len(pieces) - 1)
            for call in delta.tool_calls if delta else []:
                sent.append((call.function.arguments or "") if call.function else "")
        took = time.process_time() - began
        assert json.loads("".join(sent))["code"] == code
        return took

    ours, theirs = min(run("sluice_hermes") for _ in range(3)), run("hermes")
    with capsys.disabled():
        print(f"\n64 KiB through vLLM's hermes parser {theirs:.2f} s, through the plugin {ours:.3f} s: {theirs / ours:.0f} times")
