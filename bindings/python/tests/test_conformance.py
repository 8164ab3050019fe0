"""The project's cases through the binding: as a str, in chunks of 1 and 3 bytes, and whole."""

import glob
import json
import os
import re

import pytest

import sluice

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "cases")
SPECIFIED = {"emoji_bracket", "scissors_cat", "caret", "xml_tags", "smiley"}  # white space of values is part of their rules
FILES = sorted(glob.glob(os.path.join(ROOT, "*.jsonl")))


def fold(text):
    return re.sub(r"\s+", " ", text or "").strip()


def same(want, got, loose):
    """Equal JSON values. loose: bare text may be typed or not, and (2) trimmed or not, since no tools declare its type."""
    if type(want) in (int, float) and type(got) in (int, float):
        return want == got
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(same(want[k], got[k], loose) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(same(a, b, loose) for a, b in zip(want, got))
    if type(want) is type(got) and want == got:
        return True
    if loose and isinstance(want, str) != isinstance(got, str):
        text, value = (want, got) if isinstance(want, str) else (got, want)
        for form in (text, text.strip(), text.strip().lower(), {"None": "null"}.get(text.strip(), text)):
            try:
                if json.loads(form) == value:
                    return True
            except ValueError:
                pass
    return loose == 2 and isinstance(want, str) and isinstance(got, str) and want.strip() == got.strip()


def within(part, whole):
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(k in whole and within(v, whole[k]) for k, v in part.items())
    return same(part, whole, 2)


def difference(case, expect, result):
    loose = 0 if case.get("tools") else 1 if case["syntax"] in SPECIFIED else 2
    if "calls" in expect:
        if len(expect["calls"]) != len(result.calls):
            return f"{len(result.calls)} calls, expected {len(expect['calls'])}"
        for want, call in zip(expect["calls"], result.calls):
            if want.get("name") not in (None, call.name):
                return f"name {call.name}, expected {want['name']}"
            if want.get("id") and str(want["id"]) in case["text"] and str(want["id"]) != call.id:
                return f"id {call.id}, expected {want['id']}"
            if "arguments" in want and not same(want["arguments"] or {}, call.arguments, loose):
                return f"arguments {call.arguments_json}, expected {want['arguments']}"
            if "arguments_subset" in want and not within(want["arguments_subset"], call.arguments):
                return f"arguments {call.arguments_json} lack {want['arguments_subset']}"
    for key in ("content", "reasoning"):
        if key in expect and fold(expect[key]) != fold(getattr(result, key)):
            return f"{key} {getattr(result, key)!r}, expected {expect[key]!r}"
    listed = lambda value: [value] if isinstance(value, str) else value or []
    for text in listed(expect.get("content_contains")):
        if fold(text) not in fold(result.content):
            return f"the content lacks {text!r}"
    for text in listed(expect.get("content_not_contains")):
        if text in (result.content or ""):
            return f"the content has {text!r}"
    return None


def read(case, size):
    options = case.get("options") or {}
    if size == 0:
        return sluice.parse(case["syntax"], case["text"], tools=case.get("tools"), **options)
    stream, collector = sluice.Stream(case["syntax"], tools=case.get("tools"), **options), sluice.Collector()
    data = case["text"].encode("utf-8", "surrogatepass")
    for at in range(0, len(data), size):
        collector.add(stream.feed(data[at:at + size]))
    return collector.add(stream.finish()).result()


def bare(result):
    out = result.to_dict()
    for call in out["calls"]:
        del call["id"]
    return out


def test_there_are_cases():
    assert len(FILES) >= 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: os.path.basename(path)[:-6])
def test_conformance(path):
    wrong = []
    for line in open(path, encoding="utf-8"):
        case = json.loads(line)
        if case["class"] == "contested" or "expect" not in case:
            continue
        results = [read(case, size) for size in (0, 1, 3)]
        if any(bare(result) != bare(results[0]) for result in results):
            wrong.append(f"{case['id']}: chunking matters")
        whys = [difference(case, expect, results[0]) for expect in [case["expect"], *case.get("alternatives", [])]]
        if all(whys) and "differs" not in case:
            wrong.append(f"{case['id']}: {whys[0]}")
    assert wrong == []
