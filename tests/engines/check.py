"""Law 7 against the real engines: what render writes the grammar accepts, what breaks the tools it refuses, and what it
lets an engine write parses to whole, valid calls.

usage: check.py SLUICE CALLS [SYNTAX...]   (SETS=n: how many tool sets, default 24; HALF=0 or 1: every other syntax)
"""

import copy
import json
import os
import re
import subprocess
import sys

import bytewise

ENGINES = {
    "lark": [bytewise.Llguidance],
    "gbnf": [bytewise.Llguidance, bytewise.XGrammar],
    "structural-tag": [bytewise.XGrammar],
}


# For formats with tools of their own.
OWN = [(name, keys.split()) for name, keys in (("edit", "path search replace"), ("edit", "path diff"), ("write", "path content"), (
    "write", "file content"), ("shell", "command"), ("bash", "command"))]


class Sluice:
    def __init__(self, command):
        self.process = subprocess.Popen([command, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8")

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def grammar(self, syntax, tools, target, **options):
        answer = self.ask(op="grammar", syntax=syntax, tools=tools, to=target, options=options)
        return answer.get("text"), answer.get("error", {}).get("message")

    def render(self, syntax, calls):
        return self.ask(op="render", syntax=syntax, calls=calls).get("text")

    def parse(self, syntax, tools, text):
        return self.ask(syntax=syntax, tools=tools, text=text, options={"strict": True})


def in_order(value, schema):
    """A value with its members in the order of the schema, as a grammar asks for them."""
    if isinstance(value, dict) and isinstance(schema, dict):
        properties = schema.get("properties") or {}
        keys = [key for key in properties if key in value] + [key for key in value if key not in properties]
        return {key: in_order(value[key], properties.get(key)) for key in keys}
    if isinstance(value, list) and isinstance(schema, dict):
        return [in_order(item, schema.get("items")) for item in value]
    return value


def breaks(value, schema):
    """Does an object hold what its schema does not declare, or lack what it requires, or is a value none of its enum?"""
    if isinstance(schema, dict) and "enum" in schema and value not in schema["enum"]:
        return True
    if isinstance(value, dict) and isinstance(schema, dict) and schema.get("properties"):
        properties = schema["properties"]
        return (any(key not in properties for key in value) or any(key not in value for key in schema.get("required", []))
                or any(breaks(value[key], properties[key]) for key in value))
    if isinstance(value, list) and isinstance(schema, dict):
        return any(breaks(item, schema.get("items")) for item in value)
    return False


def load(path, count):
    sets = []
    for line in open(path, encoding="utf-8"):
        entry = json.loads(line)
        by_name = {tool["function"]["name"]: tool["function"]["parameters"] for tool in entry["tools"]}
        calls, good = [], True
        for call in entry["calls"]:
            arguments = in_order(call["arguments"], by_name[call["name"]])
            good = good and not breaks(arguments, by_name[call["name"]])
            calls.append({"name": call["name"], "arguments": arguments})
        if good and entry["id"] != "bfcl/simple_python_307":  # a call that breaks its own schema
            sets.append({"id": entry["id"], "tools": entry["tools"], "calls": calls, "by_name": by_name})
    step = max(1, len(sets) // count)
    return sets[::step][:count]


def own_sets():
    for name, keys in OWN:
        parameters = {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys}
        for end in ("", "\n"):  # some are written in whole lines
            yield {"id": f"own/{name}", "tools": [{"name": name, "parameters": parameters}], "by_name": {name: parameters}, "calls": [
                {"name": name, "arguments": {key: "a.py" if key in ("path", "file") else "a" + end for key in keys}}]}


def first_of_type(parameters, calls_arguments, types):
    for key, schema in (parameters.get("properties") or {}).items():
        if key in calls_arguments and schema.get("type") in types and "enum" not in schema:
            return key


def mutations(sluice, syntax, entry, text):
    """Texts that are no calls of these tools, by what is wrong with them."""
    call, name = entry["calls"][0], entry["calls"][0]["name"]
    parameters = entry["by_name"][name]

    def rendered(change):
        changed = copy.deepcopy(entry["calls"][:1])
        change(changed[0])
        return sluice.render(syntax, changed)

    def unknown(c):
        c["name"] = "no_such_tool"

    yield "unknown tool", rendered(unknown)
    required = [key for key in parameters.get("required", []) if key in call["arguments"]]
    if required:
        yield "missing argument", rendered(lambda c: c["arguments"].pop(required[-1]))
    key = first_of_type(parameters, call["arguments"], ("integer", "number", "boolean"))
    if key:
        yield "wrong type", rendered(lambda c: c["arguments"].update({key: "many"}))
    yield "missing closer", text[:-1] if not text.endswith("\n") else text.rstrip("\n")[:-1]
    at = text.find(name)
    if at >= 0:
        yield "stray text", text[:at] + "stray " + text[at:]


def lines_in(sluice, syntax, entry, text="first line\n  second <b>line</b>\nend"):
    """The calls with text of several lines, where the schema allows any text and the format carries it."""
    calls = copy.deepcopy(entry["calls"])
    for call in calls:
        properties = entry["by_name"][call["name"]].get("properties") or {}
        for key, schema in properties.items():
            if key in call["arguments"] and set(schema) <= {"type", "description", "default"} and schema.get("type") == "string":
                before = call["arguments"][key]
                call["arguments"][key] = text + ("\n" if before.endswith("\n") else "")
                written = sluice.render(syntax, calls)
                if written is not None:
                    yield written
                call["arguments"][key] = before


def quoting(sluice, syntax, entry):
    """A call with text that quotes a line of it, as it is: where the grammar accepts it, it is read so."""
    for written in lines_in(sluice, syntax, entry, "first line\n::\nend"):
        for line in sorted(set(written.splitlines())):
            if written.count("\n::\n") == 1:
                yield written.replace("::", line)


def second_calls(sluice, syntax, target, entry, other):
    """Law 7 with the tools of two sets: a call of each, in both orders. Yields the text, the grammar and its tool_choice."""
    if set(entry["by_name"]) & set(other["by_name"]):
        return
    for choice in ("auto", "required"):
        grammar, _ = sluice.grammar(syntax, entry["tools"] + other["tools"], target, tool_choice=choice)
        for calls in (entry["calls"][:1] + other["calls"][:1], other["calls"][:1] + entry["calls"][:1]):
            text = sluice.render(syntax, calls)
            if grammar is not None and text is not None:
                yield text, grammar, choice


def limits(sluice, syntax, target, entry):
    """One call too many for `max_calls`, and as many as it allows. Yields the text, the grammar and whether they fit."""
    for choice, most in (("auto", 1), ("auto", 2), ("required", 2)):
        grammar, _ = sluice.grammar(syntax, entry["tools"], target, tool_choice=choice, max_calls=most)
        for count in (most, most + 1):
            text = sluice.render(syntax, entry["calls"][:1] * count)
            if grammar is not None and text is not None:
                yield text, grammar, count == most


def endings_of(grammar):
    """What ends free text in this grammar: for a sampler, that finds no closer by chance."""
    found = set()
    for match in re.findall(r'suffix=("(?:[^"\\]|\\.)*")', grammar):
        found.add(json.loads(match).encode())
    if grammar.startswith("{"):
        for match in re.findall(r'"end": ("(?:[^"\\]|\\.)*")', grammar):
            found.add(json.loads(match).encode())
    found.discard(b"")
    return sorted(found)


def check(sluice, syntax, target, sets, closers, failures):
    if all(sluice.render(syntax, entry["calls"]) is None for entry in sets[:3]):
        sets = list(own_sets())
    counts = {"accepted": 0, "refused": {}, "not rendered": 0, "mutants": {}, "samples": 0, "no sample": 0,
              "not rendered again": 0, "reasoning": 0}

    def fail(what, entry, text, grammar):
        failures.append((syntax, target, what, entry["id"], text, grammar))

    for number, entry in enumerate(sets):
        text = sluice.render(syntax, entry["calls"])
        if text is None:
            counts["not rendered"] += 1
            continue
        grammar, message = sluice.grammar(syntax, entry["tools"], target, tool_choice="required")
        if grammar is None:
            reason = re.sub(r"'[^']*'", "'...'", message)
            counts["refused"][reason] = counts["refused"].get(reason, 0) + 1
            continue
        engines = []
        for make in ENGINES[target]:
            try:
                engines.append(make(grammar, target))
            except Exception as problem:
                fail(f"{make.__name__} cannot read it: {str(problem)[:300]}", entry, text, grammar)
        for engine in engines:
            if not bytewise.accepts(engine, text):
                fail(f"{type(engine).__name__} refuses what render writes", entry, text, grammar)
        counts["accepted"] += 1
        if number % 20 == 0:
            auto, message = sluice.grammar(syntax, entry["tools"], target)
            if auto is None:
                counts["refused"][message] = counts["refused"].get(message, 0) + 1
            else:
                said = sluice.render(syntax, {"content": "I look it up.", "calls": entry["calls"]})
                if said is None:
                    fail("render cannot write text before the calls", entry, text, auto)
                    continue
                before = said[:-len(text)]
                for make in ENGINES[target]:
                    engine = make(auto, target)
                    for whole in (said, before, text):
                        if not bytewise.accepts(engine, whole):
                            fail(f"{make.__name__} refuses text and calls", entry, whole, auto)
            with_reasoning, _ = sluice.grammar(syntax, entry["tools"], target, reasoning=True, tool_choice="required")
            turn = sluice.render(syntax, {"reasoning": "I need a tool, and wait.", "calls": entry["calls"]})
            if with_reasoning and turn:
                counts["reasoning"] += 1
                choices = [with_reasoning]
                if auto is not None:
                    both, message = sluice.grammar(syntax, entry["tools"], target, reasoning=True)
                    choices += [both] if both else []
                    if both is None:
                        counts["refused"][message] = counts["refused"].get(message, 0) + 1
                for choice in choices:
                    for make in ENGINES[target]:
                        if choice != with_reasoning and target == "gbnf" and make is bytewise.Llguidance:
                            continue  # its lexer takes the opening tag for text; llama.cpp and XGrammar have none
                        engine = make(choice, target)
                        for whole in (turn, text):
                            if not bytewise.accepts(engine, whole):
                                fail(f"{make.__name__} refuses reasoning and calls", entry, whole, choice)
        if number % 20 == 0:
            for written, several, choice in second_calls(sluice, syntax, target, entry, sets[number - 1]):
                counts["second calls"] = counts.get("second calls", 0) + 1
                for make in ENGINES[target]:
                    if not bytewise.accepts(make(several, target), written):
                        fail(f"{make.__name__} refuses a second call, of another tool ({choice})", entry, written, several)
        if number == 0:
            for written, limited, fits in limits(sluice, syntax, target, entry):
                counts["limits"] = counts.get("limits", 0) + 1
                for make in ENGINES[target]:
                    if bytewise.accepts(make(limited, target), written) != fits:
                        fail(f"{make.__name__} {'refuses' if fits else 'accepts'} calls with a limit", entry, written, limited)
        if number % 10 == 3 or entry["id"].startswith("own/"):
            for written in lines_in(sluice, syntax, entry):
                counts["lines"] = counts.get("lines", 0) + 1
                for engine in engines:
                    if not bytewise.accepts(engine, written):
                        fail(f"{type(engine).__name__} refuses a value of several lines", entry, written, grammar)
            for written in quoting(sluice, syntax, entry):
                counts["quoted"] = counts.get("quoted", 0) + 1
                result = sluice.parse(syntax, entry["tools"], written)
                if any("in doubt" in e["message"] for e in result["errors"]):  # told
                    counts["in doubt"] = counts.get("in doubt", 0) + 1
                elif result["errors"] or any(call["status"] != "complete" for call in result["calls"]):
                    for engine in engines:
                        if bytewise.accepts(engine, written):
                            fail(f"{type(engine).__name__} accepts a quoted line that parses to {json.dumps(result)[:600]}", entry, written,
                                 grammar)
        if number % 10 == 0:
            for kind, mutant in mutations(sluice, syntax, entry, text):
                if mutant is None:
                    continue
                counts["mutants"][kind] = counts["mutants"].get(kind, 0) + 1
                for engine in engines:
                    if bytewise.accepts(engine, mutant):
                        fail(f"{type(engine).__name__} accepts: {kind}", entry, mutant, grammar)
        if number % 10 == 5:
            for engine in engines:
                rng = bytewise.seeded(syntax, target, entry["id"])
                endings = sorted(set(endings_of(grammar)) | closers)
                written = bytewise.sample(engine, rng, endings)
                if written is None:
                    counts["no sample"] += 1
                    continue
                counts["samples"] += 1
                written = written.decode("utf-8", "replace")
                result = sluice.parse(syntax, entry["tools"], written)
                calls = result.get("calls")
                result["errors"] = [e for e in result["errors"] if e["code"] != "duplicate_id"]  # ids are random, too
                if any(e["code"] == "stray_markup" for e in result["errors"]):  # a random value that has the call's own closers
                    counts["in doubt"] = counts.get("in doubt", 0) + 1
                    continue
                if not calls or result["content"] or any(c["status"] != "complete" for c in calls) or result["errors"]:
                    fail(f"{type(engine).__name__} writes what parses to {json.dumps(result)[:600]}", entry, written, grammar)
                    continue
                bare = [{"name": c["name"], "arguments": c["arguments"], "id": c["id"],
                         **({"extra": c["extra"]} if "extra" in c else {})} for c in calls]
                # a number that Python does not hold, or half a character
                if "Infinity" in json.dumps(bare) or re.search(r"\\u[dD][89a-fA-F]", written):
                    continue
                again = sluice.render(syntax, bare)
                if again is None:  # a value that only a strict reader takes whole: render refuses it
                    counts["not rendered again"] += 1
                    continue
                back = sluice.parse(syntax, entry["tools"], again)
                if [(c["name"], c["arguments"]) for c in back["calls"]] != [(c["name"], c["arguments"]) for c in calls]:
                    fail(f"{type(engine).__name__} writes what does not come back", entry, written, grammar)
    return counts


def main():
    command, path, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    sets = load(path, int(os.environ.get("SETS", "24")))
    sluice = Sluice(command)
    listed = json.loads(subprocess.run([command, "list", "--json"], capture_output=True, check=True).stdout)
    failures = []
    names = [entry["name"] for entry in listed if not wanted or entry["name"] in wanted]
    if "HALF" in os.environ:
        names = names[int(os.environ["HALF"])::2]
    for syntax in names:
        closers = set()
        for target in ENGINES:
            counts = check(sluice, syntax, target, sets, closers, failures)
            if target == "lark":
                grammar, _ = sluice.grammar(syntax, sets[0]["tools"], target, tool_choice="required")
                closers = set(endings_of(grammar or ""))
            print(f"{syntax:18} {target:15} {json.dumps(counts)}", flush=True)
    shown = {}
    for syntax, target, what, entry, text, grammar in failures:
        key = (syntax, target, what[:40])
        shown[key] = shown.get(key, 0) + 1
        if shown[key] <= int(os.environ.get("SHOW", "1")):
            print(f"\n{syntax}, {target}, {entry}: {what}\n  text: {text!r}\n  grammar: {grammar}")
    print(f"{len(failures)} failed" if failures else "all hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
