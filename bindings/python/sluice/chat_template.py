"""From a chat template to a syntax: `python -m sluice infer --template FILE`, and `sluice.from_chat_template`.

A model brings its format along as a Jinja template that writes conversations. Conversations with known calls are rendered by
the real Jinja2, as transformers sets it up; what the model would have written is cut out by difference; the
known syntaxes are tried on it, and `infer` finds a new one where none of them reads it. What was found is checked on further turns.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Union

from . import _sluice
from ._engine import engine
from ._errors import RefusedError, SluiceError
from ._result import Result
from ._stream import parse

TOOLS = [
    {"type": "function", "function": {"name": "find_zanzibar", "description": "Finds a place.", "parameters": {
        "type": "object", "properties": {"place": {"type": "string", "description": "Where"},
                                         "count": {"type": "integer", "description": "How many"}}, "required": ["place"]}}},
    {"type": "function", "function": {"name": "write_quokka", "description": "Writes a file.", "parameters": {
        "type": "object", "properties": {"path": {"type": "string", "description": "Path"}, "text": {"type": "string", "description": "Text"},
                                         "options": {"type": "object", "description": "Options"}, "lines": {"type": "array", "description": "Lines"},
                                         "force": {"type": "boolean", "description": "Force"}}, "required": ["path"]}}},
    {"type": "function", "function": {"name": "ping_okapi", "description": "Pings.", "parameters": {"type": "object", "properties": {}}}},
]

FIND = ("find_zanzibar", {"place": "Xanadu-9417", "count": 90817})
FIND_2 = ("find_zanzibar", {"place": "Lower Saxony", "count": 3})
WRITE = ("write_quokka", {"path": "a/b.txt", "text": "one line"})
PROSE, THOUGHT = "Let me look that up for you.", "The user wants to know a place."

# Turns that a syntax is inferred from, and turns that it is checked on: (reasoning, content, calls).
LEARN = [
    (None, None, [FIND]), (None, None, [WRITE]), (None, None, [FIND, WRITE]), (None, None, [WRITE, FIND_2]), (None, PROSE, [FIND]),
    (THOUGHT, None, [FIND_2]), (THOUGHT, PROSE, [FIND, WRITE]),
]
CHECK = [
    (None, None, [("write_quokka", {"path": "say \"hi\"", "text": "it's"})]),
    (None, None, [("write_quokka", {"path": "c.py", "text": "def f(x):\n    return x + 1\n\nprint(f(2))"})]),
    (None, None, [("find_zanzibar", {"place": "Zürich 北京 🎉", "count": -12})]),
    (None, None, [("write_quokka", {"path": "d", "options": {"mode": "w", "deep": {"list": [1, 2, "three"]}}, "lines": ["x", "y z"]})]),
    (None, None, [("ping_okapi", {})]),
    (None, PROSE, [("ping_okapi", {}), FIND]),
    (THOUGHT, None, [("write_quokka", {"path": "e", "text": "a <b> & c"})]),
    (None, "Nothing to call: 1 < 2.", []),
    (THOUGHT, "All done.", []),
]


class TemplateError(SluiceError, ValueError):
    """The chat template cannot be rendered, or no calls can be seen in what it renders."""

    code = "refused"


def _load(template: Any) -> tuple[str, dict[str, str]]:
    """The template's text, and the special tokens that it may name."""
    tokens: dict[str, str] = {"bos_token": "", "eos_token": ""}
    if isinstance(template, (str, os.PathLike)) and (isinstance(template, os.PathLike) or "{" not in template):
        with open(template, encoding="utf-8") as file:
            text = file.read()
        if not str(template).endswith(".json") and not text.lstrip().startswith('{"'):
            return text, tokens
        template = json.loads(text)
    if isinstance(template, str):
        return template, tokens
    for name in ("bos_token", "eos_token", "pad_token", "unk_token"):
        value = template.get(name)
        value = value.get("content") if isinstance(value, dict) else value
        if isinstance(value, str):
            tokens[name] = value
    found = template.get("chat_template")
    if isinstance(found, list):
        named = {entry["name"]: entry["template"] for entry in found}
        found = named.get("tool_use") or named.get("default") or next(iter(named.values()), None)
    if not isinstance(found, str):
        raise TemplateError("there is no chat_template in it")
    return found, tokens


def _environment(mutable: bool) -> Any:
    """Jinja as transformers sets it up for chat templates."""
    try:
        from jinja2.ext import Extension, loopcontrols
        from jinja2.nodes import Output  # noqa: F401 - tells that Jinja2 is whole
        from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
    except ImportError as error:
        raise TemplateError("chat templates need Jinja2: pip install jinja2") from error
    import datetime

    class Generation(Extension):
        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            from jinja2 import nodes

            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body).set_lineno(line) if hasattr(nodes, "Scope") else body

    made = (SandboxedEnvironment if mutable else ImmutableSandboxedEnvironment)(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def tojson(value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys, default=list)

    made.filters["tojson"] = tojson
    made.filters["from_json"] = json.loads
    made.globals.update(raise_exception=refuse, strftime_now=lambda form: datetime.datetime(2026, 1, 15, 12).strftime(form))
    return made


@dataclass
class _Settings:
    """One way to give a template its input."""

    tools: str = "openai"
    system: bool = True
    as_text: bool = False
    content: Any = ""
    think: dict[str, Any] = field(default_factory=dict)


class _Renderer:
    def __init__(self, template: Any):
        self.text, self.tokens = _load(template)
        self.compiled = None
        for mutable in (False, True):
            try:
                self.compiled = _environment(mutable).from_string(self.text)
                self.mutable = mutable
                break
            except TemplateError:
                raise
            except Exception as error:  # noqa: BLE001 - Jinja's own errors are of many kinds
                problem = error
        if self.compiled is None:
            raise TemplateError(f"the template is not valid Jinja: {problem}")

    def message(self, turn: Any, settings: _Settings) -> dict[str, Any]:
        reasoning, content, calls = turn
        out: dict[str, Any] = {"role": "assistant"}
        if content is not None:
            out["content"] = content
        elif settings.content is not Ellipsis:
            out["content"] = settings.content
        if reasoning:
            out["reasoning_content"] = out["reasoning"] = out["thinking"] = reasoning
        if calls:
            out["tool_calls"] = [
                {"id": f"call0000{i}", "type": "function",
                 "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False) if settings.as_text else arguments}}
                for i, (name, arguments) in enumerate(calls)]
        return out

    def render(self, messages: list[Any], settings: _Settings, prompt: bool) -> str:
        tools = TOOLS if settings.tools == "openai" else [t["function"] for t in TOOLS] if settings.tools == "bare" else None
        given = [{"role": "system", "content": "You are helpful."}] if settings.system else []
        try:
            return self.compiled.render(messages=given + json.loads(json.dumps(messages)), tools=tools, documents=None,
                                        add_generation_prompt=prompt, **self.tokens, **settings.think)
        except TemplateError:
            raise
        except Exception as error:  # noqa: BLE001
            if not self.mutable:  # some templates append to their input
                self.mutable = True
                self.compiled = _environment(True).from_string(self.text)
                return self.render(messages, settings, prompt)
            raise TemplateError(f"the template fails: {type(error).__name__}: {error}") from error


USER = {"role": "user", "content": "Where is it?"}
_TOKEN = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]{2,40}\]")


def _cut(prompt: str, full: str) -> Optional[tuple[str, str]]:
    """What the model wrote, and the prompt before it."""
    if full.startswith(prompt):
        return full[len(prompt):], prompt
    at = len(os.path.commonprefix([prompt, full]))
    # not inside a token
    for match in _TOKEN.finditer(full[max(0, at - 64):at + 64]):
        start, stop = match.start() + max(0, at - 64), match.end() + max(0, at - 64)
        if start < at < stop:
            at = start
    rest = prompt[at:]
    if rest and re.match(r"\s*(</|\[/)", full[at:]) and re.match(r"\s*(<[^/]|\[[^/])", rest):
        return full[at:], prompt  # the prompt opens what the history closes at once
    # what the prompt goes on with (an opener of reasoning, or an empty one) is not in the history
    return (full[at:], prompt[:at]) if len(rest) < 64 else None


def _open_reasoning(prompt: str, reasoning: list[dict[str, str]]) -> Optional[str]:
    tail = prompt[-400:]
    best = None
    for pair in reasoning:
        mark = pair["open"].strip()
        at = tail.rfind(mark)
        if at >= 0 and pair["close"].strip() not in tail[at:]:
            best = tail[at:] if best is None or len(tail) - at > len(best) else best
    return best


@dataclass
class Turn:
    """A turn as the model would write it, with what it means."""

    text: str
    prompt: str
    reasoning: Optional[str]
    content: Optional[str]
    calls: list[tuple[str, dict[str, Any]]]
    partly: bool = False  # the template drops the reasoning or the content


@dataclass
class Inferred:
    """What was found. `syntax`: the name of a known syntax, or the path of the new script, which `sluice.load` has loaded."""

    syntax: str
    known: bool
    script: Optional[str]
    reads: int
    total: int
    report: str
    starts_in_reasoning: bool = False
    end_of_turn: Optional[str] = None
    special: list[str] = field(default_factory=list)
    result: Optional[str] = None
    prompt_tail: str = ""

    def __str__(self) -> str:
        return self.report


def _normal(text: Optional[str]) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def _alike(want: Any, got: Any) -> bool:
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(_alike(want[k], got[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(_alike(a, b) for a, b in zip(want, got))
    return type(want) is type(got) and want == got


def _reads(syntax: str, turn: Turn) -> bool:
    """Does the syntax read this turn as it was meant?"""
    try:
        result: Result = parse(syntax, turn.text, tools=TOOLS, prompt=turn.prompt)
    except SluiceError:
        return False
    if len(result.calls) != len(turn.calls) or any(e.code in ("not_a_call", "unfinished_call", "invalid_call") for e in result.errors):
        return False
    for (name, arguments), call in zip(turn.calls, result.calls):
        if call.name != name or call.status == "incomplete" or not _alike(arguments, call.arguments):
            return False
    content, reasoning = _normal(result.content), _normal(result.reasoning)
    wanted = _normal(turn.content) if turn.content and turn.content in turn.text else ""
    thought = _normal(turn.reasoning) if turn.reasoning and turn.reasoning in turn.text else ""
    return content == wanted and reasoning == thought


def _settings(renderer: _Renderer) -> _Settings:
    """The input with which known values come through unchanged."""
    best, score, problem = None, -1.0, "no call comes through"
    turn = (None, None, [FIND])
    for as_text, content, tools, system in itertools.product((False, True), ("", None, Ellipsis), ("openai", "bare", "none"), (True, False)):
        settings = _Settings(tools, system, as_text, content)
        try:
            full = renderer.render([USER, renderer.message(turn, settings)], settings, False)
            prompt = renderer.render([USER], settings, True)
        except TemplateError as error:
            problem = str(error)
            continue
        found = _cut(prompt, full)
        if not found:
            continue
        text = found[0]
        points = 4.0 * (FIND[0] in text) + 2 * ("Xanadu-9417" in text) + 2 * ("90817" in text) + ("place" in text)
        points -= 5 * (USER["content"] in text)
        points -= 2 * ("'place'" in text and '"' not in text) + 2 * ('\\"place' in text) + ('"90817"' in text)
        points += 0.3 * (tools == "openai") + 0.2 * system + 0.1 * (not as_text) + 0.05 * (content == "")
        if points > score:
            best, score = settings, points
    if best is None or score < 8:
        raise TemplateError(f"the template writes no tool calls: {problem}")
    return best


def _without_end(text: str, end: Optional[str], turn: Any) -> str:
    """The text up to the end of the turn: what stands from there on is not the model's."""
    at = text.rfind(end) if end else -1
    if at < 0:
        return text
    values = [str(value) for _, arguments in turn[2] for value in arguments.values()]
    said = [part for part in (turn[0], turn[1], *values) if part and len(part) > 3 and part in text]
    return text if any(part in text[at:] for part in said) else text[:at]


def _turns(renderer: _Renderer, settings: _Settings, wanted: Iterable[Any], reasoning: list[dict[str, str]],
           end: Optional[str] = None) -> list[Turn]:
    closers = sorted({pair["close"].strip() for pair in reasoning}, key=len, reverse=True)
    out = []
    for turn in wanted:
        best = None
        for think in ({}, {"enable_thinking": True}, {"thinking": True}, {"enable_thinking": False}) if turn[0] else (
                {}, {"enable_thinking": False}, {"thinking": False}):
            own = _Settings(settings.tools, settings.system, settings.as_text, settings.content, think)
            try:
                found = _cut(renderer.render([USER], own, True), renderer.render([USER, renderer.message(turn, own)], own, False))
            except TemplateError:
                continue
            if not found or any(name not in found[0] for name, _ in turn[2]):
                continue
            points = 2 * bool(turn[0] and turn[0] in found[0]) + bool(turn[1] and turn[1] in found[0])
            if best is None or points > best[0]:
                best = (points, found)
        if best is None or (turn[1] and turn[1] not in best[1][0]) and not turn[2]:
            continue
        text, prompt = best[1]
        text = _without_end(text, end, turn)
        for mark in closers:  # a closer with nothing before it: reasoning that is switched off
            if text.lstrip().startswith(mark) and _open_reasoning(prompt, reasoning) is None:
                text = text.lstrip()[len(mark):].lstrip("\n")
                break
        missing = bool(turn[0] and turn[0] not in text)
        if missing and not turn[2]:
            continue
        out.append(Turn(text, prompt, turn[0], turn[1], turn[2], missing))
    return out


def _end_of_turn(renderer: _Renderer, settings: _Settings) -> Optional[str]:
    """What the template writes behind a plain sentence."""
    try:
        full = renderer.render([USER, {"role": "assistant", "content": "Plain quagga."}], settings, False)
    except TemplateError:
        return None
    tail = full.rpartition("Plain quagga.")[2].strip()
    token = _TOKEN.match(tail)
    return token.group(0) if token else tail.split("\n")[0].strip() or None


def _result(renderer: _Renderer, settings: _Settings) -> Optional[str]:
    """How a tool's result is written back, with {content} in its place."""
    call = renderer.message((None, None, [FIND]), settings)
    try:
        full = renderer.render([USER, call, {"role": "tool", "tool_call_id": "call00000", "name": FIND[0], "content": "Resultofquagga"}], settings, False)
        before = renderer.render([USER, call], settings, False)
    except TemplateError:
        return None
    at = len(os.path.commonprefix([full, before]))
    return full[at:].replace("Resultofquagga", "{content}") if "Resultofquagga" in full[at:] else None


def _special(template: Any) -> list[str]:
    try:
        with open(template, encoding="utf-8") as file:
            config = json.load(file)
    except (OSError, TypeError, ValueError):
        return []
    return [entry["content"] for entry in config.get("added_tokens_decoder", {}).values() if entry.get("special") and "content" in entry]


def infer(template: Any, *, name: str = "mine", hidden: Union[bool, Iterable[str]] = (), folder: Optional[str] = None) -> Inferred:
    """The syntax of a chat template: of a `tokenizer_config.json`, a `.jinja` file, a template's text or a tokenizer's dict.

    `name` is that of a new syntax; `hidden` are known syntaxes that do not count (True: none does); a new script is written to
    `folder` (default: a temporary one) and loaded. Raises `TemplateError` if the template writes no tool calls, or none that can be
    read.
    """
    own = engine()
    every = json.loads(own.raw.list())
    without = {entry["name"] for entry in every} if hidden is True else set(hidden or ())
    known = [entry for entry in every if entry["name"] not in without]
    pairs = [pair for entry in every for pair in entry["reasoning"]]
    renderer = _Renderer(template)
    settings = _settings(renderer)
    end = _end_of_turn(renderer, settings)
    learn = _turns(renderer, settings, LEARN, pairs, end)
    check = _turns(renderer, settings, CHECK, pairs, end)
    pool = learn + check
    if not [turn for turn in learn if turn.calls]:
        raise TemplateError("no turn of the template has its calls")
    best: Optional[tuple[int, int, str]] = None
    for rank, entry in enumerate(sorted(known, key=lambda e: (-len(e["models"]), e["name"]))):
        count = sum(_reads(entry["name"], turn) for turn in pool)
        if best is None or count > best[0]:
            best = (count, -rank, entry["name"])
    script = None
    found, reads = (best[2], best[0]) if best else ("", 0)
    is_known = bool(best)
    if reads < len(pool):
        made = _new(learn, pool, name, without, end, reads, folder)
        if made:
            found, script, reads, is_known = made[0], made[1], made[2], False
    if reads == 0:
        raise TemplateError("the calls of the template were seen, but no description reads them")
    prompt = learn[0].prompt
    report = [f"this is `{found}`" if is_known else "a format of its own", f"it reads {reads} of {len(pool)} turns"]
    report += [f"  not read: {turn.text[:200]!r}" for turn in pool if reads < len(pool) and not _reads(found, turn)][:3]
    return Inferred(found, is_known, script, reads, len(pool), "\n".join(report), _open_reasoning(prompt, pairs) is not None, end,
                    _special(template), _result(renderer, settings), prompt[-80:])


def _new(learn: list[Turn], pool: list[Turn], name: str, hidden: set[str], end: Optional[str], least: int,
         folder: Optional[str]) -> Optional[tuple[str, str, int]]:
    """A script that reads more turns than `least`: (path, text, how many)."""
    raw = _sluice.Engine(script_instructions=10**12, script_memory=1 << 29)
    raw.load(None)
    path = os.path.join(folder or tempfile.mkdtemp(prefix="sluice-"), f"{name}.lua")
    ends = [end] if end else []
    best = None
    called = [turn for turn in learn if turn.calls]
    plain = [turn for turn in called if not turn.reasoning and not turn.content]
    subsets = [called, plain, plain[:1], plain[:2], plain[:3], [t for t in called if not t.reasoning], [t for t in plain if len(t.calls) == 1],
               [t for t in plain if len(t.calls) > 1]]
    seen = set()
    for subset, cut in itertools.product(subsets, (True, False)):
        texts = []
        for turn in subset:
            text = turn.text
            for mark in ends if cut else []:
                at = text.rstrip().rfind(mark)
                if at >= 0 and not text.rstrip()[at + len(mark):]:
                    text = text[:at]
            texts.append(text)
        key = tuple(texts)
        if not subset or key in seen:
            continue
        seen.add(key)
        asked = {"samples": [{"path": f"turn {i + 1}", "text": text} for i, text in enumerate(texts)], "name": name, "hidden": sorted(hidden),
                 "calls": [[{"name": n, "arguments": a} for n, a in turn.calls] for turn in subset]}
        try:
            script = json.loads(raw.tool("infer", json.dumps(asked, ensure_ascii=False)))["script"]
        except SluiceError:
            continue
        for text in _with(script, end, learn):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            count = sum(_reads(path, turn) for turn in pool)
            if count > least and (best is None or count > best[2]):
                best = (path, text, count)
        if best and best[2] == len(pool):
            break
    if best:
        with open(path, "w", encoding="utf-8") as file:
            file.write(best[1])
    return best


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\\/", "/")


def _with(script: str, end: Optional[str], learn: list[Turn]) -> list[str]:
    """The script, and the script with the end of a turn and the reasoning that rendering shows."""
    more = ""
    if end and "stop =" not in script and "\n" not in end:
        more += f"  stop = {{ {_quoted(end)} }},\n"
    for turn in learn:
        if "reasoning =" in script or not turn.reasoning or turn.reasoning not in turn.text:
            continue
        whole = turn.prompt[-60:] + turn.text
        before, _, after = whole.partition(turn.reasoning)
        opened = re.search(r"(<[^<>]+>|\[[A-Z_]+\])\s*$", before)
        closed = re.match(r"\s*(</?[^<>]+>|\[/?[A-Z_]+\])", after)
        if opened and closed:
            more += f"  reasoning = {{ open = {_quoted(opened.group(1))}, close = {_quoted(closed.group(1))} }},\n"
            break
    at = script.find("  call")
    at = at if at >= 0 else script.find("  name =")
    return [script] if not more or at < 0 else [script[:at] + more + script[at:], script]


def main(arguments: Optional[list[str]] = None) -> int:
    """`python -m sluice infer --template FILE`."""
    parser = argparse.ArgumentParser(prog="sluice infer", description="The syntax of a chat template.")
    parser.add_argument("--template", required=True, metavar="FILE", help="a tokenizer_config.json or a .jinja file")
    parser.add_argument("--name", default="mine", help="the name of a new syntax")
    parser.add_argument("--hidden", action="append", default=[], metavar="SYNTAX", help="a known syntax that does not count; 'all': none does")
    parser.add_argument("-o", "--output", choices=["script", "json"], default="script")
    given = parser.parse_args(arguments)
    try:
        found = infer(given.template, name=given.name, hidden=True if "all" in given.hidden else given.hidden)
    except (SluiceError, OSError) as error:
        print(f"sluice: {error}", file=sys.stderr)
        return 1
    if given.output == "json":
        print(json.dumps(vars(found), ensure_ascii=False))
        return 0
    print(f"-- {given.template}: " + found.report.replace("\n", "\n-- "))
    if found.end_of_turn:
        print(f"-- end of turn: {found.end_of_turn!r}")
    if found.starts_in_reasoning:
        print("-- the prompt opens the reasoning: give the prompt's tail with --option prompt=...")
    if found.result:
        print(f"-- a result: {found.result!r}")
    print(found.script if found.script else f"return inherit({_quoted(found.syntax)}, {{ name = {_quoted(given.name)} }})")
    return 0
