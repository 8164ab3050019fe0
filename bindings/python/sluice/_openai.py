"""OpenAI's data structures: messages and Chat Completions deltas."""

from __future__ import annotations

from typing import Any, AsyncIterable, Iterable, Iterator, Optional

from ._engine import ToolsLike
from ._result import Outgoing, Result
from ._stream import Chunk, Stream, parse


def to_openai_message(syntax: "str | Result", text: Optional[Chunk] = None, *, tools: ToolsLike = None, **options: Any) -> dict[str, Any]:
    """Returns a response as an assistant message: of a `Result`, or of a syntax and a text.

    >>> to_openai_message("hermes", "Hello")
    {'role': 'assistant', 'content': 'Hello'}
    """
    if isinstance(syntax, Result):
        return syntax.to_openai_message()
    return parse(syntax, text if text is not None else "", tools=tools, **options).to_openai_message()


class Deltas:
    """Converts events to the `delta` objects of `chat.completion.chunk`.

    Each event gives at most one delta: `{"content"}`, `{"reasoning_content"}`, or `{"tool_calls": [...]}` with
    `index`, and in a call's first delta `id`, `type` and `function.name`. A call's id does not change after it was sent.
    The arguments of an incomplete call lack their last brace. `finish_reason` is `"tool_calls"` if a call is whole; else
    `"length"` if there are calls, `"stop"` if there are none.
    """

    def __init__(self) -> None:
        self._out = Outgoing()

    @property
    def finish_reason(self) -> str:
        return "tool_calls" if self._out.good else "length" if self._out.calls else "stop"

    def add(self, events: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Returns the deltas of these events."""
        for kind, event, text in self._out.parts(events):
            if kind == "text":
                yield {"content": text}
            elif kind == "reasoning":
                yield {"reasoning_content": text}
            elif kind == "call_begin":
                yield {"tool_calls": [{"index": event.index, "id": event.id or f"call_{event.index}", "type": "function",
                                       "function": {"name": event.name, "arguments": ""}}]}
            else:
                yield {"tool_calls": [{"index": event.index, "function": {"arguments": text}}]}


def deltas(syntax: str, chunks: "Iterable[Chunk] | AsyncIterable[Chunk]", *, tools: ToolsLike = None, **options: Any) -> Any:
    """Yields the deltas of a response in chunks; asynchronous for an asynchronous iterable.

    >>> list(deltas("hermes", ["Hel", "lo"]))
    [{'content': 'Hel'}, {'content': 'lo'}]
    """
    stream, made = Stream(syntax, tools=tools, **options), Deltas()
    if hasattr(chunks, "__aiter__"):
        return _async_deltas(stream, made, chunks)
    return made.add(stream.events(chunks))


async def _async_deltas(stream: Stream, made: Deltas, chunks: Any) -> Any:
    async for event in stream.events(chunks):
        for delta in made.add([event]):
            yield delta
