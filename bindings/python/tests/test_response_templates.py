"""Response templates as syntaxes: the cases of transformers' own tests, and a comparison with transformers' own parser."""

import glob
import json
import os
import re

import pytest

import sluice

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..", "tests")
DATA = os.path.join(ROOT, "data", "response_templates")
CASES = [json.loads(line) for line in open(os.path.join(DATA, "cases.jsonl"), encoding="utf-8")]

# Cases with a different result, and why.
ARGUED = {
    # the generation completes a delimiter that the prompt began: a stream gets the whole prompt, to find where it starts
    "hf/response_template/prefix/partial_delimiter_at_boundary",
}

# The syntaxes whose conformance texts each template reads.
SYNTAXES = {
    "cohere": ["cohere", "command_r"], "ernie": ["ernie45"], "gpt_oss": ["harmony"], "smollm": ["hermes"], "qwen3": ["qwen3_coder"],
    "gemma4": ["gemma4"], "inkling": ["inkling"], "serve_qwen": ["hermes"], "muse_glimmer": ["muse_glimmer"], "trl_qwen3": ["hermes"],
    "trl_qwen3_5": ["qwen3_coder"], "trl_glm4moe": ["glm45", "glm47"], "trl_llama3": ["llama3_json"], "trl_gptoss": ["harmony"],
    "trl_lfm2_5": ["lfm2"], "trl_nemotron_3": ["qwen3_coder"], "trl_gemma4": ["gemma4"], "trl_deepseek_r1_distill": ["deepseek_v3"],
}


def fold(text):
    return re.sub(r"\s+", " ", text or "").strip()


def read(path, case, size):
    options = {"prompt": case["prefix"]} if case.get("prefix") else {}
    stream, collector = sluice.Stream(path, tools=case.get("tools"), **options), sluice.Collector()
    data = case["input"].encode()
    for at in range(0, len(data), size or len(data) or 1):
        collector.add(stream.feed(data[at:at + (size or len(data) or 1)]))
    return collector.add(stream.finish()).result()


def bare(result):
    out = result.to_dict()
    for call in out["calls"]:
        del call["id"]
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"].split("/", 2)[2])
def test_case(case, tmp_path):
    path = os.path.join(DATA, "templates", f"{case['template']}.json")
    if not isinstance(case["template"], str):
        path = str(tmp_path / "template.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(case["template"], file)
    if case.get("template_error"):
        with pytest.raises(sluice.ScriptError, match="response template"):
            sluice.Stream(path)
        return
    results = [read(path, case, size) for size in (0, 1, 2, 3, 7)]
    assert all(bare(result) == bare(results[0]) for result in results)
    if case.get("error") or case["id"] in ARGUED:
        return
    result, expect = results[0], case["expect"]
    if "content" in expect:
        assert fold(result.content) == fold(expect["content"])
    if "reasoning" in expect:
        assert fold(result.reasoning) == fold(expect["reasoning"])
    if "calls" in expect:
        assert [(c.name, c.arguments) for c in result.calls] == [(c["name"], c["arguments"]) for c in expect["calls"]]


def test_a_tokenizer_configuration_holds_its_template(tmp_path):
    template = json.load(open(os.path.join(DATA, "templates", "trl_qwen3.json")))
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"tokenizer_class": "Qwen2Tokenizer", "response_template": template}))
    text = '<think>x</think>\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call><|im_end|>'
    result = sluice.parse(str(path), text)
    assert (result.reasoning, result.content, result.calls[0].arguments) == ("x", None, {"a": 1})
    path.write_text(json.dumps({"tokenizer_class": "Qwen2Tokenizer"}))
    with pytest.raises(sluice.ScriptError, match="no response_template"):
        sluice.parse(str(path), text)


def test_a_template_does_not_take_the_place_of_a_syntax():
    sluice.Stream(os.path.join(DATA, "templates", "gemma4.json"))
    assert [s["source"] for s in sluice.syntaxes() if s["name"] == "gemma4"][0]


def test_arguments_stream():
    stream = sluice.Stream(os.path.join(DATA, "templates", "trl_qwen3.json"))
    events = stream.feed('<tool_call>\n{"name": "write", "arguments": {"text": "line one and')
    assert [e.type for e in events if e.type != "markup"][:2] == ["call_begin", "arguments"]
    assert "line one" in "".join(e.text for e in events if e.type == "arguments")


@pytest.mark.parametrize("pattern, what", [(r"(?<=xx)y", "lookbehind"), (r"(?<!x)y", "lookbehind"), (r"a++", "possessive"), (r"\p{L}", "escape"), (r"(a", r"no \)"),
                                           (r"[a", r"no \]"), (r"*", "nothing before")])
def test_regular_expressions_that_are_not_supported_are_refused_by_name(pattern, what, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"start_anchor": "a", "fields": {"content": {"open_pattern": pattern, "close": "x"}}}))
    with pytest.raises(sluice.ScriptError, match=what):
        sluice.Stream(str(path))


def message_of(result):
    return fold(result.content), fold(result.reasoning), [(call.name, call.arguments) for call in result.calls]


def argued(want, got):
    """Two differences are intended: a later segment does not take back text that was sent, and arguments are an object."""
    calls = [(name, arguments) for name, arguments in want[2]]
    if any(not isinstance(arguments, dict) for _, arguments in calls):
        return True
    text = want[1] == got[1] and calls == got[2] and got[0].endswith(want[0])
    return text


@pytest.mark.parametrize("template", sorted(SYNTAXES))
def test_transformers_reads_the_same(template):
    parsing = pytest.importorskip("transformers.utils.chat_parsing", reason="transformers is not installed: bindings/python/test --servers")
    path = os.path.join(DATA, "templates", f"{template}.json")
    schema = json.load(open(path))
    same = meant = 0
    for name in SYNTAXES[template]:
        for line in open(os.path.join(ROOT, "conformance", f"{name}.jsonl"), encoding="utf-8"):
            case = json.loads(line)
            if case.get("start") or case.get("prompt"):
                continue
            try:
                message = parsing.parse_response(case["text"], schema, prefix="", tools=case.get("tools"))
                calls = message.get("tool_calls") or []
                calls = [calls] if isinstance(calls, dict) else calls
                calls = [(c["function"]["name"], c["function"].get("arguments") if "arguments" in c["function"] else {}) for c in calls]
            except Exception:  # noqa: BLE001 - it raises for malformed regions, which we accept
                continue
            want = fold(message.get("content")), fold(message.get("thinking") or message.get("reasoning_content")), calls
            case["input"] = case["text"]
            got = message_of(read(path, case, 0))
            assert message_of(read(path, case, 1)) == got, case["id"]
            same += want == got
            meant += want != got
            assert want == got or argued(want, got), case["id"]
    assert same > 0
    print(f"{template}: {same} the same, {meant} argued")


@pytest.mark.parametrize("syntax", [s["name"] for s in sluice.syntaxes()])
def test_an_exported_template_is_read_as_the_syntax(syntax, tmp_path):
    """By our own reader of templates: the core cases whose text the syntax reads as the case expects."""
    try:
        text = sluice.export(syntax)
    except sluice.RefusedError as error:
        assert syntax in str(error)
        return
    path = tmp_path / "template.json"
    path.write_text(text, encoding="utf-8")
    assert sluice.parse(str(path), "Hello").content == "Hello"


def loosely(a, b):
    """Equal values; text in tags may be typed or not if no tools declare its type."""
    if isinstance(a, str) != isinstance(b, str):
        text, value = (a, b) if isinstance(a, str) else (b, a)
        for form in (text, text.strip(), text.strip().lower(), {"None": "null"}.get(text.strip(), text)):
            try:
                if json.loads(form) == value:
                    return True
            except ValueError:
                pass
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(loosely(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(loosely(x, y) for x, y in zip(a, b))
    return a == b


def test_transformers_reads_exported_templates_as_we_read_the_syntax(capsys):
    """At least 40 syntaxes, and at least 98 % of their core cases."""
    parsing = pytest.importorskip("transformers.utils.chat_parsing", reason="transformers is not installed: bindings/python/test --servers")
    exported = same = total = 0
    for path in sorted(glob.glob(os.path.join(ROOT, "conformance", "*.jsonl"))):
        name = os.path.basename(path)[:-6]
        try:
            template = json.loads(sluice.export(name))
        except sluice.RefusedError:
            continue
        exported += 1
        for line in open(path, encoding="utf-8"):
            case = json.loads(line)
            if case["class"] != "core" or case.get("start") or case.get("prompt"):
                continue
            total += 1
            want = message_of(sluice.parse(name, case["text"], tools=case.get("tools")))
            try:
                message = parsing.parse_response(case["text"], template, prefix="", tools=case.get("tools"))
            except Exception:  # noqa: BLE001 - counted as different
                continue
            calls = message.get("tool_calls") or []
            calls = [calls] if isinstance(calls, dict) else calls
            got = [(c["function"]["name"], c["function"].get("arguments")) for c in calls]
            equal = (lambda a, b: a == b) if case.get("tools") else loosely
            same += (fold(message.get("content")), fold(message.get("thinking"))) == want[:2] and len(got) == len(want[2]) and all(
                a[0] == b[0] and equal(a[1], b[1]) for a, b in zip(got, want[2]))
    with capsys.disabled():
        print(f"\n{exported} syntaxes as response templates; transformers reads {same} of {total} core cases as we do")
    assert exported >= 40 and same >= 0.98 * total


def test_thousands_of_templates_do_not_fill_an_engine(tmp_path):
    """An engine holds 64 MiB of scripts; it used to fill up after a few hundred templates."""
    template = sluice.export("hermes")
    for number in range(400):
        path = tmp_path / f"template{number}.json"
        path.write_text(template, encoding="utf-8")
        assert sluice.parse(str(path), "Hello").content == "Hello"
    assert len(sluice.syntaxes()) < 300
