"""What the core does where torch is not installed: linear probes on given vectors and on words,
pages and comparisons; and what it says of the rest.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

BLOCK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "sentence_transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
TABLE = """
import numpy as np, lingprobe
def mine(texts): return np.load("vectors.npy")[[int(t.split()[1]) for t in texts]]
texts = [f"row {i} is here" for i in range(240)]
labels = ["even" if i % 2 == 0 else "odd" for i in range(240)]
done = lingprobe.evaluate({"mine": mine}, (texts, labels), output="table", seeds=1)
print(done)
"""
COMMANDS = """
from lingprobe.cli import main
for line in (
    "run --limit 300 -q -o out",
    "report out --html -o page.html",
    "compare out",
    "run -t ud/tense:embedded -e length --probe mlp --limit 200 --baselines none -q -o other",
):
    sys.argv = ["lingprobe", *line.split()]
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    print("END", code or 0, line)
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    place = tmp_path_factory.mktemp("core")
    rng = np.random.default_rng(1)
    sign = np.where(np.arange(240) % 2 == 0, 1.0, -1.0)
    np.save(place / "vectors.npy", rng.normal(size=(240, 6)) + 3 * sign[:, None] * np.eye(6)[0])
    code = BLOCK + TABLE + COMMANDS
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=False
    )
    assert "END" in done.stdout, done.stderr
    assert (place / "page.html").stat().st_size > 10_000
    return done.stdout + done.stderr


def test_vectors_are_probed_compared_and_shown(printed):
    assert "mine: data-" in printed
    assert "is decodable" in printed
    for line in ("run --limit 300", "report out", "compare out"):
        assert f"END 0 {line}" in printed


def test_the_first_table_says_what_it_leaves_out(printed):
    assert "No network stands in the table: torch is not installed: pip install" in printed
    assert "untrained:bilstm" not in printed.partition("END 0 run")[0].partition("mine: data-")[2]


def test_a_probe_that_needs_it_is_refused_in_one_sentence(printed):
    refused = printed.partition("END 0 compare out")[2]
    assert "[torch]" in refused
    assert "pip install torch --index-url https://download.pytorch.org/whl/cpu" in refused
    assert "ModuleNotFoundError" not in printed
    assert "Traceback" not in printed
