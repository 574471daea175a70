"""Write anew what the commands print that pages show with their output: `make docs`. A test holds
the pages to it.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHOWN = re.compile(
    r"^(```console\n\$ lingprobe ([^\n]*[^\n\\])\n)((?:(?!```|\$ ).*\n)+)(?=```$)", re.M
)


def page(text: str) -> str:
    """The page with the output of its commands as they print it now; commands that show no output
    are left alone.
    """
    return SHOWN.sub(lambda found: found[1] + _printed(found[2]), text)


def _printed(arguments: str) -> str:
    command = [sys.executable, "-m", "lingprobe", *shlex.split(arguments)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return done.stdout.strip("\n") + "\n"


if __name__ == "__main__":
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text("utf-8")
        if (new := page(text)) != text:
            path.write_text(new, "utf-8")
