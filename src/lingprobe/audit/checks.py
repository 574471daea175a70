"""What has a warning in a data set, in sentences: what spoils a score first, what colours it
after that. A check is a function of the audit and the data set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lingprobe.audit.findings import (
    Audit,
    AuditBaseline,
    SplitOverlap,
)
from lingprobe.data.core import Dataset
from lingprobe.data.notes import DatasetNotes

_FEW = 200  # test examples a class, below which a score says little
_CLEAR = 0.05  # what a rule has to gain on the best constant before it is called a confound
_SAME = {
    "rows": "the same {n:,} rows in the same order",
    "set": "the same {n:,} rows in another order",
}


def malformed(audit: Audit, _: Dataset) -> Iterator[str]:
    """Sentences that could not be read."""
    n, first = DatasetNotes(audit.notes).malformed_sentences
    if n:
        yield (
            f"{n:,} sentence{'s' * (n > 1)} could not be read and {'were' if n > 1 else 'was'}"
            f" skipped; the first: {first}"
        )


def remarks(audit: Audit, _: Dataset) -> Iterator[str]:
    """What the task itself says of its data."""
    yield from DatasetNotes(audit.notes).remarks


def splits(audit: Audit, _: Dataset) -> Iterator[str]:
    """Splits that are empty, the same, or share sentences."""
    if empty := [name for name, n in audit.sizes.items() if not n]:
        yield f"there are no examples in {' or '.join(empty)}"
    for pair, how in audit.same.items():
        first, second = pair.split("/")
        yield (
            f"{first} and {second} are {_SAME[how].format(n=audit.sizes[second])}: a score on one"
            " adds nothing to a score on the other"
        )
    yield from _describe_overlap(audit, audit.shared, "a sentence", "sentence")


def repeats(audit: Audit, _: Dataset) -> Iterator[str]:
    """Examples that repeat others, some of them with another label."""
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


def forms(audit: Audit, _: Dataset) -> Iterator[str]:
    """Target forms that stand in several splits."""
    # of a replaced word it is the replacement that must be new in every split (Conneau et al. 2018,
    # README, SOMO)
    name = "replacement" if "replacement" in audit.forms else "target"
    yield from _describe_overlap(audit, audit.forms.get(name, {}), f"a {name} form", "form")


def leaks(audit: Audit, _: Dataset) -> Iterator[str]:
    """Where something tells altered sentences from others that should not (Conneau et al. 2018,
    section 4).
    """
    if not audit.altered or not audit.floors:
        return
    chance = audit.floors["constant"].score
    for name in ("length", "words"):
        if (floor := audit.floors.get(name)) and floor.low > chance:
            yield (
                f"{floor.name} separates altered sentences from others,"
                f" {_format_score(floor, audit)}, chance {chance:.3f}: check for a leak"
            )
    bigrams, characters = audit.floors.get("bigrams"), audit.floors.get("characters")
    if bigrams and bigrams.low > chance:
        yield (
            f"{bigrams.name} separate altered sentences from others,"
            f" {_format_score(bigrams, audit)}: adjacent words predict this much"
        )
    if bigrams and characters and characters.low > max(chance, bigrams.high) + _CLEAR:
        yield (
            f"{characters.name} separate altered sentences from others,"
            f" {_format_score(characters, audit)}, better than words and bigrams: check capitals,"
            " punctuation and spaces"
        )


def confounds(audit: Audit, _: Dataset) -> Iterator[str]:
    """Length, one word or all words that tell the label."""
    for name in () if audit.altered or not audit.floors else ("length", "word", "words"):
        floor = audit.floors.get(name)
        if (
            floor
            and floor.low > audit.floors["constant"].score
            and floor.score > audit.floors["constant"].score + _CLEAR
        ):
            yield (
                f"{floor.name} reaches {_format_score(floor, audit)}, the best constant"
                f" {audit.floors['constant'].score:.3f}"
            )


def sources(audit: Audit, _: Dataset) -> Iterator[str]:
    """Where knowing the source of a sentence is knowing something of its label."""
    floor = audit.floors.get("source")
    if floor and floor.low > (chance := audit.floors["constant"].score):
        differ = "labels differ between sources, so report by source"
        yield (
            f"{floor.name} reaches {_format_score(floor, audit)}, the best constant"
            f" {chance:.3f}: {differ}"
        )


def cues(audit: Audit, _: Dataset) -> Iterator[str]:
    """What answers questions about words without composing anything (Ettinger et al. 2018, section
    7).
    """
    chance = audit.floors["constant"].score if audit.floors else 0.0
    # what is exact holds of a few examples only
    sampled = (floor for floor in audit.asked.values() if floor.low < floor.high)
    clear = [floor for floor in sampled if floor.low > chance and floor.score > chance + _CLEAR]
    rules = {
        floor.name for pair in audit.pairs for floor in clear if floor.name in pair.name.split("; ")
    }
    for floor in clear:
        if floor.name not in rules:
            yield f"{floor.name}: {_format_score(floor, audit)}, the best constant {chance:.3f}"
        elif floor.score == 1:
            yield (
                f"the rule {floor.name!r} answers every example correctly: it is either the"
                " definition of the label or a leak"
            )
        else:
            yield (
                f"the rule {floor.name!r} reaches {_format_score(floor, audit)}, the best constant"
                f" {chance:.3f}"
            )
    best = max((floor.score for floor in clear), default=chance)
    for pair in audit.pairs[:1]:
        if pair.low > chance and pair.score > best + _CLEAR:
            yield f"two rules together, {pair.name!r}, reach {_format_score(pair, audit)}"


def mixed(audit: Audit, _: Dataset) -> Iterator[str]:
    """Kinds of negatives whose share is another one in test than in train."""
    train, test = (
        {k: n / max(sum(c.values()), 1) for k, n in c.items()}
        for c in (audit.negatives.get(s, {}) for s in ("train", "test"))
    )
    for kind in train if test else ():
        if abs(train[kind] - test[kind]) > _CLEAR:
            yield (
                f"{100 * train[kind]:.0f} % of the negatives of train are of the kind {kind!r},"
                f" but {100 * test[kind]:.0f} % of those of test"
            )


def sizes(audit: Audit, dataset: Dataset) -> Iterator[str]:
    """Classes of test that are small or uneven."""
    counts = audit.balance["test"]
    if dataset.labels.classes is None or not audit.sizes["test"]:
        return
    few = sum(n < _FEW for n in counts.values())
    if few:
        yield (
            f"{few:,} of {len(counts):,} classes have fewer than {_FEW} test examples in this split"
        )
    if max(counts.values()) > 1.5 * min(counts.values()):
        yield (
            f"classes of test are uneven: from {min(counts.values()):,g} to"
            f" {max(counts.values()):,g} examples"
        )


def _format_score(floor: AuditBaseline, audit: Audit) -> str:
    return f"{floor.score:.3f} [{floor.low:.3f}, {floor.high:.3f}] {audit.metric}"


def _describe_overlap(
    audit: Audit, pairs: Mapping[str, SplitOverlap], what: str, unit: str
) -> Iterator[str]:
    """What the second split of a pair has of the first, where they are not the same."""
    for pair, shared in pairs.items():
        first, second = pair.split("/")
        if shared.examples and pair not in audit.same:
            n = shared.examples
            have = f"1 example of {second} has" if n == 1 else f"{n:,} examples of {second} have"
            distinct = f"{shared.distinct:,} distinct {unit}{'s' * (shared.distinct != 1)}"
            yield f"{have} {what} of {first} ({distinct})"
