"""The binding's own interface."""

import asyncio
import doctest
import gc
import importlib
import importlib.metadata
import inspect
import json
import os
import shutil
import subprocess
import sys
import threading
import types

import pytest

import sluice
from sluice._engine import engine

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}]


@pytest.mark.parametrize("name", ["", "_stream", "_openai", "_result", "_engine", "chat_template"])
def test_doctests(name):
    module = importlib.import_module("sluice" + ("." + name if name else ""))
    assert doctest.testmod(module).failed == 0


def test_readme_doctests():
    for folder in ("..", os.path.join("..", "..", "..")):  # the binding's and the project's
        page = os.path.join(os.path.dirname(__file__), folder, "README.md")
        result = doctest.testfile(page, module_relative=False)
        assert result.attempted > 0 and result.failed == 0


def test_a_mark_in_every_direction():
    mark = sluice.mark()
    assert len(mark) == 8 and mark.isalnum() and mark != sluice.mark()
    calls = [{"name": "get_weather", "arguments": {"city": "Paris"}}]
    marked, opener = sluice.render("hermes", calls, mark=mark), f"<tool_call {mark}>"
    assert marked.startswith(opener) and sluice.render("hermes", calls) == CALL
    result = sluice.parse("hermes", CALL + marked, tools=TOOLS, mark=mark)
    assert [(c.name, c.arguments, c.valid) for c in result.calls] == [("get_weather", {"city": "Paris"}, True)]
    assert result.content.strip() == CALL  # a call without the mark is text
    assert sluice.render("hermes", result, mark=mark).count(opener) == 1
    assert opener in sluice.prompt("hermes", TOOLS, mark=mark) and opener not in sluice.prompt("hermes", TOOLS)
    for target in ("lark", "gbnf", "structural-tag"):
        assert mark in sluice.grammar("hermes", TOOLS, target, mark=mark)
    for refused in (lambda: sluice.render("kimi_k2", calls, mark=mark), lambda: sluice.prompt("kimi_k2", TOOLS, mark=mark),
                    lambda: sluice.grammar("kimi_k2", TOOLS, mark=mark), lambda: sluice.Stream("kimi_k2", mark=mark)):
        with pytest.raises(sluice.SluiceError, match="no place for a mark"):
            refused()
    with pytest.raises(sluice.SluiceError, match="mark"):
        sluice.render("hermes", calls, mark="<bad>")


@pytest.mark.parametrize("tools", [None, [], "[]"])
def test_nothing_is_known_to_be_valid_without_tools(tools):
    result = sluice.parse("hermes", CALL, tools=tools)
    assert (result.calls[0].status, result.calls[0].valid, result.errors) == ("complete", None, [])
    assert result.to_dict()["calls"][0]["valid"] is None


@pytest.mark.parametrize("kind", [str, bytes, bytearray, memoryview])
def test_kinds_of_input(kind):
    text = "Grüße" + CALL
    data = text if kind is str else kind(text.encode())
    assert sluice.parse("hermes", data).content == "Grüße"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 4095, 4096, 100000])
def test_chunks_do_not_matter(size):
    data = ("Grüße 👋 " * 700 + CALL + "\n<tool_call>\n" + json.dumps({"name": "f", "arguments": {"text": "ü" * 9000}})
            + "\n</tool_call>").encode()
    whole = sluice.parse("hermes", data).to_dict()
    collector, stream = sluice.Collector(), sluice.Stream("hermes")
    for at in range(0, len(data), size):
        collector.add(stream.feed(data[at:at + size]))
    cut = collector.add(stream.finish()).result().to_dict()
    for result in (whole, cut):
        for call in result["calls"]:
            del call["id"]
    assert cut == whole


def test_halves_of_surrogate_pairs():
    assert sluice.parse("hermes", "a\ud800b").content == "a\ufffdb"
    broken = sluice.parse("hermes", CALL.replace("Paris", "\ud83dx"))
    assert (broken.calls[0].arguments, [error.code for error in broken.errors]) == ({"city": "\ufffdx"}, ["invalid_utf8"])
    text = "a😀b" + json.dumps({"x": "😀"}, ensure_ascii=False)
    units = text.encode("utf-16-le")
    halves = [units[at:at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    assert sluice.Collector().add(sluice.Stream("hermes").events(halves)).result().content == text
    stream = sluice.Stream("hermes")
    for chunks, content in ((["a\ud83d"], "a\ufffd"), (["a\ud83d", b"b", "c"], "a\ufffdbc"), (["a\ud83d", "\ud83d", "", "\ude00"], "a\ufffd😀"),
                            (["a\ude00", "b"], "a\ufffdb")):
        assert "".join(e.text for e in stream.events(chunks)) == content
        stream.reset()
    assert [e.text for e in stream.feed("a\ud83d") + stream.feed_special("b")] == ["a", "\ufffd", "b"]
    stream.feed("\ud83d")
    assert [e.text for e in stream.reset().feed("\ude00")] == ["\ufffd"]


@pytest.mark.parametrize("size", [10, 5000])
def test_the_bytes_of_a_call(size):
    body = CALL.replace("Paris", "P" * size)
    result = sluice.parse("hermes", "Grüße" + body + "x", source=True)
    (call,) = result.calls
    assert (call.start, call.end, call.source) == (7, 7 + len(body), body)
    assert result.to_dict()["calls"][0]["source"] == body
    assert sluice.parse("hermes", body).calls[0].source is None


def test_what_json_can_say_and_python_cannot():
    text = '{"a": 1.50, "b": 12345678901234567890.5, "c": 1e400, "d": "\\ud83d", "e": ' + "9" * 5000 + ', "n": 12345678901234567890123}'
    result = sluice.parse("hermes", CALL.replace('{"city": "Paris"}', text))
    (call,) = result.calls
    assert call.arguments_json == text and call.status == "complete"
    assert [call.arguments[name] for name in "acen"] == [1.5, float("inf"), float("inf"), 12345678901234567890123]
    result.to_dict()
    for calls in (result, result.calls, result.to_openai_message()["tool_calls"]):  # digits stay
        assert '"a": 1.50, "b": 12345678901234567890.5, "c": 1e400' in sluice.render("hermes", calls)
    with pytest.raises(sluice.RefusedError, match="lone surrogate"):
        sluice.render("hermes", {"content": "a\ud83d"})
    assert sluice.parse("hermes", CALL, tools=[{"type": "function", "function": {"name": "get_weather", "description": "\ud83d"}}]).calls[0].valid


def test_events():
    events = [e for e in sluice.Stream("hermes").events([CALL[:30], CALL[30:]])]
    assert [e.type for e in events if e.type != "arguments"] == ["call_begin", "call_end"]
    begin = events[0]
    assert (begin.index, begin.name, begin.text) == (0, "get_weather", None)
    assert begin.to_dict()["name"] == "get_weather" and "text" not in begin.to_dict()
    assert "get_weather" in repr(begin)
    with pytest.raises(AttributeError):
        begin.name = "other"


def test_reset_and_state():
    stream = sluice.Stream("hermes")
    assert stream.state() == ("text", None, 0)
    stream.feed(CALL[:50])
    assert stream.state()[:2] == ("call", "get_weather")
    assert stream.reset() is stream
    assert [e.text for e in stream.feed("Hi")] == ["Hi"]
    with pytest.raises(TypeError):
        list(stream.events([CALL[:50], 5]))
    assert [e.text for e in stream.events(["Hi"])] == ["Hi"]


def test_options():
    stream = sluice.Stream("hermes", markup=True, calls="whole")
    assert any(e.type == "markup" for e in stream.feed(CALL))
    assert sluice.parse("hermes", "x</think>y", start="reasoning").reasoning == "x"
    assert len(sluice.parse("hermes", CALL + CALL, max_calls=1).calls) == 1
    assert len(sluice.parse("hermes", CALL + CALL, max_calls=0).calls) == 2


@pytest.mark.parametrize("run, kind, code, said", [
    (lambda: sluice.Stream("herms"), sluice.NotFoundError, "not_found", "hermes"),
    (lambda: sluice.Stream("hermes", call="whole"), sluice.ArgumentError, "argument", "calls"),
    (lambda: sluice.parse("hermes", "x", calls="hole"), sluice.ArgumentError, "argument", "whole"),
    (lambda: sluice.parse("hermes", "x", tools="["), sluice.JsonError, "json", "."),
    (lambda: sluice.render("hermes", "{"), sluice.JsonError, "json", "."),
    (lambda: sluice.render("herms", []), sluice.NotFoundError, "not_found", "hermes"),
    (lambda: sluice.wire("herms", b""), sluice.NotFoundError, "not_found", "hermes"),
    (lambda: sluice.syntax_for("nothing like it"), sluice.NotFoundError, "not_found", "."),
    (lambda: sluice.load("/does/not/exist.lua"), sluice.NotFoundError, "not_found", "."),
    (lambda: sluice.grammar("hermes", TOOLS, "bnf"), sluice.SluiceError, None, "gbnf"),
])
def test_failures_are_exceptions_with_codes(run, kind, code, said):
    with pytest.raises(kind, match=said) as caught:
        run()
    assert code is None or caught.value.code == code
    assert str(caught.value)


def test_a_finished_stream_refuses_more():
    stream = sluice.Stream("hermes")
    stream.finish()
    with pytest.raises(sluice.MisuseError):
        stream.feed("x")


def test_wrong_types():
    with pytest.raises(TypeError):
        sluice.Stream("hermes").feed(3)
    with pytest.raises(TypeError):
        sluice.Stream(3)
    with pytest.raises(TypeError):
        sluice.parse("hermes", "x", tools=[object()])
    with pytest.raises(sluice.ArgumentError, match="'calls' must be a string, not a number"):
        sluice.Stream("hermes", calls=3)
    for chunk in (3, [72, 105], {}, object()):
        with pytest.raises(TypeError, match="a chunk must be a str or bytes"):
            sluice.Stream("hermes").feed(chunk)
        with pytest.raises(TypeError, match="a chunk must be a str or bytes"):
            sluice.Stream("hermes").feed_special(chunk)
    for options in ({"markup": "no"}, {"strict": 1.0}, {"max_calls": "1"}, {"max_calls": -1}, {"limit_held": 1 << 80}, {"mark": "a\0b"},
                    {"strickt": None}):
        with pytest.raises((TypeError, ValueError), match=f"option '{next(iter(options))}'"):
            sluice.Stream("hermes", **options)
    for tools in (3, TOOLS[0], {}):
        with pytest.raises(TypeError, match="tools must be a list"):
            sluice.parse("hermes", "x", tools=tools)
    with pytest.raises(sluice.RefusedError, match="no name"):
        sluice.render("hermes", [{"type": "function", "function": {"arguments": "{}"}}])
    with pytest.raises(sluice.SluiceError, match="target"):
        sluice.grammar("hermes", TOOLS, None)  # not a prompt


def test_all_syntaxes_are_listed_at_most_once(monkeypatch, tmp_path):
    """Listing them takes milliseconds: no stream, and no further parser of a server, waits for it."""
    script = tmp_path / "mine.lua"
    script.write_text('return inherit("hermes", { name = "mine", family = "json", origin = "a test" })')
    listed, own = [], engine()
    whole = type(own).syntaxes
    monkeypatch.setattr(type(own), "syntaxes", lambda self: listed.append(self) or whole(self))
    own.forget()
    for name in ("hermes", "qwen2.5", "auto", "auto:hermes,mistral", "Qwen/Qwen3-8B", str(script)):
        assert sluice.Stream(name).feed("Hello there")[0].type == "text"
    assert listed == []
    for _ in range(3):
        assert own.entry("qwen2.5")["name"] == own.entry("Qwen/Qwen3-8B")["name"] == "hermes"
        assert own.entry("auto")["reasoning"] == []
    assert len(listed) == 1
    for i in range(40):
        sluice.Stream(f"Qwen/Qwen3-8B-{i}")
    assert len(own.names) < 40  # clients choose them


def test_render_and_its_inputs():
    result = sluice.parse("hermes", CALL)
    for calls in (result, result.calls, [call.to_openai() for call in result.calls],
                  [{"name": "get_weather", "arguments": {"city": "Paris"}}],
                  '[{"name": "get_weather", "arguments": {"city": "Paris"}}]'):
        assert sluice.render("hermes", calls) == CALL
    turn = sluice.render("hermes", {"reasoning": "r", "content": "c", "calls": result.calls})
    again = sluice.parse("hermes", turn)
    assert (again.reasoning, again.content, again.calls[0].arguments) == ("r", "c", {"city": "Paris"})


def test_grammar_and_prompt():
    assert "get_weather" in sluice.grammar("hermes", TOOLS, "lark", tool_choice="required")
    assert "get_weather" in sluice.prompt("hermes", TOOLS)
    json.loads(sluice.grammar("hermes", TOOLS, "structural-tag"))
    one = sluice.grammar("hermes", TOOLS, "gbnf", max_calls=1, relax=True)
    assert one == sluice.grammar("hermes", TOOLS, "gbnf", parallel=False) != sluice.grammar("hermes", TOOLS, "gbnf")


def test_tools():
    tools = sluice.Tools(TOOLS)
    for form in (tools, TOOLS, tools.json, tools.json.encode(), tuple(TOOLS)):
        result = sluice.parse("hermes", CALL.replace("get_weather", "other"), tools=form)
        assert [e.code for e in result.errors] == ["unknown_tool"]


def test_load(tmp_path):
    script = tmp_path / "stars.lua"
    script.write_text('local s = require "sluice.syntax"\n'
                      'return s.syntax { api = 3, name = "stars_py", call = { "***\\n", s.json { name = "n", args = "a" }, "\\n***" },\n'
                      '  examples = { { text = \'***\\n{"n": "f", "a": {}}\\n***\', calls = { { name = "f", arguments = {} } } } } }\n')
    text = '***\n{"n": "f", "a": {"x": 1}}\n***'
    seen = []
    sluice.load(script)
    thread = threading.Thread(target=lambda: seen.append(sluice.parse("stars_py", text)))
    thread.start()
    thread.join()
    assert sluice.parse("stars_py", text).calls[0].arguments == {"x": 1} == seen[0].calls[0].arguments
    assert sluice.parse(str(script), text).calls[0].name == "f"
    bad = tmp_path / "bad.lua"
    bad.write_text("return 3")
    with pytest.raises(sluice.ScriptError, match="bad.lua"):
        sluice.load(bad)
    ran = subprocess.run([sys.executable, "-c", "import sluice; print(sluice.parse('hermes', 'Hi').content)"],
                         env={**os.environ, "SLUICE_PATH": str(tmp_path)}, capture_output=True, text=True)
    assert ran.stdout == "Hi\n" and "bad.lua" in ran.stderr


def test_openai():
    message = sluice.to_openai_message("hermes", "<think>r</think>Hi." + CALL)
    assert message["role"] == "assistant" and message["content"] == "Hi." and message["reasoning_content"] == "r"
    assert message["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    pieces = list(sluice.deltas("hermes", [("Hi." + CALL)[at:at + 3] for at in range(0, len(CALL) + 3, 3)]))
    assert "".join(d.get("content", "") for d in pieces) == "Hi."
    for text, reason in (("Hi.", "stop"), (CALL, "tool_calls"), (CALL[:-20], "length"), (CALL + CALL[:-20], "tool_calls")):
        made = sluice.Deltas()
        list(made.add(sluice.Stream("hermes").events([text])))
        assert made.finish_reason == reason
    heads = [c for d in pieces for c in d.get("tool_calls", []) if "id" in c]
    assert [c["function"]["name"] for c in heads] == ["get_weather"]
    assert "".join(c["function"]["arguments"] for d in pieces for c in d.get("tool_calls", [])) == '{"city": "Paris"}'


def joined_deltas(chunks, **options):
    """The content, what else came, and the arguments of each call."""
    content, others, calls = "", [], {}
    for delta in sluice.deltas("hermes", chunks, **options):
        content += delta.get("content", "")
        others += [name for name in delta if name not in ("content", "tool_calls")]
        for call in delta.get("tool_calls", []):
            calls[call["index"]] = calls.get(call["index"], "") + call["function"]["arguments"]
    return content, others, list(calls.values())


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_arguments_in_doubt_do_not_parse(size):
    """The library closes them; what goes to a client lacks the last brace, streamed and whole."""
    for text, whole in ((CALL, True), (CALL[:-15], False), (CALL[:-20], False), (CALL.replace('"city": "Paris"', "bad"), False),
                        (CALL.replace('"Paris"', '{"a": {"b": "}"}}'), True)):
        message = sluice.to_openai_message("hermes", text)
        _, _, (arguments,) = joined_deltas([text[at:at + size] for at in range(0, len(text), size)])
        assert arguments == message["tool_calls"][0]["function"]["arguments"]
        assert arguments == sluice.parse("hermes", text).calls[0].arguments_json[:None if whole else -1]
        made = sluice.Deltas()
        list(made.add(sluice.Stream("hermes").events([text])))
        assert made.finish_reason == ("tool_calls" if whole else "length")


def test_doubt_that_is_found_after_the_end_of_a_call():
    """A whole response says it of the call; deltas, which are already sent, in the finish reason."""
    text = "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>\n</parameter>\n</function>\n</tool_call>"
    assert sluice.parse("qwen3_coder", text).calls[0].status == "incomplete"
    events, made, out = list(sluice.Stream("qwen3_coder").events([text])), sluice.Deltas(), sluice.Outgoing()
    (call,) = out.fields(events)["tool_calls"]
    assert call["function"]["arguments"] == sluice.to_openai_message("qwen3_coder", text)["tool_calls"][0]["function"]["arguments"] == '{"a":"x"'
    assert (out.good, out.reasons) == (0, [("f", "the text after the call is damaged")])
    assert list(made.add(events)) and made.finish_reason == "length"


def test_chunks_of_a_server():
    text = "Hi." + CALL
    pieces = [text[at:at + 5] for at in range(0, len(text), 5)]
    dicts = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    dicts[1:1] = [{"choices": []}, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": None, "reasoning_content": "hm"}}]},
                  {"choices": [{"index": 1, "delta": {"content": "another choice"}}]}, None]
    objects = [json.loads(json.dumps(chunk), object_hook=lambda members: types.SimpleNamespace(**members)) for chunk in dicts]
    assert joined_deltas(pieces) == joined_deltas([None, *pieces, None]) == ("Hi.", [], ['{"city": "Paris"}'])
    assert joined_deltas({"choices": [{"index": 0, "text": piece}]} for piece in pieces) == joined_deltas(pieces)
    by_server = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}}]}
    assert joined_deltas([CALL, by_server, by_server])[2] == ['{"city": "Paris"}', "{}{}"]
    assert joined_deltas(dicts) == joined_deltas(objects) == ("Hi.", ["reasoning_content"], ['{"city": "Paris"}'])
    assert [event.to_dict()["type"] for event in sluice.iterate("hermes", objects)][-1] == "call_end"
    for chunk, what in ((5, "int"), ({"object": "chat.completion", "choices": [{"message": {"content": text}}]}, "chat.completion$")):
        with pytest.raises(TypeError, match=f"not {what}"):
            list(sluice.deltas("hermes", [chunk]))
    error = {"message": "overloaded"}
    for chunk in ({"choices": [], "error": error}, {"error": "overloaded"}, {"choices": [{"delta": {}, "error": error}]}, {"object": "error", **error}):
        with pytest.raises(sluice.SluiceError, match="overloaded"):
            list(sluice.deltas("hermes", ["Hi", chunk]))
    with pytest.raises(sluice.SluiceError, match="turn off its tool parser"):
        list(sluice.iterate("hermes", [by_server]))
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]  # Mistral's
    for delta in ({"reasoning_content": "hm"}, {"content": thinking}):  # text follows, whatever `start` says
        chunks = [{"choices": [{"delta": delta}]}, {"choices": [{"delta": {"content": [{"type": "text", "text": "Hi"}]}}]}, {"choices": None}]
        for syntax, options in (("Qwen/Qwen3-4B-Thinking-2507", {}), ("hermes", {"prompt": "<think>"})):
            assert list(sluice.deltas(syntax, chunks, **options)) == [{"reasoning_content": "hm"}, {"content": "Hi"}]
            assert [event.type for event in sluice.Stream(syntax, **options).events(chunks)] == ["text"]

    stream, by_server = sluice.Stream("hermes", tools=TOOLS, start="reasoning"), {"choices": [{"delta": {"reasoning": "hm"}}]}
    for _ in range(2):
        states = [(stream.state()[0], stream.closing()) for _ in stream.events([by_server, by_server, CALL[:60], CALL[60:]])]
        assert ("call", '"}') in states and stream.counts()["valid"] == 1
        assert [event.type for event in stream.reset().feed("Hi")] == ["reasoning"]

    class Slots:
        __slots__, content = ("reasoning_content",), property(lambda self: text)
    assert [event.text for event in sluice.iterate("hermes", [types.SimpleNamespace(choices=[types.SimpleNamespace(delta=Slots())])])][0] == "Hi."

    async def asynchronous():
        async def source():
            for chunk in dicts:
                yield chunk
        return [delta async for delta in sluice.deltas("hermes", source())], [event.type async for event in sluice.iterate("hermes", source())]

    streamed, types_of_events = asyncio.run(asynchronous())
    assert sum("tool_calls" in delta for delta in streamed) > 1 and "call_begin" in types_of_events

    class Both(list):  # as LiteLLM's
        async def __aiter__(self):
            for chunk in self:
                yield chunk

    async def of_both():
        return [event.type async for event in sluice.iterate("hermes", Both(dicts))]

    assert joined_deltas(Both(dicts)) == joined_deltas(dicts)
    assert asyncio.run(of_both()) == [event.type for event in sluice.iterate("hermes", Both(dicts))]


def test_models_as_tools():
    pydantic = pytest.importorskip("pydantic")

    class Place(pydantic.BaseModel):
        name: str

    class get_weather(pydantic.BaseModel):  # noqa: N801
        """The weather of a place."""

        place: Place
        days: int = 1

    text = CALL.replace('"city": "Paris"', '"place": {"name": "Paris"}%s')
    good, bad = (sluice.parse("hermes", text % more, tools=[get_weather]).calls[0] for more in ("", ', "days": "x"'))
    assert good.valid and not bad.valid and get_weather.model_validate_json(good.arguments_json).place.name == "Paris"
    assert "The weather of a place." in sluice.prompt("hermes", [get_weather])


def test_types(tmp_path):
    """The types name the library's options, and `mypy --strict` refuses others."""
    for name in sluice.Options.__annotations__:  # tests/spec/options_spec.lua finds each of the library's in them
        with pytest.raises(sluice.ArgumentError, match=f"the option '{name}' must be"):
            sluice.Stream("hermes", **{name: []})
    for method in ("feed", "finish", "feed_special", "closing", "state", "reset"):
        assert "self" in str(inspect.signature(getattr(sluice.Stream, method)))
    pytest.importorskip("mypy")
    lines = ['sluice.Stream("hermes", calls="whole", tools=[])', 'sluice.Stream("hermes", strat="text")', 'sluice.parse("hermes", "", start="txt")',
             'sluice.grammar("hermes", [], "gnbf")', 'print([e.type == "txt" for e in sluice.iterate("hermes", [None])])']
    (tmp_path / "use.py").write_text("import sluice\n" + "\n".join(lines) + "\n")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "use.py"], cwd=tmp_path, capture_output=True, text=True)
    assert sorted({line.split(":")[1] for line in ran.stdout.splitlines() if ": error:" in line}) == ["3", "4", "5", "6"], ran.stdout
    shutil.copytree(os.path.join(os.path.dirname(__file__), "..", "sluice"), tmp_path / "sluice")  # mypy is silent about installed packages
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "sluice/__init__.py", "sluice/__main__.py"], cwd=tmp_path,
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def test_threads():
    """Eight threads with an engine each, and one stream handed from thread to thread."""
    long = "x" * 5000 + CALL * 20
    problems = []

    def work():
        try:
            for _ in range(20):
                assert len(sluice.parse("hermes", long).calls) == 20
                assert sluice.render("hermes", [{"name": "get_weather", "arguments": {"city": "Paris"}}]) == CALL
        except BaseException as error:  # noqa: BLE001 - reported below
            problems.append(error)

    shared = sluice.Stream("hermes")

    def share():
        try:
            for _ in range(50):
                shared.feed("plain text " * 1000)
                shared.feed("b")
                shared.state()
        except BaseException as error:  # noqa: BLE001
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)] + [threading.Thread(target=share) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_engines_of_ended_threads_are_used_again():
    from sluice import _engine

    def run():
        sluice.parse("hermes", CALL)

    for _ in range(50):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    gc.collect()
    assert len(_engine._idle) <= 14


def test_memory_under_repeated_use():
    """Memory does not grow with the number of responses, once the collectors have found their pace."""
    resource = pytest.importorskip("resource")

    def rounds(n):
        for i in range(n):
            stream = sluice.Stream("hermes", tools=TOOLS)
            for at in range(0, len(CALL), 9):
                stream.feed(CALL[at:at + 9])
            stream.finish()
            sluice.parse("hermes", "y" * 6000 + CALL)
            try:
                sluice.render("hermes", "[3]")
            except sluice.SluiceError:
                pass
            sluice.parse("hermes", "x", tools=json.dumps([{"type": "function", "function": {"name": f"f{i % 100}"}}]))

    rounds(3000)
    gc.collect()
    before, blocks = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sys.getallocatedblocks()
    rounds(5000)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 2000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB


def test_each_interpreter_has_exceptions_of_its_own():
    interpreters = pytest.importorskip("_xxsubinterpreters")
    own = interpreters.create()
    interpreters.run_string(own, "import sluice\ntry: sluice.Stream('nope')\nexcept sluice.NotFoundError: pass")
    interpreters.destroy(own)
    with pytest.raises(sluice.NotFoundError):
        sluice.Stream("nope")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_engines_of_its_own():
    sluice.parse("hermes", CALL)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if sluice.parse("hermes", CALL).calls[0].name == "get_weather" else 1)
        except BaseException:  # noqa: BLE001
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_the_command():
    def run(*arguments, text=""):
        return subprocess.run([sys.executable, "-m", "sluice", *arguments], input=text, capture_output=True, text=True, timeout=600)

    ran = run("parse", "-s", "hermes", text=CALL)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["calls"][0]["arguments"] == {"city": "Paris"}
    assert sluice.version in run("--version").stdout
    assert run("parse", "-s", "herms", text="x").returncode == 1


def test_notices_are_shipped():
    files = {file.name: file for file in importlib.metadata.files("sluice") if ".dist-info" in str(file)}
    assert "Permission is hereby granted" in files["LICENSE"].read_text()
    for name in ("Lua.org", "Dave Gamble", "Peter Melnichenko"):
        assert name in files["THIRD_PARTY_LICENSES"].read_text()


def test_an_sdist_without_the_library_is_refused(tmp_path):
    pytest.importorskip("scikit_build_core")
    here = os.path.join(os.path.dirname(__file__), "..")
    made = subprocess.run([sys.executable, "-c", "from scikit_build_core.build import build_sdist; build_sdist(%r)" % str(tmp_path)],
                          cwd=here, capture_output=True, text=True)
    assert made.returncode != 0 and "build-dist" in made.stdout + made.stderr and list(tmp_path.iterdir()) == []


def test_wire() -> None:
    body = {"choices": [{"message": {"content": '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'}, "finish_reason": "stop"}], "x": 1}
    answer = json.loads(sluice.wire("hermes", json.dumps(body)))
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert (answer["choices"][0]["finish_reason"], answer["x"]) == ("tool_calls", 1)
    assert json.loads(sluice.wire("hermes", json.dumps(body).encode(), tools=[], unknown_tools="text")) == body
    assert sluice.wire("hermes", json.dumps(body), "openai", "anthropic").startswith(b"event: message_start")
    assert b'"content":"Hi"' in sluice.wire("QwQ-32B", '{"choices":[{"message":{"content":"hm</think>Hi"}}]}')
    given = ({}, {"start": "text"}, {"prompt": "x"})
    assert [sluice.parse("QwQ-32B", "hm</think>Hi", **options).reasoning for options in given] == ["hm", None, None]
    error = b'{"error":"no such model"}'
    assert sluice.wire("hermes", error, "ollama") == error
    assert b'"message":"no such model"' in sluice.wire("hermes", error, "ollama", "anthropic")
    with pytest.raises(sluice.ArgumentError, match="opnai.*openai"):
        sluice.wire("hermes", b"", "opnai")
    with pytest.raises(sluice.ArgumentError, match="strickt.*strict"):
        sluice.wire("hermes", b"", strickt=True)
