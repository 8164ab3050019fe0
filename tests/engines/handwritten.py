"""Emitted grammars against ones that were written by hand for the same tools: what one lets an engine write the other
accepts, and the size is at most one and a half times theirs.

usage: handwritten.py SLUICE
"""

import json
import subprocess
import sys
import tempfile

import bytewise
from check import endings_of

XY = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"],
      "additionalProperties": False}
ADD_MUL = [{"type": "function", "function": {"name": name, "parameters": XY}} for name in ("add", "mul")]
WRITE = [
    {"type": "function", "function": {"name": "write_file", "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "integer"}},
        "required": ["path", "content"]}}},
    {"type": "function", "function": {"name": "add", "parameters": XY}},
]


def function(name):
    return {"type": "object", "properties": {"name": {"const": name}, "arguments": XY}, "required": ["name", "arguments"],
            "additionalProperties": False}


FUN = json.dumps({"anyOf": [function("add"), function("mul")]}, separators=(",", ":"))
TEXT = "TEXT: /(.|\\n)*/\n"

NUMBERS = r'''number  ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?
'''
CALL = r'''call    ::= "{\"name\": " ( "\"add\"" args | "\"mul\"" args ) "}"
args    ::= ", \"arguments\": {\"x\": " number ", \"y\": " number "}"
''' + NUMBERS


def kmp(pattern, rule):
    """Any text up to and with the pattern, a rule for each matched prefix."""
    def step(state, c):
        text = pattern[:state] + c
        while not pattern.startswith(text):
            text = text[1:]
        return len(text)

    name = lambda state: rule if state == 0 else f"{rule}-{state}"
    spell = {"\n": "\\n"}
    lines = []
    for state in range(len(pattern)):
        ways, listed = [], []
        for c in dict.fromkeys(pattern):
            to = step(state, c)
            if to:
                listed.append(c)
                ways.append(f'"{spell.get(c, c)}"' + ("" if to == len(pattern) else f" {name(to)}"))
        inside = "".join(spell.get(c, c) for c in listed)
        lines.append(f"{name(state)} ::= {' | '.join(ways)} | [^{inside}] {rule}")
    return "\n".join(lines) + "\n"


CASES = [
    ("phi4_mini", "lark", "required", ADD_MUL, f'''start: "<|tool_call|>" calls "<|/tool_call|>"
calls: %json {{"type":"array","minItems":1,"items":{FUN}}}
'''),
    ("hermes", "lark", "auto", ADD_MUL, f'''start: call* TEXT
{TEXT}hd[lazy]: TEXT "<tool_call>"
call: hd "\\n" fun "\\n</tool_call>"
fun: %json {FUN}
'''),
    ("hermes", "lark", "required", ADD_MUL, f'''start: call ("\\n" call)*
call: "<tool_call>\\n" fun "\\n</tool_call>"
fun: %json {FUN}
'''),
    ("functools", "lark", "auto", ADD_MUL, f'''start: call? TEXT
{TEXT}hd[lazy]: TEXT "functools["
call: hd fun (/,[ \\n]?/ fun)* "]"
fun: %json {FUN}
'''),
    ("qwen3_coder", "lark", "required", WRITE, '''start: call ("\\n" call)*
call: "<tool_call>\\n<function=" (f_write | f_add) "</function>\\n</tool_call>"
f_write: "write_file>\\n<parameter=path>\\n" sval "<parameter=content>\\n" sval ("<parameter=mode>\\n" INT "\\n</parameter>\\n")?
f_add: "add>\\n<parameter=x>\\n" num "\\n</parameter>\\n<parameter=y>\\n" num "\\n</parameter>\\n"
sval[suffix="\\n</parameter>\\n"]: /(.|\\n)*/
INT: /-?(0|[1-9][0-9]*)/
num: %json {"type":"number"}
'''),
    ("phi4_mini", "gbnf", "required", ADD_MUL, '''root ::= "<|tool_call|>" array "<|/tool_call|>"
array   ::= "[" call (", " call)* "]"
''' + CALL),
    ("hermes", "gbnf", "required", ADD_MUL, r'''root ::= tool ("\n" tool)*
tool ::= "<tool_call>\n" call "\n</tool_call>"
''' + CALL),
    ("functools", "gbnf", "required", ADD_MUL, '''root ::= "functools" array
array   ::= "[" call (", " call)* "]"
''' + CALL),
    ("qwen3_coder", "gbnf", "required", WRITE, r'''root    ::= tool ("\n" tool)*
tool    ::= "<tool_call>\n<function=" (f-write | f-add) "</function>\n</tool_call>"
f-write ::= "write_file>\n<parameter=path>\n" raw "<parameter=content>\n" raw ("<parameter=mode>\n" integer "\n</parameter>\n")?
f-add   ::= "add>\n<parameter=x>\n" number "\n</parameter>\n<parameter=y>\n" number "\n</parameter>\n"
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
''' + NUMBERS + kmp("\n</parameter>\n", "raw")),
    ("hermes", "structural-tag", "auto", ADD_MUL, json.dumps({"type": "structural_tag", "format": {
        "type": "triggered_tags", "triggers": ["<tool_call>"], "tags": [
            {"type": "tag", "begin": f"<tool_call>\n{{\"name\": \"{name}\", \"arguments\": ",
             "content": {"type": "json_schema", "json_schema": XY}, "end": "}\n</tool_call>"} for name in ("add", "mul")]}})),
    ("phi4_mini", "structural-tag", "auto", ADD_MUL, json.dumps({"type": "structural_tag", "format": {
        "type": "triggered_tags", "triggers": ["<|tool_call|>"], "stop_after_first": True, "tags": [
            {"type": "tag", "begin": "<|tool_call|>", "content": {"type": "json_schema", "json_schema": {
                "type": "array", "minItems": 1, "items": json.loads(FUN)}}, "end": "<|/tool_call|>"}]}})),
    ("functools", "structural-tag", "required", ADD_MUL, json.dumps({"type": "structural_tag", "format": {
        "type": "sequence", "elements": [{"type": "const_string", "value": "functools"}, {
            "type": "json_schema", "json_schema": {"type": "array", "minItems": 1, "items": json.loads(FUN)}}]}})),
]

# Spaces that JSON allows and the format does not write: there the hand-written one accepts more.
SPACED = {("phi4_mini", "lark"), ("functools", "lark"), ("phi4_mini", "structural-tag"), ("functools", "structural-tag"),
          ("hermes", "structural-tag"), ("hermes", "lark")}


def emitted(command, syntax, target, choice, tools):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tools, file)
        file.flush()
        done = subprocess.run([command, "grammar", "-s", syntax, "--tools", file.name, "--to", target, "--option",
                               f"tool_choice={choice}"], capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout


def main():
    failures = 0
    for syntax, target, choice, tools, theirs in CASES:
        ours = emitted(sys.argv[1], syntax, target, choice, tools)
        engine = bytewise.XGrammar if target == "structural-tag" else bytewise.Llguidance
        a, b = engine(ours, target), engine(theirs, target)
        crossed = {"ours": 0, "theirs": 0}
        endings = sorted(set(endings_of(ours)) | set(endings_of(theirs)))
        for seed in range(40):
            for who, writer, reader in (("ours", a, b), ("theirs", b, a)):
                text = bytewise.sample(writer, bytewise.seeded(syntax, target, choice, who, seed), endings, limit=40)
                if text is None or (who == "theirs" and (syntax, target) in SPACED):
                    continue
                crossed[who] += 1
                reader.start()
                if not (reader.take(text) and reader.done()):
                    failures += 1
                    print(f"{syntax}, {target}: only {who} accepts {text!r}\n{ours}")
        ratio = len(ours) / len(theirs)
        print(f"{syntax:12} {target:15} {choice:9} {len(ours):5} bytes, {ratio:.2f} of the hand-written; crossed {crossed}")
        if ratio > 1.5 or not crossed["ours"]:
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
