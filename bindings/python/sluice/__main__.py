"""`python -m sluice`: the command. `infer --template` is Python's, since it needs the real Jinja2; the rest is the
program that the wheel carries."""

from __future__ import annotations

import os
import subprocess
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def program() -> str:
    """The path of the command."""
    return os.path.join(_HERE, "bin", "sluice.exe" if os.name == "nt" else "sluice")


def environment() -> "dict[str, str]":
    """The command's environment: it finds the wheel's syntaxes, before those of the user's own SLUICE_PATH."""
    found = dict(os.environ)
    scripts = os.path.join(_HERE, "syntaxes")
    if os.path.isdir(scripts):
        found["SLUICE_PATH"] = os.pathsep.join(filter(None, [scripts, found.get("SLUICE_PATH")]))
    return found


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["infer"] and any(a == "--template" or a.startswith("--template=") for a in arguments):
        from .chat_template import main as infer

        return infer(arguments[1:])
    if os.name == "nt":
        return subprocess.call([program(), *arguments], env=environment())
    sys.stdout.flush()
    os.execve(program(), [program(), *arguments], environment())


if __name__ == "__main__":
    sys.exit(main())
