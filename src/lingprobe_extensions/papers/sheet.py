"""A sheet of sampled test sentences for people to judge: rows of text that any spreadsheet opens.

Gold labels are not in it. What was drawn follows from the task, the seed and the number, which one
line of JSON records.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from lingprobe import DataProblem, Dataset, Task
from lingprobe.extend import Ints, digest_examples, open_draft

Mode = Literal["blind", "check"]
SHEET_COMMENT_MARK = "sonde:"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
YES_ANSWER, _NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet for people: all that is needed to draw the same sentences again.

    task, data  the canonical reference, and a hash of its examples (32 digits)
    mode        blind: which label does the sentence have? check: is this label correct?
    words       label -> the word that people write for it
    by          the stratum whose cells were drawn from in turn, '' for a random sample
    """

    task: str
    data: str
    mode: Mode
    n: int
    seed: int
    words: Mapping[str, str]
    by: str = ""

    @property
    def answers(self) -> tuple[str, ...]:
        """The allowed judgements."""
        return (YES_ANSWER, _NO) if self.mode == "check" else tuple(self.words.values())


@dataclass(frozen=True, slots=True)
class SheetRequest:
    """How a sheet is asked for: its mode, how many sentences, the seed, words in place of labels
    ('O' -> 'acceptable'), and the stratum that rows are drawn by.
    """

    mode: Mode = "blind"
    n: int = 200
    seed: int = 0
    question: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    explained: Mapping[str, str] = field(default_factory=dict)
    by: str = ""


class SheetSample(NamedTuple):
    """Sentences in the sheet's order, their gold labels, and the cell of each: its label, with the
    value of a stratum where rows are drawn by one.
    """

    sentences: list[str]
    gold: list[str]
    cells: list[str]


def sample_sentences(dataset: Dataset, n: int, seed: int, by: str = "") -> SheetSample:
    """The test sentences that a sheet asks people about. DataProblem where they cannot be asked so.

    By a stratum, one of each label and value is drawn after the other, and rare ones stand first:
    a sheet sampled at random hardly has them.
    """
    labels = dataset.labels
    if labels.classes is None or not dataset.of_sentences or dataset.asked.shape[1]:
        raise DataProblem(
            "a sheet is for tasks with one class per sentence, and this task has other sites"
            " or labels"
        )
    test = dataset.rows("test")
    if not len(test):
        raise DataProblem("the task has no test examples to sample from")
    rows = np.random.default_rng([seed, len(test)]).permutation(test)
    if by:
        rows = _in_turn(rows, _find_sheet_strata(dataset, rows, by), n)
    rows = rows[:n]
    sentences = [" ".join(dataset.sentences[s].text.split()) for s in dataset.sites[rows, 0, 0]]
    return SheetSample(
        sentences, labels.take(rows).class_names(), _find_sheet_strata(dataset, rows, by)
    )


def _find_sheet_strata(dataset: Dataset, rows: Ints, by: str) -> list[str]:
    """The cell of some examples."""
    gold = dataset.labels.take(rows).class_names()
    if not by:
        return gold
    if by not in dataset.strata:
        raise DataProblem(f"the task has no subgroup {by!r}; it has {', '.join(dataset.strata)}")
    tags = dataset.strata[by]
    values = [tags.names[code] if code >= 0 else "none" for code in tags.codes[rows].tolist()]
    return [f"{label}: {value}" for label, value in zip(gold, values, strict=True)]


def _in_turn(rows: Ints, cells: Sequence[str], n: int) -> Ints:
    """As many rows of each cell as of any other, or all that it has; the rarest cell first."""
    many = Counter(cells)
    seen = Counter[str]()
    ranks = []  # of each row: how many of its cell come before it
    for cell in cells:
        ranks.append(seen[cell])
        seen[cell] += 1
    first = sorted(range(len(rows)), key=lambda i: (ranks[i], many[cells[i]], cells[i]))[:n]
    return rows[sorted(first, key=lambda i: (many[cells[i]], cells[i], ranks[i]))]


def write_sheet(reference: str, task: Task, to: Path, asking: SheetRequest) -> Sheet:
    """Write a sheet; returns what it asks. DataProblem for a label that the task does not have, or
    words that say two things.
    """
    dataset = task.load()
    sentences, gold, _ = sample_sentences(dataset, asking.n, asking.seed, asking.by)
    words = _word_labels(reference, dataset, asking)
    data, many = digest_examples(dataset), len(sentences)
    sheet = Sheet(reference, data, asking.mode, many, asking.seed, words, asking.by)
    # a judge who checks labels sees them
    labels = [[_escape_formula(words[label])] if asking.mode == "check" else [] for label in gold]
    with open_draft(to) as part, part.open("w", encoding="utf-8", newline="") as file:
        between = "," if to.suffix.lower() == ".csv" else "\t"
        rows = csv.writer(file, delimiter=between, lineterminator="\n")
        for line in _instructions(sheet, asking.question or task.question, asking.explained):
            rows.writerow([f"# {line}"])
        rows.writerow([f"# {SHEET_COMMENT_MARK} {json.dumps(asdict(sheet), ensure_ascii=False)}"])
        shown = ["label"] if asking.mode == "check" else []
        rows.writerow(["id", "sentence", *shown, "judgement"])
        for number, (sentence, label) in enumerate(zip(sentences, labels, strict=True), 1):
            rows.writerow([number, _escape_formula(sentence), *label, ""])
    return sheet


def _word_labels(reference: str, dataset: Dataset, asking: SheetRequest) -> dict[str, str]:
    """Each label in the words that judges read."""
    names = sorted(map(str, dataset.labels.names))
    unknown = [label for label in asking.words if label not in names]
    if unknown:
        raise DataProblem(
            f"{reference} has no label {unknown[0]!r}; it has {', '.join(names[:20])}"
        )
    words = {name: asking.words.get(name, name) for name in names}
    distinct = {word.casefold() for word in words.values() if word.strip()}
    if len(distinct) < len(words):
        raise DataProblem("two labels would have the same word: give each its own")
    return words


def _instructions(sheet: Sheet, question: str, explained: Mapping[str, str]) -> Sequence[str]:
    meanings = [
        f"   {word}" + (f": {explained[label]}" if label in explained else "")
        for label, word in sheet.words.items()
    ]
    if sheet.mode == "check":
        how = (
            f"The column 'label' answers the question. Write {YES_ANSWER} under 'judgement' if it"
            f" is right, {_NO} if it is wrong."
        )
        return [
            question,
            how,
            "Leave the cell empty if you cannot say. The labels are:",
            *meanings,
        ]
    how = (
        "Write one of the words below under 'judgement' for each sentence; leave the cell empty"
        " if you cannot say."
    )
    return [question, how, *meanings]


def _escape_formula(text: str) -> str:
    """The text with a space in front where a spreadsheet would compute it."""
    return f" {text}" if text.startswith(_FORMULA) and len(text) > 1 else text
