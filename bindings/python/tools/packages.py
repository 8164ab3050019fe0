"""Packages of PyPI as files: wheels, and sources without building them."""

import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def fetched(folder, name, source=False):
    """Returns the path of a package's newest wheel, or of its source archive, in `folder`; None if PyPI is out of reach."""
    pattern = os.path.join(folder, name.replace("-", "[-_]") + "-[0-9]*" + (".tar.gz" if source else ".whl"))
    found = sorted(glob.glob(pattern))
    if not found:
        os.makedirs(folder, exist_ok=True)
        options = ["--no-binary", ":all:", "--no-build-isolation"] if source else ["--only-binary", ":all:"]
        # `unbuilt` replaces the build tools, so pip fetches sources without running their code
        environment = {**os.environ, "PYTHONPATH": os.path.join(HERE, "unbuilt")} if source else None
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options, "-d", folder, name], check=False,
                       stderr=subprocess.DEVNULL, env=environment)
        found = sorted(glob.glob(pattern))
    return found[-1] if found else None
