"""Streams: chunks of a response in, events out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Union, overload

from . import _sluice
from ._engine import ToolsLike, engine
from ._errors import SluiceError
from ._result import Collector, Result
from ._types import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

Event = _sluice.Event
Chunk = Union[bytes, bytearray, memoryview, str, None]


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def delta_of(chunk: Any) -> Any:
    """Returns the delta of a chunk, an object or a dict: that of the first choice of a `chat.completion.chunk`, or the content that a
    text is, itself or as a `text_completion`; None if there is none."""
    if chunk is None or isinstance(chunk, (str, bytes, bytearray, memoryview)):
        return {"content": chunk}
    choices, error = _member(chunk, "choices"), _member(chunk, "error")
    if error:
        raise SluiceError(f"the server reports an error: {_member(error, 'message') or error}")
    choice = next((choice for choice in choices or () if not _member(choice, "index")), None)
    delta, text = _member(choice, "delta"), _member(choice, "text")
    if choices is None or (delta is None and _member(choice, "message")):
        raise TypeError(f"a chunk must be a str, bytes, None or a chat.completion.chunk, not {_member(chunk, 'object') or type(chunk).__name__}")
    return {"content": text} if delta is None and text else delta


def text_of(chunk: Any) -> Chunk:
    """Returns the text of a chunk."""
    content: Chunk = _member(delta_of(chunk), "content")
    return content


class Either:
    """For chunks that can be iterated over in both ways, as LiteLLM's."""

    def __init__(self, synchronous: Any, asynchronous: Any):
        self._synchronous, self._asynchronous = synchronous, asynchronous

    def __iter__(self) -> Any:
        return self._synchronous()

    def __aiter__(self) -> Any:
        return self._asynchronous()


def flow(stream: Stream, chunks: Any, of: Callable[[Any], Iterable[Any]], end: Callable[[], Iterable[Any]]) -> Any:
    """Yields what `of` gives for each chunk of a response, then what `end` gives; asynchronous for an asynchronous iterable."""

    def synchronous() -> Iterator[Any]:
        stream.reset()  # the chunks of the last response may have raised
        for chunk in chunks:
            yield from of(chunk)
        yield from end()

    async def asynchronous() -> AsyncIterator[Any]:
        stream.reset()
        async for chunk in chunks:
            for item in of(chunk):
                yield item
        for item in end():
            yield item

    if not hasattr(chunks, "__aiter__"):
        return synchronous()
    return Either(synchronous, asynchronous) if hasattr(chunks, "__iter__") else asynchronous()


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

    def __new__(cls, syntax: str, *, tools: ToolsLike = None, **options: Unpack[Options]) -> Stream:
        own = engine()
        made: Stream = super().__new__(cls, own.raw, *own.opening(syntax, tools, options))
        return made

    @overload
    def events(self, chunks: Iterable[Any]) -> Iterator[Event]: ...

    @overload
    def events(self, chunks: AsyncIterable[Any]) -> AsyncIterator[Event]: ...

    def events(self, chunks: Any) -> Any:
        """Yields the events of a whole response, as its chunks come: resets the stream before it, and finishes it.

        A chunk is a str, bytes, None (nothing), or a `chat.completion.chunk` or `text_completion` as an object or a dict, whose first choice counts. Returns an iterator for an iterable, an asynchronous one for an asynchronous iterable:

        >>> [e.type for e in Stream("hermes").events(["<tool_call>", '{"name": "f", "arguments": {}}'])]
        ['call_begin', 'arguments', 'call_end']
        """
        return flow(self, chunks, lambda chunk: self.feed(text_of(chunk)), self.finish)


@overload
def iterate(syntax: str, chunks: Iterable[Any], *, tools: ToolsLike = None, **options: Unpack[Options]) -> Iterator[Event]: ...


@overload
def iterate(syntax: str, chunks: AsyncIterable[Any], *, tools: ToolsLike = None, **options: Unpack[Options]) -> AsyncIterator[Event]: ...


def iterate(syntax: str, chunks: Any, *, tools: ToolsLike = None, **options: Unpack[Options]) -> Any:
    """Yields the events of a response in chunks: `Stream(syntax, ...).events(chunks)`."""
    return Stream(syntax, tools=tools, **options).events(chunks)


def parse(syntax: str, text: Chunk, *, tools: ToolsLike = None, **options: Unpack[Options]) -> Result:
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
