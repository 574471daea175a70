"""Measure the figures of the docs anew: `make figures`, with FROM=FOLDER and FILES="survey.csv".

    python docs/measure.py FOLDER [FILE...]

`results/measured.tsv` has the command of each file of results, and the commit and date at which it
was measured last. Commands run in FOLDER, where the treebanks, texts and vectors lie that the notes
in `benchmarks/results` describe, and write to `$RESULTS`. A file that was measured gets the commit
of this checkout, which therefore may hold no uncommitted change; then pages are written from the
files. Takes many hours; where no command can measure a file, its line says why after a #, and it is
named. Exits with 1 where a command fails.
"""

from __future__ import annotations

import csv
import datetime
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
MANIFEST = RESULTS / "measured.tsv"
COLUMNS = ("file", "command", "commit", "date")

Line = dict[str, str]


def read_manifest(path: Path = MANIFEST) -> list[Line]:
    """The lines of the manifest, one a file of results."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write_manifest(lines: Sequence[Line], path: Path = MANIFEST) -> None:
    """Write them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def measure(lines: Sequence[Line], files: Collection[str], folder: Path) -> Iterator[str]:
    """Run the commands of some files (all, if none is named), each once, and stamp what was
    measured; what happened, file by file. Ends with a command that fails.
    """
    done: set[str] = set()
    for line in lines:
        if files and line["file"] not in files:
            continue
        command = line["command"]
        if command.startswith("#"):
            yield f"{line['file']}: not measured{command.replace('#', ':', 1)}"
            continue
        if command not in done:
            subprocess.run(  # noqa: S602 (the commands are those of the manifest)
                command, shell=True, check=True, cwd=folder, env=_environment()
            )
            done.add(command)
        if not (RESULTS / line["file"]).is_file():
            raise FileNotFoundError(f"{command} wrote no {line['file']}")
        line |= {"commit": _git("rev-parse", "--short=8", "HEAD"), "date": _today()}
        write_manifest(lines)
        yield f"{line['file']}: measured"


def _environment() -> Mapping[str, str]:
    """That of the commands: this Python's `lingprobe` and `python` come first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "RESULTS": str(RESULTS), "CHECKOUT": str(ROOT)}


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout.strip()


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def main(arguments: Sequence[str]) -> int:
    """Measure, and write the pages; the exit code."""
    if not arguments:
        sys.exit(str(__doc__))
    folder, *files = arguments
    lines = read_manifest()
    if unknown := {*files} - {line["file"] for line in lines}:
        sys.exit(f"{MANIFEST.name} has no {', '.join(sorted(unknown))}")
    if _git("status", "--porcelain", "--untracked-files=no"):
        sys.exit("commit first: what is measured is stamped with the commit of this checkout")
    try:
        for message in measure(lines, files, Path(folder)):
            print(message, flush=True)  # noqa: T201
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    subprocess.run([sys.executable, "docs/write_results.py"], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
