"""What Polish asks of the words in a structure."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.generation.readings.structure import Chunk, Heads, Rule, Rules, framed, number

GENDERS = ("m1", "m2", "m3", "f", "n")


def _gender(chunk: Chunk) -> str:
    return next(gender for gender in GENDERS if gender in chunk.traits)


def _genders(chunks: Sequence[Chunk], heads: Heads) -> set[str]:
    """The genders that agree with nouns: for joined ones m1 if there is a man, perhaps if there is
    a male animal and a person.
    """
    genders = {_gender(chunks[head]) for head in heads}
    if len(heads) == 1:
        return genders
    if "m1" in genders:
        return {"m1"}
    people = any("person" in chunks[head].traits for head in heads)
    return {"f", "m1"} if people and genders & {"m2", "m3"} else {"f"}


def _agrees(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether a verb has the number, and in the past the gender, of its subject."""
    verb = chunks[rule.place]
    return verb.number == number(chunks, rule.others) and bool(
        _genders(chunks, rule.others) & verb.traits
    )


def _case(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether nouns can have a case."""
    return all(rule.detail in chunks[head].traits for head in rule.others)


def _object(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether nouns can be the object of the verb at a place: genitive where it is negated."""
    case = _objective(chunks[rule.place])
    return all(chunks[head].kind == "R" or case in chunks[head].traits for head in rule.others)


def _objective(verb: Chunk) -> str:
    return "gen" if "negated" in verb.traits else "acc"


def _relative(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether the pronoun at a place can have a case and the number and gender of its nouns."""
    beginning, pronoun = f"{rule.detail} {number(chunks, rule.others)}", chunks[rule.place].traits
    return any(f"{beginning} {gender}" in pronoun for gender in _genders(chunks, rule.others))


def _relative_object(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """The same for the object of the verb that comes first among the others."""
    verb, *heads = rule.others
    return _relative(chunks, Rule("relative", rule.place, tuple(heads), _objective(chunks[verb])))


def _governs(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether nouns can have the case that a preposition wants."""
    return any(
        case in chunks[rule.place].traits and _case(chunks, Rule("case", 0, rule.others, case))
        for case in ("gen", "ins")
    )


def _owned(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether "whose" may stand before a noun: not before "ten"."""
    return not any(
        fact.says == "determiner" and fact.value == "ten" for fact in chunks[rule.place].facts[0]
    )


def _fits(chunks: Sequence[Chunk], rule: Rule) -> bool:
    """Whether who does something to others, or has relatives, is alive."""
    if rule.detail == "owner" and "thing" in chunks[rule.place].traits:
        return True
    return all("thing" not in chunks[other].traits for other in rule.others)


RULES: Rules = {
    "agrees": _agrees,
    "case": _case,
    "object": _object,
    "relative": _relative,
    "relative object": _relative_object,
    "governs": _governs,
    "frame": framed,
    "owned": _owned,
    "fits": _fits,
}
