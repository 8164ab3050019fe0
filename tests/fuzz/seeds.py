"""Seeds and a dictionary for the fuzz targets: seeds.py ROOT OUT."""

import json
import os
import random
import re
import sys

root, out = sys.argv[1:]
names = sorted(f[:-4] for f in os.listdir(f"{root}/syntaxes") if f.endswith(".lua"))
dice = random.Random(1)
counts = {}
for target in ("marker", "value", "stream", "wire", "script"):
    counts[target] = 0
    for folder in (f"{out}/seeds_{target}", f"{out}/corpus_{target}"):
        os.makedirs(folder, exist_ok=True)


def seed(target, data):
    counts[target] += 1
    with open(f"{out}/seeds_{target}/{counts[target]}", "wb") as f:
        f.write(data[:1900])


scripts = {}
literals = set()
for name in names:
    with open(f"{root}/syntaxes/{name}.lua", encoding="utf-8") as f:
        scripts[name] = f.read()
    literals.update(re.findall(r'"((?:[^"\\\n]|\\.)+)"', scripts[name]))
texts = {name: [] for name in names}
for folder in ("corpus", "malformed"):
    for name in names:
        page = f"{root}/tests/{folder}/{name}.md"
        if os.path.exists(page):
            with open(page, encoding="utf-8") as f:
                texts[name] += re.findall(r"^~~~ in[^\n]*\n(.*?)\n~~~$", f.read(), re.M | re.S)
for index, name in enumerate(names):
    for text in texts[name]:
        data = text.encode()
        n = counts["stream"]
        seed("stream", bytes([index, n * 37 & 255, n & 255]) + data)
        if name == "hermes":
            frame = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
            seed("wire", b"\0\3" + b"data: " + json.dumps(frame).encode() + b"\n\ndata: [DONE]\n\n")
        for value in re.findall(r"[\[{(].*[\]})]", text, re.S):
            for flags in (0, 0x3FF, 0xFFFF):
                seed("value", flags.to_bytes(2, "little") + bytes([n % 3, n & 255]) + value.encode())
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
literals.update(["data: ", "\\n\\n", "event: ", "choices", "delta", "tool_calls", "content_block_delta", "message"])
literals.update("s." + w for w in re.findall(r"\bs\.(\w+)", "\n".join(scripts.values())))
with open(f"{out}/dictionary", "w", encoding="utf-8") as f:
    for literal in sorted(literals):
        data = literal.replace("\\n", "\n").encode()
        if 0 < len(data) <= 64:
            f.write('"' + "".join(f"\\x{b:02x}" for b in data) + '"\n')
print(" ".join(f"{n} seeds for {target};" for target, n in counts.items()).rstrip(";"))
