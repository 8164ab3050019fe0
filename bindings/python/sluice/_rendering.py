"""Renders chat templates with known calls, and extracts the text that the model would have written."""

from __future__ import annotations

import itertools
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional

from ._errors import SluiceError

TOOLS = [
    {"type": "function", "function": {"name": "find_zanzibar", "description": "Finds a place.", "parameters": {
        "type": "object", "properties": {"place": {"type": "string", "description": "Where"},
                                         "count": {"type": "integer", "description": "How many"}}, "required": ["place"]}}},
    {"type": "function", "function": {"name": "write_quokka", "description": "Writes a file.", "parameters": {
        "type": "object", "properties": {"path": {"type": "string", "description": "Path"}, "text": {"type": "string", "description": "Text"},
                                         "options": {"type": "object", "description": "Options", "properties": {
                                             "mode": {"type": "string"}, "deep": {"type": "object", "properties": {
                                                 "list": {"type": "array", "items": {"type": "string"}}, "level": {"type": "integer"}}}}},
                                         "lines": {"type": "array", "description": "Lines", "items": {"type": "string"}},
                                         "force": {"type": "boolean", "description": "Force"}}, "required": ["path"]}}},
    {"type": "function", "function": {"name": "ping_okapi", "description": "Pings.", "parameters": {"type": "object", "properties": {}}}},
]

FIND = ("find_zanzibar", {"place": "Xanadu-9417", "count": 90817})
FIND_2 = ("find_zanzibar", {"place": "Lower Saxony", "count": 3})
WRITE = ("write_quokka", {"path": "a/b.txt", "text": "one line"})
PROSE, THOUGHT = "Let me look that up for you.", "The user wants to know a place."

# Turns to infer a syntax from, and turns to check it on: (reasoning, content, calls).
LEARN = [
    (None, None, [FIND]), (None, None, [WRITE]), (None, None, [FIND, WRITE]), (None, None, [WRITE, FIND_2]), (None, PROSE, [FIND]),
    (THOUGHT, None, [FIND_2]), (THOUGHT, PROSE, [FIND, WRITE]), (None, "No tool is needed for this.", []), (THOUGHT, "It is done already.", []),
]
CHECK = [
    (None, None, [("write_quokka", {"path": "say \"hi\"", "text": "it's"})]),
    (None, None, [("write_quokka", {"path": "c.py", "text": "def f(x):\n    return x + 1\n\nprint(f(2))"})]),
    (None, None, [("find_zanzibar", {"place": "Zürich 北京 🎉", "count": -12})]),
    (None, None, [("write_quokka", {"path": "d", "options": {"mode": "w", "deep": {"list": ["one", "two"], "level": 3}}, "lines": ["x", "y z"]})]),
    (None, None, [("ping_okapi", {})]),
    (None, PROSE, [("ping_okapi", {}), FIND]),
    (THOUGHT, None, [("write_quokka", {"path": "e", "text": "a <b> & c"})]),
    (None, "Nothing to call: 1 < 2.", []),
    (THOUGHT, "All done.", []),
]


class TemplateError(SluiceError, ValueError):
    """The chat template cannot be rendered, or its output contains no calls."""

    code = "refused"


def load(template: Any) -> tuple[str, dict[str, str]]:
    """The template's text, and the special tokens that it may use."""
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
        raise TemplateError("it contains no chat_template")
    return found, tokens


def environment(mutable: bool) -> Any:
    """Returns Jinja as transformers sets it up for chat templates."""
    try:
        from jinja2.ext import Extension, loopcontrols
        from jinja2.nodes import Scope
        from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
    except ImportError as error:
        raise TemplateError("chat templates need Jinja2: pip install jinja2") from error
    import datetime

    class Generation(Extension):
        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            return Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)

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
class Settings:
    """One way to give a template its input."""

    tools: str = "openai"
    system: bool = True
    as_text: bool = False
    content: Any = ""
    think: dict[str, Any] = field(default_factory=dict)


def call_id(number: int) -> str:
    """Returns the id of a turn's call."""
    return f"call0000{number}"


class Renderer:
    def __init__(self, template: Any):
        self.text, self.tokens = load(template)
        self.mutable = False
        made = environment(False)
        try:
            self.compiled: Any = made.from_string(self.text)
        except Exception as error:  # noqa: BLE001 - Jinja raises errors of many types
            raise TemplateError(f"the template is not valid Jinja: {error}") from error

    def message(self, turn: Any, settings: Settings) -> dict[str, Any]:
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
                {"id": call_id(i), "type": "function",
                 "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False) if settings.as_text else arguments}}
                for i, (name, arguments) in enumerate(calls)]
        return out

    def render(self, messages: list[Any], settings: Settings, prompt: bool) -> str:
        tools = TOOLS if settings.tools == "openai" else [t["function"] for t in TOOLS] if settings.tools == "bare" else None
        given = [{"role": "system", "content": "You are helpful."}] if settings.system else []
        try:
            return str(self.compiled.render(messages=given + json.loads(json.dumps(messages)), tools=tools, documents=None,
                                            add_generation_prompt=prompt, **self.tokens, **settings.think))
        except TemplateError:
            raise
        except Exception as error:  # noqa: BLE001
            if not self.mutable:  # some templates append to their input
                self.mutable = True
                self.compiled = environment(True).from_string(self.text)
                return self.render(messages, settings, prompt)
            raise TemplateError(f"the template fails: {type(error).__name__}: {error}") from error


USER = {"role": "user", "content": "Where is it?"}
_TOKEN = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]{2,40}\]")


def _behind(prompt: str, full: str) -> Optional[int]:
    """Returns where the prompt ends in the conversation, if they differ only in white space; or None."""
    at = len(os.path.commonprefix([prompt, full]))
    i = at
    for c in prompt[at:]:
        if c.isspace():
            continue
        while i < len(full) and full[i].isspace():
            i += 1
        if i == len(full) or full[i] != c:
            return None
        i += 1
    return i


def _cut(prompt: str, full: str) -> Optional[tuple[str, str]]:
    """Returns the text that the model wrote, and the prompt before it."""
    end = _behind(prompt, full)
    if end is not None:
        return full[end:], prompt
    at = len(os.path.commonprefix([prompt, full]))
    # not inside a token
    for match in _TOKEN.finditer(full[max(0, at - 64):at + 64]):
        start, stop = match.start() + max(0, at - 64), match.end() + max(0, at - 64)
        if start < at < stop:
            at = start
    rest = prompt[at:]
    if rest and re.match(r"\s*(</|\[/)", full[at:]) and re.match(r"\s*(<[^/]|\[[^/])", rest):
        return full[at:], prompt  # the prompt opens reasoning that the history closes at once
    # the end of the prompt (an opener of reasoning, or empty reasoning) is not in the history
    return (full[at:], prompt[:at]) if len(rest) < 64 else None


def open_reasoning(prompt: str, reasoning: list[dict[str, str]]) -> Optional[str]:
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
    """A turn as the model would write it, with its meaning."""

    text: str
    prompt: str
    reasoning: Optional[str]
    content: Optional[str]
    calls: list[tuple[str, dict[str, Any]]]
    lost: Optional[str] = None  # the part that the template writes ambiguously


def settings(renderer: Renderer) -> Settings:
    """Returns the input that keeps known values unchanged."""
    best, score, problem = None, -1.0, "no call comes through"
    turn = (None, None, [FIND])
    for as_text, content, tools, system in itertools.product((False, True), ("", None, Ellipsis), ("openai", "bare", "none"), (True, False)):
        settings = Settings(tools, system, as_text, content)
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


def _said(turn: Any, text: str) -> list[str]:
    """Returns the parts of a turn that are unchanged in the text."""
    values = [str(value) for _, arguments in turn[2] for value in arguments.values()]
    return [part for part in (turn[0], turn[1], *values) if part and len(part) > 3 and part in text]


def _without_following(text: str, prompt: str, bare: str) -> str:
    """Returns the text without the opener of the next turn, which some templates always write."""
    following = (prompt[len(bare):] if prompt.startswith(bare) else "").strip()
    if not prompt[len(bare):].strip():  # the text after the user's turn and after this one
        both = os.path.commonprefix([prompt.rstrip()[::-1], text.rstrip()[::-1]])[::-1]
        token = _TOKEN.search(both)
        following = both[token.start():] if token and len(_TOKEN.findall(both)) > 1 else ""
    return text.rstrip()[:-len(following)] if following and text.rstrip().endswith(following) else text


def without_end(text: str, ends: list[str], turn: Any) -> str:
    """Returns the text up to the end of the turn: the rest is not the model's."""
    said = _said(turn, text)
    at = text.rfind(ends[0]) if ends else -1
    if at >= 0 and not any(part in text[at:] for part in said):
        return text[:at]
    for end in ends[1:]:
        if text.rstrip().endswith(end):
            text = text.rstrip()[:-len(end)]
    return text


def _wrapped(text: str, form: str) -> bool:
    """True if every occurrence is between the same quotes or tokens."""
    places = list(re.finditer(re.escape(form), text))
    for place in places:
        before, after = text[:place.start()], text[place.end():]
        token = re.search(r"(<[^<>/]+>|[\"'`])$", before)
        if not token or not after.startswith(token.group(1)):
            return False
    return bool(places)


def _value_lost(text: str, value: Any) -> Optional[str]:
    if isinstance(value, str):
        if json.dumps(value) in text or json.dumps(value, ensure_ascii=False) in text or repr(value) in text:
            return None
        for place in re.finditer(re.escape(value), text):
            before, after = text[:place.start()][-1:], text[place.end():][:1]
            if before in ('"', "'") and after == before:
                if before not in value:
                    return None
            elif before != "=" or after not in (",", ")"):
                return None
        return "a text in quotes that it contains, or in none" if value in text else None
    if isinstance(value, (dict, list)):
        forms = [json.dumps(value, ensure_ascii=False), str(value)]
        return "an object or a list in the quotes of texts" if any(_wrapped(text, form) for form in forms) else None
    if _wrapped(text, str(value)):
        return "a number in the quotes of texts"
    return None


def lost(text: str, turn: Any, ends: list[str], as_reasoning: Optional[str]) -> Optional[str]:
    """Names the part of a turn that the template writes ambiguously, in a few words; None if there is none.

    Only proven cases count: a value that several calls could have, content in place of reasoning, content and calls as
    two messages. `as_reasoning`: the text of the same turn with its content as reasoning.
    """
    reasoning, content, calls = turn
    for _, arguments in calls:
        for value in arguments.values():
            why = _value_lost(text, value)
            if why:
                return why
    if content and calls and not reasoning and as_reasoning == text:
        return "content as reasoning"
    if content and calls and content in text:
        first = min(text.find(name) for name, _ in calls)
        between = text[text.find(content) + len(content):first] if text.find(content) < first else text[first:text.find(content)]
        if any(re.search(re.escape(end) + r"\s*(<[^<>]+>|\[[A-Z_]+\])", between) for end in ends[:1]):
            return "content and calls as two messages"
    return None


def turns(renderer: Renderer, settings: Settings, wanted: Iterable[Any], reasoning: list[dict[str, str]],
          ends: list[str]) -> list[Turn]:
    """Returns the turns of `wanted` that the template can write, each with the thinking settings that show most of it."""
    closers = sorted({pair["close"].strip() for pair in reasoning}, key=len, reverse=True)

    def written(turn: Any, own: Settings) -> Optional[tuple[str, str]]:
        try:
            prompt, bare = renderer.render([USER], own, True), renderer.render([USER], own, False)
            found = _cut(prompt, renderer.render([USER, renderer.message(turn, own)], own, False))
        except TemplateError:
            return None
        return (without_end(_without_following(found[0], prompt, bare), ends, turn), found[1]) if found else None

    out = []
    for turn in wanted:
        best = None
        for think in ({}, {"enable_thinking": True}, {"thinking": True}, {"enable_thinking": False}) if turn[0] else (
                {}, {"enable_thinking": False}, {"thinking": False}):
            own = Settings(settings.tools, settings.system, settings.as_text, settings.content, think)
            found = written(turn, own)
            if not found or any(name not in found[0] for name, _ in turn[2]):
                continue
            points = 2 * bool(turn[0] and turn[0] in found[0]) + bool(turn[1] and turn[1] in found[0])
            if best is None or points > best[0]:
                best = (points, found, own)
        if best is None or (turn[1] and turn[1] not in best[1][0]) and not turn[2]:
            continue
        text, prompt = best[1]
        for mark in closers:  # a closer without text before it: reasoning is switched off
            if text.lstrip().startswith(mark) and open_reasoning(prompt, reasoning) is None:
                text = text.lstrip()[len(mark):].lstrip("\n")
                break
        if turn[0] and turn[0] not in text and not turn[2]:
            continue
        other = written((turn[1], None, turn[2]), best[2]) if turn[1] and turn[2] and not turn[0] else None
        out.append(Turn(text, prompt, turn[0], turn[1], turn[2], lost(text, turn, ends, other and other[0])))
    return out


def ends_of_turn(renderer: Renderer, settings: Settings) -> list[str]:
    """Returns what the template writes after a plain sentence: the first token or line, then further tokens."""
    try:
        full = renderer.render([USER, {"role": "assistant", "content": "Plain quagga."}], settings, False)
        prompt, bare = renderer.render([USER], settings, True), renderer.render([USER], settings, False)
    except TemplateError:
        return []
    if not prompt[len(bare):].strip():
        full = _without_following(full, prompt, bare)
    tail = full.rpartition("Plain quagga.")[2].strip()
    if not _TOKEN.match(tail):
        return [tail.split("\n")[0].strip()] if tail else []
    out = []
    while token := _TOKEN.match(tail):
        out.append(token.group(0))
        tail = tail[len(out[-1]):].lstrip()
    return out


def result(renderer: Renderer, settings: Settings) -> Optional[str]:
    """Returns how a tool's result is written, with {content} in its place."""
    call = renderer.message((None, None, [FIND]), settings)
    try:
        full = renderer.render([USER, call, {"role": "tool", "tool_call_id": "call00000", "name": FIND[0], "content": "Resultofquagga"}], settings, False)
        before = renderer.render([USER, call], settings, False)
    except TemplateError:
        return None
    at = len(os.path.commonprefix([full, before]))
    return full[at:].replace("Resultofquagga", "{content}") if "Resultofquagga" in full[at:] else None


def special(template: Any) -> list[str]:
    try:
        with open(template, encoding="utf-8") as file:
            config = json.load(file)
    except (OSError, TypeError, ValueError):
        return []
    return [entry["content"] for entry in config.get("added_tokens_decoder", {}).values() if entry.get("special") and "content" in entry]


