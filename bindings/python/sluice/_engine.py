"""One engine per thread, and the loaded scripts, which all engines share."""

from __future__ import annotations

import json
import os
import re
import threading
import warnings
from contextlib import suppress
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _sluice
from ._errors import NotFoundError, SluiceError
from ._types import Options

ToolsLike = Union[str, bytes, Sequence[Any], "Tools", None]

_KEPT = 32  # names, and sets of compiled tools, that an engine remembers

_lock = threading.Lock()
# Arguments of `load`, in order; engines catch up with them. None: the library's scripts, and those in SLUICE_PATH
_loaded: list[Optional[str]] = [None]
_idle: list["_Engine"] = []  # engines of threads that have ended


def _keep(kept: dict[str, Any], key: str, value: Any) -> Any:
    if len(kept) >= _KEPT:
        del kept[next(iter(kept))]
    kept[key] = value
    return value


def _plain(value: Any) -> Any:
    """Converts a tool definition to JSON values: models of pydantic become dicts; a model's class is a tool with its name and fields."""
    if isinstance(value, type) and hasattr(value, "model_json_schema"):
        schema = value.model_json_schema()
        about = {"description": schema.pop("description")} if "description" in schema else {}
        return {"type": "function", "function": {"name": value.__name__, **about, "parameters": schema}}
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(exclude_none=True)
    raise TypeError(f"a tool must be a dict or a pydantic model, not {type(value).__name__}")


def write_tools(tools: Iterable[Any]) -> str:
    if isinstance(tools, Mapping) or not isinstance(tools, Iterable):
        raise TypeError(f"tools must be a list of definitions or JSON text, not {type(tools).__name__}")
    return re.sub("[\ud800-\udfff]", "\ufffd", json.dumps(list(tools), default=_plain, ensure_ascii=False))


class Tools:
    """Tool definitions (an OpenAI `tools` array, as a list or JSON text), for repeated use.

    A list is accepted in its place; a `Tools` object saves its conversion to JSON each time. Any thread may use it.
    """

    __slots__ = ("json",)

    def __init__(self, tools: Union[str, bytes, Iterable[Any]]):
        if isinstance(tools, bytes):
            tools = tools.decode()
        self.json: str = tools if isinstance(tools, str) else write_tools(tools)

    def __repr__(self) -> str:
        return f"Tools({self.json})"


class _Engine:
    """An engine of the library, and the state that this module keeps with it."""

    __slots__ = ("raw", "count", "names", "listed", "tools")

    def __init__(self) -> None:
        self.raw = _sluice.Engine()
        self.count = 0  # of `_loaded`
        self.names: dict[str, dict[str, str]] = {}  # names used by callers, and what `model` returns for them
        self.listed: dict[str, dict[str, Any]] = {}  # entries of `syntaxes()` by names and aliases
        self.tools: dict[str, Any] = {}

    def catch_up(self) -> None:
        """Loads scripts that were asked for meanwhile, also by other threads."""
        while self.count < len(_loaded):
            path = _loaded[self.count]
            self.count += 1
            self.forget()
            try:
                self.raw.load(path)
            except SluiceError as error:  # of SLUICE_PATH; or it was valid when `load` was called, and has changed
                warnings.warn(f"sluice: {error}", RuntimeWarning, stacklevel=4)

    def forget(self) -> None:
        self.names.clear()
        self.listed.clear()

    def syntaxes(self) -> list[dict[str, Any]]:
        """Returns every syntax. Loads all scripts and takes milliseconds: not for every request."""
        out: list[dict[str, Any]] = json.loads(self.raw.tool("list_json", ""))
        return out

    def entry(self, syntax: str) -> dict[str, Any]:
        """Returns the remembered entry of `syntaxes()` for a syntax or an alias; without markers for `auto` and paths."""
        if not self.listed:
            for entry in self.syntaxes():
                for name in [entry["name"], *entry["aliases"]]:
                    self.listed.setdefault(name, entry)
        name = self.syntax(syntax)
        return self.listed.get(name, {"name": name, "special": [], "reasoning": [], "stop": []})

    def model(self, name: str) -> dict[str, str]:
        """Returns the syntax for a model's name, and `start` if its responses start in reasoning."""
        found: dict[str, str] = json.loads(self.raw.tool("model", name))
        return found

    def syntax(self, name: str) -> str:
        """Returns the syntax for a model's name; a syntax's name, an alias, a path and `auto...` stay as they are."""
        return self._named(name)["name"]

    def opening(self, syntax: str, tools: ToolsLike, options: Mapping[str, Any]) -> tuple[str, Any, Optional[str]]:
        """Returns what a stream is made from."""
        found = self._named(syntax)
        if "start" in found and options.get("start") is None and options.get("prompt") is None:
            options = {**options, "start": found["start"]}
        return found["name"], self.compiled(tools), options_json(options)

    def _named(self, name: str) -> dict[str, str]:
        if not isinstance(name, str):
            raise TypeError(f"the syntax must be a str, not {type(name).__name__}")
        found = self.names.get(name)
        if found is None:
            found = _keep(self.names, name, {"name": name})  # if nothing is found, the library's own message has the nearest name
            try:
                _sluice.Stream(self.raw, name, None, None)  # quicker than a list of all syntaxes
            except NotFoundError:
                with suppress(NotFoundError):
                    found = self.names[name] = self.model(name)
        return found

    def compiled(self, tools: ToolsLike) -> Any:
        if tools is None:
            return None
        text = tools.json if isinstance(tools, Tools) else Tools(tools).json
        made = self.tools.get(text)
        if made is None:
            made = _keep(self.tools, text, self.raw.tools(text))
        return made


class _Lease:
    """Keeps an engine for a thread. When the thread ends, the engine becomes idle."""

    __slots__ = ("engine",)

    def __init__(self) -> None:
        with _lock:
            idle = _idle.pop() if _idle else None
        self.engine = idle or _Engine()

    def __del__(self) -> None:
        if hasattr(self, "engine") and _idle is not None:
            _idle.append(self.engine)


_local = threading.local()


def engine() -> _Engine:
    """Returns the engine of this thread."""
    lease: Optional[_Lease] = getattr(_local, "lease", None)
    if lease is None:
        lease = _local.lease = _Lease()
    found = lease.engine
    if found.count < len(_loaded):
        found.catch_up()
    return found


def after_fork() -> None:
    """Drops all engines in a forked child, where no other thread runs; new ones are made."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()
    _local.__dict__.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)


def load(path: "str | os.PathLike[str]") -> None:
    """Loads a syntax script, or every script of a folder, for all threads.

    A script replaces an earlier one of the same name; open streams keep the old version. Raises
    `NotFoundError` or `ScriptError`, with the file and the line.
    """
    own = engine()
    name = os.path.abspath(os.fspath(path))
    own.raw.load(name)
    with _lock:
        _loaded.append(name)
    own.forget()
    if own.count == len(_loaded) - 1:
        own.count += 1


def options_json(options: Mapping[str, Any], known: Mapping[str, Any] = Options.__annotations__) -> Optional[str]:
    given = {key: value for key, value in options.items() if value is not None or key not in known}  # others are refused
    return json.dumps(given) if given else None
