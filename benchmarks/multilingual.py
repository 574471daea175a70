"""The tables of benchmarks/results/multilingual.md, from the results of the runs that the note shows.

usage: python benchmarks/multilingual.py [RESULTS]
       python benchmarks/multilingual.py --pieces TREEBANK...

RESULTS holds the folders `pud`, `large` and `prompt`: their scores and comparisons are written anew into
docs/results, as multilingual.csv and multilingual-differences.csv. Then the tables are printed as these files
have them, and a test holds the note to that. --pieces prints how the two tokenizers cut the words of
treebanks; multilingual-e5-small is a folder of that name.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "docs" / "results"
SCORES = ("folder", "task", "encoder", "layer", "probe", "score", "low", "high", "majority", "n")
TESTED = ("folder", "against", "task", "first", "second", "difference", "low", "high", "p")
TESTED = (*TESTED, "verdict", "detectable", "n")
MINI, E5 = "all-MiniLM-L6-v2", "multilingual-e5-small"
PROMPT = "prompt=query%3A "
OUTPUTS = {MINI: f"hf:{MINI}", E5: f"hf:{E5},{PROMPT}"}
LAYERS = {MINI: f"hf:{MINI},layers=lex+all", E5: f"hf:{E5},layers=lex+all,{PROMPT}"}
BARE = f"hf:{E5},layers=lex+all"
PIECES = {
    MINI: f"hf:{MINI},layers=lex,weights=random",
    E5: f"hf:{E5},layers=lex,{PROMPT},weights=random",
}
LETTERS = "benchmarks/trigrams.py@Trigrams:384"
LANGUAGES = ("English", "Polish", "Czech", "Finnish", "Hindi")
TASKS = ("tense", "subj-num", "obj-num", "passive", "sent-type", "top-deps", "sent-len")
TASKS = (*TASKS, "tree-depth", "word-content")
Cells = dict[tuple[str, str, str, str, str], dict[str, str]]
Tested = dict[tuple[str, ...], dict[str, str]]


def collect(results: Path) -> None:
    """Write the CSV files."""
    import lingprobe

    scores, tested = [], []
    for folder in ("pud", "large", "prompt"):
        page = lingprobe.report(str(results / folder)).text("csv")
        scores += [{"folder": folder, **row} for row in csv.DictReader(io.StringIO(page))]
        for named, asked in _families(folder) if folder != "prompt" else ():
            page = lingprobe.compare(str(results / folder), **asked).page.text("csv")
            for row in csv.DictReader(io.StringIO(page)):
                said = {"folder": folder, "against": named, "p": row["corrected"]}
                tested.append({**row, **said})
    _write("multilingual.csv", SCORES, scores)
    _write("multilingual-differences.csv", TESTED, tested)


def _families(folder: str) -> Iterator[tuple[str, dict[str, object]]]:
    """What is compared in a folder, each with a name; p is corrected within each."""
    yield "each other", {"encoders": list(OUTPUTS.values()), "pairs": True}
    for model, encoder in OUTPUTS.items():
        for name, bag in (("pieces", PIECES[model]), ("letters", LETTERS)):
            yield f"{name}, {model}", {"encoders": [encoder, bag], "against": bag}
    yield "baselines", {"encoders": list(OUTPUTS.values())}
    if folder == "pud":
        both = [OUTPUTS[MINI], f"st:{MINI}"]
        yield "normalised", {"tasks": ["ud/sent-len*"], "encoders": both, "pairs": True}


def _write(name: str, columns: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    with (RESULTS / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _read(name: str) -> list[dict[str, str]]:
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _task(row: dict[str, str]) -> tuple[str, str]:
    """Task and language of a row."""
    task, _, data = row["task"].removeprefix("ud/").partition(":UD_")
    return task, data.partition("-")[0]


def tables() -> dict[str, str]:
    """Every table of the page, as Markdown, by what it shows."""
    cells: Cells = {}
    for row in _read("multilingual.csv"):
        task, language = _task(row)
        encoder = "oracle" if row["encoder"].startswith("gold") else row["encoder"]
        layered = encoder in (*LAYERS.values(), BARE)
        layer = row["layer"] if layered else row["probe"]
        cells[row["folder"], task, language, encoder, layer] = row
    tested = {
        (row["folder"], row["against"], *_task(row)): row
        for row in _read("multilingual-differences.csv")
        if row["against"] != "baselines"
    }
    made = {f"outputs, {folder}": _outputs(cells, tested, folder) for folder in ("pud", "large")}
    for task in ("tense", "subj-num"):
        made[f"layers, {task}"] = _layers(cells, task)
    made["best layers"] = _best(cells)
    made["prompt"] = _prompt(cells)
    return made


def _outputs(cells: Cells, tested: Tested, folder: str) -> str:
    """A line for each task and language: baselines, both encoders, and their difference. Bold is
    better than pieces and letters, italic worse than one of them.
    """
    head = ["task", "language", "n", "constant", "letters", "words"]
    head += ["pieces", "MiniLM", "pieces", "e5", "e5 - MiniLM", "oracle"]
    asked = [(task, language) for task in TASKS for language in LANGUAGES]
    lines = [
        _line(cells, tested, (folder, *each))
        for each in asked
        if (folder, *each, OUTPUTS[MINI], "logreg") in cells
    ]
    return _markdown(head, lines)


def _line(cells: Cells, tested: Tested, at: tuple[str, str, str]) -> list[str]:
    def score(encoder: str, probe: str = "logreg") -> str:
        return f"{float(cells[*at, encoder, probe]['score']):.1f}"

    folder, task, language = at
    constant, n = (cells[*at, OUTPUTS[MINI], "logreg"][c] for c in ("majority", "n"))
    line = [task, language, f"{int(n):,}", f"{float(constant):.1f}"]
    line += [score(LETTERS), score("words", "nb-uni-tfidf")]
    for model in (MINI, E5):
        verdicts = {
            tested[folder, f"{bag}, {model}", task, language]["verdict"]
            for bag in ("pieces", "letters")
        }
        mark = "**" if verdicts == {"better"} else "*" if "worse" in verdicts else ""
        line += [score(PIECES[model]), f"{mark}{score(OUTPUTS[model])}{mark}"]
    return [*line, _difference(tested[folder, "each other", task, language]), score("oracle")]


def _difference(row: dict[str, str]) -> str:
    value, low, high = (float(row[c]) for c in ("difference", "low", "high"))
    said = f"{value:+.1f} ({low:.1f} to {high:.1f})"
    return said if row["verdict"] == "no significant difference" else f"**{said}**"


def _of(cells: Cells, task: str, language: str, model: str, folder: str) -> dict[str, float]:
    """The score of each layer."""
    return {
        at[4]: float(row["score"])
        for at, row in cells.items()
        if at[:4] == (folder, task, language, LAYERS[model])
    }


def _layers(cells: Cells, task: str) -> str:
    """A line for each layer, a column for each model and language."""
    found = []
    for model in (MINI, E5):
        for language in LANGUAGES:
            folder = "pud" if language == "Hindi" else "large"
            found.append(_of(cells, task, language, model, folder))
    short = [name[:2] for name in LANGUAGES]
    head = ["layer", *(f"MiniLM {name}" for name in short), *(f"e5 {name}" for name in short)]
    lines, tops = [], [max(scores.values(), default=0.0) for scores in found]
    for layer in ("lex", *map(str, range(13))):
        pairs = zip([scores.get(layer) for scores in found], tops, strict=True)
        lines.append(
            [
                layer,
                *(
                    "" if v is None else f"**{v:.1f}**" if v == top else f"{v:.1f}"
                    for v, top in pairs
                ),
            ]
        )
    return _markdown(head, lines)


def _best(cells: Cells) -> str:
    """The layer with the highest score of each task, language and treebank."""
    head = ["task", "treebanks", *(f"MiniLM {name[:2]}" for name in LANGUAGES)]
    head += [f"e5 {name[:2]}" for name in LANGUAGES]
    lines = []
    for task in TASKS:
        for folder in ("pud", "large"):
            line = []
            for model in (MINI, E5):
                for language in LANGUAGES:
                    scores = _of(cells, task, language, model, folder)
                    line.append(max(scores, key=scores.__getitem__) if scores else "")
            if any(line):
                lines.append([task, folder, *line])
    return _markdown(head, lines)


def _prompt(cells: Cells) -> str:
    """Layers of e5 with its prompt and without."""
    layers = ("lex", "0", "3", "7", "12")
    lines = []
    for task in ("tense", "subj-num", "sent-len"):
        for language in LANGUAGES:
            line = []
            for layer in layers:
                at = task, language, LAYERS[E5]
                bare = cells.get(("prompt", task, language, BARE, layer))
                if bare:
                    line += [f"{float(c['score']):.1f}" for c in (cells["pud", *at, layer], bare)]
            if line:
                lines.append([task, language, *line])
    return _markdown(
        ["task", "language", *(f"{k}{b}" for k in layers for b in ("", " bare"))], lines
    )


def _markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = "|".join(["---", *["---:"] * (len(head) - 1)])
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([f"| {' | '.join(head)} |", f"|{rule}|", *rows])


def pieces(treebanks: Sequence[str]) -> None:
    """Print how the tokenizers cut the words of each treebank."""
    from transformers import AutoTokenizer
    from whole import model

    import lingprobe

    cut = {
        "MiniLM": AutoTokenizer.from_pretrained(model()),
        "e5": AutoTokenizer.from_pretrained(E5),
    }
    lines = []
    for treebank in treebanks:
        words = [word for s in lingprobe.sentences([treebank]) for word in s.words]
        for name, tokenizer in cut.items():
            each = [tokenizer.tokenize(word) for word in words]
            many = sum(map(len, each))
            same: dict[tuple[str, ...], set[str]] = {}
            for word, parts in zip(words, each, strict=True):
                same.setdefault(tuple(parts), set()).add(word.lower())
            lost = sum(len(forms) for forms in same.values() if len(forms) > 1)
            shares = (
                sum(len(parts) == 1 for parts in each) / len(words),
                sum(tokenizer.unk_token in parts for parts in each) / len(words),
                lost / len({word.lower() for word in words}),
            )
            cells = [f"{100 * share:.1f} %" for share in shares]
            lines.append([treebank, name, f"{len(words):,}", f"{many / len(words):.2f}", *cells])
    head = ["treebank", "tokenizer", "words", "pieces a word", "in one piece", "with [UNK]"]
    print(_markdown([*head, "forms that share their pieces"], lines))


def main() -> None:
    if sys.argv[1:2] == ["--pieces"]:
        pieces(sys.argv[2:])
        return
    if len(sys.argv) > 1:
        collect(Path(sys.argv[1]))
    for name, table in tables().items():
        print(f"{name}\n\n{table}\n")


if __name__ == "__main__":
    main()
