"""Types of options and events, for type checkers."""

from __future__ import annotations

from typing import Literal, TypedDict

EventType = Literal["text", "reasoning", "call_begin", "arguments", "parameter", "call_end", "markup", "error"]
Status = Literal["complete", "recovered", "incomplete"]
Target = Literal["lark", "gbnf", "structural-tag"]
Variant = Literal["full", "short", "native"]


class Options(TypedDict, total=False):
    """The options of a stream: docs/options.md."""

    calls: Literal["streamed", "whole"]
    start: Literal["text", "reasoning"]
    prompt: str
    calls_in_reasoning: Literal["hold", "call", "text"]
    reasoning_opens: Literal["line", "start", "anywhere"]
    fences: Literal["text", "call", "script"]
    unknown_tools: Literal["forward", "text"]
    types: Literal["written", "schema"]
    special: Literal["text", "tokens"]
    mark: str
    source: bool
    strict: bool
    repairs: bool
    validate: bool
    parameters: bool
    markup: bool
    max_calls: int
    limit_name: int
    limit_header: int
    limit_value: int
    limit_held: int
    limit_depth: int


class EventDict(TypedDict, total=False):
    """An event as a dict: the members that apply, and always `type`, `start` and `end`."""

    type: EventType
    start: int
    end: int
    text: str
    index: int
    id: str
    name: str
    key: str
    status: Status
    valid: bool
    extra: str
    code: str
    message: str
    syntax: str
    source: str
