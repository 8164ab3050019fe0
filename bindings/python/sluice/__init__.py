"""Sluice extracts tool calls from a language model's raw output while it streams.

>>> import sluice
>>> result = sluice.parse("hermes", 'Let me see.<tool_call>\\n{"name": "get_weather", "arguments": {"city": "Paris"}}\\n</tool_call>')
>>> result.content
'Let me see.'
>>> result.calls[0].name, result.calls[0].arguments
('get_weather', {'city': 'Paris'})
"""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, Optional, Union

from . import _sluice
from ._engine import Tools, ToolsLike, engine, load, options_json
from ._errors import (
    ArgumentError,
    JsonError,
    MisuseError,
    NotFoundError,
    OutOfMemoryError,
    RefusedError,
    ScriptError,
    SluiceError,
    UnsupportedError,
)
from ._openai import Deltas, deltas, to_openai_message
from ._result import Call, Collector, Outgoing, Problem, Result, write_json
from ._stream import Event, Stream, iterate, parse
from ._types import EventDict, Options, Target, Variant

__all__ = [
    "ArgumentError",
    "Call",
    "Collector",
    "Deltas",
    "Event",
    "EventDict",
    "JsonError",
    "MisuseError",
    "NotFoundError",
    "OutOfMemoryError",
    "Options",
    "Outgoing",
    "Problem",
    "RefusedError",
    "Result",
    "ScriptError",
    "SluiceError",
    "Stream",
    "Tools",
    "UnsupportedError",
    "deltas",
    "error_hint",
    "from_chat_template",
    "grammar",
    "iterate",
    "load",
    "mark",
    "parse",
    "prompt",
    "render",
    "syntax_for",
    "syntaxes",
    "to_openai_message",
    "tools_notes",
    "version",
    "wire",
]

version: str = _sluice.version
__version__ = version


def _call(value: Any) -> Any:
    """What the library takes for a call: a `Call` as a dict, anything else as it is."""
    if isinstance(value, Call):
        return {"name": value.name, "arguments": value.arguments_json or {}, "id": value.id, "extra": value.extra}  # the text, with all digits
    return value


def wire(syntax: str, body: Union[str, bytes], source: str = "openai", target: Optional[str] = None, *, tools: ToolsLike = None,
         model: Optional[str] = None, **options: Any) -> bytes:
    """Converts the body of a server's response, with the calls and the reasoning in its text as fields: docs/gateway.md.

    `source` is `"openai"`, `"anthropic"`, `"ollama"` or `"text"`, `target` (default: the same) also `"events"`, `"result"` or
    `"openai-message"`. In the same format a JSON response stays one; else the output is a stream.

    >>> wire("hermes", '{"choices": [{"message": {"content": "<think>hm</think>Hi"}}]}')
    b'{"choices":[{"message":{"content":"Hi","reasoning_content":"hm"}}]}'
    """
    own = engine()
    return own.raw.wire(*own.opening(syntax, tools, options), source, source if target is None else target, model, body)


def error_hint(code: str) -> Optional[str]:
    """Returns what a host may tell the model about an error of this code, a sentence; None for a code that tells the model nothing to do.

    >>> error_hint("unfinished_call")
    'The tool call was cut off. Write it again completely.'

    """
    return _sluice.error_hint(code)


def mark() -> str:
    """Generates a mark for one conversation: eight random letters and digits.

    With the option `mark` of `prompt`, `render`, `grammar` and of streams, the opening and closing tags of a prompt-defined
    format contain it (`<tool_call k3f9a2xw>`). Openers without it are text, so text that a model repeats is never a call.

    >>> word = mark()
    >>> text = render("hermes", [{"name": "f", "arguments": {}}])
    >>> [len(parse("hermes", given, mark=word).calls) for given in (text, text.replace("tool_call>", f"tool_call {word}>"))]
    [0, 1]
    """
    import secrets  # here, since it is slow to import

    return "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(8))  # no two look alike


def render(syntax: str, calls: Union[str, Result, Mapping[str, Any], Iterable[Any]], *, mark: Optional[str] = None) -> str:
    """Writes calls as text in the model's own format.

    `calls` is a list of `{"name", "arguments", "id"?, "extra"?}`, of `Call` objects or of OpenAI `tool_calls`; or a
    whole turn, `{"reasoning"?, "content"?, "calls"?, "results"?, "generation_prompt"?}`, or a `Result`; or JSON text of either. `mark`: see
    `mark()`. Raises `JsonError` if it is not JSON, `RefusedError` if the format cannot express it.

    >>> render("hermes", [{"name": "f", "arguments": {"a": 1}}])
    '<tool_call>\\n{"name": "f", "arguments": {"a": 1}}\\n</tool_call>'
    >>> render("hermes", [{"name": "f", "arguments": {"a": 1}}], mark="k3f9a2xw")
    '<tool_call k3f9a2xw>\\n{"name": "f", "arguments": {"a": 1}}\\n</tool_call k3f9a2xw>'
    """
    own = engine()
    if isinstance(calls, Result):
        calls = {key: value for key, value in {"reasoning": calls.reasoning, "content": calls.content,
                                               "calls": calls.calls}.items() if value}
    if isinstance(calls, Mapping):
        turn = dict(calls)
        if "calls" in turn:
            turn["calls"] = [_call(call) for call in turn["calls"]]
        text = write_json(turn)
    elif isinstance(calls, str):
        text = calls
    else:
        text = write_json([_call(call) for call in calls])
    options = {} if mark is None else {"options": {"mark": mark}}
    return own.raw.tool("render", json.dumps({"syntax": own.syntax(syntax), "calls": text, **options}))


def grammar(syntax: str, tools: ToolsLike, target: Target = "lark", *, tool_choice: Optional[str] = None,
            max_calls: Optional[int] = None, parallel: Optional[bool] = None, reasoning: Optional[bool] = None,
            relax: Optional[bool] = None, mark: Optional[str] = None, tokens: Any = None) -> str:
    """Returns a grammar that makes a model write the format.

    `target` is `"lark"` (llguidance), `"gbnf"` (llama.cpp) or `"structural-tag"` (XGrammar). `tool_choice` is
    `"auto"`, `"required"` or a tool's name; `max_calls` limits the calls, `parallel=False` to one; `reasoning=True`
    allows reasoning before calls; `mark`: see `mark()`. Raises `RefusedError` if the target cannot express it;
    `relax=True` leaves out what it cannot, and the text begins with a list of that.

    >>> grammar("hermes", [{"type": "function", "function": {"name": "f"}}], "gbnf").startswith("root ::=")
    True
    """
    own = engine()
    given = {"tool_choice": tool_choice, "max_calls": max_calls, "parallel": parallel, "reasoning": reasoning, "relax": relax, "mark": mark,
             "tokens": tokens}
    return own.raw.write(own.syntax(syntax), own.compiled(tools), target or "", options_json(given, given))


def tools_notes(tools: ToolsLike) -> list[dict[str, str]]:
    """Returns the parts of the tools' schemas that cannot be checked: `tool`, `pointer` and `message` of each.

    A call for which one is reached is not `valid` and gets the error `schema_unchecked`.

    >>> tools_notes([{"name": "f", "parameters": {"properties": {"a": {"pattern": "(a)\\\\1"}}}}])[0]["pointer"]
    '/properties/a/pattern'
    """
    text = tools.json if isinstance(tools, Tools) else Tools([] if tools is None else tools).json
    notes: list[dict[str, str]] = json.loads(engine().raw.tool("tools_notes", text))
    return notes


def prompt(syntax: str, tools: ToolsLike, *, variant: Optional[Variant] = None, mark: Optional[str] = None) -> str:
    """Returns instructions that teach a model the format and the tools.

    `variant`: `"full"`, `"short"` or `"native"`; `mark`: see `mark()`.
    """
    own = engine()
    given = {"variant": variant, "mark": mark}
    return own.raw.write(own.syntax(syntax), own.compiled(tools), None, options_json(given, given))


def syntaxes() -> list[dict[str, Any]]:
    """Returns every syntax: `name`, `aliases`, `models`, `can`, `special`, `source`, `path`.

    >>> "hermes" in [syntax["name"] for syntax in syntaxes()]
    True
    """
    return engine().syntaxes()


def syntax_for(model: str) -> str:
    """Returns the syntax for a model's name. Raises `NotFoundError` if none fits, or several fit equally.

    >>> syntax_for("Qwen/Qwen2.5-7B-Instruct")
    'hermes'
    """
    return engine().model(model)["name"]


def from_chat_template(template: Any, **options: Any) -> Any:
    """Returns the syntax of a chat template: see `sluice.chat_template.infer`. Needs Jinja2."""
    from .chat_template import infer

    return infer(template, **options)
