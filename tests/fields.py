#!/usr/bin/env python3
"""Counts the fields of a stream with what its calls need, nested ones included: fields.py OBJECT_FILE

OBJECT_FILE: stream.c.o of a build with debug information; needs gdb. A buffer, or a text that is built, counts as one.
"""
import re
import subprocess
import sys

ONE = {"sluice__buffer", "out", "literals", "sluice_allocator", "sluice_event", "sluice_counts", "mark", "sluice__settings", "hashes"}


def fields(path, kind):
    text = subprocess.run(["gdb", "-q", "-batch", "-ex", f"ptype {kind}", path], capture_output=True, text=True, check=True).stdout
    count, depth = 0, 0
    for line in text.splitlines()[1:]:
        line = line.strip()
        if line.endswith("{"):
            depth += 1
        elif line.startswith("}"):
            depth -= 1
        elif match := re.match(r"struct {\.\.\.} (\w+);", line):
            count += fields(path, f"(({kind} *)0)->{match[1]}")
        elif line.startswith("enum {"):
            count += 1
        elif match := re.match(r"out texts\[(\d+)\];", line):  # their names are in the struct beside them
            count += int(match[1])
        elif line == "struct {...};":
            continue
        elif match := re.match(r"(?:const |volatile )?(?:enum )?((?:struct )?\w+) (\**)", line):
            nested = not match[2] and match[1] not in ONE and "(*" not in line
            inner = fields(path, match[1]) if nested and not match[1] in PLAIN else 0
            count += inner or 1
    return count


PLAIN = {"bool", "_Bool", "char", "unsigned", "int", "long", "size_t"} | {f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)}

if __name__ == "__main__":
    stream, call = fields(sys.argv[1], "struct sluice_stream"), fields(sys.argv[1], "struct call")
    print(f"{stream} of a stream, {call} of its calls, {stream + call} together")
