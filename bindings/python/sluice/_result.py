"""The result of a whole response: content, reasoning, calls and errors."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Union


def _integer(text: str) -> Any:
    try:
        return int(text)
    except ValueError:  # Python limits integers to a few thousand digits
        return float(text)


def read_json(text: str) -> Any:
    """Returns the value of JSON text that a model wrote. An integer with more digits than Python allows is a float, like `1e400`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=_integer)


def write_json(value: Any) -> str:
    """Returns the value as JSON text; a lone surrogate as its escape, since UTF-8 cannot express it."""
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))


@dataclass
class Call:
    """A tool call. `arguments_json` is the model's own JSON text; `arguments` is the same, decoded.

    `start` and `end` are the bytes of the call's block in the response, from 0; `source`, with the option `source`, is this block as the
    model wrote it. `valid`: the call may be run without asking; None where no tools were given.
    """

    index: int
    name: str
    id: Optional[str] = None
    arguments_json: str = ""
    status: Optional[str] = None
    valid: Optional[bool] = None
    start: Optional[int] = None
    end: Optional[int] = None
    extra: Optional[dict[str, Any]] = None
    syntax: Optional[str] = None
    source: Optional[str] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as a dict; `{}` if the call has not ended yet."""
        if self.status is None or not self.arguments_json:
            return {}
        value: dict[str, Any] = read_json(self.arguments_json)
        return value

    def to_dict(self) -> dict[str, Any]:
        """The call as the command prints it."""
        out: dict[str, Any] = {"index": self.index, "id": self.id, "name": self.name, "arguments": self.arguments}
        for key in ("status", "valid", "start", "end", "extra", "syntax", "source"):
            if getattr(self, key) is not None or (key == "valid" and self.status is not None):
                out[key] = getattr(self, key)
        return out

    def to_openai(self) -> dict[str, Any]:
        """The call as an item of `tool_calls`. The arguments of an incomplete call lack their last brace: see `Outgoing`."""
        arguments = self.arguments_json[:-1] if self.status == "incomplete" else self.arguments_json
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": arguments}}


@dataclass
class Problem:
    """A problem in the text, and how it was handled."""

    code: str
    message: str
    offset: int
    index: Optional[int] = None


@dataclass
class Result:
    """A response. `content` and `reasoning` are None if there is none."""

    content: Optional[str] = None
    reasoning: Optional[str] = None
    calls: list[Call] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The result as the command prints it, with decoded arguments."""
        return {
            "content": self.content,
            "reasoning": self.reasoning,
            "calls": [call.to_dict() for call in self.calls],
            "errors": [{k: v for k, v in vars(error).items() if v is not None} for error in self.errors],
        }

    def to_openai_message(self) -> dict[str, Any]:
        """The response as an assistant message of the Chat Completions API.

        Members: `role`, `content`, `reasoning_content` if there is reasoning, `tool_calls` if there are calls.
        """
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.calls:
            message["tool_calls"] = [call.to_openai() for call in self.calls]
        return message


class Doubt:
    """Follows a response's events: what is found out after the end of a call makes it and all before it doubtful."""

    def __init__(self) -> None:
        self._ended = 0  # calls
        self._cut = False  # the text ended inside the open call

    def calls(self, event: Any) -> int:
        """Returns how many calls, counted from the first, this event makes doubtful after their end."""
        if event.type == "call_begin":
            self._cut = False
        elif event.type == "call_end":
            self._ended = int(event.index) + 1
            return 0 if self._cut or event.status != "incomplete" else self._ended - 1
        elif event.type == "error":
            self._cut = self._cut or event.code == "unfinished_call"
            return 0 if event.index is None or event.index >= self._ended else int(event.index) + 1
        return 0


# Formats without ids in their text, whose chat templates only accept ids of nine letters and digits in a history.
NINE_CHARACTERS = frozenset({"mistral"})


def call_id(syntax: str, given: Optional[str], index: int) -> str:
    """Returns the id that a client gets for a call: one that the model's template accepts."""
    if not given:
        return f"call_{index}"
    return given[5:14] if syntax in NINE_CHARACTERS and given.startswith("call_") and len(given) >= 14 else given


class Outgoing:
    """Decides what a client gets of a response.

    Of an incomplete call it never gets arguments that can be parsed: the library closes them, but here their last brace is kept back
    until the call ends, and for good if it is incomplete. What is found out later counts if it comes with the same events.

    `verbatim`: reasoning is text, with its markers; `"all"`: all markup is. The stream needs the option `markup`.
    """

    def __init__(self, verbatim: Union[bool, str] = False, syntax: str = "") -> None:
        self._syntax = syntax
        self.calls = self.good = 0  # calls that began, and those that ended complete
        self.reasons: list[tuple[str, str]] = []  # names of incomplete calls, and why
        self._held = ""  # the brace
        self.name = ""  # of the last call
        self._late = Doubt()
        self._doubted = 0  # the calls before it are in doubt
        self._why: list[str] = []
        self._verbatim = verbatim
        self._markup = ""  # markup that is text if text or reasoning follows
        self._after = ""  # what it follows: "reasoning", "call_end", "call" (it is inside), or ""

    def _part(self, event: Any) -> tuple[str, str]:
        """Returns the type and the text of what an event gives; `("", "")` if it gives nothing."""
        kind: str = event.type
        if kind == "arguments":
            text: str = self._held + event.text
            if text[-1:] == "}":
                self._held, text = "}", text[:-1]
            else:
                self._held = ""
            return (kind, text) if text else ("", "")
        if kind == "text" or kind == "reasoning" or kind == "markup":
            if not self._verbatim:
                return ("", "") if kind == "markup" else (kind, event.text)
            text = self._verbatim_text(kind, event.text)
            return ("text", text) if text else ("", "")
        if kind == "call_begin":
            self.calls += 1
            self.name, self._held, self._markup, self._after = event.name, "", "", "call"
            self._why = []
            return kind, ""
        if kind == "error" and event.index is not None:
            self._why.append(event.message)
        elif kind == "call_end":
            self._after = kind
            if event.status == "incomplete":
                self.reasons.append((self.name, "; ".join(self._why) or "the response ended"))
            elif event.index < self._doubted:
                self.reasons.append((self.name, "the text after the call is damaged"))
            else:
                self.good += 1
                return "arguments", self._held
        return "", ""

    def fields(self, events: Iterable[Any]) -> dict[str, Any]:
        """Returns what these events give in the form of a delta: those of `content`, `reasoning` and `tool_calls` that there are."""
        out: dict[str, Any] = {}
        calls: list[dict[str, Any]] = []
        events = list(events)
        doubted = max(map(self._late.calls, events), default=0)
        if doubted > self._doubted:
            self._doubted, self.good = doubted, 0
        for event in events:
            kind, text = self._part(event)
            if kind == "arguments":
                if calls and calls[-1]["index"] == event.index:
                    calls[-1]["function"]["arguments"] += text
                else:
                    calls.append({"index": event.index, "function": {"arguments": text}})
            elif kind == "call_begin":
                calls.append({"index": event.index, "type": "function", "id": call_id(self._syntax, event.id, event.index),
                              "function": {"name": event.name, "arguments": ""}})
            elif kind:
                field = "content" if kind == "text" else kind
                out[field] = out.get(field, "") + text
        if calls:
            out["tool_calls"] = calls
        return out

    def _verbatim_text(self, kind: str, text: str) -> str:
        if self._verbatim == "all":
            return text
        if kind == "markup":
            if self._after == "reasoning":  # its closer
                self._after = ""
                return text
            if self._after != "call":
                self._markup += text
            return ""
        before, self._markup = self._markup, ""
        if self._after == "call_end" and kind == "text":  # closers of a section of calls
            before = ""
        self._after = "reasoning" if kind == "reasoning" else ""
        return before + text


class Collector:
    """Builds a `Result` from events as they come."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._pieces: dict[int, list[str]] = {}
        self._calls: dict[int, Call] = {}
        self._errors: list[Problem] = []
        self._late = Doubt()
        self._doubted = 0  # the calls before it are in doubt

    def add(self, events: Iterable[Any]) -> "Collector":
        """Adds events in their order. Returns itself."""
        for event in events:
            kind = event.type
            if kind == "text":
                self._text.append(event.text)
            elif kind == "reasoning":
                self._reasoning.append(event.text)
            elif kind == "arguments":
                self._pieces[event.index].append(event.text)
            elif kind == "call_begin":
                self._calls[event.index] = Call(event.index, event.name, event.id, syntax=event.syntax)
                self._pieces[event.index] = []
            elif kind == "call_end":
                call = self._calls[event.index]
                call.id, call.status, call.valid = event.id, event.status, event.valid
                call.start, call.end, call.source = event.block_start, event.end, event.source
                call.extra = read_json(event.extra) if event.extra else None
            elif kind == "error":
                self._errors.append(Problem(event.code, event.message, event.start, event.index))
            for index in range(self._doubted, self._late.calls(event)):
                call = self._calls[index]
                call.status, call.valid, self._doubted = "incomplete", None if call.valid is None else False, index + 1
        return self

    def result(self) -> Result:
        """Returns the result so far."""
        for index, pieces in self._pieces.items():
            self._calls[index].arguments_json = "".join(pieces)
        return Result(
            "".join(self._text) if self._text else None,
            "".join(self._reasoning) if self._reasoning else None,
            [self._calls[index] for index in sorted(self._calls)],
            list(self._errors),
        )
