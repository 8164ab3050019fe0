"""The plugin in vLLM's real parser layer."""

import gc
import json
import time

import pytest
import servers

servers.prepare("vllm")
vllm_parsers = pytest.importorskip("vllm.tool_parsers", reason="vLLM's parser layer cannot be imported here")

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: E402
from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields  # noqa: E402
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor  # noqa: E402
from vllm.entrypoints.serve.utils.tool_calls_utils import resolve_finish_reason  # noqa: E402
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

    def encode(self, text, **_):
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
    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "x"}], **{"tools": TOOLS, **more})


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


def composed(reasoning="sluice_hermes", tools="sluice_hermes", given=TOOLS):
    class Parser(DelegatingParser):
        tool_parser_cls = tools and ToolParserManager.get_tool_parser(tools)
        reasoning_parser_cls = reasoning and ReasoningParserManager.get_reasoning_parser(reasoning)

    return Parser(Tokenizer(), given and request().tools)


def joined(text, asked, parser, size, prompt="x", reason="stop"):
    """Streams a response through vLLM: content, reasoning, [(name, arguments)], finish reason."""
    tokenizer = Tokenizer()
    processor = ChatStreamProcessor(asked, parser, enable_auto_tools=True, parser_cls=type(parser))
    content, thought, calls = "", "", {}
    ids = tokenizer.encode(text)
    pieces = [ids[at:at + size] for at in range(0, len(ids), size)] or [[]]
    for i, piece in enumerate(pieces):
        delta, finish = processor.step(tokenizer.decode(piece), piece, reason if i == len(pieces) - 1 else None, tokenizer.encode(prompt))
        if delta is None:
            continue
        content += delta.content or ""
        thought += delta.reasoning or ""
        for call in delta.tool_calls:
            entry = calls.setdefault(call.index, ["", "", ""])
            entry[0] += call.function.name or ""
            entry[1] += call.function.arguments or ""
            entry[2] += call.id or ""
    assert len({call[2] for call in calls.values()}) == len(calls)
    return content, thought, [tuple(call[:2]) for call in calls.values()], finish


def whole(text, asked, parser, prompt="x", reason="stop"):
    """The same response, not streamed."""
    parser.set_prompt_token_ids(Tokenizer().encode(prompt))
    thought, content, calls = parser.parse(text, asked, enable_auto_tools=True)
    fields = assemble_chat_message_fields(asked, thought, content, calls, enable_auto_tools=True, parser_cls=type(parser))
    return (fields.content or "", fields.reasoning or "", [(c.function.name, c.function.arguments) for c in fields.tool_calls],
            resolve_finish_reason(reason, asked, bool(fields.tool_calls)))


def streamed(text, size=3, prompt="x", **parsers):
    content, thought, calls, _ = joined(text, request(), composed(**parsers), size, prompt)
    return content, thought, [(name, json.loads(arguments)) for name, arguments in calls]


@pytest.mark.parametrize("reason", ["stop", "length"])
@pytest.mark.parametrize("prompt", ["x", "x<think>\n", "x<think>\n\n</think>\n\n"])
@pytest.mark.parametrize("reasoning", ["sluice_hermes", None])
def test_every_response(reasoning, prompt, reason):
    """The stream equals the whole, and the arguments of a call parse if and only if the call is not in doubt."""
    for text, good, doubtful in servers.RESPONSES:
        found = whole(text, request(), composed(reasoning), prompt, reason)
        for size in (1, 2, 3, 7, 1000):
            got = joined(text, request(), composed(reasoning), size, prompt, reason)
            assert (got[0].strip(), *got[1:]) == (found[0].strip(), *found[1:]), (text, size)  # vLLM drops content of blanks beside calls
        content, thought, calls, finish = found
        if prompt != "x<think>\n" or not reasoning:  # else the counts are others
            assert sorted(servers.parses(arguments) for _, arguments in calls) == [False] * doubtful + [True] * good, (text, calls)
        assert finish == ("tool_calls" if reason == "stop" and any(servers.parses(arguments) for _, arguments in calls) else reason), text
        if not reasoning:
            assert not thought
            rest = text.split("<tool_call>")[0].removesuffix("<|im_end|>")
            assert content.startswith(rest.rstrip()) and (good + doubtful or content == rest or "<tool_call>" in text), (text, content)


@pytest.mark.parametrize("reasoning", ["sluice_hermes", None])
@pytest.mark.parametrize("more", [{"tools": None}, {"tool_choice": "none"}])
def test_without_tools_a_call_is_text(reasoning, more):
    for text, *_ in servers.RESPONSES:
        text = text.removesuffix("<|im_end|>")
        asked = request(**more)
        found = whole(text, asked, composed(reasoning, given=asked.tools))
        assert found[2:] == ([], "stop")
        if not reasoning or "think>" not in text:
            assert found[:2] == (text, "")
        assert found[0].count("<tool_call>") + found[1].count("<tool_call>") == text.count("<tool_call>")
        for size in (1, 4, 1000):
            assert joined(text, request(**more), composed(reasoning, given=asked.tools), size) == found, (text, size)


@pytest.mark.parametrize("reasoning,tools", [("sluice_hermes", None), ("sluice_hermes", "hermes"), ("qwen3", "sluice_hermes")])
def test_beside_parsers_of_others(reasoning, tools):
    """Sluice's reasoning parser without its tool parser, and the other way round."""
    text = "<think>\nThe user asks.\n</think>\n\nLet me see." + CALL
    for size in (1, 2, 3, 1000):
        content, thought, calls, _ = joined(text, request(), composed(reasoning, tools), size)
        assert thought.strip() == "The user asks."
        if tools:
            assert content.strip() == "Let me see." and [(n, json.loads(a)) for n, a in calls] == [("get_weather", {"city": "Paris"})]
        else:
            assert content.strip() == "Let me see." + CALL


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_streaming_with_reasoning(size):
    text = "<think>\nThe user asks.\n</think>\n\nLet me see." + CALL + "\n" + CALL.replace("Paris", "Rome")
    content, thought, calls = streamed(text, size=size)
    assert thought == "The user asks." and content == "Let me see."
    assert calls == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_reasoning_that_the_prompt_opened(size):
    assert streamed("The user asks.</think>" + CALL, size=size, prompt="x<think>\n") == ("", "The user asks.", [("get_weather", {"city": "Paris"})])


def test_why_a_call_is_in_doubt_is_logged_once(caplog):
    for text, why in ((CALL[:-20], "the text ends inside the call"), (CALL.replace('"city": "Paris"', "bad"), "a key without a value")):
        caplog.clear()
        joined(text, request(), composed(), 4)
        (record,) = [record for record in caplog.records if record.name == "sluice.vllm"]
        assert "get_weather" in record.getMessage() and why in record.getMessage()


def test_special_tokens_stay_in_the_text():
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    assert parser.adjust_request(request()).skip_special_tokens is False
    assert parser.adjust_request(request()).structured_outputs is None


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_demanded_calls_are_constrained(choice):
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    outputs = parser.adjust_request(request(tool_choice=choice)).structured_outputs
    assert "get_weather" in (outputs.structural_tag or outputs.grammar)


def strict(**more):
    tools = [{"type": "function", "function": {**TOOLS[0]["function"], "strict": True}}]
    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "x"}], tools=tools, **more)


def test_structural_tags():
    assert composed().adjust_request(request()).structured_outputs is None
    tag = json.loads(composed().adjust_request(strict()).structured_outputs.structural_tag)
    assert tag["type"] == "structural_tag" and "get_weather" in json.dumps(tag["format"])
    one = composed().adjust_request(strict(parallel_tool_calls=False)).structured_outputs.structural_tag
    assert json.loads(one) != tag
    # without `strict`, one call at most takes a grammar, too
    assert composed().adjust_request(request(parallel_tool_calls=False)).structured_outputs.structural_tag == one


def test_what_a_grammar_leaves_out_is_logged_once(caplog):
    city = {"type": "string", "pattern": "slo", "maxLength": 9}
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"city": city}}}}]
    asked = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "x"}], tools=tools, tool_choice="required")
    for _ in range(2):
        tag = composed().adjust_request(asked.model_copy(deep=True)).structured_outputs.structural_tag
        assert '"maxLength": 9' in tag and "slo" not in tag
    (record,) = [record for record in caplog.records if record.name == "sluice.vllm"]
    assert record.getMessage() == "calls of hermes are constrained without f#/properties/city/pattern"


def test_a_response_format_beside_tools(monkeypatch):
    from vllm.parser import abstract_parser

    class Format(dict):  # XGrammar is a stand-in here
        def __init__(self, **fields):
            super().__init__(fields)
            self.__dict__.update(fields)

        def model_dump(self):
            return self

    for name in ("StructuralTag", "OrFormat", "JSONSchemaFormat"):
        monkeypatch.setattr(abstract_parser, name, Format)
    monkeypatch.setattr(abstract_parser, "_xgrammar_supports", lambda outputs: True)
    asked = composed().adjust_request(strict(response_format={"type": "json_object"}))
    calls, answer = json.loads(asked.structured_outputs.structural_tag)["format"]["elements"]
    assert "get_weather" in json.dumps(calls) and answer == {"json_schema": {"type": "object"}} and asked.response_format is None


def test_the_end_of_reasoning_is_found_by_ids(monkeypatch):
    tokenizer = Tokenizer()
    parser = ReasoningParserManager.get_reasoning_parser("sluice_hermes")(tokenizer)
    monkeypatch.setattr(Tokenizer, "decode", None)
    for text, ends, opens in (("x", False, False), ("x<think>a", False, True), ("x<think>a</think>", True, False), ("</think>b<think>", False, True)):
        ids = tokenizer.encode(text)
        parser.set_prompt_token_ids(ids)
        assert (parser.is_reasoning_end(ids), parser.inside) == (ends, opens), text
    ids = tokenizer.encode("<think>a</think>bc")
    assert [parser.is_reasoning_end_streaming(ids[:n], ids[n - 1:n]) for n in range(1, len(ids) + 1)][2]
    assert parser.extract_content_ids(ids) == tokenizer.encode("bc") and parser.extract_content_ids(ids[:2]) == []
    # a marker of several tokens
    thinking = ReasoningParserManager.get_reasoning_parser("sluice_cline")(tokenizer)
    assert not thinking.is_reasoning_end(tokenizer.encode("x<thinking>hm")) and thinking.is_reasoning_end(tokenizer.encode("x<thinking>hm</thinking>"))


def test_other_versions_are_named(monkeypatch):
    from sluice import _server

    monkeypatch.setattr(_server.metadata, "version", lambda name: "0.9.1")
    with pytest.raises(ImportError, match=r"vllm >= 0.33, < 0.34, not 0.9.1"):
        _server.check_version("vllm", "0.33", "0.34")
    monkeypatch.setattr(_server.metadata, "version", lambda name: "0.34.0rc1")
    with pytest.warns(RuntimeWarning, match="not 0.34.0rc1"):
        _server.check_version("vllm", "0.33", "0.34")


def test_ids_and_types():
    parser = ToolParserManager.get_tool_parser("sluice_hermes")(Tokenizer())
    delta = parser.extract_tool_calls_streaming("", CALL, CALL, [], [], [], request())
    assert delta.tool_calls[0].type == "function" and delta.tool_calls[0].id
    assert delta.model_dump(exclude_none=True)["tool_calls"][0]["function"]["name"] == "get_weather"


def test_the_time_of_a_response(capsys):
    """64 KiB of code as one argument, and a short response, in chunks of 4 characters: our plugin and vLLM's own parser, in turns. Reported."""
    code = ("def f(x):\n    return x + 1\n" * 3000)[:65536]
    long = "<tool_call>\n" + json.dumps({"name": "write", "arguments": {"code": code}}) + "\n</tool_call>"

    classes, tokenizer, asked = {name: type(composed(None, name)) for name in ("hermes", "sluice_hermes")}, Tokenizer(), request()

    def run(name, text):
        pieces, sent = [text[at:at + 4] for at in range(0, len(text), 4)], []
        began = time.process_time()
        parser = classes[name](tokenizer, asked.tools)
        for i, piece in enumerate(pieces):
            delta = parser.parse_delta(piece, [7], asked, prompt_token_ids=[], finished=i == len(pieces) - 1)
            for call in delta.tool_calls if delta else []:
                sent.append((call.function.arguments or "") if call.function else "")
        took = time.process_time() - began
        assert servers.parses("".join(sent))
        return took

    gc.collect()
    gc.freeze()  # the objects of the tests are not part of a server
    for what, text, times in (("64 KiB", long, 2), ("a short response", "Let me see." + CALL, 200)):
        took = {name: [] for name in classes}
        for _ in range(2):
            for name in classes:
                took[name] += [run(name, text) for _ in range(times)]
        theirs, ours = (sorted(column)[times] * 1000 for column in took.values())
        with capsys.disabled():
            print(f"\n{what} through vLLM's hermes parser {theirs:.2f} ms, through the plugin {ours:.2f} ms: {ours / theirs:.3f} of it")
