"""The audit of a data set: what is found in it, put together, and what deserves a look, in
sentences: what spoils a score first, what colours it after that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from lingprobe.audit import repeats
from lingprobe.audit.asked import answers
from lingprobe.audit.findings import Audit, Floor, Row
from lingprobe.audit.floors import by_label, correlation, used, words_read
from lingprobe.audit.floors import floors as scored
from lingprobe.core import SPLITS, Dataset, Example, Sentence
from lingprobe.labels import Column, Label
from lingprobe.notes import Notes, Sampled

FEW = 200  # test examples a class, below which a score says little
CLEAR = 0.05  # what a floor has to gain on the best constant before it is called a confound
SAME = {
    "rows": "the same {n:,} rows in the same order",
    "set": "the same {n:,} rows in another order",
}


def problems(audit: Audit, labels: Column) -> tuple[str, ...]:
    """What deserves a look."""
    return (
        *_malformed(audit),
        *Notes(audit.notes).remarks,
        *_splits(audit),
        *_repeats(audit),
        *_forms(audit),
        *_leaks(audit),
        *_confounds(audit),
        *_sources(audit),
        *_cues(audit),
        *_mixed(audit),
        *_sizes(audit, labels),
    )


def _malformed(audit: Audit) -> Iterator[str]:
    n, first = Notes(audit.notes).malformed
    if n:
        yield (
            f"{n:,} sentence{'s' * (n > 1)} could not be read and {'were' if n > 1 else 'was'} left"
            f" out; the first: {first}"
        )


def _splits(audit: Audit) -> Iterator[str]:
    if empty := [name for name, n in audit.sizes.items() if not n]:
        yield f"there are no examples in {' or '.join(empty)}"
    for pair, how in audit.same.items():
        first, second = pair.split("/")
        yield (
            f"{first} and {second} are {SAME[how].format(n=audit.sizes[second])}: a score on one"
            " adds nothing to a score on the other"
        )
    for pair, shared in audit.shared.items():
        first, second = pair.split("/")
        if shared.examples and pair not in audit.same:
            yield (
                f"{_have(shared.examples, second)} a sentence of {first}"
                f" ({_many(shared.distinct, 'sentence')})"
            )


def _repeats(audit: Audit) -> Iterator[str]:
    for split, n in audit.duplicates.items():
        if n:
            yield (f"{n:,} of {audit.sizes[split]:,} examples of {split} repeat another example")
    if audit.contradictions:
        yield f"{audit.contradictions:,} examples repeat another example with a different label"
    if audit.versions:
        yield (
            f"{audit.versions:,} examples have a sentence that occurs both in its original and its"
            " altered version"
        )


def _forms(audit: Audit) -> Iterator[str]:
    # of a replaced word it is the replacement that must be new in every split (Conneau et al. 2018,
    # README, SOMO)
    name = "replacement" if "replacement" in audit.forms else "target"
    for pair, shared in audit.forms.get(name, {}).items():
        first, second = pair.split("/")
        if shared.examples and pair not in audit.same:
            yield (
                f"{_have(shared.examples, second)} a {name} form of {first}"
                f" ({_many(shared.distinct, 'form')})"
            )


def _leaks(audit: Audit) -> Iterator[str]:
    """Where something tells altered sentences from others that should not (Conneau et al. 2018,
    section 4).
    """
    if not audit.altered or not audit.floors:
        return
    chance = audit.floors["constant"].score
    for name in ("length", "words"):
        if (floor := audit.floors.get(name)) and floor.low > chance:
            yield (
                f"{floor.name} separates altered sentences from others, {_told(floor, audit)},"
                f" chance {chance:.3f}: look for the leak"
            )
    bigrams, characters = audit.floors.get("bigrams"), audit.floors.get("characters")
    if bigrams and bigrams.low > chance:
        yield (
            f"{bigrams.name} separate altered sentences from others, {_told(bigrams, audit)}:"
            " adjacent words predict this much"
        )
    if bigrams and characters and characters.low > max(chance, bigrams.high) + CLEAR:
        yield (
            f"{characters.name} separate altered sentences from others,"
            f" {_told(characters, audit)}, better than words and bigrams: look for capitals,"
            " punctuation and spaces that give them away"
        )


def _confounds(audit: Audit) -> Iterator[str]:
    for name in () if audit.altered or not audit.floors else ("length", "word", "words"):
        floor = audit.floors.get(name)
        if (
            floor
            and floor.low > audit.floors["constant"].score
            and floor.score > audit.floors["constant"].score + CLEAR
        ):
            yield (
                f"{floor.name} reaches {_told(floor, audit)}, the best constant"
                f" {audit.floors['constant'].score:.3f}"
            )


def _sources(audit: Audit) -> Iterator[str]:
    """Where knowing the source of a sentence is knowing something of its label."""
    floor = audit.floors.get("source")
    if floor and floor.low > (chance := audit.floors["constant"].score):
        differ = "labels differ between sources, so report by source"
        yield (
            f"{floor.name} reaches {_told(floor, audit)}, the best constant {chance:.3f}: {differ}"
        )


def _cues(audit: Audit) -> Iterator[str]:
    """What answers questions about words without composing anything (Ettinger et al. 2018, section
    7).
    """
    chance = audit.floors["constant"].score if audit.floors else 0.0
    # what is exact holds of a few examples only
    sampled = (floor for floor in audit.asked.values() if floor.low < floor.high)
    clear = [floor for floor in sampled if floor.low > chance and floor.score > chance + CLEAR]
    rules = {
        floor.name for pair in audit.pairs for floor in clear if floor.name in pair.name.split("; ")
    }
    for floor in clear:
        if floor.name not in rules:
            yield f"{floor.name}: {_told(floor, audit)}, the best constant {chance:.3f}"
        elif floor.score == 1:
            yield (
                f"the rule {floor.name!r} answers every example correctly: it is either the"
                " definition of the label or a leak"
            )
        else:
            yield (
                f"the rule {floor.name!r} reaches {_told(floor, audit)}, the best constant"
                f" {chance:.3f}"
            )
    best = max((floor.score for floor in clear), default=chance)
    for pair in audit.pairs[:1]:
        if pair.low > chance and pair.score > best + CLEAR:
            yield f"two rules together, {pair.name!r}, reach {_told(pair, audit)}"


def _mixed(audit: Audit) -> Iterator[str]:
    """Kinds of negatives whose share is another one in test than in train."""
    train, test = (
        {k: n / max(sum(c.values()), 1) for k, n in c.items()}
        for c in (audit.negatives.get(s, {}) for s in ("train", "test"))
    )
    for kind in train if test else ():
        if abs(train[kind] - test[kind]) > CLEAR:
            yield (
                f"{100 * train[kind]:.0f} % of the negatives of train are of the kind {kind!r},"
                f" but {100 * test[kind]:.0f} % of those of test"
            )


def _sizes(audit: Audit, labels: Column) -> Iterator[str]:
    counts = audit.balance["test"]
    if labels.classes is None or not audit.sizes["test"]:
        return
    few = sum(n < FEW for n in counts.values())
    if few:
        yield (
            f"{few:,} of {len(counts):,} classes have fewer than {FEW} test examples in this split"
        )
    if max(counts.values()) > 1.5 * min(counts.values()):
        yield (
            f"classes of test are uneven: from {min(counts.values()):,g} to"
            f" {max(counts.values()):,g} examples"
        )


def _told(floor: Floor, audit: Audit) -> str:
    return f"{floor.score:.3f} [{floor.low:.3f}, {floor.high:.3f}] {audit.metric}"


def _have(count: int, split: str) -> str:
    return f"1 example of {split} has" if count == 1 else f"{count:,} examples of {split} have"


def _many(n: int, what: str) -> str:
    return f"{n:,} distinct {what}{'s' * (n != 1)}"


KEPT = ("asked", "info", "record")  # tags that hold what a file said, not what to report by
ALTERED = "altered"  # the note in which a task names the label of its altered sentences


def inspect(
    dataset: Dataset,
    seed: int = 0,
    rows: int = 20,
    metric: str | None = None,
    *,
    floors: bool = True,
) -> Audit:
    """Audit a data set; `rows` examples are drawn with `seed`, the same ones each time; the metric
    is the task's, or the usual one.

    floors  whether what needs no encoder is fitted and scored; without, a large data set takes a
            second or two
    """
    metric = metric or dataset.labels.metric
    lengths, numbered = words_read(dataset), repeats.Numbered.of(dataset)
    same = repeats.same(numbered)
    # where both are the same, that is all to say
    scores = scored(dataset, metric) if floors and used(dataset) not in same else {}
    asked, pairs = answers(dataset, metric) if floors else ({}, ())
    altered = dataset.notes.altered
    audit = Audit(
        sizes={split: len(dataset.rows(split)) for split in SPLITS},
        balance={split: _balance(dataset.labels.take(dataset.rows(split))) for split in SPLITS},
        metric=metric,
        floors=scores,
        correlation=correlation(lengths, dataset.labels),
        before=_sampled(dataset),
        lengths=by_label(dataset, lengths),
        duplicates=repeats.again(numbered),
        contradictions=repeats.contradictions(numbered),
        same=same,
        shared=repeats.sentences(numbered),
        forms=repeats.forms(numbered),
        words=repeats.words(dataset),
        altered=altered,
        versions=repeats.both_versions(numbered) if altered else 0,
        repeats=repeats.most_repeated(numbered),
        rows=_drawn(dataset, rows, seed),
        notes=dict(dataset.notes),
        asked=asked,
        pairs=pairs,
        negatives=_negatives(dataset),
    )
    return replace(audit, problems=problems(audit, dataset.labels))


def _negatives(dataset: Dataset) -> dict[str, dict[str, int]]:
    """Split -> kind of negative -> examples; {} where the task says no kinds."""
    tags = dataset.strata.get("negative")
    if tags is None:
        return {}
    codes_of = {split: tags.codes[dataset.rows(split)] for split in SPLITS}
    return {
        split: {name: int((codes == k).sum()) for k, name in enumerate(tags.names)}
        for split, codes in codes_of.items()
        if len(codes)
    }


def _sampled(dataset: Dataset) -> dict[str, float]:
    """Pearson's r of label and length before and after the sample was drawn, as its notes have
    it.
    """
    sample = dataset.notes.part(Sampled)
    if sample is None or sample.length_r_before is None or not sample.length_r_after:
        return {}
    return {"before": sample.length_r_before, "after": sample.length_r_after["all"]}


def _balance(labels: Column) -> dict[str, float]:
    return {what: round(float(value), 6) for what, value in labels.summary().items()}


def _drawn(dataset: Dataset, rows: int, seed: int) -> tuple[Row, ...]:
    """Some examples, in the order of the data set."""
    drawn = np.sort(np.random.default_rng(seed).permutation(len(dataset))[:rows])
    return tuple(map(_row, dataset.take(drawn).examples()))


def _row(example: Example) -> Row:
    """An example as a reader wants to see it: spans in brackets, numbered where there are several,
    sentences with bars between.
    """
    several = sum(span is not None for _, span in example.sites) > 1
    spans: dict[Sentence, list[tuple[str, tuple[int, int]]]] = {}
    for number, (sentence, span) in enumerate(example.sites, 1):
        if span is not None:
            spans.setdefault(sentence, []).append((str(number) if several else "", span))
    texts = [_marked(sentence, marked) for sentence, marked in spans.items()]
    texts += [sentence.text for sentence, span in example.sites if span is None]
    strata = {key: tag for key, tag in example.strata.items() if key not in KEPT}
    return Row(
        example.split,
        _shown(example.label),
        " | ".join(texts),
        strata.pop("target", ""),
        example.asked,
        strata,
    )


def _marked(sentence: Sentence, spans: Sequence[tuple[str, tuple[int, int]]]) -> str:
    """The words of a sentence with brackets around its spans."""
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    # the wider the farther out
    for name, (start, stop) in sorted(spans, key=lambda one: one[1][0] - one[1][1]):
        before[start] = before.get(start, "") + f"[{name} "
        after[stop - 1] = f" {name}]" + after.get(stop - 1, "")
    return " ".join(
        before.get(i, "") + word + after.get(i, "") for i, word in enumerate(sentence.words)
    )


def _shown(label: Label) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, int | float):
        return f"{label:g}"
    if isinstance(label, Mapping):
        return ", ".join(f"{name} {weight:g}" for name, weight in sorted(label.items()))
    return ", ".join(sorted(label)) or "(none)"
