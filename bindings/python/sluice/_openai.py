"""OpenAI's data structures: messages and Chat Completions deltas."""

from __future__ import annotations

from typing import Any, AsyncIterable, Iterable, Iterator, Optional

from ._engine import ToolsLike
from ._result import Result
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
    `finish_reason` is `"tool_calls"` if there was a call, `"length"` if one was cut (clients run calls on `"tool_calls"`), else `"stop"`.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.cut = False  # a call ended incomplete

    @property
    def finish_reason(self) -> str:
        return "length" if self.cut else "tool_calls" if self.calls else "stop"

    def add(self, events: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Returns the deltas of these events."""
        for event in events:
            kind = event.type
            if kind == "text":
                yield {"content": event.text}
            elif kind == "reasoning":
                yield {"reasoning_content": event.text}
            elif kind == "call_begin":
                self.calls += 1
                yield {"tool_calls": [{"index": event.index, "id": event.id or f"call_{event.index}", "type": "function",
                                       "function": {"name": event.name, "arguments": ""}}]}
            elif kind == "call_end":
                self.cut = self.cut or event.status == "incomplete"
            elif kind == "arguments":
                yield {"tool_calls": [{"index": event.index, "function": {"arguments": event.text}}]}


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
