"""Write release/hashes.txt: what `make test` installs, with the hash of every file, for any system
and Python. `python release/hashes.py` after a change of constraints.txt; `make hashes` installs it.

torch is apart: hashes-torch.txt is the build of the package index with what it needs on Linux,
hashes-torch-cpu.txt the build for CPUs that lies in the folder of PIP_FIND_LINKS.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "release"
EDITABLE = "editables\n"  # what an editable installation of the checkout needs beside the rest
TORCH = re.compile(r"(nvidia|cuda|triton|torch)\b(?!-)|(nvidia|cuda)-")
HEAD = "# Written by release/hashes.py from constraints.txt.\n"
PYTHON = "3.11.5"  # the first that all pins of the development environment take


def resolved() -> list[str]:
    """An entry for each package that is needed on some system: its pin and hashes."""
    command = [
        *("uv", "pip", "compile", "-q", "--universal", "--python-version", PYTHON),
        *("--generate-hashes", "--extra", "dev", "--no-annotate", "--no-header"),
        *("-c", "constraints.txt", "pyproject.toml", "-"),
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, text=True,
        input=EDITABLE, check=True,
    )  # fmt: skip
    return re.findall(r"^[a-z0-9].*(?:\n    .*)*\n", done.stdout, re.M)


def local_builds(folder: Path) -> list[str]:
    """Entries of the builds of torch for CPUs that lie in a folder."""
    files = sorted(folder.glob("torch-*+cpu-*.whl")) if folder.is_dir() else []
    versions: dict[str, str] = {}
    for file in files:
        found = hashlib.sha256(file.read_bytes()).hexdigest()
        version = file.name.split("-")[1]
        versions[version] = versions.get(version, "") + f" \\\n    --hash=sha256:{found}"
    return [f"torch=={version}{hashes}\n" for version, hashes in versions.items()]


def write(name: str, entries: list[str]) -> None:
    """A file of entries."""
    (FOLDER / name).write_text(HEAD + "".join(entries), "utf-8")


def main() -> None:
    """Write the files; that for CPUs stays as it is where no build lies in PIP_FIND_LINKS."""
    entries = resolved()
    write("hashes.txt", [each for each in entries if not TORCH.match(each)])
    write("hashes-torch.txt", [each for each in entries if TORCH.match(each)])
    if builds := local_builds(Path(os.environ.get("PIP_FIND_LINKS", "-"))):
        write("hashes-torch-cpu.txt", builds)


if __name__ == "__main__":
    main()
