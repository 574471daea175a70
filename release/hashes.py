"""Write release/hashes.txt: what `make test` installs, with the hash of every file, for any system
and Python. `python release/hashes.py` after a change of constraints.txt; `make hashes` installs it.

hashes-gpu.txt is what torch's build of the package index needs beside it on Linux, and builds for
CPUs do not.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE, GPU = ROOT / "release" / "hashes.txt", ROOT / "release" / "hashes-gpu.txt"
ONLY_GPU = re.compile(r"(nvidia|cuda|triton)\b")
HEAD = "# Written by release/hashes.py from constraints.txt.\n"
PYTHON = "3.11.5"  # the first that all pins of the development environment take


def resolved() -> list[str]:
    """An entry for each package that is needed on some system: its pin and hashes."""
    command = [
        *("uv", "pip", "compile", "-q", "--universal", "--python-version", PYTHON),
        *("--generate-hashes", "--extra", "dev", "--no-annotate", "--no-header"),
        *("-c", "constraints.txt", "pyproject.toml"),
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    return re.findall(r"^[a-z0-9].*(?:\n    .*)*\n", done.stdout, re.M)


def local_hashes(folder: Path) -> list[str]:
    """The hashes of the builds of torch for CPUs that lie in a folder."""
    files = sorted(folder.glob("torch-*+cpu-*.whl")) if folder.is_dir() else []
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def main() -> None:
    """Write both files; PIP_FIND_LINKS names a folder with builds for CPUs, which count as well."""
    entries = resolved()
    links = Path(os.environ.get("PIP_FIND_LINKS", "-"))
    builds = "".join(f" \\\n    --hash=sha256:{found}" for found in local_hashes(links))
    entries = [e[:-1] + builds + "\n" if e.startswith("torch==") else e for e in entries]
    FILE.write_text(HEAD + "".join(e for e in entries if not ONLY_GPU.match(e)), "utf-8")
    GPU.write_text(HEAD + "".join(e for e in entries if ONLY_GPU.match(e)), "utf-8")


if __name__ == "__main__":
    main()
