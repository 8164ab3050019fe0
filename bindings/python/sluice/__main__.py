"""`python -m sluice`: the command. `infer --template` is written in Python, since it needs the real Jinja2; the rest is the
program in the wheel."""

from __future__ import annotations

import os
import subprocess
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def program() -> str:
    """Returns the path of the command."""
    return os.path.join(_HERE, "bin", "sluice.exe" if os.name == "nt" else "sluice")


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["infer"] and any(a == "--template" or a.startswith("--template=") for a in arguments):
        from .chat_template import main as infer

        return infer(arguments[1:])
    if os.name == "nt":
        return subprocess.call([program(), *arguments])
    sys.stdout.flush()
    os.execv(program(), [program(), *arguments])


if __name__ == "__main__":
    sys.exit(main())
