"""Grammars with a mark: each engine takes calls that carry it, and refuses the same calls without it.

usage: marks.py SLUICE CALLS
"""

import json
import subprocess
import sys

import bytewise
from check import ENGINES, Sluice, load


def main():
    command, calls = sys.argv[1:]
    sluice = Sluice(command)
    tried, failures = 0, []
    for listed in json.loads(subprocess.run([command, "list", "--json"], capture_output=True, check=True).stdout):
        name = listed["name"]
        for entry in load(calls, 4):
            plain = sluice.render(name, entry["calls"])
            marked = sluice.ask(op="render", syntax=name, calls=entry["calls"], options={"mark": "k3f9"}).get("text")
            if marked is None or plain is None:
                continue
            for target, engines in ENGINES.items():
                grammar, _ = sluice.grammar(name, entry["tools"], target, tool_choice="required", mark="k3f9")
                for make in engines if grammar else []:
                    tried += 1
                    engine = make(grammar, target)
                    if not bytewise.accepts(engine, marked):
                        failures.append(f"{make.__name__} refuses the mark of {name}: {marked!r}")
                    if bytewise.accepts(engine, plain):
                        failures.append(f"{make.__name__} lets {name} leave the mark out: {plain!r}")
    print("\n".join(failures[:10]))
    print(f"{tried} grammars with a mark, {len(failures)} failures")
    return 1 if failures or tried < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
