#!/usr/bin/env python3
"""Parses the workflows of GitHub Actions: jobs, steps, the syntax of their shell commands, and the files of ours that they name. The
releases that the formula for Homebrew names are those of the build.

Exit status 77: there is no PyYAML.
"""
import os
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    sys.exit(77)

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
folder = ".github/workflows"
steps = 0
for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        flow = yaml.safe_load(file)
    assert flow["name"] and flow[True] and flow["jobs"], name  # YAML reads `on` as true
    for title, job in flow["jobs"].items():
        where = f"{name}, {title}"
        assert job["runs-on"] and job["steps"], where
        needs = job.get("needs", [])
        for other in [needs] if isinstance(needs, str) else needs:
            assert other in flow["jobs"], f"{where}: no job {other}"
        for step in job["steps"]:
            steps += 1
            assert ("run" in step) != ("uses" in step), f"{where}: {step}"
            assert "uses" not in step or "@" in step["uses"], f"{where}: {step}: no version"
            command = step.get("run", "")
            subprocess.run(["sh", "-n"], input=command.encode(), check=True)
            for path in re.findall(r"(?:^|[\s(;&])((?:\./|bindings/|tests/|cmake/)[\w./-]+)", command):
                assert os.path.exists(path), f"{where}: there is no {path}"
assert steps > 10
with open("Formula/sluice.rb", encoding="utf-8") as file:
    releases = re.findall(r'url "(http\S+)"\s+sha256 "(\w+)"', file.read())
known = "".join(open(os.path.join("cmake", name), encoding="utf-8").read() for name in ("private_lua.cmake", "argparse.cmake", "dependencies.cmake"))
assert len(releases) == 3
for url, digest in releases:
    assert re.search(rf"{re.escape(url)}\s+{digest}\)", known), f"the build has another release than {url}"
print(f"{steps} steps")
