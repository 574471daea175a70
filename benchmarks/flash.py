"""Which sets are in the suite `flash`, and how they are built (docs/design/flash.md has the rule).

usage: python benchmarks/flash.py halves TREEBANKS FOLDER --salt 1
       python benchmarks/flash.py measure FOLDER RESULTS --salt 1 --model hf:MINILM --model hf:E5
       python benchmarks/flash.py choose
       python benchmarks/flash.py build FOLDER OUTPUT
       python benchmarks/flash.py suite RESULTS --model hf:MINILM --model hf:E5

`halves` divides the treebanks of the candidates (benchmarks/flash.tsv), and the phrase structures in
constituency/MASC-PTB beside them, into FOLDER/public and FOLDER/reserve. `measure` scores every candidate on both halves and appends to
docs/results/flash-candidates.csv: the models are MiniLM (6 layers) and multilingual-e5-small (12), in
this order. `choose` applies the rule to that file, writes docs/results/flash-choice.csv and
flash-choice-2.csv, for the candidates of each version, and prints them.
`build` writes the sets of the suite as folders for the hub, and their manifest. `suite` judges what
`lingprobe run --suite flash:OUTPUT` measured, with MiniLM's layers 3 and 6 and e5's 6 and 12.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import lzma
import re
import shutil
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from scipy.stats import spearmanr

import lingprobe
from lingprobe.data.digests import checksum_file
from lingprobe.data.records import records
from lingprobe.suites.flash import FILES, read_flash_sets

ROOT = Path(__file__).parents[1]
CANDIDATES = Path(__file__).with_suffix(".tsv")
SCORES = ROOT / "docs" / "results" / "flash-candidates.csv"
SUITE = ROOT / "docs" / "results" / "flash-suite.csv"
CHOICES = {
    version: ROOT / "docs" / "results" / name
    for version, name in ((1, "flash-choice.csv"), (2, "flash-choice-2.csv"))
}
TREES = "MASC"
LDC = re.compile(r"(wsj_|sw)\d+")
"""Files of MASC whose texts are the Linguistic Data Consortium's."""
LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
HALVES = ("public", "reserve")
WORDS = ("edge", "structure", "arcs")
FLOOR = "bow:random,seed={}"
LAYERS = ("0+3+6", "0+6+12")
COLUMNS = ("salt", "half", "set", "encoder", "layer", "score", "low", "high", "n", "train")
MOST, LIKE, OF_FAMILY, OF_LANGUAGE = 12, 0.6, 4, 2
Row = dict[str, str]


def candidates() -> list[Row]:
    """The candidates, a row each."""
    header, body = records(CANDIDATES)
    return [dict(zip(header, cells, strict=True)) for _, cells in body]


def halves(source: Path, folder: Path, salt: int) -> None:
    """Divide the treebanks of the candidates by a hash of the words of their sentences."""
    tree_halves(source.parent / "constituency" / "MASC-PTB", folder, salt)
    for bank in sorted({row["treebank"] for row in candidates()} - {"", TREES}):
        place = next(p for p in (source / bank, source / f"{bank}-hist") if p.is_dir())
        files = sorted(place.glob("*.conllu.xz"))
        code = files[0].name.partition("-ud-")[0]
        every: dict[str, str] = {}
        for file in files:
            for block in lzma.decompress(file.read_bytes()).decode().split("\n\n"):
                if block.strip():
                    every.setdefault(" ".join(_forms(block)).lower(), block.strip("\n"))
        for half in HALVES:
            mine = [key for key in sorted(every) if half_of(key, salt) == half]
            _write_half(folder / half / bank, code, {key: every[key] for key in mine}, salt)
            if (place / "README.md").exists():
                shutil.copy(place / "README.md", folder / half / bank)
        print(bank, len(every))


def tree_halves(source: Path, folder: Path, salt: int) -> None:
    """Divide the trees of MASC, each sentence once, without those of LDC's texts."""
    trees = iter(lzma.decompress((source / "masc_ptb.mrg.xz").read_bytes()).decode().splitlines())
    every: dict[str, str] = {}
    for line in (source / "index.tsv").read_text("utf-8").splitlines():
        name, many, *_ = line.split("\t")
        if not many.isdigit():
            continue
        for tree in islice(trees, int(many)):
            if not LDC.match(Path(name).name):
                words = " ".join(word for tag, word in LEAF.findall(tree) if tag != "-NONE-")
                every.setdefault(words.lower(), tree)
    for half in HALVES:
        mine = [every[key] for key in sorted(every) if half_of(key, salt) == half]
        (folder / half / TREES).mkdir(parents=True)
        (folder / half / TREES / "masc.mrg").write_text("\n".join(mine) + "\n", "utf-8")
    print(TREES, len(every))


def share(*parts: object) -> float:
    """A number from 0 to 1 that a hash draws."""
    digest = hashlib.sha256("\t".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def half_of(words: str, salt: int) -> str:
    """The half of a sentence."""
    return HALVES[share(salt, "half", words) >= 0.5]


def _forms(block: str) -> list[str]:
    rows = (line.split("\t") for line in block.split("\n") if not line.startswith("#"))
    return [cells[1] for cells in rows if cells[0].isdecimal()]


def _write_half(place: Path, code: str, blocks: Mapping[str, str], salt: int) -> None:
    """The sentences of a half in files for three splits, and as text."""
    place.mkdir(parents=True)
    parts: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    for key, block in blocks.items():
        drawn = share(salt, "split", key)
        parts["train" if drawn < 0.5 else "dev" if drawn < 0.6 else "test"].append(block)
    for split, mine in parts.items():
        (place / f"{code}-ud-{split}.conllu").write_text("\n\n".join(mine) + "\n\n", "utf-8")
    lines = (" ".join(_forms(block)) for block in blocks.values())
    (place / f"{code}-ud-text.txt").write_text("\n".join(lines) + "\n", "utf-8")


def task_of(row: Row, folder: Path, half: str, salt: int) -> str:
    """The reference of a candidate on one half."""
    seed = 2 * salt + HALVES.index(half)
    return row["task"].format(half=folder / half, seed=seed)


def encoders(models: Sequence[str], family: str) -> list[str]:
    """Ten vectors a set, in four encoders and two models."""
    pool = ",pool=none" if family in WORDS else ""
    floors = [f"bow:random,seed={seed}{pool}" for seed in (0, 1)]
    read = [f"{name},layers={of}{pool}" for name, of in zip(models, LAYERS, strict=True)]
    return [f"random{pool}", *floors, f"{models[0]},weights=random{pool}", *read]


def measure(folder: Path, results: Path, salt: int, models: Sequence[str]) -> None:
    """Score the candidates, one after the other, so that a run that was stopped goes on."""
    for row in candidates():
        for half in HALVES:
            _measure(row, half, folder, results, salt, models)


def _measure(
    row: Row, half: str, folder: Path, results: Path, salt: int, models: Sequence[str]
) -> None:
    """Score a candidate on one half, and append its rows."""
    known = {(r["salt"], r["half"], r["set"]) for r in read_scores()}
    if (str(salt), half, row["set"]) in known:
        return
    place = results / f"{salt}-{half}-{row['set']}"
    family = row["task"].partition("/")[0]
    began = time.perf_counter()
    task, given = task_of(row, folder, half, salt), encoders(models, family)
    how = {"probes": [row["probe"]], "seeds": 1, "baselines": False, "store": "float16"}
    done = lingprobe.run([task], given, output=place, **how)
    if done.failures:
        print(row["set"], half, done.failures)
        return
    page = lingprobe.report(place).text("csv")
    names = {models[0]: "MiniLM", models[1]: "e5"}
    rows = [_line(salt, half, row["set"], each, names) for each in _rows(page)]
    new = not SCORES.exists()
    with SCORES.open("a", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            out.writeheader()
        out.writerows(rows)
    print(salt, half, row["set"], f"{time.perf_counter() - began:.0f} s", flush=True)


def _rows(page: str) -> list[Row]:
    return [row for row in csv.DictReader(io.StringIO(page)) if row["encoder"][0] != "("]


def _line(salt: int, half: str, name: str, row: Row, names: Mapping[str, str]) -> Row:
    """A row of the report in the file's columns, with names in place of folders."""
    encoder = row["encoder"].replace(",pool=none", "")
    for reference, short in names.items():
        encoder = encoder.replace(reference, short)
    known = {key: row[key] for key in ("score", "low", "high", "n", "train")}
    layer = row["layer"]
    return {
        "salt": str(salt), "half": half, "set": name, "encoder": encoder, "layer": layer, **known
    }  # fmt: skip


def read_scores() -> list[Row]:
    """The rows that were measured."""
    return list(csv.DictReader(SCORES.open(encoding="utf-8"))) if SCORES.exists() else []


def choose(scores: Sequence[Row], version: int) -> list[dict[str, object]]:
    """The candidates of a version with their separation and agreement, and the order in which they
    are taken.
    """
    lines = []
    for row in candidates():
        if int(row["since"]) > version:
            continue
        mine = [each for each in scores if each["set"] == row["set"] and each["salt"] != "0"]
        if mine:
            lines.append({**_judge(mine), "set": row["set"], "language": row["language"]})
            lines[-1]["family"] = row["task"].partition("/")[0]
    inside = [line for line in lines if line["in"]]
    for number, line in enumerate(_take(inside), 1):
        line["taken"] = number
    return lines


def _judge(rows: Sequence[Row]) -> dict[str, object]:
    """Separation and agreement of a candidate."""
    table: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        vector = f"{row['encoder'].partition(',layers')[0]} {row['layer']}"
        table.setdefault((row["salt"], row["half"]), {})[vector] = float(row["score"])
    found: dict[str, object] = {"n": statistics.mean(int(row["n"]) for row in rows)}
    best = -9.0
    for model, layers in (("MiniLM", ("3", "6")), ("e5", ("6", "12"))):
        gaps = [
            statistics.mean(draw[f"{model} {layer}"] for layer in layers) - draw[floor]
            for draw in table.values()
            for floor in draw
            if floor.startswith("bow:random")
        ]
        mean, sd = statistics.mean(gaps), statistics.stdev(gaps)
        found |= {f"{model} above the floor": mean, f"sd {model}": sd}
        best = max(best, mean / max(sd, 0.01))
    like = [
        _agreement(table[s, "public"], table[s, "reserve"]) for s in sorted({s for s, _ in table})
    ]
    found |= {"separation": best, "agreement": statistics.mean(like)}
    return found | {"in": best > 2 and statistics.mean(like) >= LIKE, "taken": ""}


def _agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return float(spearmanr(list(first.values()), [second[name] for name in first]).statistic)


def _take(lines: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """The sets of the suite in the order of the rule."""
    taken: list[dict[str, object]] = []

    def many(key: str, line: dict[str, object]) -> int:
        return sum(each[key] == line[key] for each in taken)

    while len(taken) < MOST:
        left = [
            line
            for line in lines
            if line not in taken
            and many("family", line) < OF_FAMILY
            and many("language", line) < OF_LANGUAGE
        ]
        new = [line for line in left if not many("family", line)]
        new = new or [line for line in left if not many("language", line)] or left
        if not new:
            return
        taken.append(max(new, key=lambda line: float(str(line["separation"]))))
        yield taken[-1]


def suite(results: Path, models: Sequence[str]) -> None:
    """Write what a run of the suite measured as the candidates' scores are written, and judge it."""
    page = lingprobe.report(results).text("csv")
    lines = []
    for row in _rows(page):
        place = Path(row["task"].partition(":")[2].partition(",")[0])
        if row["encoder"].startswith("gold"):
            continue
        known = {models[0]: "MiniLM", models[1]: "e5"}
        lines.append(_line(0, place.parent.name, place.name, row, known))
    with SUITE.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(sorted(lines, key=lambda row: (row["set"], row["half"])))
    for each in read_flash_sets():
        found = _judge([row for row in lines if row["set"] == each.name])
        cells = (f"{v:.2f}" for v in found.values() if isinstance(v, float))
        print(each.name, *cells, found["in"], sep=" | ")


def show_choice() -> None:
    """Write and print what the rule chooses."""
    for version, place in CHOICES.items():
        _show_choice(choose(read_scores(), version), place)


def _show_choice(lines: Sequence[Mapping[str, object]], place: Path) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        names = [
            "set",
            "language",
            "family",
            *(k for k in lines[0] if k not in ("set", "language", "family")),
        ]
        out = csv.DictWriter(file, names, lineterminator="\n")
        out.writeheader()
        out.writerows(
            {k: f"{v:.2f}" if isinstance(v, float) else v for k, v in line.items()}
            for line in lines
        )
    print(place.read_text("utf-8"))


def build(folder: Path, output: Path) -> None:
    """Write the sets of the suite: as folders for the hub, or as CoNLL-U where no table holds them."""
    origins = {row["set"]: row for row in candidates()}
    lines = []
    for half in HALVES:
        (output / half).mkdir(parents=True)
        for each in read_flash_sets():
            place = output / half / each.name
            if each.reads.startswith("table"):
                task = task_of(origins[each.name], folder, half, 0)
                stated = each.licence if each.treebank == TREES else None
                lingprobe.build([task], place, hub=True, licence=stated)
            else:
                _copy_treebank(folder / half / each.treebank, place, each.licence)
            lines += [
                _manifest(file, output) for file in sorted(place.rglob("*.*")) if counted(file)
            ]
    head = "# The files of flash, both draws, of all versions."
    FILES.write_text("\n".join([head, "file\texamples\tbytes\tsha256", *lines]) + "\n", "utf-8")


def counted(file: Path) -> bool:
    """Whether a file has examples."""
    return file.suffix in (".parquet", ".conllu")


def _copy_treebank(source: Path, place: Path, licence: str) -> None:
    """The files of a half, whose trees are the labels."""
    place.mkdir()
    for file in sorted(source.glob("*.conllu")):
        shutil.copy(file, place)
    (place / "README.md").write_text(f"# {source.name}: a part\n\nLicense: {licence}\n", "utf-8")


def _manifest(file: Path, output: Path) -> str:
    if file.suffix == ".conllu":
        many = file.read_text("utf-8").count("\n\n")
    else:
        import pyarrow.parquet

        many = pyarrow.parquet.read_metadata(file).num_rows
    known = (file.relative_to(output).as_posix(), many, file.stat().st_size, checksum_file(file))
    return "\t".join(map(str, known))


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("halves", "measure", "choose", "build", "suite"))
    parser.add_argument("paths", nargs="*", type=lambda text: Path(text).absolute())
    parser.add_argument("--salt", type=int, default=0)
    parser.add_argument("--model", action="append", default=[])
    given = parser.parse_args()
    if given.what == "choose":
        show_choice()
    elif given.what == "halves":
        halves(*given.paths, given.salt)
    elif given.what == "measure":
        measure(*given.paths, given.salt, given.model)
    elif given.what == "suite":
        suite(*given.paths, given.model)
    else:
        build(*given.paths)


if __name__ == "__main__":
    main()
