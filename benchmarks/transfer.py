"""The matrix of languages against the same tasks alone, in processor time.

usage: python benchmarks/transfer.py MODEL TREEBANK TREEBANK... [--task ud/tense] [--size 800]

Every treebank is trained on and tested in, as `lingprobe transfer` does it, and then only in itself
(the upper bounds), over the same examples, encoders and floors; each from an empty cache in a
process of its own. Exits with 1 where the matrix takes more than twice the time of the tasks.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile

MOST = 2.0
RUN = """
import json, sys
import lingprobe
what, model, banks, task, size, place = json.loads(sys.argv[1])
how = {"probes": ["logreg"], "seeds": 1, "output": f"{place}/results", "cache": f"{place}/cache"}
if what == "matrix":
    found = lingprobe.transfer(task, model, train=banks, test=banks, size=size, **how)
else:
    from lingprobe.data.references import Reference
    from lingprobe.inside.languages.api import _pieces
    from lingprobe.inside.languages.cells import CellSettings, list_cells
    cells = list_cells(Reference.parse(task), banks, banks, CellSettings(size=size))
    tasks = [cell for cell in cells if cell.argument == dict(cell.options)["test"]]
    found = lingprobe.run(tasks, [model, *_pieces([model])], keep_scores=True, **how)
print(found)
"""


def seconds(what: str, asked: argparse.Namespace) -> float:
    """Processor time of one of the two, with all processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as place:
        request = json.dumps([what, asked.model, asked.banks, asked.task, asked.size, place])
        command = [sys.executable, "-c", RUN, request]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure both, and say how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("banks", nargs="+", metavar="TREEBANK")
    parser.add_argument("--task", default="ud/tense")
    parser.add_argument("--size", type=int, default=800)
    asked = parser.parse_args()
    alone = seconds("alone", asked)
    matrix = seconds("matrix", asked)
    many = len(asked.banks)
    print(
        f"{many} tasks alone {alone:.0f} s, {many} x {many} languages {matrix:.0f} s of processor"
        f" time: {matrix / alone:.2f} times (at most {MOST})"
    )
    return int(matrix > MOST * alone)


if __name__ == "__main__":
    sys.exit(main())
