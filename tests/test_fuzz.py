"""Damaged files of every format, some hundred of them; `benchmarks/fuzz.py` has thousands."""

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "benchmarks" / "fuzz.py"


def test_damaged_files_are_refused_in_one_line_or_read_as_a_naive_reader_reads_them():
    done = subprocess.run(
        [sys.executable, str(FUZZ), "--cases", "340", "--seed", "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "340 files: 0 failed"
