"""`benchmarks/gpu.py` runs from end to end, on sizes of nothing and without a GPU."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "benchmarks/gpu.py", *options]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_figure_is_made(tmp_path):
    done = run("--tiny", "--device", "cpu", "--out", str(tmp_path / "figures.jsonl"))
    assert not done.returncode, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "figures.jsonl").read_text().splitlines()]
    told = {line.pop("what"): line for line in lines}
    assert list(told) == [
        "machine",
        "products",
        "encode tiny, loop",
        "encode tiny, lingprobe, tokens=256",
        "fit mlp,hidden=0",
        "span of 1 layers, a step",
        "span of 3 layers, a step",
    ]
    assert told["encode tiny, lingprobe, tokens=256"]["least_cosine"] > 0.99
    assert "% of the answers the same" in told["fit mlp,hidden=0"]["answers"]
    assert not any("left_out" in line for line in lines)
    for what, line in told.items():
        assert what in done.stdout
        assert all(value > 0 for name, value in line.items() if name.endswith("_s"))


def test_without_a_gpu_it_says_that_none_was_measured():
    import torch

    if not torch.cuda.is_available():
        done = run("--only", "encode")
        assert done.returncode == 1
        assert "none was measured" in done.stdout
