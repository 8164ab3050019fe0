"""Compares the core's checks of JSON Schema with the official suites in a folder, and with jsonschema on random schemas."""
import json, os, random, subprocess, sys

import jsonschema

here = os.path.dirname(os.path.abspath(__file__))


def verdicts(asked):
    """What the core says of each value of each (schema, values)."""
    lines = "".join(json.dumps({"schema": json.dumps(s), "values": [json.dumps(v) for v in values]}) + "\n" for s, values in asked)
    done = subprocess.run(["lua5.4", here + "/check.lua"], input=lines, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    answers = iter(done.stdout.split("\n"))
    return [[next(answers) for _ in values] for _, values in asked]


def suite(folder, least, says=None):
    """The required tests of a draft. None may be accepted wrongly. says: the `$schema` of schemas without one."""
    groups = [dict(group, file=name) for name in sorted(os.listdir(folder)) if name.endswith(".json")
              for group in json.load(open(os.path.join(folder, name)))]
    total, agree, wrong = 0, 0, []
    for group, said in zip(groups, verdicts([(dict({"$schema": says}, **g["schema"]) if says and isinstance(g["schema"], dict) else g["schema"], [t["data"] for t in g["tests"]]) for g in groups])):
        for test, one in zip(group["tests"], said):
            total += 1
            agree += (one == "fits") == test["valid"]
            if one == "fits" and not test["valid"]:
                wrong.append(f'{group["file"]}: {group["description"]}: {test["description"]}')
    print(f"{folder}: {agree} of {total} agree; wrongly accepted: {wrong or 'none'}")
    return agree >= least and not wrong


VALUES = [None, True, False, 0, 1, -3, 2.5, 7.0, 10**20, "", "a", "ab", "b-1", "É", [], [1], ["a", "a"], [1, 2, "a"], {}, {"a": 1},
          {"a": "x", "b": 2}, {"b": [], "c": {"a": 1}}, [{"a": 1}, {"a": 1}], {"a": {"a": None}}]
SMALL = [("minimum", [0, 2.5]), ("maximum", [1, 7]), ("exclusiveMinimum", [0]), ("exclusiveMaximum", [7]), ("multipleOf", [1, 2.5]),
         ("minLength", [1, 2]), ("maxLength", [1]), ("pattern", ["a", "^[a-z]+$", "^(?!b)", "^(?=.*b)a", "b?-\\d$"]), ("minItems", [1, 2]),
         ("maxItems", [1]), ("uniqueItems", [True]), ("minProperties", [1]), ("maxProperties", [1]), ("required", [["a"], ["b", "c"]]),
         ("enum", [[1, "a", {"a": 1}], [None, [], 7]]), ("const", [1, "ab", [1]]), ("minContains", [0, 2]), ("maxContains", [1]),
         ("type", ["string", "integer", "number", "object", "array", "boolean", "null", ["string", "null"], ["integer", "array"]]),
         ("dependentRequired", [{"a": ["b"]}])]
ONE = ["not", "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"]
LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"]
MAPS = ["properties", "properties", "patternProperties", "dependentSchemas"]


def schema(depth):
    if random.random() < 0.08:
        return random.random() < 0.8
    out = {}
    for _ in range(random.choice([1, 1, 2, 3])):
        kind = random.random() if depth else 0
        if kind < 0.45:
            key, values = random.choice(SMALL)
            out[key] = random.choice(values)
        elif kind < 0.65:
            out[random.choice(ONE)] = schema(depth - 1)
        elif kind < 0.82:
            out[random.choice(LISTS)] = [schema(depth - 1) for _ in range(random.choice([1, 2, 3]))]
        else:
            out[random.choice(MAPS)] = {key: schema(depth - 1) for key in random.sample(["a", "b", "c"], 2)}
    return out


def differential(count):
    random.seed(1)
    asked = [(schema(3), VALUES) for _ in range(count)]
    differ = 0
    for (s, values), said in zip(asked, verdicts(asked)):
        judge = jsonschema.Draft202012Validator(s)
        for value, one in zip(values, said):
            if (one == "fits") != judge.is_valid(value):
                differ += 1
                if differ < 10:
                    print("differs:", json.dumps(s), json.dumps(value), one)
    print(f"{count} random schemas, {len(VALUES)} values each: {differ} differ")
    return not differ


good = [suite(os.path.join(sys.argv[1], "draft2020-12"), 1224), suite(os.path.join(sys.argv[1], "draft7"), 901, "http://json-schema.org/draft-07/schema#"),
        differential(3000)]
sys.exit(not all(good))
