"""The files behind docs/results/findings-language-models.md: what two small language models prefer, and what they prefer without
number, tense or part of speech.

usage: python benchmarks/language_models.py MODELS PAIRS OUT [STEP...]

MODELS holds `causal` and `masked`, which examples/language_models.py trained. PAIRS holds BLiMP's
.jsonl files, `blimp` all of them, `agreement` those of subject and verb, `determiner` those of determiner and noun; and
`clams`, files of CLAMS in English. UD_English-EWT is found by
LINGPROBE_TREEBANKS. Results go to OUT, and a step that has its file there is not repeated; tables go to docs/results.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import lingprobe

RESULTS = Path(__file__).parents[1] / "docs" / "results"
BANK = "UD_English-EWT"
KINDS = ("causal", "masked")
SHORTER, LONGER = "masked", "causal"  # the texts that they learnt from
ERASED = {
    "number": f"ud/subj-num:{BANK},limit=1500",
    "nouns": f"edge/feat:{BANK},feature=Number,size=1500",
    "tense": f"ud/tense:{BANK},limit=1500",
    "pos": f"edge/pos:{BANK},limit=1500",
}
COLUMNS = {"scores": ("task", "encoder", "stratum", "score", "low", "high", "n")}
LAYER = "1"  # named before any score was seen
# pairs whose accuracy is measured, of each paradigm its share
SIZES = {"blimp": 2010, "agreement": 900, "determiner": 800, "clams": 800}
BLIMP = ("determiner", "agreement")
NUMBERS = ("number", "nouns")
# whose preferences are measured, without what, in which pairs: so many, or all. Of those go the
# pairs with words that the eraser saw; a masked model takes ten times as long
INTERVENED = {
    **{f"causal-{what}-{name}": None for what in ERASED for name in BLIMP},
    **{f"causal-{what}-clams": 4000 for what in NUMBERS},
    **{f"masked-{what}-{name}": 1000 for what in NUMBERS for name in BLIMP},
}


def main(models: Path, pairs: Path, out: Path, asked: Sequence[str]) -> None:
    os.chdir(models)  # so that tables have names without places
    pairs, out = (Path(os.path.relpath(each, models)) for each in (pairs, out))
    tasks = _tasks(pairs)
    out.mkdir(parents=True, exist_ok=True)
    for name in asked or list(_steps()):
        file = out / f"{name}.csv"
        if name.startswith("run"):
            encoders = _encoders(name.removeprefix("run-"))
            lingprobe.run(list(tasks.values()), encoders, output=out / "results", seeds=1)
        elif not file.exists():
            file.write_text(_step(name, tasks, out / "results"), "utf-8")
        print(name, flush=True)
    _join(out)


def _tasks(pairs: Path) -> dict[str, str]:
    """The tasks of minimal pairs, of words that the shorter of both texts has."""
    words = f"words={SHORTER}/text.txt"
    made = {
        name: f"minimal/pairs:{pairs / name},{words},size={size}" for name, size in SIZES.items()
    }
    return {**made, "treebank": f"minimal/agreement:{BANK},{words}"}


def _steps() -> Iterator[str]:
    yield from ("run-floors", *(f"run-{kind}" for kind in KINDS), "scores", "differences")
    yield from (f"intervene-{each}" for each in INTERVENED)
    yield from (f"erase-{kind}" for kind in KINDS)


def _encoders(kind: str) -> list[str]:
    """N-grams of the longer text, or a model and its network with random weights."""
    if kind == "floors":
        return [f"ngram:{LONGER}/text.txt,order=1", f"ngram:{LONGER}/text.txt"]
    return [f"lm:{kind}", f"lm:{kind},weights=random"]


def _step(name: str, tasks: dict[str, str], results: Path) -> str:
    """What a step gives, as CSV."""
    how, kind, *rest = [*name.split("-"), ""]
    if how == "scores":
        whole, parts = (lingprobe.report(results, by=by).text("csv") for by in (None, "paradigm"))
        return whole + parts.partition("\n")[2]
    if how == "differences":
        which = {"encoders": [f"lm:{k}" for k in KINDS], "against": f"ngram:{LONGER}/text.txt"}
        return lingprobe.compare(results, **which).page.text("csv")
    if how == "erase":
        hf = [f"hf:{kind},pool=none,layers={LAYER}{w}" for w in ("", ",weights=random")]
        made = lingprobe.erase(list(ERASED.values()), hf, draws=2, nonlinear="")
        return made.text("csv")
    what, pairs, *_ = rest
    how_many = {"draws": 2, "doses": (1.0,)}
    size = INTERVENED[f"{kind}-{what}-{pairs}"]
    chosen = tasks[pairs].partition(",size=")[0] + (f",size={size}" if size else "")
    page = lingprobe.intervene(ERASED[what], f"lm:{kind}", layer=LAYER, pairs=chosen, **how_many)
    rows = page.text("csv").splitlines()
    return "\n".join([f"pairs,{rows[0]}", *(f"{pairs},{row}" for row in rows[1:])]) + "\n"


def _join(out: Path) -> None:
    """The tables of all steps of a sort in one file, with some columns or all."""
    for sort in ("scores", "differences", "erase", "intervene"):
        texts = [file.read_text("utf-8") for file in sorted(out.glob(f"{sort}*.csv"))]
        rows = [row for text in texts for row in csv.DictReader(io.StringIO(text))]
        if sort == "intervene":
            rows = [_correct(row, len(texts)) for row in rows]
        if rows:
            name = "language-models" + ("" if sort == "scores" else f"-{sort}")
            with (RESULTS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                columns = COLUMNS.get(sort, list(rows[0]))
                table = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
                table.writeheader()
                table.writerows(rows)


def _correct(row: dict[str, str], pages: int) -> dict[str, str]:
    """With the p of a page, which is corrected for its cells (Holm), corrected for so many pages
    as well (Bonferroni).
    """
    return {**row, "joint_p": f"{min(1.0, float(row['beyond_p']) * pages):.4g}"}


if __name__ == "__main__":
    main(*(Path(each).resolve() for each in sys.argv[1:4]), sys.argv[4:])
