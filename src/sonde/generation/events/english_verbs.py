"""English verb groups: auxiliaries, negation and the form of the verb, for every tense, modal,
aspect, polarity and voice.
"""

from __future__ import annotations

from typing import NamedTuple

from sonde.generation.events.language import Form

# the forms of a verb in the order of the lexicon; BARE is the lemma
BARE, THIRD, PAST, PARTICIPLE, GERUND = range(5)
AUXILIARIES = {
    "have": ("have", "has", "had", "had", "having"),
    "do": ("do", "does", "did", "done", "doing"),
}
BE = {"past": ("was", "were"), "present": ("is", "are")}
BE_FORMS = {BARE: "be", PARTICIPLE: "been", GERUND: "being"}


class Group(NamedTuple):
    """A verb group around the place of its adverbs: words with what they realise, and the form of
    the verb itself.
    """

    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    verb: int


def group(form: Form, voice: str, plural: bool) -> Group:
    """The group for a form, a voice and the number of the subject: "was not | being helped"."""
    chain = [("modal", BARE)] if form.modal else []
    chain += [("have", PARTICIPLE)] if form.aspect.startswith("perfect") else []
    chain += [("be", GERUND)] if form.aspect.endswith("progressive") else []
    chain += [("be", PARTICIPLE)] if voice == "passive" else []
    if not chain and form.polarity == "negative":
        chain = [("do", BARE)]
    finite = _finite_form(form, plural)
    words, wanted = [], finite
    for i, (auxiliary, next_form) in enumerate(chain):
        if auxiliary == "modal":
            words.append((str(form.modal), "modal"))
        elif auxiliary == "be":
            words.append((BE[str(form.tense)][plural] if i == 0 else BE_FORMS[wanted], "auxiliary"))
        else:
            words.append((AUXILIARIES[auxiliary][wanted], "auxiliary"))
        wanted = next_form
    negation = (("not", "negation"),) if form.polarity == "negative" else ()
    return Group((*words[:1], *negation), tuple(words[1:]), wanted)


def _finite_form(form: Form, plural: bool) -> int:
    if form.tense == "past":
        return PAST
    return BARE if plural else THIRD
