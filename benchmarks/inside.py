"""The files behind docs/results-inside.md, from the results of the runs that the note on them shows.

usage: python benchmarks/inside.py RESULTS

RESULTS holds folders of runs (`layers`, `tree`, ...) and what `lingprobe erase` and `intervene` wrote, erase-*.csv and
intervene-*.csv. Files of docs/results are written anew: inside.csv has the scores, inside-differences.csv what is compared,
inside-heads.csv the heads that are best on dev, inside-units.csv scores by the number of units, inside-exchange.csv scores
in sentences with other content words.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "docs" / "results"
SCORES = ("folder", "task", "encoder", "layer", "probe", "score", "low", "high", "majority", "n")
TESTED = ("folder", "against", "task", "encoder", "layer", "than", "difference", "low", "high")
TESTED = (*TESTED, "probe", "p", "verdict", "detectable", "n")
HEADS = ("task", "encoder", "site", "score", "low", "high", "majority", "untrained", "p", "better")
HEADS = (*HEADS, "slices", "n")
UNITS = ("folder", "task", "encoder", "layer", "rotate", "k", "score", "low", "high", "n")
EXCHANGED = ("task", "exchange", "encoder", "layer", "probe", "own", "others", "change")
EXCHANGED = (*EXCHANGED, "low", "high", "p", "share", "n")
MINI, E5 = "hf:all-MiniLM-L6-v2*", "hf:multilingual-e5-small*"
READS = {MINI: ["0", "3", "6"], E5: ["0", "6", "8", "12"]}
NEURONS = "hf:multilingual-e5-small,layers=12,prompt=passage%3A "
DEP = ["0", "6", "head:4.9"]  # the word embeddings, and the layer and the head that are best on dev
ROW = re.compile(r"(.*?)(?:, (?:layer )?(\d+|head:[\d.]+))?, ([^ ]+)")
Row = dict[str, Any]


def main(results: Path) -> None:
    """Write all files."""
    _write("inside.csv", SCORES, _scores(results))
    _write("inside-differences.csv", TESTED, _differences(results))
    heads = (row for folder in ("maps", "heads", "dep") for row in _heads(results / folder))
    _write("inside-heads.csv", HEADS, heads)
    _write("inside-exchange.csv", EXCHANGED, _exchanged(results / "nonsense"))
    _write("inside-units.csv", UNITS, _units(results))
    for kind in ("erase", "intervene"):
        files = sorted(results.glob(f"{kind}-*.csv"))
        rows = [row for path in files for row in _rows(path.read_text("utf-8"))]
        _write(f"inside-{kind}.csv", list(rows[0]), rows)


def _scores(results: Path) -> Iterator[Row]:
    for folder in ("layers", "case", "tree", "one", "more", "morecase"):
        for row in _rows(_report(results / folder, layers="*")):
            yield {"folder": folder, **row}
    for row in _rows(_report(results / "dep", layers=["?", "??"])):
        yield {"folder": "dep", **row}


def _differences(results: Path) -> Iterator[Row]:
    """Layers with each other, each with itself before training, and features with neurons; p is
    corrected within each.
    """
    for folder in ("layers", "case", "morecase", "tree"):
        for encoder, reads in READS.items():
            of = {"encoders": encoder, "layers": reads}
            yield from _compared(results, folder, "each other", pairs=True, **of)
            untrained = f"{encoder}weights=random*"
            yield from _compared(results, folder, "untrained", against=untrained, **of)
            if folder.endswith("case"):
                # not those that end as weights=random does
                of = {"encoders": [f"{encoder}[!m]", "char-ngrams*"], "layers": [*reads, "-"]}
                yield from _compared(results, folder, "char-ngrams", against="char-ngrams*", **of)
    for exchange, (encoder, reads) in product(("test", "all"), READS.items()):
        of = {"encoders": encoder, "layers": reads, "tasks": [f"*exchange={exchange}*"]}
        untrained = f"{encoder}weights=random*"
        yield from _compared(results, "nonsense", "untrained", against=untrained, **of)
    yield from _compared(results, "dep", "each other", pairs=True, encoders=E5, layers=DEP)
    for folder in ("sae", "one"):
        yield from _compared(results, folder, "neurons", encoders="*", against=NEURONS)
    for against, name in (("neurons", NEURONS), ("untrained", "sae:sae-untrained*")):
        yield from _compared(results, "own", against, encoders="sae:sae-trained*", against=name)


def _compared(results: Path, folder: str, named: str, **asked: Any) -> Iterator[Row]:
    import lingprobe

    for row in _rows(lingprobe.compare(str(results / folder), **asked).page.text("csv")):
        first, second = ROW.fullmatch(row["first"]), ROW.fullmatch(row["second"])
        if first and second:
            said = {"folder": folder, "against": named, "p": row["corrected"], "probe": first[3]}
            yield {**row, **said, "encoder": first[1], "layer": first[2], "than": second[2]}


def _heads(folder: Path) -> Iterator[Row]:
    """Of each task and encoder the head that is best on dev; how many are better than untrained."""
    rows = _view(folder, "heads", "maps")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["task"], row["encoder"]), []).append(row)
    for found in groups.values():
        better = sum(_is_better(row) for row in found)
        best = max(found, key=lambda row: float(row["on_dev"]))
        yield {**best, "better": f"{better} of {len(found)}"}


def _exchanged(folder: Path) -> Iterator[Row]:
    """Scores with own words and others, where test has these and where all splits have; p is
    corrected within each.
    """
    import lingprobe

    results = lingprobe.results(folder)
    for other in ("exchange=all", "exchange=test"):
        some = [result for result in results if other not in result.trial.task]
        yield from _rows(lingprobe.report(some, view="exchange").text("csv"))


def _units(results: Path) -> Iterator[Row]:
    """Scores of the best k units, and of all; of `own`, the autoencoders that were trained there."""
    for name in ("units", "sae", "own"):
        dense = (row for row in _rows(_report(results / name)) if row["probe"] == "logreg")
        for row in (*_view(results / name, "units", name), *dense):
            if name != "own" or row["encoder"].startswith("sae:sae-"):
                yield row if "k" in row else {**row, "folder": name, "k": "all"}


def _is_better(row: Row) -> bool:
    return float(row["p"]) < 0.05 and float(row["score"]) > float(row["untrained"])


def _view(folder: Path, view: str, name: str) -> list[Row]:
    return [{"folder": name, **row} for row in _rows(_report(folder, view=view))]


def _report(folder: Path, **how: Any) -> str:
    import lingprobe

    return lingprobe.report(str(folder), **how).text("csv")


def _rows(text: str) -> Iterator[Row]:
    return csv.DictReader(io.StringIO(text))


def _write(name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    with (RESULTS / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
