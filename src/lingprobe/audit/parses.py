"""How often the label that a task reads from a parse is that of the gold tree, over the same
sentences: what a parser's errors cost each task of `ud/` and `tree/`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from lingprobe.annotators import agreement as scores
from lingprobe.annotators.parser import extract_annotation
from lingprobe.corpora import brackets, conllu, trees
from lingprobe.corpora.batches import TreebankBatch
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.machine import parse_confidence
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.views import split_into_blocks
from lingprobe.data.core import DataProblem
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.tree import answers as tree_answers
from lingprobe.tasks.tree import rules as tree_rules
from lingprobe.tasks.tree.corpus import PHRASE_TREE_RULES, SENTENCE_LENGTHS
from lingprobe.tasks.ud import family as ud
from lingprobe.tasks.ud.classes import find_comparable_depths

_FEW = 10  # labels of a class, below which its share says nothing
_QUARTILES = (0.25, 0.5, 0.75)
TASKS_WITHOUT_PARSES = {
    "ud/": ("ud/sent-len", "ud/word-content"),
    "tree/": ("tree/sent-len", "tree/word-content", "tree/bigram-shift", "tree/somo"),
}
"""Tasks whose labels no tree decides: words, or what was done to them."""


class LabelledParse(NamedTuple):
    """A sentence, and the label that each task reads from its tree; '' where it has none."""

    words: tuple[str, ...]
    depth: int
    confidence: float
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    """How often the labels of a class are the same: `said` by parses, `wanted` by gold trees, and
    by both of a sentence (`right`).
    """

    label: str
    said: int
    wanted: int
    right: int

    @property
    def precision(self) -> float:
        """Of the parses' labels, the share that gold trees have; NaN without any."""
        return self.right / self.said if self.said else math.nan

    @property
    def recall(self) -> float:
        """Of the gold trees' labels, the share that parses have; NaN without any."""
        return self.right / self.wanted if self.wanted else math.nan

    @property
    def rare(self) -> bool:
        """Whether parses have too few labels of the class for a set."""
        return self.said < _FEW

    @property
    def right_share(self) -> float:
        """The precision, or the recall of a class that is rare in parses."""
        return self.recall if self.rare else self.precision


@dataclass(frozen=True, slots=True)
class TaskAgreement:
    """The classes of a task, the most frequent first."""

    task: str
    classes: tuple[ClassAgreement, ...]

    @property
    def total(self) -> ClassAgreement:
        """All classes together."""
        sums = ((c.said, c.wanted, c.right) for c in self.classes)
        said, wanted, right = (sum(column) for column in zip(*sums, strict=True))
        return ClassAgreement("", said, wanted, right)

    @property
    def _usable(self) -> list[ClassAgreement]:
        return [c for c in self.classes if max(c.said, c.wanted) >= _FEW]

    @property
    def has_classes(self) -> bool:
        """Whether there are two classes at least, without which nothing is asked."""
        return len(self._usable) > 1

    @property
    def wrong(self) -> float:
        """Wrong labels, in percent, if all classes are equally frequent: labels that are not the
        gold tree's. A class of which parses have fewer than ten labels counts by its recall.
        """
        return (
            100 * float(np.mean([1 - c.right_share for c in self._usable]))
            if self.has_classes
            else math.nan
        )

    @property
    def margin(self) -> float:
        """Half the 95 % interval of `wrong`, in points."""
        usable = self._usable
        shares = [(c.right_share, c.wanted if c.rare else c.said) for c in usable]
        variance = sum(share * (1 - share) / n for share, n in shares)
        return 196 * math.sqrt(variance) / len(usable) if self.has_classes else math.nan


@dataclass(frozen=True, slots=True)
class ConfidenceCut:
    """The sentences of which the parser is at least so sure, their means, and what holds of them.

    share  of all sentences; length: words; depth: of dependency trees, NaN without these
    """

    least: float
    share: float
    length: float
    depth: float
    tasks: tuple[TaskAgreement, ...]


@dataclass(frozen=True, slots=True)
class ParserAudit:
    """How a parser's errors affect each task.

    parser, fingerprint  from the parsed folder, '' if it does not have them
    sentences            sentences in both, with the same words; alone: those that are only in gold
    cuts                 all sentences, and the most confident three, two and one quarters of them
                         if the parser gives its confidence
    agreement            percent of words annotated as in gold, and of phrases, by measure
                         (`lingprobe.annotators.agreement`)
    learnt               gold sentences that the parser was trained on, 0 if it does not say
    """

    gold: tuple[str, ...]
    parser: str
    fingerprint: str
    sentences: int
    alone: int
    cuts: tuple[ConfidenceCut, ...]
    agreement: Mapping[str, float]
    learnt: int = 0

    @property
    def tasks(self) -> tuple[TaskAgreement, ...]:
        """The agreement over all sentences."""
        return self.cuts[0].tasks

    def plain(self) -> dict[str, Any]:
        """The part that is saved in corpora of the same parser, as JSON values."""
        return {
            "parser": {"name": self.parser, "fingerprint": self.fingerprint},
            "gold": list(self.gold),
            "sentences": self.sentences,
            "agreement": dict(self.agreement),
            "tasks": {
                each.task: {"wrong": each.wrong, "margin": each.margin, "labels": each.total.said}
                for each in self.tasks
            },
        }


def compare_parses(
    gold: Sequence[Path], parsed: Sequence[Path], by: tuple[str, str]
) -> ParserAudit:
    """Gold files beside parsed ones; `by` which parser, with its fingerprint.

    DataProblem where no sentence stands in both.
    """
    files = [[_of_kind(paths, kind) for paths in (gold, parsed)] for kind in (False, True)]
    sure = {s.words: s.confidence for s in _dependencies(files[0][1])} if any(files[1]) else {}
    pairs: list[tuple[LabelledParse, LabelledParse]] = []
    alone = many = 0
    for read, (true, mine) in zip((_dependencies, _constituents), files, strict=True):
        if true and mine:
            found, missed = _pair_sentences(read(true), read(mine), sure)
            _make_classes(found)
            many, alone = max(many, len(found)), max(alone, missed)
            pairs += found
    if not pairs:
        raise DataProblem(
            f"no sentence of {gold[0]} occurs in {parsed[0]} with the same words: parse the gold"
            " sentences with their own tokens"
        )
    names = tuple(dict.fromkeys(path.name for path in gold))
    return ParserAudit(names, *by, many, alone, tuple(_cuts(pairs)), _agreement(files))


def _agreement(files: Sequence[Sequence[list[Path]]]) -> dict[str, float]:
    """How well words agree, by dependency files and by bracketed ones."""
    found: dict[str, float] = {}
    if all(files[0]):
        pairs, _ = _match_by_words(*map(_trees_of, files[0]))
        if pairs:
            mine, true = ([extract_annotation(pair[k]) for pair in pairs] for k in (1, 0))
            found |= scores.score_annotations(mine, true)
    if all(files[1]):
        phrased, _ = _match_by_words(*map(_phrases_of, files[1]))
        if phrased:
            said, wanted = ([pair[k] for pair in phrased] for k in (1, 0))
            found["F1"] = scores.score_phrases(said, wanted)["F1"]
    return found


def _trees_of(paths: Iterable[Path]) -> Iterator[trees.TreeColumns]:
    for path in paths:
        yield from conllu.read_conllu(path, "skip", ProblemTally())


def _phrases_of(paths: Iterable[Path]) -> Iterator[brackets.BracketTree]:
    for path in paths:
        yield from brackets.read_brackets(path, "skip", ProblemTally())


def _of_kind(paths: Sequence[Path], phrases: bool) -> list[Path]:
    return [
        p for p in paths if (uncompressed_path(p).suffix in brackets.BRACKET_SUFFIXES) == phrases
    ]


def _dependencies(paths: Iterable[Path]) -> Iterator[LabelledParse]:
    """The sentences of files in CoNLL-U with the labels of `ud/`."""
    for some in split_into_blocks(_trees_of(paths)):
        batch = TreebankBatch.of(some)
        answers = ud.judge_sentences(batch, batch.sentences())
        for i, tree in enumerate(some):
            labels = {
                f"ud/{name}": _get_finding_label(answers[name][i])
                for name in ud.DEPENDENCY_TREE_RULES
            }
            labels["ud/top-deps"] = ud.strip_subtypes(labels["ud/top-deps"])
            labels["ud/tree-depth"] = str(tree.depth)
            if labels["ud/passive"] == "morphological":
                labels["ud/passive"] = ""
            yield LabelledParse(tree.words, tree.depth, parse_confidence(tree.comments), labels)


def _constituents(paths: Iterable[Path]) -> Iterator[LabelledParse]:
    """The sentences of bracketed files with the labels of `tree/`."""
    for tree in _phrases_of(paths):
        if len(tree.words) in SENTENCE_LENGTHS:
            labels = {
                f"tree/{name}": _get_finding_label(rule(tree))
                for name, rule in PHRASE_TREE_RULES.items()
            }
            labels["tree/tree-depth"] = str(tree_rules.measure_tree_depth(tree))
            yield LabelledParse(tree.words, 0, math.nan, labels)


def _get_finding_label(finding: Any) -> str:
    """What a rule says; of coordinated clauses, where they stand; '' for a reason."""
    if isinstance(finding, str):
        return ""
    return str(finding.label) if isinstance(finding, Answer) else str(finding)


def _pair_sentences(
    gold: Iterable[LabelledParse],
    parsed: Iterable[LabelledParse],
    sure: Mapping[tuple[str, ...], float],
) -> tuple[list[tuple[LabelledParse, LabelledParse]], int]:
    """The sentences that stand in both, and how many stand in gold alone."""
    known = (each._replace(confidence=sure.get(each.words, each.confidence)) for each in parsed)
    return _match_by_words(gold, known)


T = TypeVar("T", LabelledParse, trees.TreeColumns, brackets.BracketTree)


def _match_by_words(gold: Iterable[T], parsed: Iterable[T]) -> tuple[list[tuple[T, T]], int]:
    """What has the same words in both, and how many stand in gold alone."""
    left: dict[tuple[str, ...], list[T]] = {}
    for one in parsed:
        left.setdefault(one.words, []).append(one)
    pairs, alone = [], 0
    for true in gold:
        if same := left.get(true.words):
            # equal sentences are parsed alike
            pairs.append((true, same.pop(0) if len(same) > 1 else same[0]))
        else:
            alone += 1
    return pairs, alone


def _make_classes(pairs: Sequence[tuple[LabelledParse, LabelledParse]]) -> None:
    """Make classes of what depends on the corpus, as the tasks do: by what gold trees have."""
    rules: dict[str, Callable[[str], str]] = {}
    for task, other in {"ud/top-deps": ud.OTHER_SCHEMA, "tree/top-const": "OTHER"}.items():
        counts = Counter(label for true, _ in pairs if (label := true.labels.get(task, "")))
        common = {label for label, _ in counts.most_common(ud.TOP_SCHEMA_COUNT)}
        rules[task] = lambda label, common=common, other=other: (  # type: ignore[misc]
            label if label in common else other if label else ""
        )
    for task, every in {
        "ud/tree-depth": None,
        "tree/tree-depth": tree_answers.TREE_DEPTH_CLASSES,
    }.items():
        lengths = Counter(
            (int(true.labels[task]), len(true.words)) for true, _ in pairs if task in true.labels
        )
        known = Counter({k: n for k, n in lengths.items() if every is None or k[0] in every})
        run = set(map(str, find_comparable_depths(known)))
        rules[task] = lambda label, run=run: label if label in run else ""  # type: ignore[misc]
    for one in (judged for pair in pairs for judged in pair):
        for task in one.labels.keys() & rules.keys():
            one.labels[task] = rules[task](one.labels[task])


def _cuts(pairs: Sequence[tuple[LabelledParse, LabelledParse]]) -> Iterator[ConfidenceCut]:
    """All sentences, and the surer ones."""
    told = np.array([said.confidence for _, said in pairs])
    known = told[~np.isnan(told)]
    levels = np.unique(np.quantile(known, _QUARTILES)).tolist() if len(known) else []
    for least in (0.0, *levels):
        kept = [pair for pair in pairs if not least or pair[1].confidence >= least]
        parsed = [said for _, said in kept]
        deep = [said.depth for said in parsed if said.depth]
        yield ConfidenceCut(
            least,
            len(kept) / len(pairs),
            float(np.mean([len(said.words) for said in parsed])),
            float(np.mean(deep)) if deep else math.nan,
            tuple(_agreements(kept)),
        )


def _agreements(pairs: Sequence[tuple[LabelledParse, LabelledParse]]) -> Iterator[TaskAgreement]:
    for task in dict.fromkeys(task for true, _ in pairs for task in true.labels):
        both = [(t.labels[task], s.labels[task]) for t, s in pairs if task in t.labels]
        name: Callable[[str], str] = (lambda _: "two") if task == "tree/coord-inv" else str
        wanted, said = (Counter(name(pair[k]) for pair in both if pair[k]) for k in range(2))
        right = Counter(name(a) for a, b in both if a and a == b)
        labels = sorted(wanted.keys() | said.keys(), key=lambda label: (-wanted[label], label))
        if labels:
            same = (
                ClassAgreement(label, said[label], wanted[label], right[label]) for label in labels
            )
            yield TaskAgreement(task, tuple(same))
