"""A model writes calls under the grammar of each syntax: what it ends by itself must be valid in strict reading, and the events of its
own tokens those of the whole text. Each target after the first gets one seed and temperature.

usage: generate.py SLUICE FIXED [--short] [--random] [--to TARGETS] [--seeds 1,2] [--choice required,auto] [--save FILE] [SYNTAX...]
"""

import argparse
import collections
import itertools
import json
import re
import subprocess
import sys

import model

SHORT = ["hermes", "qwen3_coder", "pythonic", "glm45", "mistral", "kimi_k2"]


def schema(required, **properties):
    return {"type": "object", "properties": properties, "required": required}


TEXT = {"type": "string", "maxLength": 40}
ORDER = {"enum": ["newest", "oldest", None]}
WHOLE = {"type": ["integer", "null"]}
TAGS = {"type": "array", "items": TEXT, "maxItems": 3}
# the second list for formats without lists of lists, or of objects
TOOLS = [
    [("search_notes", schema(["query", "filters"], query=TEXT, order=ORDER, limit=WHOLE,
                             filters={"type": "array", "maxItems": 2, "items": schema(
                                 ["field", "tags"], field={"type": "string", "enum": ["title", "body"]}, tags=TAGS)})),
     ("plan_trip", schema(["city", "days"], city=TEXT, class_=dict(ORDER, enum=["first", "second"]),
                          days={"type": "array", "minItems": 1, "maxItems": 3,
                                "items": {"type": "array", "maxItems": 2, "items": {"type": "integer"}}},
                          guide={"anyOf": [{"type": "boolean"}, {"type": "null"}]}))],
    [("search_notes", schema(["query"], query=TEXT, order={"enum": ["newest", "oldest"]})),
     ("plan_trip", schema(["city"], city=TEXT, days={"type": "integer"}))],
]
TOOLS = [[{"name": name, "parameters": parameters} for name, parameters in tools] for tools in TOOLS]
QUESTIONS = ["Find my newest notes about the garden.", "Plan two days in Oslo, please.", "What did I write about taxes? Oldest first."]


class Sluice:
    def __init__(self, command):
        self.process = subprocess.Popen([command, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def merged(events):
    """The events with neighbouring pieces of one text joined, and without ids that Sluice invents."""
    out = []
    for event in events:
        event.pop("id" if re.fullmatch("call_[A-Za-z0-9]{24}", event.get("id") or "") else None, None)
        last = out[-1] if out else {}
        if event["type"] in ("text", "reasoning", "arguments", "parameter") and all(
                last.get(key) == event.get(key) for key in ("type", "index", "key")):
            out[-1] = dict(last, text=last["text"] + event["text"], end=event["end"])
        else:
            out.append(event)
    return out


def judge(sluice, syntax, tools, pieces, choice):
    """What is wrong with a finished output, or None."""
    line = {"syntax": syntax, "tools": tools, "options": {"strict": True}}
    text = "".join(pieces)
    result = sluice.ask(text=text, **line)
    whole = sluice.ask(text=text, output="events", **line)
    tokens = sluice.ask(pieces=[[piece] for piece in pieces], output="events", **line)
    if merged(whole["events"]) != merged(tokens["events"]):
        return "the events of the tokens differ"
    errors = {error["code"] for error in result["errors"]} - {"duplicate_id"}  # the model invents ids
    wrong = [call for call in result["calls"] if not call["valid"] or call["status"] != "complete"]
    if wrong or errors:
        return f"not valid: {json.dumps(wrong[:1])} {sorted(errors)}"
    if choice == "required" and (not result["calls"] or result["content"]):
        return "no call" if not result["calls"] else f"text beside calls: {result['content']!r}"
    return None


def grammar_for(sluice, syntax, fixed, target, choice):
    """The grammar, for the richest tools that it can express; and these tools, or why there is none."""
    why = None
    for tools in [fixed[syntax]] if syntax in fixed else TOOLS:
        answer = sluice.ask(op="grammar", syntax=syntax, tools=tools, to=target,
                            options={"tool_choice": choice, "max_calls": 1, "relax": True})
        if "text" in answer:
            return answer["text"], tools
        why = why or answer["error"]["message"]
    return None, re.sub("^[^:]*: cannot express ", "", why)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("fixed")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--random", action="store_true", help="any token that the grammar allows, in place of the model's")
    parser.add_argument("--to", default="gbnf")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--temperature", default="0.7,1.2")
    parser.add_argument("--choice", default="required,auto")
    parser.add_argument("--save", default="/dev/null")
    parser.add_argument("syntax", nargs="*")
    args = parser.parse_intermixed_args()
    sluice, fixed = Sluice(args.sluice), json.load(open(args.fixed, encoding="utf-8"))
    listed = json.loads(subprocess.run([args.sluice, "list", "--json"], capture_output=True, check=True).stdout)
    names = args.syntax or (SHORT if args.short else [entry["name"] for entry in listed])
    runs, more = [(1, 0.7, "required")], []
    if not args.short:
        runs = [(seed, temperature, choice) for seed in map(int, args.seeds.split(",")) for temperature in map(float, args.temperature.split(","))
                for choice in args.choice.split(",")]
        more = [(seed, runs[-1][1], "required") for seed in range(101, 107)]  # until an output with a call is valid
    targets, writer = args.to.split(","), None if args.random else model.Model()
    writers = {target: writer if writer and target == "gbnf" else model.Masked(writer, target) for target in targets}
    total, failures, save = collections.Counter(), [], open(args.save, "w", encoding="utf-8")
    print("| syntax | target | written | ended | valid | beyond | calls | left out, or refused |\n|---|---|---|---|---|---|---|---|")
    for syntax, target in itertools.product(names, targets):
        counts, notes, grammars = collections.Counter(), set(), {}
        least = len(runs) if target == targets[0] else 1
        for number, (seed, temperature, choice) in enumerate(runs[:least] + more):
            if number >= least and counts["valid"] and counts["calls"]:
                break
            if choice not in grammars:
                grammars[choice] = grammar_for(sluice, syntax, fixed, target, choice)
            grammar, tools = grammars[choice]
            if grammar is None:
                notes.add(f"{choice}: {tools}")
                continue
            notes.update(re.findall(r'#(/[^"]*)"', grammar[:300] if "without" in grammar[:15] else ""))
            prompt = sluice.ask(op="prompt", syntax=syntax, tools=tools, options={"variant": "short"})["text"]
            pieces, ended = writers[target].write(prompt, QUESTIONS[seed % len(QUESTIONS)], grammar, seed=seed, temperature=temperature)
            problem = judge(sluice, syntax, tools, pieces, choice) if ended else None
            text = "".join(pieces)
            calls = len(sluice.ask(syntax=syntax, tools=tools, text=text)["calls"]) if ended else 0
            beyond = bool(problem) and "without" in grammar[:15] and problem.endswith("['schema_mismatch']")  # what was left out
            counts.update(written=1, ended=int(ended), valid=int(ended and not problem), beyond=int(beyond), calls=calls)
            json.dump({"syntax": syntax, "to": target, "seed": seed, "temperature": temperature, "choice": choice, "ended": ended, "problem": problem,
                       "pieces": pieces}, save)
            save.write("\n")
            save.flush()
            if problem and not beyond:
                failures.append(f"{syntax}, {target}, {choice}, seed {seed}, {temperature}: {problem}\n  {text!r}\n  {grammar}")
        total.update(counts)
        print("| {} | {} | {written} | {ended} | {valid} | {beyond} | {calls} | {} |".format(
            syntax, target, "; ".join(sorted(notes)), **{key: counts[key] for key in ("written", "ended", "valid", "beyond", "calls")}), flush=True)
    print("\n".join(failures))
    print(f"{args.to}: {len(names)} syntaxes; {dict(total)}; {len(failures)} failed")
    return 1 if failures or not total["ended"] else 0


if __name__ == "__main__":
    sys.exit(main())
