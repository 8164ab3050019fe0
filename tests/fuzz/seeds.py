"""Seeds and a dictionary for the fuzz targets: seeds.py ROOT OUT."""

import json
import os
import re
import sys

root, out = sys.argv[1:]
names = sorted(f[:-4] for f in os.listdir(f"{root}/syntaxes") if f.endswith(".lua"))
for target in ("stream", "wire"):
    for folder in (f"{out}/seeds_{target}", f"{out}/corpus_{target}"):
        os.makedirs(folder, exist_ok=True)
count = 0
for folder in ("corpus", "malformed"):
    for page in sorted(os.listdir(f"{root}/tests/{folder}")):
        name = page[:-3]
        if name not in names:
            continue
        with open(f"{root}/tests/{folder}/{page}", encoding="utf-8") as f:
            texts = re.findall(r"^~~~ in[^\n]*\n(.*?)\n~~~$", f.read(), re.M | re.S)
        for text in texts:
            data = text.encode()[:1900]
            count += 1
            with open(f"{out}/seeds_stream/{count}", "wb") as f:
                f.write(bytes([names.index(name), count * 37 & 255, count & 255]) + data)
            if name == "hermes":
                frame = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
                with open(f"{out}/seeds_wire/{count}", "wb") as f:
                    f.write(b"\0\3" + b"data: " + json.dumps(frame).encode() + b"\n\ndata: [DONE]\n\n")
literals = set()
for name in names:
    with open(f"{root}/syntaxes/{name}.lua", encoding="utf-8") as f:
        literals.update(re.findall(r'"((?:[^"\\\n]|\\.)+)"', f.read()))
literals.update(["data: ", "\\n\\n", "event: ", "choices", "delta", "tool_calls", "content_block_delta", "message"])
with open(f"{out}/dictionary", "w", encoding="utf-8") as f:
    for literal in sorted(literals):
        data = literal.replace("\\n", "\n").encode()
        if 0 < len(data) <= 64:
            f.write('"' + "".join(f"\\x{b:02x}" for b in data) + '"\n')
print(f"{count} seeds")
