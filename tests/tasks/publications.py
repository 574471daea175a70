"""Tiny files of our own in the layouts of published probing sets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS

SPLITS = (("tr", "train", 8), ("va", "dev", 2), ("te", "test", 2))
SENTEVAL = {
    "sentence_length": "0 1 2", "word_content": "river stone", "tree_depth": "5 6 10",
    "top_constituents": "NP_VP_. OTHER",
    "bigram_shift": "I O", "past_present": "PAST PRES", "subj_number": "NN NNS",
    "obj_number": "NN NNS",
    "odd_man_out": "C O", "coordination_inversion": "I O",
}  # fmt: skip
RUSENTEVAL = (
    "conj_type gapping impersonal_sent ngram_shift obj_gender obj_number predicate_aspect"
    " predicate_tense predicate_voice sent_len subj_gender subj_number tree_depth word_content"
)
UD2019 = "SentLen WC TreeDepth TopDeps Passive Tense SubjNum ObjNum SentType"


def rows(labels: str, marked: str = "") -> list[tuple[str, str, str, str]]:
    """Split code, split, label and sentence of each row, a class at a time; no two sentences are
    the same.
    """
    return [
        (
            code,
            split,
            label,
            (
                f"\" the {label.casefold()} {marked}{split} number {i} wasn 't"
                f" {'near' if i % 2 else 'far'} ."
            ),
        )
        for code, split, many in SPLITS
        for label in labels.split()
        for i in range(many)
    ]


def senteval(folder: Path, names: dict[str, str] | None = None) -> Path:
    """A folder of files in SentEval's layout."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, labels in (names or SENTEVAL).items():
        lines = [f"{code}\t{label}\t{text}\n" for code, _, label, text in rows(labels, name)]
        (folder / f"{name}.txt").write_text("".join(lines), "utf-8")
    return folder


def xprobe(folder: Path) -> Path:
    """The folder of a language in X-Probe's layout."""
    for name, labels in SENTEVAL.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for code, _, _ in SPLITS:
            lines = [f"{text}\t{label}\n" for c, _, label, text in rows(labels, name) if c == code]
            (folder / name / f"{code}.txt").write_text("".join(lines), "utf-8")
    return folder


def linspector(folder: Path) -> Path:
    """A folder with LINSPECTOR's three kinds of files."""
    kinds = {
        "word": lambda split, label, i: f"{label}{split}{i}\t{label}\n",
        "pair": lambda split, label, i: f"{label}{split}{i}\t{label}{split}{i}s\t{label}\n",
        "contextual": lambda split, label, i: f"we {label}{split}{i} here\t1\t{label}\n",
    }
    for kind, line in kinds.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for _, split, many in SPLITS:
            lines = [line(split, label, i) for label in ("sing", "plur") for i in range(many)]
            (folder / kind / f"{split}.txt").write_text("".join(lines), "utf-8")
    return folder


def indic(file: Path) -> Path:
    """A CSV in IndicSentEval's layout."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["voice", "sentences"])
        writer.writerows(
            [label, f"{label} , sentence {i}"] for label in ("active", "passive") for i in range(80)
        )
    return file


COMPEVAL = {"cont1": 1, "cont2": 2, "order": 2, "sr": 2, "neg": 1}  # asked words


def compeval(folder: Path) -> Path:
    """A folder in the layout of Ettinger et al. 2018: every noun with every verb, the answer by who
    comes first.
    """
    pairs = [
        (noun, verb)
        for noun in ("king", "nurse", "pilot")
        for verb in ("waits", "sings", "falls", "runs")
    ]
    for name, slots in COMPEVAL.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for split, who in (("train", "judge"), ("test", "clerk")):
            lines = [
                "\t".join(
                    [
                        "TRUE" if i % 2 else "FALSE",
                        f"s{i}",
                        f"the {noun} that {verb} helps the {who}",
                        *(noun, verb[:-1])[-slots:],
                    ]
                )
                for i, (noun, verb) in enumerate(pairs)
            ]
            (folder / name / f"{split}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


TWO = {
    "MR/rt-polarity": ("pos", "neg"), "CR/custrev": ("pos", "neg"), "MPQA/mpqa": ("pos", "neg"),
    "SUBJ/subj": ("objective", "subjective"),
}  # fmt: skip
TREC = "ABBR:exp DESC:def ENTY:food HUM:ind LOC:city NUM:date"
POLISH = {"8TAGS": 8, "WCCRS_HOTELS": 4, "WCCRS_MEDICINE": 4}


def text_sets(folder: Path) -> Path:
    """A folder of labelled sentences in the layouts of SentEval, of Kim 2014 and of Dadas."""
    for stem, ends in TWO.items():
        (folder / stem).parent.mkdir(parents=True, exist_ok=True)
        for end in ends:
            lines = [f'film {i} of {end} is " caf\xe9 . \n' for i in range(80)]
            (folder / f"{stem}.{end}").write_text("".join(lines), "latin-1")
    numbers = {n: " ".join(map(str, range(n))) for n in (2, 4, 5, 8)}
    layouts = [
        ("SST/binary/sentiment-{}", numbers[2], "{text} \t{label}"),
        ("SST/fine/sentiment-{}", numbers[5], "{label} {text}"),
        ("stsa.binary.{}", numbers[2], "{label} {text}"),
        *((f"{name}/{{}}.txt", numbers[many], "{label} {text}") for name, many in POLISH.items()),
    ]
    for pattern, labels, line in layouts:
        for code, split, _ in SPLITS:
            file = folder / pattern.format(split)
            file.parent.mkdir(parents=True, exist_ok=True)
            cells = [(label, text) for c, _, label, text in rows(labels, pattern) if c == code]
            shown = [line.format(label=label, text=text) + "\n" for label, text in cells]
            file.write_text("".join(shown), "utf-8")
    (folder / "TREC").mkdir(parents=True, exist_ok=True)
    for split, name in (("train", "train_5500.label"), ("test", "TREC_10.label")):
        lines = [f"{label} {text}\n" for _, s, label, text in rows(TREC, "caf\xe9") if s == split]
        (folder / "TREC" / name).write_text("".join(lines), "latin-1")
    return folder


SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
SICK_FILES = {"train": "train", "dev": "trial", "test": "test_annotated"}
YEARS = {2013: "FNWN", 2014: "images", 2015: "belief", 2016: "headlines"}
ENTAILED = ("ENTAILMENT", "CONTRADICTION", "NEUTRAL")


def pairs(many: int = 12, named: str = "") -> list[tuple[str, int, str, str]]:
    """Split, number and two sentences of each pair; first sentences recur within a split, and
    quotes are not balanced.
    """
    return [
        (split, i, f'A {named}{split} dog {i // 2} "runs .', f"One {named}{split} cat {i} rests .")
        for split in SICK_FILES
        for i in range(many)
    ]


def pair_sets(folder: Path) -> Path:
    """A folder of pairs of sentences in the layouts of their publishers."""

    def written(name: str, lines: list[str], end: str = "\n") -> None:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(line + end for line in lines), "utf-8", newline="")

    for split, called in SICK_FILES.items():
        mine = [(i, a, b) for s, i, a, b in pairs() if s == split]
        for place, least in (("SICK/SICK", 1), ("SICK-PL/SICK", 1), ("CDSCorpus/CDS", 0)):
            rows = [f"{i}\t{a}\t{b}\t{least + i % 4}.5\t{ENTAILED[i % 3]}" for i, a, b in mine]
            written(f"{place}_{called}.txt", [SICK, *rows])
        rows = [f"{a}\t{b}\t{i % 3 + 1}" for i, a, b in mine]
        written(f"PPC/{split}.txt", ["sentence_A\tsentence_B\tlabel", *rows])
        rows = [
            f"news\theadlines\t2015\t{i}\t{i % 6:.3f}\t{a}\t{b}" + "\tx\ty" * (i % 2)
            for i, a, b in mine
        ]
        written(f"STS/STSBenchmark/sts-{split}.csv", rows)
        rows = [f"{i % 2}\t{i}\t{i}\t{a}\t{b}" for i, a, b in mine]
        if split != "dev":
            head = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"
            written(f"MRPC/msr_paraphrase_{split}.txt", [head, *rows], "\r\n")
        if split == "test":
            for name in ("MSRpar", "surprise.OnWN"):
                place = "STS/STS12-en-test/STS.{}." + name + ".txt"
                written(place.format("gs"), ["", *(f"{i % 5}.5" for i, *_ in mine[1:])])
                written(place.format("input"), [f"{a}\t{b}" for _, a, b in mine])
            for year, name in YEARS.items():
                rows = [f"{i % 5 or ''}\t{a}\t{b}" for i, a, b in mine]
                written(f"STS12-16/{year}/{name}.test.tsv", rows)
        labels = [*(ENTAILED[i % 3].lower() for i, _, _ in mine), "-"]
        for what, cells in (("s1", [a for _, a, _ in mine]), ("s2", [b for *_, b in mine])):
            written(f"SNLI/{what}.{split}", [*cells, "Nobody knows ."])
        written(f"SNLI/labels.{split}", labels)
    lines = [json.dumps({"a": a, "b": b, "score": i, "split": s}) for s, i, a, b in pairs()]
    written("mine.jsonl", lines)
    return folder


def refused_or_counted(reference: str, place: Path, line: str, message: str) -> None:
    """Assert that a line that is added to a file is an error with file and line, and with
    on_error=skip is left out and counted.
    """
    number = place.read_bytes().count(b"\n") + 1
    place.write_bytes(place.read_bytes() + line.encode() + b"\n")
    with pytest.raises(DataProblem) as problem:
        TASKS.make(reference).load()
    assert str(problem.value) == f"{place}:{number}: {message}"
    notes = TASKS.make(f"{reference},on_error=skip").load().notes
    assert notes["source"]["skipped"] == 1
    assert notes["problems"] == [str(problem.value)]


def released(folder: Path) -> Path:
    """A folder with a folder a family."""
    text_sets(folder / "text")
    pair_sets(folder / "pair")
    senteval(folder / "senteval")
    xprobe(folder / "xprobe")
    senteval(folder / "rusenteval", dict.fromkeys(RUSENTEVAL.split(), "0 1"))
    senteval(folder / "ud2019", dict.fromkeys(UD2019.split(), "0 1"))
    linspector(folder / "linspector")
    compeval(folder / "comp" / "released")
    indic(folder / "voice.csv")
    return folder
