"""The responses of the race: six formats, each with the same cases, written out here rather than by a parser that runs in it.

Each response is a dict: `family`, `case`, `text`, `chunks` (as a model server would hand them on: a special token of the model whole, all else
in pieces of four characters), `tools` (OpenAI's form), `expect` (the calls) and `content` (the text beside them).
"""

import json
import re

SECTION = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
KIMI = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
DEEPSEEK = "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"

SPECIAL = {
    "hermes": ("<tool_call>", "</tool_call>"),
    "qwen3_coder": ("<tool_call>", "</tool_call>"),
    "glm47": ("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    "kimi_k2": SECTION + KIMI,
    "llama3_json": (),
    "deepseek_v31": DEEPSEEK,
}
FAMILIES = tuple(SPECIAL)
IN_TAGS = ("qwen3_coder", "glm47")  # each argument in tags of its own; in the others the arguments are one JSON object


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def in_tag(value):
    return value if isinstance(value, str) else dumps(value)


def written(family, calls, compact=False):
    """The calls, as a model of this family writes them. A call is (name, arguments); arguments given as str are JSON already."""
    out = []
    end = "" if compact else "\n"
    for i, (name, arguments) in enumerate(calls):
        as_json = arguments if isinstance(arguments, str) else dumps(arguments)
        if family == "hermes":
            out.append(f'<tool_call>{end}{{"name": "{name}", "arguments": {as_json}}}{end}</tool_call>')
        elif family == "qwen3_coder":
            tags = "".join(f"<parameter={k}>{end}{in_tag(v)}{end}</parameter>{end}" for k, v in arguments.items())
            out.append(f"<tool_call>{end}<function={name}>{end}{tags}</function>{end}</tool_call>")
        elif family == "glm47":
            tags = "".join(f"<arg_key>{k}</arg_key><arg_value>{in_tag(v)}</arg_value>" for k, v in arguments.items())
            out.append(f"<tool_call>{name}{tags}</tool_call>")
        elif family == "kimi_k2":
            out.append(f"{KIMI[0]}functions.{name}:{i}{KIMI[1]}{as_json}{KIMI[2]}")
        elif family == "llama3_json":
            out.append(f'{{"name": "{name}", "parameters": {as_json}}}')
        elif family == "deepseek_v31":
            out.append(f"{DEEPSEEK[1]}{name}{DEEPSEEK[2]}{as_json}{DEEPSEEK[3]}")
    if family == "kimi_k2":
        return SECTION[0] + "".join(out) + SECTION[1]
    if family == "deepseek_v31":
        return DEEPSEEK[0] + "".join(out) + DEEPSEEK[4]
    return ("; " if family == "llama3_json" else "" if compact else "\n").join(out)


def chunks_of(family, text):
    markers = SPECIAL[family]
    pieces = re.split("(" + "|".join(re.escape(m) for m in markers) + ")", text) if markers else [text]
    out = []
    for piece in pieces:
        if piece in markers:
            out.append(piece)
        else:
            out += [piece[i : i + 4] for i in range(0, len(piece), 4)]
    return [c for c in out if c]


def tool(name, properties, required=()):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Does {name}.",
            "parameters": {"type": "object", "properties": properties, "required": list(required)},
        },
    }


TEXT, INTEGER, NUMBER, BOOLEAN = ({"type": t} for t in ("string", "integer", "number", "boolean"))
SETTINGS = {
    f"{kind}_{i}": {"text": TEXT, "count": INTEGER, "ratio": NUMBER, "on": BOOLEAN, "tags": {"type": "array", "items": TEXT},
                    "place": {"type": "object", "properties": {"x": NUMBER, "y": NUMBER}}}[kind]
    for i in range(5)
    for kind in ("text", "count", "ratio", "on", "tags", "place")
}
TOOLS = [
    tool("search", {"query": TEXT, "city": TEXT, "days": INTEGER}, ["query"]),
    tool("write_file", {"path": TEXT, "content": TEXT}, ["path", "content"]),
    tool("configure", SETTINGS),
    tool("transfer", {"account": INTEGER, "amount": NUMBER, "exact": INTEGER}),
    tool("now", {}),
]

LINES = ("def area(width, height):", '    """The area."""', "    return width * height", "# naïve, but it works", "for item in items:",
         "    total += item.price", "print('total:', total, 'a\\tb')", "if a < b and c > d: pass")


def file_of(size):
    out, i = "", 0
    lines = []
    while len(out) + sum(map(len, lines)) < size:
        lines.append(LINES[i % len(LINES)] + f"  # {i}\n")
        i += 1
    return "".join(lines)[:size].rstrip() + " end"


SETTING = {}
for _i in range(5):
    SETTING.update({f"text_{_i}": f"value {_i}", f"count_{_i}": 10 * _i - 20, f"ratio_{_i}": _i + 0.25, f"on_{_i}": _i % 2 == 0,
                    f"tags_{_i}": ["a", "b c", "d"], f"place_{_i}": {"x": 1.5, "y": -2.25}})

ESCAPES = 'He said: "C:\\new\\table" \t and left.\nA second line; 你好，世界 🚀 — naïve café'


def responses():
    """All responses, one after another."""
    for family in FAMILIES:
        say = "" if family == "llama3_json" else "I will look that up.\n\n"  # Llama 3 writes a call or text, not both
        search = ("search", {"query": "umbrella", "city": "Oslo", "days": 3})

        def case(name, calls, text=None, content=None, compact=False, note=None, before=say):
            body = written(family, calls, compact) if text is None else text
            full = before + body if text is None else text
            return {"family": family, "case": name, "text": full, "chunks": chunks_of(family, full), "tools": TOOLS, "note": note,
                    "expect": [{"name": n, "arguments": a} for n, a in calls], "content": before if content is None else content}

        yield case("one short call", [search])
        for size in (4, 64):
            yield case(f"a file of {size} KB", [("write_file", {"path": "/tmp/a.py", "content": file_of(size << 10)})])
        yield case("a hundred calls", [("search", {"query": f"word {i}", "city": "Oslo", "days": i}) for i in range(100)])
        yield case("thirty parameters", [("configure", SETTING)])
        yield case("no arguments", [("now", {})])
        yield case("exact numbers", [("transfer", {"account": 9007199254740993, "amount": 0.1, "exact": 12345678901234567890})])
        yield case("escapes and scripts", [("write_file", {"path": "C:\\a b\\ü.txt", "content": ESCAPES})])
        # text of a page about the same format
        yield case("quotes its format", [("write_file", {"path": "/tmp/b.md", "content": "Write " + written(family, [search]) + " to search."})])
        if family in ("hermes", "qwen3_coder"):
            yield case("in one line", [search], compact=True)
        if family == "llama3_json":
            prose = 'A point is written {"x": 1, "y": 2}, a pair [1, 2].'
        else:
            prose = f"Write `{SPECIAL[family][0]}` to call a tool; nothing is called here."
        yield case("prose, no call", [], text=prose, content=prose)
        first = written(family, [search])
        second = written(family, [search, ("write_file", {"path": "/tmp/important/old", "content": "x"})])
        cut = second[: second.index("important") + len("important")]
        yield case("cut in a call", [search], text=say + cut, content=say)
        assert cut.startswith(first[:20])
        if family in IN_TAGS:
            python = {"on_0": "True", "tags_0": "['a', 'b']", "text_0": "x"}
            right = {"on_0": True, "tags_0": ["a", "b"], "text_0": "x"}
        else:
            python = '{"on_0": True, "tags_0": ["a", "b",], "text_0": "x",}'
            right = {"on_0": True, "tags_0": ["a", "b"], "text_0": "x"}
        wanted = case("almost JSON", [("configure", python)])
        wanted["expect"][0]["arguments"] = right
        yield wanted
        if family not in IN_TAGS:
            wanted = case("a number in quotes", [("search", '{"query": "a", "days": "3"}')])
            wanted["expect"][0]["arguments"] = {"query": "a", "days": 3}
            yield wanted


if __name__ == "__main__":
    for response in responses():
        print(dumps(response))
