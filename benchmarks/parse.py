"""Sentences a second that parsers parse, and whether memory grows with the text.

usage: python benchmarks/parse.py TEXT PARSER...        (TEXT has a sentence a line; PARSER as
`lingprobe parse --with`)

Each parser parses the first FEW and the first MANY sentences of the text, each in a process of its
own on one core: text is cut by rules, so that all get the same words. Processor time counts, less
that of the same process for ten sentences, which starts up; the system tells time and peak memory.
Ratios are to the first parser that is named.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from lingprobe.corpora.files import read_text_lines

FEW, MANY = 10_000, 100_000


def cut(text: Path, many: int, folder: Path) -> Path:
    """The first sentences of a text, as a file."""
    path = folder / f"{many}.txt"
    kept = (line for _, line in read_text_lines(text) if line.strip() and not line.startswith("# "))
    path.write_text("\n".join(islice(kept, many)) + "\n", "utf-8")
    return path


def run(path: Path, parser: str) -> tuple[float, float, float, float]:
    """Sentences, words, seconds and MiB of a process that parses a file."""
    with tempfile.TemporaryDirectory() as folder:
        one = {**os.environ, "OMP_NUM_THREADS": "1", "LINGPROBE_CACHE": folder}
        options = ["--with", parser, "-o", f"{folder}/parsed", "--tokens", "rules", "--lines", "-q"]
        command = [sys.executable, "-m", "lingprobe", "parse", str(path), *options]
        process = subprocess.Popen(command, env=one)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        done = json.loads(Path(folder, "parsed", "parsed.json").read_text("utf-8"))
    seconds = used.ru_utime + used.ru_stime
    return done["sentences"], done["words"], seconds, used.ru_maxrss / 1024


def main(text: Path, parsers: list[str]) -> None:
    first = 0.0
    with tempfile.TemporaryDirectory() as folder:
        files = [cut(text, many, Path(folder)) for many in (10, FEW, MANY)]
        for parser in parsers:
            start, few, many = (run(path, parser) for path in files)
            seconds = many[2] - start[2]
            speed = many[0] / seconds
            first = first or speed
            print(
                f"{parser}: {speed:,.0f} sentences ({many[1] / seconds:,.0f} words) a second on one core,"
                f" {speed / first:.2f} times the first; {few[3]:,.0f} MiB for {few[0]:,.0f} sentences,"
                f" {many[3]:,.0f} for {many[0]:,.0f}: {100 * (many[3] / few[3] - 1):+.1f} %"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
