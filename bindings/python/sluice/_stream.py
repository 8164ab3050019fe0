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
_READ = ("content", "reasoning_content", "reasoning", "tool_calls", "function_call")


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _parts(value: Any, kind: str) -> str:
    """Returns the texts of this kind in content that is a list of parts, as of Mistral's models; of a str itself."""
    return value if isinstance(value, str) else "".join(_parts(_member(part, kind) or "", "text") for part in value)


def delta_of(chunk: Any) -> dict[str, Any]:
    """Returns the members of a chunk's delta, an object's or a dict's: of the first choice of a `chat.completion.chunk`, or the content that
    a text is, itself or as a `text_completion`."""
    if chunk is None or isinstance(chunk, (str, bytes, bytearray, memoryview)):
        return {"content": chunk}
    kind, choices = _member(chunk, "object"), _member(chunk, "choices") or ()
    choice = next((choice for choice in choices if not _member(choice, "index")), None)
    error = _member(chunk, "error") or _member(choice, "error") or (kind == "error" and chunk)
    error = error or (_member(choice, "finish_reason") == "error" and "it ended the answer")
    if error:
        raise SluiceError(f"the server reports an error: {_member(error, 'message') or error}")
    delta, text = _member(choice, "delta"), _member(choice, "text")
    if not ("choices" in chunk if isinstance(chunk, Mapping) else hasattr(chunk, "choices")) or (delta is None and _member(choice, "message")):
        raise TypeError(f"a chunk must be a str, bytes, None or a chat.completion.chunk, not {kind or type(chunk).__name__}")
    if delta is None:
        return {"content": text}
    own = delta.model_dump(exclude_none=True) if hasattr(delta, "model_dump") else getattr(delta, "__dict__", {})
    members = dict(delta) if isinstance(delta, Mapping) else {**{name: getattr(delta, name, None) for name in _READ}, **own}
    content = members.get("content")
    if isinstance(content, (list, tuple)):
        members.update(content=_parts(content, "text"), reasoning_content=_parts(content, "thinking"))
    return members


def flow(stream: Stream, chunks: Any, of: Callable[[dict[str, Any], list[Event]], Iterable[Any]]) -> Any:
    """Yields what `of` gives for the members of each chunk of a response and the events of its text, then for the last events; asynchronous for
    an asynchronous iterable."""
    def begin() -> Callable[[Any], Iterable[Any]]:
        begun = False
        stream.reset()  # the chunks of the last response may have raised

        def items(chunk: Any) -> Iterable[Any]:
            nonlocal begun
            delta = delta_of(chunk)
            reasoning = delta.get("reasoning_content") or delta.get("reasoning")
            if reasoning and not begun:  # the server has read it: the text starts in text
                syntax, tools, options = stream._given
                Stream.reset(stream, Stream(syntax, tools=tools, **{**options, "start": "text", "prompt": None}))
            begun = begun or bool(reasoning or delta.get("content"))
            return of(delta, stream.feed(delta.get("content")))

        return items

    def synchronous() -> Iterator[Any]:
        items = begin()
        for chunk in chunks:
            yield from items(chunk)
        yield from of({}, stream.finish())

    async def asynchronous() -> AsyncIterator[Any]:
        items = begin()
        async for chunk in chunks:
            for item in items(chunk):
                yield item
        for item in of({}, stream.finish()):
            yield item

    if not hasattr(chunks, "__aiter__"):
        return synchronous()

    class Either:  # for chunks that can be iterated over in both ways, as LiteLLM's
        __iter__, __aiter__ = staticmethod(synchronous), staticmethod(asynchronous)

    return Either() if hasattr(chunks, "__iter__") else asynchronous()


def _events(delta: dict[str, Any], events: list[Event]) -> list[Event]:
    if delta.get("tool_calls") or delta.get("function_call"):
        raise SluiceError("the server has parsed a call itself: use `deltas`, or turn off its tool parser")
    return events


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

    __slots__ = ("_given", "_usual")
    _given: tuple[str, ToolsLike, Any]
    _usual: Stream | None  # until the next reset, this stream reads as another

    def __new__(cls, syntax: str, *, tools: ToolsLike = None, **options: Unpack[Options]) -> Stream:
        own = engine()
        made: Stream = super().__new__(cls, own.raw, *own.opening(syntax, tools, options))
        made._given, made._usual = (syntax, tools, options), None
        return made

    def reset(self, _text: Any = None) -> Stream:
        """Prepares for the next response. Returns the stream."""
        super().reset(_text or self._usual or self)
        self._usual = _text
        return self

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
        return flow(self, chunks, _events)


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
