"""What English asks of the words in a structure."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.generation.readings.structure import Chunk, Rule, Rules, framed, number

SHARING = "sharing "  # begins the trait of verbs in a form that helping verbs ask for
ALIVE = frozenset({"person", "animal"})


def _agrees(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether a verb has the number of its subject; joined nouns are plural."""
    verb = chunks[rule.place].number
    return verb is None or verb == number(chunks, rule.others)


def _shares(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether a verb after "and" has the form that the helping verbs of another ask for."""
    return any(
        form.startswith(SHARING)
        for form in chunks[rule.place].traits & chunks[rule.others[0]].traits
    )


def _relative(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether a relativiser goes with its nouns: "who" with people and animals, "which" with
    animals and things.
    """
    kind = chunks[rule.place].kind
    classes = {"W": ALIVE, "H": frozenset({"animal", "thing"})}.get(kind)
    return classes is None or all(chunks[head].traits & classes for head in rule.others)


def _late(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether an adverb may stand after the verb: "slept quietly", not "slept always"."""
    return "late" in chunks[rule.place].traits


def _reflexive(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether "himself" and the like may be said of some nouns."""
    (kind,) = chunks[rule.place].traits
    if number(chunks, rule.others) == "plural" or kind == "plural":
        return kind == "plural" and number(chunks, rule.others) == "plural"
    traits = chunks[rule.others[0]].traits
    if kind == "neuter":
        return "person" not in traits
    return "thing" not in traits and not traits & ({"masculine", "feminine"} - {kind})


def _fits(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether a role is filled as one expects: things are given to somebody, and saws are for
    things.
    """
    if rule.detail == "recipient":
        return all(
            chunks[other].kind == "R" or chunks[other].traits & ALIVE for other in rule.others
        )
    if rule.detail == "gift" or (
        rule.detail == "patient" and "of things" in chunks[rule.place].traits
    ):
        return all(
            chunks[other].kind == "R" or "thing" in chunks[other].traits for other in rule.others
        )
    return True


RULES: Rules = {
    "agrees": _agrees,
    "shares": _shares,
    "frame": framed,
    "relative": _relative,
    "late": _late,
    "reflexive": _reflexive,
    "fits": _fits,
}
