"""Finds the syntax of a chat template: `python -m sluice infer --template FILE`, and `sluice.from_chat_template`.

The Jinja template of a model shows its format. Conversations with known calls are rendered by the real Jinja2, as
transformers sets it up; the text that the model would have written is extracted by comparison; the known syntaxes are
tried on it, and `infer` finds a new one if none of them reads it. The result is checked on further turns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Union

from . import _rendering, _sluice
from ._engine import engine
from ._errors import SluiceError
from ._rendering import TOOLS, TemplateError, Turn
from ._result import Result
from ._stream import Stream, parse

_written: set[str] = set()  # scripts that `infer` wrote: loaded, but not known formats


@dataclass
class Inferred:
    """The result. `syntax`: the name of a known syntax, or the path of the new script, which `sluice.load` has loaded."""

    syntax: str
    known: bool
    script: Optional[str]
    reads: int
    total: int
    report: str
    starts_in_reasoning: bool = False
    end_of_turn: Optional[str] = None
    special: list[str] = field(default_factory=list)
    result: Optional[str] = None
    lost: int = 0  # further turns that the template writes ambiguously

    def __str__(self) -> str:
        return self.report


def _normal(text: Optional[str]) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def _alike(want: Any, got: Any) -> bool:
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(_alike(want[k], got[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(_alike(a, b) for a, b in zip(want, got))
    return type(want) is type(got) and want == got


def _reads(syntax: str, turn: Turn) -> bool:
    """True if the syntax reads this turn as intended.

    Histories omit empty reasoning: a turn without reasoning may begin after it, if the prompt opens it.
    """
    try:
        if _as_meant(parse(syntax, turn.text, tools=TOOLS, prompt=turn.prompt), turn):
            return True
        silent = not turn.reasoning or turn.reasoning not in turn.text
        return (silent and Stream(syntax, tools=TOOLS, prompt=turn.prompt).state()[0] == "reasoning"
                and _as_meant(parse(syntax, turn.text, tools=TOOLS, start="text"), turn))
    except SluiceError:
        return False


def _as_meant(result: Result, turn: Turn) -> bool:
    if len(result.calls) != len(turn.calls) or any(e.code in ("not_a_call", "unfinished_call", "invalid_call") for e in result.errors):
        return False
    for (name, arguments), call in zip(turn.calls, result.calls):
        if call.name != name or call.status == "incomplete" or not _alike(arguments, call.arguments):
            return False
    content, reasoning = _normal(result.content), _normal(result.reasoning)
    wanted = _normal(turn.content) if turn.content and turn.content in turn.text else ""
    thought = _normal(turn.reasoning) if turn.reasoning and turn.reasoning in turn.text else ""
    return content == wanted and reasoning == thought


def infer(template: Any, *, name: str = "mine", hidden: Union[bool, Iterable[str]] = (), folder: Optional[str] = None) -> Inferred:
    """Returns the syntax of a chat template: of a `tokenizer_config.json`, a `.jinja` file, a template's text or a tokenizer's dict.

    `name` names a new syntax; `hidden` are known syntaxes to ignore (True: all); a new script is written to
    `folder` (default: a temporary one) and loaded. Raises `TemplateError` if the template writes no tool calls, or none that can be
    read.
    """
    own = engine()
    every = [entry for entry in own.syntaxes() if entry.get("path") not in _written]
    without = {entry["name"] for entry in every} if hidden is True else set(hidden or ())
    known = [entry for entry in every if entry["name"] not in without]
    pairs = [pair for entry in every for pair in entry["reasoning"]]
    renderer = _rendering.Renderer(template)
    settings = _rendering.settings(renderer)
    ends = _rendering.ends_of_turn(renderer, settings)
    learn = _rendering.turns(renderer, settings, _rendering.LEARN, pairs, ends)
    pool = learn + _rendering.turns(renderer, settings, _rendering.CHECK, pairs, ends)
    if not [turn for turn in learn if turn.calls]:
        raise TemplateError("no turn of the template contains its calls")
    # if a template writes every call ambiguously, only its own text is left
    spoilt = [turn for turn in pool if turn.lost]
    is_known, script = True, None
    found, read = _known(sorted(known, key=lambda e: (-len(e["models"]), e["name"])), pool)

    def unread(turns: list[Turn]) -> list[Turn]:
        return [turn for turn in pool if not turn.lost and not any(turn is other for other in turns)]

    if unread(read) or not read:
        made = _new(learn, pool, name, without, ends, len(read), folder)
        if made:
            found, script, read, is_known = made[0], made[1], made[2], False
    if not read:
        raise TemplateError("the template writes calls, but no description reads them")
    missed = unread(read)
    prompt = learn[0].prompt
    report = [f"this is `{found}`" if is_known else _kind(script), f"it reads {len(read)} of {len(read) + len(missed)} turns"]
    report += [f"  not read: {turn.text[:200]!r}" for turn in missed][:3]
    report += [f"  the template loses {why}" for why in sorted({turn.lost for turn in spoilt if turn.lost})]
    return Inferred(found, is_known, script, len(read), len(read) + len(missed), "\n".join(report),
                    _rendering.open_reasoning(prompt, pairs) is not None, ends[0] if ends else None,
                    _rendering.special(template), _rendering.result(renderer, settings), len(pool) - len(read) - len(missed))


def _known(entries: list[dict[str, Any]], pool: list[Turn]) -> tuple[str, list[Turn]]:
    """Returns the known syntax that reads most turns, and these; of several, the one that writes most of them unchanged."""
    first = [turn for turn in pool if turn.calls and not turn.lost][:3] or [turn for turn in pool if turn.calls][:3]
    best: list[tuple[str, list[Turn]]] = []
    for entry in entries:
        name = entry["name"]
        if not any(_reads(name, turn) for turn in first):
            continue
        read = [turn for turn in pool if _reads(name, turn)]
        if not best or len(read) >= len(best[0][1]):
            best = [other for other in best if len(other[1]) == len(read)] + [(name, read)]
    if len(best) > 1:
        best.sort(key=lambda one: -sum(_writes(one[0], turn) for turn in pool if turn.calls))
    return best[0] if best else ("", [])


def _writes(syntax: str, turn: Turn) -> bool:
    calls = json.dumps([{"name": name, "arguments": arguments} for name, arguments in turn.calls], ensure_ascii=False)
    try:
        return engine().raw.tool("render", json.dumps({"syntax": syntax, "calls": calls})).strip() in turn.text
    except SluiceError:
        return False


def _kind(script: Optional[str]) -> str:
    parent = re.search(r'^return inherit\("([^"]+)"', script or "", re.M)
    return f"this is `{parent.group(1)}` with changes" if parent else "a format of its own"


def _new(learn: list[Turn], pool: list[Turn], name: str, hidden: set[str], ends: list[str], least: int,
         folder: Optional[str]) -> Optional[tuple[str, str, list[Turn]]]:
    """Returns a script that reads more turns than `least`: (path, text, the turns)."""
    raw = _sluice.Engine(script_instructions=10**12, script_memory=1 << 29)
    raw.load(None)
    path = os.path.join(folder or tempfile.mkdtemp(prefix="sluice-"), f"{name}.lua")
    _written.add(path)
    good = [turn for turn in learn if not turn.lost] if [turn for turn in learn if turn.calls and not turn.lost] else learn
    called = [turn for turn in good if turn.calls]
    bare = [turn for turn in called if not turn.reasoning and not turn.content]
    rest = [turn for turn in good if not turn.calls]
    subsets = [good, bare + rest, [turn for turn in good if not turn.reasoning], bare, bare[:1], bare[:2], bare[:3],
               [turn for turn in bare if len(turn.calls) == 1], [turn for turn in bare if len(turn.calls) > 1]]
    best: Optional[tuple[str, str, list[Turn]]] = None
    seen = set()
    for subset in subsets:
        key = tuple(turn.text for turn in subset)
        if not [turn for turn in subset if turn.calls] or key in seen:
            continue
        seen.add(key)
        asked = {"samples": [{"path": f"turn {i + 1}", "text": turn.text, "prompt": turn.prompt[-400:]} for i, turn in enumerate(subset)],
                 "name": name, "hidden": sorted(hidden), "stop": [end for end in ends if "\n" not in end], "calls": [_message(turn) for turn in subset]}
        try:
            script = json.loads(raw.tool("infer", json.dumps(asked, ensure_ascii=False)))["script"]
        except SluiceError:
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        read = [turn for turn in pool if _reads(path, turn)]
        if len(read) > least and (best is None or len(read) > len(best[2])):
            best = (path, script, read)
        if best and all(turn.lost or any(turn is other for other in best[2]) for turn in pool):
            break
    if best:
        with open(path, "w", encoding="utf-8") as file:
            file.write(best[1])
    return best


def _message(turn: Turn) -> dict[str, Any]:
    """Returns a turn in the form for `infer`."""
    return {"content": turn.content if turn.content and turn.content in turn.text else None,
            "reasoning": turn.reasoning if turn.reasoning and turn.reasoning in turn.text else None,
            "calls": [{"name": name, "arguments": arguments, "id": _rendering.call_id(i)} for i, (name, arguments) in enumerate(turn.calls)]}


def main(arguments: Optional[list[str]] = None) -> int:
    """`python -m sluice infer --template FILE`."""
    parser = argparse.ArgumentParser(prog="sluice infer", description="The syntax of a chat template.")
    parser.add_argument("--template", required=True, metavar="FILE", help="a tokenizer_config.json or a .jinja file")
    parser.add_argument("--name", default="mine", help="the name of a new syntax")
    parser.add_argument("--hidden", action="append", default=[], metavar="SYNTAX", help="a known syntax that does not count; 'all': none does")
    parser.add_argument("-o", "--output", choices=["script", "json"], default="script")
    given = parser.parse_args(arguments)
    try:
        found = infer(given.template, name=given.name, hidden=True if "all" in given.hidden else given.hidden)
    except (SluiceError, OSError) as error:
        print(f"sluice: {error}", file=sys.stderr)
        return 1
    if given.output == "json":
        print(json.dumps(vars(found), ensure_ascii=False))
        return 0
    print(f"-- {given.template}: " + found.report.replace("\n", "\n-- "))
    if found.end_of_turn:
        print(f"-- end of turn: {found.end_of_turn!r}")
    if found.starts_in_reasoning:
        print("-- the prompt opens the reasoning: give the end of the prompt with --option prompt=...")
    if found.result:
        print(f"-- a result: {found.result!r}")
    print(found.script if found.script else "return inherit(%s, { name = %s })" % tuple(json.dumps(name, ensure_ascii=False) for name in (found.syntax, given.name)))
    return 0
