"""OpenAI's data structures: messages and Chat Completions deltas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Optional, overload

from ._engine import ToolsLike
from ._result import Outgoing, Result
from ._stream import Chunk, Event, Stream, flow, parse
from ._types import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack


def to_openai_message(syntax: "str | Result", text: Optional[Chunk] = None, *, tools: ToolsLike = None,
                      **options: Unpack[Options]) -> dict[str, Any]:
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
    The arguments of an incomplete call lack their last brace. `finish_reason` is `"tool_calls"` if a call is complete; else
    `"length"` if there are calls, `"stop"` if there are none.
    """

    def __init__(self) -> None:
        self._out = Outgoing()

    @property
    def finish_reason(self) -> str:
        return "tool_calls" if self._out.good else "length" if self._out.calls else "stop"

    def add(self, events: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Returns the deltas of these events."""
        for event in events:
            delta = self._out.fields([event])
            if "reasoning" in delta:
                delta["reasoning_content"] = delta.pop("reasoning")
            if delta:
                yield delta


@overload
def deltas(syntax: str, chunks: Iterable[Any], *, tools: ToolsLike = None, **options: Unpack[Options]) -> Iterator[dict[str, Any]]: ...


@overload
def deltas(syntax: str, chunks: AsyncIterable[Any], *, tools: ToolsLike = None, **options: Unpack[Options]) -> AsyncIterator[dict[str, Any]]: ...


def deltas(syntax: str, chunks: Any, *, tools: ToolsLike = None, **options: Unpack[Options]) -> Any:
    """Yields the deltas of a response in chunks; asynchronous for an asynchronous iterable.

    The chunks are those of `Stream.events`. What the delta of a `chat.completion.chunk` has besides content passes on unchanged, but
    its calls and those in the text are numbered together.

    >>> list(deltas("hermes", ["Hel", None, {"choices": [{"delta": {"content": "lo"}}]}]))
    [{'content': 'Hel'}, {'content': 'lo'}]
    """
    stream, made = Stream(syntax, tools=tools, **options), Deltas()
    numbers: dict[Any, int] = {}

    def numbered(whose: str, given: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for delta in given:
            if "tool_calls" in delta:
                delta["tool_calls"] = [{**call, "index": numbers.setdefault((whose, call["index"]), len(numbers))}
                                       if isinstance(call, Mapping) and "index" in call else call for call in delta["tool_calls"]]
            yield delta

    def of(delta: dict[str, Any], events: list[Event]) -> Iterator[dict[str, Any]]:
        yield from numbered("server", filter(None, [{k: v for k, v in delta.items() if v and k not in ("role", "content")}]))
        yield from numbered("text", made.add(events))

    return flow(stream, chunks, of)
