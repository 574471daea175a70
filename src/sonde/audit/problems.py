"""What deserves a look, in sentences: what spoils a score first, what colours it after that."""

from __future__ import annotations

from collections.abc import Iterator

from sonde.audit.findings import Audit, Floor
from sonde.labels import Column
from sonde.notes import Notes

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
            " says nothing beyond the other"
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
            yield (
                f"{n:,} of {audit.sizes[split]:,} examples of {split} ask again what another one"
                " asks"
            )
    if audit.contradictions:
        yield f"{audit.contradictions:,} examples ask what another one asks, with another label"
    if audit.versions:
        yield (
            f"{audit.versions:,} examples have a sentence that is there in both versions, as it was"
            " and altered"
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
                f"{floor.name} tells altered sentences from others, {_told(floor, audit)}, by"
                f" chance {chance:.3f}: look for the leak"
            )
    bigrams, characters = audit.floors.get("bigrams"), audit.floors.get("characters")
    if bigrams and bigrams.low > chance:
        yield (
            f"{bigrams.name} tell altered sentences from others, {_told(bigrams, audit)}: that much"
            " is in neighbouring words"
        )
    if bigrams and characters and characters.low > max(chance, bigrams.high) + CLEAR:
        yield (
            f"{characters.name} tell altered sentences from others, {_told(characters, audit)}, and"
            " better than words and bigrams do: look for capitals, marks and spaces that give them"
            " away"
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
                f"the rule {floor.name!r} answers every question: either it is what is asked, or it"
                " gives it away"
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
                f"of train's negatives {100 * train[kind]:.0f} % are of the kind {kind!r}, of"
                f" test's {100 * test[kind]:.0f} %"
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
