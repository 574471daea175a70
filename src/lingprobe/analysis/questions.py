"""What is asked in the rows of a task: how many classes, what they consist of, what one word
answers, what is odd about the sources.

Scores of one question over several sources are comparable only where these agree;
`describe_question_differences` says where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.corpora.machine import NOTED_LABEL_NOISE_PERCENT
from lingprobe.data.labels import Column
from lingprobe.data.notes import ByParser, DatasetNotes, SourceRule, WordRule

_MADE = "construction"
"""The stratum that says what labels consist of."""
_SHOWN = 3  # constructions of a class
_RARE = 0.005  # of a class, below which a construction is not told
_CLOSE = 1.1  # the ratio up to which numbers of examples count as alike


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """What is asked.

    classes   the names of the classes that can be answered; () where labels are no classes
    whole     how many classes the question has, where the data have fewer of them; 0 where all are
              there or none is said
    made      class -> constructions with their shares of its test examples, the most frequent first
    word      the best rule of one word, and what it scores in percent; '' without
    remarks   what there is to say about the sources as a whole
    wrong     the percent of labels of a parser that an audit found wrong, where it is not small
    """

    classes: tuple[str, ...] = ()
    whole: int = 0
    made: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    word: str = ""
    worded: float = 0.0
    remarks: tuple[str, ...] = ()
    wrong: float = 0.0

    @property
    def size(self) -> str:
        """The number of classes, in words."""
        many = f"{len(self.classes):,}"
        return (
            (
                f"{many} of {self.whole:,} classes"
                if self.whole > len(self.classes)
                else f"{many} classes"
            )
            if self.classes
            else ""
        )

    @property
    def commonest(self) -> str:
        """The commonest construction of each class, by which the same question is told apart."""
        return "; ".join(f"{label}: {constructions[0][0]}" for label, constructions in self.made)

    def columns(self) -> dict[str, Any]:
        """The same as columns of a frame, those for programs first."""
        return {
            "classes": len(self.classes),
            "question_classes": max(self.whole, len(self.classes)),
            "made_of": describe_composition(self),
            "word_rule": self.word,
            "word_score": self.worded,
            "remarks": "; ".join(self.remarks),
            "class_names": list(self.classes),
            "class_size": self.size,
            "commonest": self.commonest,
            "source_remarks": list(self.remarks),
            "wrong": self.wrong,
        }


def describe_question(folds: Sequence[RunPredictions], gold: Column) -> PosedQuestion:
    """What the folds of one thing measured ask."""
    first = folds[0].about.notes
    rules = [r.about.notes.part(WordRule) for r in folds]
    shares = [np.nan if rule is None else rule.test for rule in rules]
    return PosedQuestion(
        tuple(gold.names) if gold.numbers is None and gold.has_constant else (),
        first.classes_of_question,
        _construction_shares(folds),
        rules[0].rule if rules[0] else "",
        PERCENT_SCALE * float(np.average(shares, weights=[r.n for r in folds]))
        if rules[0]
        else 0.0,
        (*first.remarks, *_source_remarks(folds), *_remarks_on_test(gold)),
        share_wrong_labels(first),
    )


def share_wrong_labels(notes: DatasetNotes) -> float:
    """The percent of labels of a parser that an audit found wrong, where it is not small."""
    parser = notes.part(ByParser)
    return (
        parser.wrong
        if parser and parser.wrong and parser.wrong >= NOTED_LABEL_NOISE_PERCENT
        else 0.0
    )


def _source_remarks(folds: Sequence[RunPredictions]) -> Iterator[str]:
    """A remark where the source of an example says something of its label."""
    rules = [rule for r in folds if (rule := r.about.notes.part(SourceRule))]
    if len(rules) < len(folds):
        return
    shares = [(rule.test, rule.low, rule.constant) for rule in rules]
    score, low, chance = np.average(shares, 0, weights=[r.n for r in folds]).tolist()
    if low > chance:
        right = (
            f"{PERCENT_SCALE * score:.1f} % accuracy,"
            f" the best constant {PERCENT_SCALE * chance:.1f} %"
        )
        yield f"knowing only the source gives {right} (--by source)"


def _remarks_on_test(gold: Column) -> Iterator[str]:
    """A remark where all test examples have one label, so that a score says nothing of vectors."""
    if gold.numbers is not None:
        if len(gold) and float(np.ptp(gold.numbers)) == 0:
            yield "all test examples have the same score, with which nothing correlates"
    elif gold.classes is not None and len(gold.names) > 1 and len(np.unique(gold.classes)) == 1:
        only = gold.names[gold.classes[0]]
        yield f"all test examples are {only}: a score is how often a probe answers that"


def _construction_shares(
    folds: Sequence[RunPredictions],
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """The constructions of each class, over all folds."""
    counts: dict[str, dict[str, int]] = {}
    for fold in folds:
        tags, gold = fold.strata.get(_MADE), fold.gold
        if tags is None or gold.classes is None:
            return ()
        names = ("none", *tags.names)
        codes = gold.classes.astype(np.int64) * len(names) + tags.codes + 1
        pairs, many = np.unique(codes, return_counts=True)
        for pair, n in zip(pairs.tolist(), many.tolist(), strict=True):
            label, tag = divmod(pair, len(names))
            mine, name = counts.setdefault(gold.names[label], {}), names[tag]
            mine[name] = mine.get(name, 0) + n
    return tuple((label, _format_shares(mine)) for label, mine in sorted(counts.items()))


def _format_shares(counts: Mapping[str, int]) -> tuple[tuple[str, float], ...]:
    total = sum(counts.values())
    return tuple(
        (name, n / total)
        for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def describe_composition(question: PosedQuestion) -> str:
    """What the classes consist of, in words; '' where all are of the same one kind."""
    if {name for _, constructions in question.made for name, _ in constructions} == {
        constructions[0][0] for _, constructions in question.made[:1]
    }:
        return ""
    classes = []
    for label, constructions in question.made:
        shown = [
            f"{name} {PERCENT_SCALE * share:.0f} %"
            for name, share in constructions[:_SHOWN]
            if share >= _RARE
        ]
        classes.append(
            f"{label}: {', '.join(shown)}"
            + (" and others" if len(constructions) > len(shown) else "")
        )
    return "; ".join(classes)


def describe_question_differences(sources: Sequence[Any]) -> list[str]:
    """In what the same question differs between sources, each given by a row of its scores."""
    differences = []
    if len({tuple(row.class_names) for row in sources}) > 1:
        sizes = [row.classes for row in sources]
        differences.append(
            "classes" + (f" ({min(sizes):,} to {max(sizes):,})" if min(sizes) < max(sizes) else "")
        )
    for of, numbers in (
        ("training examples", [row.train for row in sources]),
        ("test examples", [row.n for row in sources]),
    ):
        if max(numbers) > _CLOSE * min(numbers):
            differences.append(f"{of} ({min(numbers):,} to {max(numbers):,})")
    several = len({row.commonest for row in sources}) > 1
    return [*differences, *(["the composition of classes"] if several else [])]
