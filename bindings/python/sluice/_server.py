"""Shared by the plugins for inference servers."""

from __future__ import annotations

import json
import re
import warnings
from functools import lru_cache
from importlib import metadata
from typing import Any, Iterable, Optional

from ._engine import Tools, engine
from ._errors import SluiceError
from ._result import Outgoing
from ._stream import Stream


def names() -> list[str]:
    """Returns the syntaxes that a server can choose from."""
    return [entry["name"] for entry in engine().syntaxes()]


def syntax_of_model(*hints: Any) -> str:
    """Returns the syntax for the first of these model names that has one; else `auto`."""
    for hint in hints:
        if isinstance(hint, str) and hint:
            try:
                return engine().model(hint)["name"]
            except SluiceError:
                continue
    return "auto"


def plain_tools(tools: Any) -> Optional[Tools]:
    """Returns the function tools of a request in the form of Chat Completions, or None."""
    out = []
    for tool in tools or []:
        value = tool.model_dump(exclude_none=True) if hasattr(tool, "model_dump") else tool
        if "function" not in value and "name" in value:  # the Responses API writes them flat
            value = {"type": "function", "function": {k: value[k] for k in ("name", "description", "parameters") if k in value}}
        if "function" in value:
            out.append(value)
    return Tools(out) if out else None


@lru_cache(maxsize=256)
def warn_once(logger: Any, message: str) -> None:
    logger.warning(message)


def grammar(logger: Any, syntax: str, tools: Optional[Tools], *targets: Any, **options: Any) -> tuple[str, str]:
    """Returns the grammar of the first target that can express these calls, and the target: whole, or else `relax`ed. "" if there is none.
    The log says once what is missing."""
    import sluice

    refusals = []
    for relax in (False, True):
        for target in targets:
            try:
                text = sluice.grammar(syntax, tools, target, relax=relax, **options)
            except SluiceError as error:
                refusals += [str(error)] if relax else []
                continue
            left = json.loads(text).get("without") if text.startswith("{") else re.findall("^# without: (.*)", text)
            if left:
                warn_once(logger, f"calls of {syntax} are constrained without {', '.join(left)}")
            return text, target
    warn_once(logger, f"calls are not constrained: {'; '.join(refusals)}")
    return "", ""


_NO_TOOLS = Tools([])


class Response:
    """One response, and what of it goes to the client. Without `calls` and without `reasoning` their markup is text."""

    def __init__(self, syntax: str, tools: Optional[Tools], calls: bool = True, reasoning: bool = False, inside: bool = False):
        """`inside`: the prompt has opened the reasoning."""
        options: dict[str, Any] = {"tools": tools} if calls else {"tools": _NO_TOOLS, "unknown_tools": "text"}
        if inside:
            options["start"] = "reasoning"
        self.stream = Stream(syntax, markup=not reasoning, **options)
        self.out = Outgoing(False if reasoning else True if calls else "all", syntax)
        self.fields = self.out.fields

    def end(self, logger: Any, text: str = "") -> dict[str, Any]:
        """Returns the fields of the rest of the response, and logs why calls are incomplete (unless `logger` is None)."""
        fields = self.fields(self.stream.feed(text) + self.stream.finish())
        for name, why in self.out.reasons if logger else ():
            logger.warning("the call of %s is incomplete, and its arguments leave without their last brace: %s", name, why)
        return fields


def check_version(package: str, first: str, until: str) -> None:
    """Refuses a version of a server below `first`; warns if it is not below `until`. Both have two numbers."""
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:  # a source tree
        return
    numbers = [tuple(int(n) for n in re.findall(r"\d+", version)[:2]) for version in (found, first, until)]
    range_ = f"this Sluice supports {package} >= {first}, < {until}, not {found}"
    if numbers[0] < numbers[1]:
        raise ImportError(range_)
    if numbers[0] >= numbers[2]:
        warnings.warn(range_, RuntimeWarning, stacklevel=2)
