"""Is what `intervene`, `erase` and `heads` say true? Asked of models of which it is known.

usage: python benchmarks/planted/truths.py [--half dev|held-out] [--instances 200] [--first 0]
           [--verb VERB ...] [--truth TRUTH ...] [--work FOLDER] [--output FILE.csv]
       python benchmarks/planted/truths.py --freeze
       python benchmarks/planted/truths.py --count [NAME=]FILE.csv ... --table TABLE.csv

`models.py` writes the models: truth is by construction, and never by training. Even seeds are for
development, odd ones are held out. `frozen.tsv` has the digests of all instances; one that differs
is refused, so no instance is chosen by what is said of it. Claims:

intervene   at layer 1: that the model uses the number
erase       of layer 1: that the score of the number falls; that another property's does
heads       that the choice rests on a head: a hit is the one that moves the number, and no other

A claim that is true of a model is a hit where it is made; one that is false is a false alarm.
Printed are both with 95 % intervals (Clopper & Pearson 1934). Exits with 1 where the lower limit of
hits is not above 85 %, or the upper limit of false alarms not below 8 %: 200 instances can show it.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from models import TRUTHS, Instance, make_instance, save_instance

FROZEN = Path(__file__).with_name("frozen.tsv")
HALVES = {"dev": 0, "held-out": 1}  # odd seeds are kept out of development
FROZEN_INSTANCES = 200  # of a truth and a half
LEAST_HITS, MOST_ALARMS = 85.0, 8.0
DRAWS = 3
BATCH = "tokens=16384"


class Claim(NamedTuple):
    """Something that a verb may say of an instance: whether it does, and whether it is true."""

    name: str
    is_made: bool
    is_true: bool


class Record(NamedTuple):
    """A claim of a verb about an instance, and the processor seconds of the verb.

    run  the half of the seeds, or what files of another version are called
    """

    run: str
    verb: str
    claim: str
    truth: str
    seed: int
    is_true: int
    is_made: int
    seconds: float


def ask_intervene(folder: Path, made: Instance) -> Iterator[Claim]:
    """Whether the model is said to use the number."""
    import lingprobe
    from lingprobe.inside.erase.effect_cells import decide_use

    page = lingprobe.intervene(
        f"table:{folder}/task.jsonl", f"lm:{folder}/model,{BATCH}", layer=1, draws=DRAWS,
        pairs=f"minimal/pairs:{folder}/pairs.jsonl", cache=folder / "cache",
    )  # fmt: skip
    said, _ = decide_use(page.content)
    yield Claim("the model uses it", said == "used", TRUTHS[made.truth].is_used)


def ask_erase(folder: Path, made: Instance) -> Iterator[Claim]:
    """Whether scores are said to fall."""
    import lingprobe

    page = lingprobe.erase(
        f"table:{folder}/task.jsonl", f"hf:{folder}/model,layers=1,{BATCH}", draws=DRAWS, nonlinear="",
        measure=f"table:{folder}/other.jsonl", cache=folder / "cache",
    )  # fmt: skip
    for row in page.content:
        is_own = row.measured == row.erased
        name = "the score falls" if is_own else "another task's score falls"
        yield Claim(name, row.verdict == "falls", is_own and TRUTHS[made.truth].is_there)


def ask_heads(folder: Path, made: Instance) -> Iterator[Claim]:
    """Which heads the choice is said to rest on."""
    import lingprobe

    page = lingprobe.rank_heads(
        f"table:{folder}/task.jsonl", f"lm:{folder}/model,{BATCH}",
        pairs=f"minimal/pairs:{folder}/pairs.jsonl", cache=folder / "cache",
    )  # fmt: skip
    named = {row.site for row in page.content if row.found}
    moving = {made.head} if made.head and TRUTHS[made.truth].is_used else set()
    if moving:
        yield Claim("the choice rests on the head", moving <= named, True)
    yield Claim("the choice rests on another head", bool(named - moving), False)


VERBS: Mapping[str, Callable[[Path, Instance], Iterator[Claim]]] = {
    "intervene": ask_intervene,
    "erase": ask_erase,
    "heads": ask_heads,
}


def read_frozen() -> dict[tuple[str, int], str]:
    """The digests of all instances."""
    lines = FROZEN.read_text("utf-8").splitlines()[1:]
    return {(truth, int(seed)): digest for truth, seed, digest in map(str.split, lines)}


def freeze() -> None:
    """Write the digests of all instances."""
    rows = ["truth\tseed\tdigest"]
    for truth in TRUTHS:
        for seed in range(len(HALVES) * FROZEN_INSTANCES):
            rows.append(f"{truth}\t{seed}\t{make_instance(truth, seed).digest}")
    FROZEN.write_text("\n".join(rows) + "\n", "utf-8")


def judge(work: Path, truth: str, seed: int, verbs: Sequence[str]) -> Iterator[Record]:
    """What each verb says of one instance."""
    made = make_instance(truth, seed)
    if read_frozen()[truth, seed] != made.digest:
        raise SystemExit(f"{truth} {seed} is not the instance that was frozen")
    with tempfile.TemporaryDirectory(dir=work) as place:
        folder = Path(place)
        save_instance(folder, made)
        for verb in verbs:
            begun = time.process_time()
            claims = list(VERBS[verb](folder, made))
            seconds = round(time.process_time() - begun, 2)
            for name, is_made, is_true in claims:
                half = next(half for half, odd in HALVES.items() if seed % 2 == odd)
                yield Record(half, verb, name, truth, seed, int(is_true), int(is_made), seconds)


def count(records: Sequence[Record]) -> Iterator[dict[str, object]]:
    """How often each claim is made about each truth in a run, with its interval, and whether the
    aim is met; also over all truths of which it is true, or false.
    """
    from scipy.stats import binomtest

    groups: dict[tuple[str, str, str, int, str], list[Record]] = {}
    for record in records:
        for truth in (record.truth, "all"):
            key = record.run, record.verb, record.claim, record.is_true, truth
            groups.setdefault(key, []).append(record)
    for (run, verb, claim, is_true, truth), group in sorted(groups.items()):
        made = sum(record.is_made for record in group)
        found = binomtest(made, len(group)).proportion_ci(method="exact")
        low, high = 100 * found.low, 100 * found.high
        yield {
            "run": run,
            "verb": verb,
            "claim": claim,
            "kind": "hits" if is_true else "false alarms",
            "truth": truth,
            "n": len(group),
            "made": made,
            "percent": round(100 * made / len(group), 1),
            "low": round(low, 1),
            "high": round(high, 1),
            "is_met": low > LEAST_HITS if is_true else high < MOST_ALARMS,
            "seconds": round(sum(record.seconds for record in group) / len(group), 1),
        }


def write_rows(file: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Rows as CSV."""
    with open(file, "w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_records(files: Sequence[str]) -> list[Record]:
    """Records that were written before; of a file with a name, under that name."""
    found = []
    for named in files:
        name, _, file = named.rpartition("=")
        with open(file, encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                seed, is_true, is_made = (int(row[key]) for key in ("seed", "is_true", "is_made"))
                run = name or next(half for half, odd in HALVES.items() if seed % 2 == odd)
                what = run, row["verb"], row["claim"], row["truth"]
                found.append(Record(*what, seed, is_true, is_made, float(row["seconds"])))
    return found


def run(arguments: argparse.Namespace) -> list[Record]:
    """All that was asked for."""
    records: list[Record] = []
    first, half = arguments.first, HALVES[arguments.half]
    with tempfile.TemporaryDirectory() as own:
        work = Path(arguments.work or own)
        for k in range(first, first + arguments.instances):
            for truth in arguments.truth:
                records += judge(work, truth, 2 * k + half, arguments.verb)
            if arguments.output:
                write_rows(arguments.output, [record._asdict() for record in records])
            print(f"{k + 1} instances of each truth", file=sys.stderr, flush=True)
    return records


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=tuple(HALVES), default="dev")
    parser.add_argument("--instances", type=int, default=FROZEN_INSTANCES)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--verb", nargs="+", choices=tuple(VERBS), default=tuple(VERBS))
    parser.add_argument("--truth", nargs="+", choices=tuple(TRUTHS), default=tuple(TRUTHS))
    parser.add_argument("--work", default="")
    parser.add_argument("--output", default="")
    parser.add_argument("--count", nargs="+", default=[])
    parser.add_argument("--table", default="")
    parser.add_argument("--freeze", action="store_true")
    arguments = parser.parse_args()
    if arguments.freeze:
        freeze()
        return 0
    records = read_records(arguments.count) if arguments.count else run(arguments)
    rows = list(count(records))
    for row in rows:
        print(*row.values(), sep="\t")
    if arguments.table:
        write_rows(arguments.table, rows)
    return int(not all(row["is_met"] for row in rows if row["truth"] == "all"))


if __name__ == "__main__":
    sys.exit(main())
