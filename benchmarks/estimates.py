"""What `--dry-run` says of six unlike runs, and what they then take.

usage: python benchmarks/estimates.py [FOLDER] [RUN...]

FOLDER holds treebanks/UD_English-EWT (LINGPROBE_DATA without it). Each run has an empty cache and a
process of its own with one thread: first the estimate, then the run. Seconds are of the processor, so
other work on the machine does little to them; bytes are those of all stored vectors.

Exits with 1 where an estimate of time or bytes is off by more than half.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from whole import leg, model

MOST = 1.5


def runs(bank: str) -> dict[str, dict[str, Any]]:
    """The six, by name."""
    name = model()
    return {
        "first": {},
        "tasks": {"tasks": f"ud/*:{bank}", "encoders": f"st:{name}", "controls": "shuffled"},
        "layers": {"tasks": f"ud/tense:{bank}", "encoders": f"hf:{name},layers=all", "seeds": 1}
        | {"probes": "logreg", "baselines": "none"},
        "spans": {"tasks": f"edge/dep:{bank},size=6000", "seeds": 1}
        | {"encoders": f"hf:{name},layers=all,pool=none"},
        "published": {"tasks": f"ud/subj-num:{bank}", "encoders": f"st:{name}", "seeds": 2}
        | {"probes": "mlp,protocol=acl18"},
        "words": {"tasks": f"edge/pos:{bank},size=10000", "encoders": "bow:random,pool=none"},
    }


def one_leg(name: str, bank: str, folder: str, dry: str = "") -> None:
    """The estimate of a run as JSON, or the run."""
    import lingprobe

    settings = runs(bank)[name] | {"cache": folder, "output": f"{folder}/results"}
    if dry:
        said = lingprobe.estimate(**settings)
        print(json.dumps([said.seconds, said.bytes]))
    else:
        print(len(lingprobe.run(**settings).results))


def stored(folder: Path) -> int:
    """Bytes of all vectors that a run has stored."""
    return sum(path.stat().st_size for path in folder.rglob("*.vectors"))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("runs", nargs="*", default=list(runs("")))
    parser.add_argument("--leg", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.leg:
        one_leg(*arguments.leg)
        return 0
    if not arguments.folder:
        parser.error("give the folder of the data, or set LINGPROBE_DATA")
    bank = str(Path(arguments.folder).resolve() / "treebanks" / "UD_English-EWT")
    good = True
    for name in arguments.runs:
        with tempfile.TemporaryDirectory() as place:
            asked = "--leg", name, bank, place
            (seconds, count), _ = leg(__file__, *asked, "dry")
            fits, took = leg(__file__, *asked)
            off = max(seconds / took, took / seconds)
            line = f"{name}: {fits} results, {seconds:.1f} s said, {took:.1f} s taken ({off:.2f})"
            there = stored(Path(place))
            if count:
                line += f"; {count / 1e6:.1f} MB said, {there / 1e6:.1f} MB written"
                off = max(off, count / there, there / count)
            print(line, flush=True)
            good = good and off <= MOST
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
