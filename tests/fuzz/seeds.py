"""Seeds and a dictionary for the fuzz targets: seeds.py ROOT OUT. Also unpacks tests/fuzz/kept.jsonl, whose bytes are written as
characters, into OUT/kept_TARGET."""

import json
import os
import random
import re
import sys

root, out = sys.argv[1:]
kept = [json.loads(line) for line in open(f"{root}/tests/fuzz/kept.jsonl", encoding="utf-8")]
names = sorted(f[:-4] for f in os.listdir(f"{root}/syntaxes") if f.endswith(".lua"))
dice = random.Random(1)
counts = {}


def anthropic(*events):
    return b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in events)


def answers(text):
    """What servers of each format send for a text: the number of the format, and the body."""
    half = len(text) // 2
    frames = [{"id": "c", "model": "m", "created": 1, "choices": [{"index": 0, "delta": {"content": part}, "finish_reason": end}]}
              for part, end in ((text[:half], None), (text[half:], "stop"))]
    yield 0, b"".join(b"data: " + json.dumps(f).encode() + b"\n\n" for f in frames) + b"data: [DONE]\n\n"
    yield 0, json.dumps({"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}).encode()
    call = {"index": 0, "id": "x", "function": {"name": "f", "arguments": "{}"}}
    yield 0, b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"reasoning_content": text, "tool_calls": [call]}}]}).encode() + b"\r\n\r\n"
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    other = {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}
    yield 1, anthropic({"type": "message_start", "message": {"id": "m", "model": "c", "content": [], "usage": {"input_tokens": 2}}}, block,
                       {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
                       {"type": "content_block_stop", "index": 0}, other,
                       {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\": 1}"}},
                       {"type": "content_block_stop", "index": 1},
                       {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
                       {"type": "message_stop"})
    yield 1, anthropic(block, {"type": "error", "error": {"type": "overloaded_error", "message": text[:9]}})
    lines = [{"model": "m", "message": {"role": "assistant", "content": text, "thinking": text[:half]}, "done": False},
             {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "eval_count": 3}]
    yield 2, b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    yield 2, json.dumps({"response": text, "done": False}).encode() + b'\n{"error": "x"}\n'


for target in ("marker", "value", "stream", "wire", "script"):
    counts[target] = 0
    for folder in (f"{out}/seeds_{target}", f"{out}/corpus_{target}", f"{out}/kept_{target}"):
        os.makedirs(folder, exist_ok=True)
for n, one in enumerate(kept):
    with open(f"{out}/kept_{one['target']}/{n}", "wb") as f:
        f.write(one["bytes"].encode("latin-1"))


def seed(target, data):
    counts[target] += 1
    with open(f"{out}/seeds_{target}/{counts[target]}", "wb") as f:
        f.write(data[:1900])


def shape(value):
    """A schema of a value, or one that asks for something else."""
    kinds = [(dict, "object"), (list, "array"), (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")]
    name = next((kind for of, kind in kinds if isinstance(value, of)), "null")
    schema = {"type": name}
    if name == "object":
        schema["properties"] = {key: shape(member) for key, member in value.items()}
    elif name == "array":
        schema["items"] = shape(value[0]) if value else {}
    others = [{"type": "array", "items": schema}, {"anyOf": [schema, {"type": ["null", "array"]}]}, {"type": ["number", "string"]}, {},
              {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}, "city": {"type": "array"}}}}]
    return dice.choice([schema, schema, schema] + others)


def tools_of(case):
    """Tools for the calls of a case, with parameters of all types."""
    calls = case.get("expect", {}).get("calls") or []
    tools = [{"name": c["name"], "parameters": {"type": "object", "properties": {key: shape(v) for key, v in c["arguments"].items()}}}
             for c in calls if isinstance(c.get("arguments"), dict)] or case.get("tools") or []
    packed = json.dumps(tools, separators=(",", ":")).encode()
    return packed + b"\0" if tools and len(packed) < 700 else b""


scripts = {}
literals = set()
for name in names:
    with open(f"{root}/syntaxes/{name}.lua", encoding="utf-8") as f:
        scripts[name] = f.read()
    literals.update(re.findall(r'"((?:[^"\\\n]|\\.)+)"', scripts[name]))
texts = {name: [] for name in names}
for name in names:
    with open(f"{root}/tests/cases/{name}.jsonl", encoding="utf-8") as f:
        for case in map(json.loads, f):
            n = counts["stream"]
            seed("stream", bytes([names.index(name), n * 37 & 255, n & 255]) + tools_of(case) + case.get("text", "").encode())
            texts[name] += [case["text"]] if "events" in case else []
for index, name in enumerate(names):
    for text in texts[name]:
        data = text.encode()
        n = counts["marker"]
        if name == "hermes":
            for number, body in answers(text):
                for to in range(3):
                    seed("wire", bytes([number + 3 * to, n & 255]) + body)
        for value in re.findall(r"[\[{(].*[\]})]", text, re.S):
            for flags in (0, 0x3FF, 0xFFFF):
                seed("value", bytes([flags & 31, n & 255]) + value.encode())
        words = [w.encode() for w in dice.sample(sorted(set(re.findall(r"\W{2,9}|\w{3,9}", text))) or ["x"], k=1)]
        words += [w.encode()[:20] for w in dice.sample(sorted(literals), k=6)]
        packed = b"".join(bytes([len(w) - 1]) + w for w in words if w)
        seed("marker", bytes([len(words) - 1, n & 255]) + packed + data)
    if texts[name]:
        seed("script", b"\2\1" + scripts[name].encode()[:1500] + b"\0" + texts[name][0].encode()[:300])
for n in range(400):
    body = bytes(dice.randrange(1, 256) for _ in range(dice.randrange(4, 60)))
    text = bytes(dice.randrange(1, 256) for _ in range(dice.randrange(4, 60)))
    seed("script", bytes([n * 2 + 1 & 255, n & 255]) + body + b"\0" + text)
literals.update(["data: ", "\\n\\n", "event: ", "choices", "delta", "tool_calls", "content_block_delta", "message",
                 "content_block_start", "message_start", "message_delta", "tool_use", "thinking", "signature_delta", "finish_reason", "usage",
                 "reasoning_content", "response", "done_reason", "error", "\\r\\n", "\\r"])
literals.update("s." + w for w in re.findall(r"\bs\.(\w+)", "\n".join(scripts.values())))
with open(f"{out}/dictionary", "w", encoding="utf-8") as f:
    for literal in sorted(literals):
        data = literal.replace("\\n", "\n").replace("\\r", "\r").encode()
        if 0 < len(data) <= 64:
            f.write('"' + "".join(f"\\x{b:02x}" for b in data) + '"\n')
print(" ".join(f"{n} seeds for {target};" for target, n in counts.items()).rstrip(";"))
