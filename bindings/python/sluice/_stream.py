"""Streams: chunks of a response in, events out."""

from __future__ import annotations

import difflib
from typing import Any, AsyncIterable, AsyncIterator, Iterable, Iterator, Optional, Union

from . import _sluice
from ._engine import ToolsLike, engine
from ._errors import ArgumentError, UnsupportedError
from ._result import Collector, Result

Event = _sluice.Event
Chunk = Union[bytes, bytearray, memoryview, str]


def check_options(options: dict[str, Any]) -> None:
    """Raises ArgumentError for an option that does not exist."""
    for name in options:
        if name not in _sluice.option_names:
            near = difflib.get_close_matches(name, _sluice.option_names, 1)
            raise ArgumentError(f"there is no option '{name}'" + (f"; the nearest is '{near[0]}'" if near else ""))


class Stream(_sluice.Stream):
    """Parses one response after another, in chunks cut anywhere.

    `syntax` is a syntax's name, an alias, a path to a script, `"auto"`, or a model's name.
    Further keywords are stream options (`calls="whole"`, `start="reasoning"`, `parameters=True`, ...).

    >>> stream = Stream("hermes")
    >>> [e.type for e in stream.feed('Hi <tool_call>{"name": "f", "argum')]
    ['text']
    >>> [(e.type, e.text or e.name) for e in stream.feed('ents": {"a": 1}}</tool_call>')][1:]
    [('arguments', '{"a": 1}'), ('call_end', None)]
    >>> stream.finish()
    []

    A stream belongs to the engine of the thread that made it. Other threads may use it, one at a time.
    """

    __slots__ = ()

    def __new__(cls, syntax: str, *, tools: ToolsLike = None, **options: Any) -> "Stream":
        check_options(options)
        own = engine()
        return super().__new__(cls, own.raw, own.syntax(syntax), own.compiled(tools), options)

    def __init__(self, syntax: str, *, tools: ToolsLike = None, **options: Any) -> None:
        pass

    def events(self, chunks: "Iterable[Chunk] | AsyncIterable[Chunk]") -> Any:
        """Yields the events of a whole response, as its chunks come; finishes the stream.

        Returns an iterator for an iterable, an asynchronous one for an asynchronous iterable:

        >>> [e.type for e in Stream("hermes").events(["<tool_call>", '{"name": "f", "arguments": {}}'])]
        ['call_begin', 'arguments', 'call_end']
        """
        return self._async_events(chunks) if hasattr(chunks, "__aiter__") else self._events(chunks)

    def _events(self, chunks: Iterable[Chunk]) -> Iterator[Event]:
        for chunk in chunks:
            yield from self.feed(chunk)
        yield from self.finish()

    async def _async_events(self, chunks: AsyncIterable[Chunk]) -> AsyncIterator[Event]:
        async for chunk in chunks:
            for event in self.feed(chunk):
                yield event
        for event in self.finish():
            yield event

    if not hasattr(_sluice.Stream, "closing"):

        def closing(self) -> str:
            raise UnsupportedError("this build of the library has no sluice_stream_closing")

    if not hasattr(_sluice.Stream, "feed_special"):

        def feed_special(self, data: Chunk) -> list[Event]:
            raise UnsupportedError("this build of the library has no sluice_stream_feed_special")


def iterate(syntax: str, chunks: "Iterable[Chunk] | AsyncIterable[Chunk]", *, tools: ToolsLike = None, **options: Any) -> Any:
    """Yields the events of a response in chunks: `Stream(syntax, ...).events(chunks)`."""
    return Stream(syntax, tools=tools, **options).events(chunks)


def parse(syntax: str, text: Chunk, *, tools: ToolsLike = None, **options: Any) -> Result:
    """Parses a whole response: its content, reasoning, calls and errors.

    `syntax` and the options are those of `Stream`.

    >>> result = parse("hermes", '<tool_call>{"name": "get_time", "arguments": {"zone": "UTC"}}</tool_call>')
    >>> result.calls[0].name, result.calls[0].arguments
    ('get_time', {'zone': 'UTC'})
    >>> parse("Qwen/Qwen2.5-7B-Instruct", "Hello").content
    'Hello'
    """
    stream = Stream(syntax, tools=tools, **options)
    return Collector().add(stream.feed(text)).add(stream.finish()).result()
