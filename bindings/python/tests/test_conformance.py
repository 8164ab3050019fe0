"""The project's cases through the binding, as a str and in chunks of 1 and 3 bytes, beside the command in the wheel: the project's own tests
compare its results with what the cases expect."""

import glob
import json
import os
import re
import subprocess
import sys

import sluice

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "cases")


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
    """The result without ids that the library made, which are random."""
    for call in result["calls"]:
        if re.fullmatch(r"call_\w{24}", call["id"]):
            call["id"] = "made"
    return result


def test_every_case():
    lines = [line for path in sorted(glob.glob(os.path.join(ROOT, "*.jsonl"))) for line in open(path, encoding="utf-8")]
    cases = [case for case in map(json.loads, lines) if case.get("text")]
    assert len(cases) > 1500
    asked = [{key: case[key] for key in ("text", "syntax", "tools", "options") if case.get(key)} for case in cases]
    ran = subprocess.run([sys.executable, "-m", "sluice", "batch"], input="\n".join(map(json.dumps, asked)), capture_output=True, text=True, check=True)
    wrong = []
    for case, line in zip(cases, ran.stdout.splitlines()):
        native = json.loads(line)
        native.pop("id", None)
        wrong += [f"{case['id']} in pieces of {size}" for size in (0, 1, 3) if bare(read(case, size).to_dict()) != bare(native)]
    assert wrong == []
