"""How well parses agree with gold trees over the same words, as the shared tasks count it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lingprobe.annotators.parser import Annotation
from lingprobe.corpora.brackets import BracketTree
from lingprobe.data.core import DataProblem

_UNIVERSAL = frozenset(
    (
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy"),
        *("Number", "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect"),
        *("Voice", "Evident", "Polarity", "Person", "Polite"),
    )
)
"""Features that conll18_ud_eval compares; those of single languages are left out."""
_PUNCTUATION = frozenset([",", ":", "``", "''", "."])
_OUTERMOST = frozenset(["TOP", "ROOT", "S1", ""])
_SAME = {"PRT": "ADVP"}


def score_annotations(parsed: Iterable[Annotation], gold: Iterable[Annotation]) -> dict[str, float]:
    """Percent of words that are annotated as in gold, for gold tokens, as conll18_ud_eval.py counts
    them (Zeman et al. 2018); only columns that both tell of some word. Where gold is a dependency
    tree, a column without a value is one of `_`, which can be right. DataProblem for other tokens.

    LAS leaves subtypes out (nsubj:pass counts as nsubj), `LAS with subtypes` does not; UFeats are
    the universal features. Where trees are told, `exact` is the percent of sentences whose heads
    and labels, without subtypes, are all right.
    """
    right, words = Counter[str](), Counter[str]()
    said, wanted = set[str](), set[str]()
    for number, (mine, true) in enumerate(zip(parsed, gold, strict=True), 1):
        size = max(map(len, (true.upos, true.xpos, true.feats, true.heads)))
        for name, (answers, truth) in _pair_annotations(mine, true).items():
            said |= {name} if answers else set()
            wanted |= {name} if truth else set()
            if not (truth or true.heads):
                continue
            if answers and len(answers) != size:
                raise DataProblem(f"sentence {number} has {len(answers)} words, not {size}")
            blank = (_BLANK[name],) * size
            hits = [
                one == other for one, other in zip(answers or blank, truth or blank, strict=True)
            ]
            right[name] += sum(hits)
            words[name] += size
            if name == "LAS":
                right["exact"] += all(hits)
                words["exact"] += 1
    shown = [name for name in _BLANK if name in said & wanted]
    exact = ["exact"] if "LAS" in shown else []
    return {name: 100 * right[name] / words[name] for name in (*shown, *exact)}


_BLANK: Mapping[str, object] = {
    "UPOS": "_",
    "XPOS": "_",
    "UFeats": "",
    "UAS": None,
    "LAS": None,
    "LAS with subtypes": None,
}
"""The measures, and what a word has in a column that tells nothing."""


def _pair_annotations(
    mine: Annotation, true: Annotation
) -> Mapping[str, tuple[Sequence[object], Sequence[object]]]:
    """What is said of each word, and what is true, by measure."""
    return {
        "UPOS": (mine.upos, true.upos),
        "XPOS": (mine.xpos, true.xpos),
        "UFeats": (tuple(map(_universal, mine.feats)), tuple(map(_universal, true.feats))),
        "UAS": (mine.heads, true.heads),
        "LAS": (_arcs(mine, whole=False), _arcs(true, whole=False)),
        "LAS with subtypes": (_arcs(mine, whole=True), _arcs(true, whole=True)),
    }


def _universal(raw: str) -> str:
    """The universal features of a FEATS value, in order."""
    return "|".join(sorted(f for f in raw.split("|") if f.partition("=")[0] in _UNIVERSAL))


def _arcs(annotation: Annotation, whole: bool) -> list[tuple[int, str]]:
    """Each word's head and label."""
    labels = annotation.deprels
    named = labels if whole else [label.partition(":")[0] for label in labels]
    return list(zip(annotation.heads, named, strict=True)) if labels else []


def score_phrases(
    parsed: Iterable[BracketTree], gold: Iterable[BracketTree]
) -> Mapping[str, float]:
    """Precision, recall and F1 of labelled phrases in percent, as EVALB counts them with
    COLLINS.prm, and the percent of sentences whose phrases are all right (`exact`).

    The outermost phrase does not count, PRT is ADVP, function tags are cut off, and words that gold
    tags as punctuation are taken out of both trees. Phrases that contain
    nothing else do not count. DataProblem for other tokens.
    """
    right = said = wanted = exact = sentences = 0
    for mine, true in zip(parsed, gold, strict=True):
        if len(mine.words) != len(true.words):
            raise DataProblem(
                f"{true.file}:{true.line}: {len(true.words)} words, and {len(mine.words)} in the"
                " parse of it"
            )
        kept = [tag not in _PUNCTUATION for tag in true.tags]
        found, real = count_phrases(mine, kept), count_phrases(true, kept)
        right += (found & real).total()
        said, wanted = said + found.total(), wanted + real.total()
        exact, sentences = exact + (found == real), sentences + 1
    return {
        "precision": 100 * right / max(said, 1),
        "recall": 100 * right / max(wanted, 1),
        "F1": 200 * right / max(said + wanted, 1),
        "exact": 100 * exact / max(sentences, 1),
    }


def count_phrases(tree: BracketTree, mask: Sequence[bool]) -> Counter[tuple[str, int, int]]:
    """The labelled phrases of a tree, as EVALB counts them, over the words that are kept."""
    place = [0]
    for counts in mask:
        place.append(place[-1] + counts)
    spans = zip(tree.labels, tree.starts, tree.stops, strict=True)
    return Counter(
        (_SAME.get(label, label), place[start], place[stop])
        for label, start, stop in spans
        if label not in _OUTERMOST and place[stop] > place[start]
    )
