"""Shared by the plugins for inference servers."""

from __future__ import annotations

from typing import Any, Optional

from ._engine import engine
from ._errors import SluiceError
from ._stream import Stream


def names() -> list[str]:
    """Returns the syntaxes that a server can choose from."""
    return [entry["name"] for entry in engine().syntaxes()]


# Formats without ids in their text, whose chat templates only accept ids of nine letters and digits in a history.
NINE_CHARACTERS = frozenset({"mistral"})


def call_id(syntax: str, given: Optional[str], index: int) -> str:
    """Returns the id that a client gets for a call: one that the model's template accepts."""
    if not given:
        return f"call_{index}"
    return given[5:14] if syntax in NINE_CHARACTERS and given.startswith("call_") and len(given) >= 14 else given


def syntax_of_model(*hints: Any) -> str:
    """Returns the syntax for the first of these model names that has one; else `auto`."""
    for hint in hints:
        if isinstance(hint, str) and hint:
            try:
                return engine().raw.syntax_for(hint)
            except SluiceError:
                continue
    return "auto"


class Verbatim:
    """Treats reasoning as content, markers included: for a tool parser without a reasoning parser."""

    def __init__(self) -> None:
        self.markup = ""
        self.after = False

    def skip(self) -> None:
        """Skips an event of a call: it has no content."""
        self.markup, self.after = "", False

    def add(self, event: Any) -> Optional[str]:
        """Returns the content of an event, or None."""
        kind = event.type
        if kind == "markup":
            if self.after:
                self.after = False
                return event.text
            self.markup = event.text
            return None
        text = None
        if kind == "text":
            text = event.text
        elif kind == "reasoning":
            text, self.after = self.markup + event.text, True
        if kind != "error":
            self.markup = ""
            self.after = kind == "reasoning"
        return text


class Splitter:
    """Splits a response in pieces into reasoning and the raw text after it.

    `inside`: the prompt has opened the reasoning. The returned content still has its tool calls.
    """

    def __init__(self, pairs: list[dict[str, str]], inside: bool = False):
        self.opens = [pair["open"].strip() for pair in pairs]
        self.closes = [pair["close"].strip() for pair in pairs]
        self.inside = inside
        self.done = not pairs
        self.held = ""
        self.trim = inside
        self.after = False  # right after the closer: line breaks are markup

    def feed(self, text: str, end: bool = False) -> tuple[str, str]:
        """Returns `(reasoning, content)` of the next piece. `end`: nothing follows."""
        if self.done:
            if self.after:
                text = text.lstrip("\n")
                self.after = not text
            return "", text
        self.held += text
        if not self.inside and not self._opened(end):
            if not self.done:
                return "", ""
            content, self.held = self.held, ""
            return "", content
        return self._reason(end)

    def _opened(self, end: bool) -> bool:
        body = self.held.lstrip()
        for mark in self.opens:
            if body.startswith(mark):
                self.held, self.inside, self.trim = body[len(mark):], True, True
                return True
        if end or not any(mark.startswith(body) for mark in self.opens):
            self.done = True
        return False

    def _reason(self, end: bool) -> tuple[str, str]:
        if self.trim and self.held:
            self.held = self.held.lstrip("\n")
            self.trim = not self.held
        found = min(((self.held.find(mark), -len(mark), mark) for mark in self.closes if mark in self.held), default=None)
        if found is not None:
            at, _, mark = found
            reasoning, content = self.held[:at], self.held[at + len(mark):]
            self.held, self.done, self.after = "", True, True
            return reasoning.rstrip("\n"), self.feed(content)[1]
        if end:
            reasoning, self.held = self.held, ""
            return reasoning, ""
        keep = 0
        for mark in self.closes:
            for n in range(min(len(mark) - 1, len(self.held)), 0, -1):
                if self.held.endswith(mark[:n]):
                    keep = max(keep, n)
                    break
        cut = len(self.held) - keep
        while cut and self.held[cut - 1] == "\n":
            cut -= 1
        reasoning, self.held = self.held[:cut], self.held[cut:]
        return reasoning, ""


def open_in(text: str, pairs: list[dict[str, str]]) -> bool:
    """True if this prompt leaves reasoning open."""
    opened = max((text.rfind(pair["open"].strip()) for pair in pairs), default=-1)
    closed = max((text.rfind(pair["close"].strip()) for pair in pairs), default=-1)
    return opened > closed


def feed(stream: Stream, text: str, token_ids: Any, special: dict[int, str]) -> list[Any]:
    """Feeds a piece. Special tokens, if the ids show them, are fed as such."""
    if not special or not token_ids:
        return stream.feed(text)
    events: list[Any] = []
    at = 0
    for token in token_ids:
        mark = special.get(token)
        if mark is None:
            continue
        found = text.find(mark, at)
        if found < 0:
            continue
        if found > at:
            events += stream.feed(text[at:found])
        events += stream.feed_special(mark)
        at = found + len(mark)
    if at < len(text):
        events += stream.feed(text[at:])
    return events
