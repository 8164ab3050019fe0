"""What a schema asks for, by keyword: where a grammar is emitted, its engine takes a good value and refuses a bad one.

usage: keywords.py SLUICE
"""

import json
import sys

import bytewise
from check import ENGINES, Sluice

CASES = [
    ({"type": "string", "pattern": "^[a-c]+$"}, "abc", "x"),
    ({"type": "string", "pattern": "[0-9]"}, "x1", "x"),
    ({"type": "string", "minLength": 3}, "abc", "x"),
    ({"type": "string", "maxLength": 2}, "ab", "xyz"),
    ({"type": "string", "enum": ["north", "south"]}, "south", "west"),
    ({"const": "north"}, "north", "west"),
    ({"enum": ["a", 1, None]}, 1, 2),
    ({"type": "integer"}, 12, 1.5),
    ({"type": "number"}, -1.5, True),
    ({"type": "boolean"}, False, 0),
    ({"type": ["integer", "null"]}, None, "x"),
    ({"type": "integer", "nullable": True}, None, "x"),
    ({"type": "integer", "minimum": 0}, 0, -1),
    ({"type": "integer", "minimum": 1}, 7, 0),
    ({"type": "integer", "minimum": 3}, 3, 2),
    ({"type": "integer", "maximum": 3}, 3, 4),
    ({"type": "number", "exclusiveMinimum": 3}, 3.5, 3),
    ({"type": "number", "exclusiveMaximum": 3}, 2.5, 3),
    ({"type": "integer", "multipleOf": 3}, 3, 4),
    ({"type": "array", "items": {"type": "integer"}}, [1, 2], ["x"]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 2], [1]),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 1}, [1], [1, 2]),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [1, "x"], ["x"]),
    ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [1, 2], [1, 1]),
    ({"type": "array", "contains": {"type": "string"}}, ["x"], [1]),
    ({"type": "object"}, {"x": [1, {"y": None}]}, [1]),
    ({"type": "object", "properties": {"b": {"type": "integer"}, "c": {"type": "string"}}, "required": ["c"]}, {"c": "x"},
     {"b": 1}),
    ({"type": "object", "properties": {"b": {"type": "integer"}, "c": {"type": "string"}}}, {"b": 1}, {"d": 1}),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"x": 1}, {"x": "z"}),
    ({"type": "object", "properties": {"k": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
     {"k": "v", "x": 1}, {"x": "z"}),
    ({"type": "object", "patternProperties": {"^x.*$": {"type": "integer"}}, "additionalProperties": False}, {"xa": 1}, {"y": 1}),
    ({"type": "object", "minProperties": 1}, {"x": 1}, {}),
    ({"type": "object", "maxProperties": 1}, {"x": 1}, {"x": 1, "y": 2}),
    ({"type": "object", "propertyNames": {"pattern": "^x"}}, {"x": 1}, {"y": 1}),
    ({"not": {"type": "string"}}, 1, "x"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, "x"),
    ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, None, "x"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 1.5, 1),
    ({"allOf": [{"type": "integer"}]}, 3, "x"),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, 3, 1),
    ({"$ref": "#/$defs/n"}, 3, "x"),
    ({"$ref": "#/$defs/tree"}, {"left": {"left": None}}, {"left": 1}),
    ({}, {"x": 1}, None),
    # what stands beside each other
    ({"type": "string", "enum": ["a", 1, None]}, "a", None),
    ({"type": "integer", "enum": [1, 2, "a"], "minimum": 2}, 2, "a"),
    ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, "b", "c"),
    ({"oneOf": [{"$ref": "#/$defs/n"}, {"const": True}]}, True, False),
    ({"$ref": "#/$defs/n", "minimum": 3}, 3, 2),
    ({"$ref": "#/$defs/n", "type": ["integer", "null"]}, 3, None),
    ({"$ref": "#/$defs/tree", "minProperties": 1}, {"left": None}, {}),
    ({"allOf": [{"$ref": "#/$defs/tree"}, {"properties": {"n": {"type": "integer"}}}]}, {"left": None, "n": 1}, {"n": 1}),
    ({"type": "object", "properties": {"p": {"type": "string"}, "q": {"type": "string"}}, "anyOf": [{"required": ["p"]},
     {"required": ["q"]}]}, {"q": "x"}, {}),
    ({"type": "string", "anyOf": [{"enum": ["a", 1]}, {"const": "b"}]}, "b", "c"),
    ({"type": ["string", "number"], "minimum": 2}, 3, 1),
    ({"type": ["object", "integer"], "minimum": 2}, {"z": 1}, 1),
    ({"minLength": 2}, "ab", "a"),
    ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, [[1], [2]], [1]),
    ({"type": "integer", "exclusiveMinimum": 0.5}, 1, 0),
    ({"type": "integer", "multipleOf": 2, "minimum": 4}, 4, 5),
    ({"type": "string", "pattern": "^a|b$"}, "ax", "x"),
    ({"type": "string", "pattern": "^[ab]+$", "maxLength": 2}, "ab", "aab"),
    ({"const": [1, 2]}, [1, 2], [1]),
    ({"type": "array", "minItems": 1}, [1.5], []),
    ({"type": "array", "items": {"type": "null"}, "maxItems": 0}, [], [None]),
    ({"type": "array", "prefixItems": [True, {"type": "integer"}]}, ["x", 1, "y"], ["x", "y"]),
    ({"type": "object", "properties": {"p": {"type": "string"}, "q": {"type": "number", "minimum": 2}},
      "additionalProperties": {"type": "integer"}}, {"p": "x", "q": 2, "z": 1}, {"p": "x", "q": 1}),
    ({"type": "object", "properties": {"p": False, "q": {"type": "string"}}}, {"q": "x"}, {"p": 1}),
    ({"anyOf": [{"type": "boolean"}, {"type": "integer"}], "nullable": True}, None, "x"),
]
DEFS = {"n": {"type": "integer"}, "tree": {"type": "object", "properties": {"left": {"anyOf": [
    {"$ref": "#/$defs/tree"}, {"type": "null"}]}}, "required": ["left"]}}
SYNTAXES = ("hermes", "qwen3_coder", "pythonic", "gemma4", "deepseek_v32", "minimax_m3", "caret")


def main():
    sluice, failures, checked, refused = Sluice(sys.argv[1]), 0, 0, 0
    for schema, good, bad in CASES:
        parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"], "$defs": DEFS}
        tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
        for syntax in SYNTAXES:
            for target, engines in ENGINES.items():
                grammar, message = sluice.grammar(syntax, tools, target, tool_choice="required")
                if grammar is None:
                    refused += 1
                    continue
                for make in engines:
                    checked += 1
                    try:
                        engine = make(grammar, target)
                    except Exception as problem:
                        failures += 1
                        print(f"{syntax}, {target}, {json.dumps(schema)}: {make.__name__}: {problem}\n{grammar}")
                        continue
                    for value, wanted in ((good, True), (bad, False)):
                        text = sluice.render(syntax, [{"name": "f", "arguments": {"a": value}}])
                        if text is None or (not wanted and value is None):
                            continue
                        if bytewise.accepts(engine, text) != wanted:
                            failures += 1
                            print(f"{syntax}, {target}, {json.dumps(schema)}: {make.__name__} "
                                  f"{'refuses' if wanted else 'accepts'} {text!r}\n{grammar}")
    print(f"{checked} schemas taken at their word, {refused} refused, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
