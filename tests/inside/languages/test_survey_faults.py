"""Rules that once were wrong in one language, each put back: the survey shows it.

A sound survey and the one with the fault are of the same treebank. What the fault shows must not
stand in the sound one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from lingprobe.corpora import marks
from lingprobe.inside.languages.survey import SurveyRow, survey_row
from lingprobe.tasks import TASKS
from lingprobe.tasks.ud import constructions, forms, verbs
from lingprobe.tasks.ud.constructions import ConstructionMeaning
from lingprobe.tasks.ud.forms import GroupVerb, TenseForm
from tasks.treebanks import block

SIMPLE = """
n{i} NOUN Number=Sing 2 nsubj
v{k}{tense} VERB Mood=Ind|Tense={tense}|VerbForm=Fin 0 root v{k}
{mark} PUNCT _ 2 punct
"""
HELPED = """
n{i} NOUN Number=Sing 3 nsubj
{aux} AUX {aux_feats} 3 {relation} {lemma}
w{k} VERB {feats} 0 root w{k}
. PUNCT _ 3 punct
"""
WELSH = """
mae VERB Mood=Ind|Tense=Pres|VerbForm=Fin 0 root bod
n{i} NOUN Number=Sing 1 nsubj
{aux} AUX _ 4 aux {aux}
w{k} NOUN VerbForm=Vnoun 1 xcomp w{k}
. PUNCT _ 1 punct
"""
PRESENT = "Mood=Ind|Tense=Pres|VerbForm=Fin"


def simple(many: int = 500, feats: str = "Fin", mark: str = ".", asked: str = "") -> str:
    """Clauses of one finite verb, present and past; every fifth ends as a question, every seventh
    is a command.
    """
    text = ""
    for i in range(many):
        rows = SIMPLE.format(i=i, k=i % 90, tense=("Pres", "Past")[i % 2], mark=mark)
        rows = rows.replace("VerbForm=Fin", f"VerbForm={feats}")
        if asked and i % 5 == 0:
            rows = rows.replace(f"\n{mark} PUNCT", f"\n{asked} PUNCT")
        if asked and i % 7 == 0 and i % 5:
            rows = rows.replace("Mood=Ind|", "Mood=Imp|").replace(
                f"n{i} NOUN Number=Sing 2 nsubj", f"n{i} NOUN Number=Sing 2 obj"
            )
        text += block(rows)
    return text


def helped(lemma: str, feats: str, many: int = 120, **how: str) -> str:
    """Clauses of an auxiliary and a form of the verb."""
    plain = {"aux": lemma, "aux_feats": PRESENT, "relation": "aux", **how}
    return "".join(
        block(HELPED.format(i=i, k=i % 60, lemma=lemma, feats=feats, **plain)) for i in range(many)
    )


def armenian() -> str:
    """Questions whose mark stands on a word inside."""
    text = simple(400, mark=":", asked=":")
    asked = "".join(
        block(SIMPLE.format(i=f"{i}՞", k=i % 90, tense="Pres", mark=":")) for i in range(200)
    )
    return text.replace("n1 ", "ն ") + asked.replace("\tn", "\tն")


Patch = Callable[[pytest.MonkeyPatch], None]


def reads(lemma: str, means: str, relation: str = "", form: TenseForm | None = None) -> Patch:
    """A table of constructions that is wrong about an auxiliary."""

    def put_back(patch: pytest.MonkeyPatch) -> None:
        def wrong(
            auxiliary: str, is_a: str, verb: GroupVerb, language: str = ""
        ) -> ConstructionMeaning:
            mine = auxiliary == lemma and relation in ("", is_a) and form in (None, verb.form)
            found = constructions.find_meaning(auxiliary, is_a, verb, language)
            return found._replace(name=means) if mine else found

        patch.setattr(verbs, "find_meaning", wrong)

    return put_back


def progressive_by_aspect(patch: pytest.MonkeyPatch) -> None:
    """Imperfective l-participles as progressives: what is said of *be* is said of *biti*."""
    reads("biti", "progressive", form=TenseForm.IMPERFECT)(patch)


def verbal_nouns_alone(patch: pytest.MonkeyPatch) -> None:
    """Nothing is read of the auxiliaries of a verbal noun."""
    patch.setattr(verbs, "_with_inner", lambda alone, own, inner, language: alone)


def only_fin(patch: pytest.MonkeyPatch) -> None:
    """A form that may be finite or an infinitive says nothing."""

    def wrong(feats: Any) -> TenseForm:
        return TenseForm.BARE if "," in feats.get("VerbForm", "") else forms.classify_form(feats)

    def verb(relation: str, lemma: str, raw: str) -> GroupVerb:
        made = forms.make_verb(relation, lemma, raw)
        return made._replace(form=wrong(made.feats))

    patch.setattr(verbs, "make_verb", verb)


def no_greek_mark(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(marks, "_ASKING", marks._ASKING - {";", "\u037e"})


def no_inner_mark(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(marks, "_ASKED_WORD", "no mark")


class Fault(NamedTuple):
    """A treebank, the rule put back, and what a column of the survey then says."""

    name: str
    text: Callable[[], str]
    put_back: Patch
    shows: str
    column: str = "look"
    task: str = "ud/tense"


PERFECTIVE, IMPERFECTIVE = "Aspect=Perf|VerbForm=Part", "Aspect=Imp|VerbForm=Part"
PASSIVE = "Tense=Past|VerbForm=Part|Voice=Pass"
FAULTS = [
    Fault(
        "Slovenian: an imperfective past is present",
        lambda: simple() + helped("biti", PERFECTIVE) + helped("biti", IMPERFECTIVE),
        progressive_by_aspect,
        "biti is past with past participle 120; pres with present participle 120",
    ),
    Fault(
        "Latin: a perfect passive is present",
        lambda: (
            simple()
            + helped("sum", PASSIVE, relation="aux:pass")
            + helped("sum", "Tense=Past|VerbForm=Part")
        ),
        reads("sum", "passive", relation="aux:pass"),
        "sum + past participle is read as passive 120, perfect 120",
    ),
    Fault(
        "Icelandic: can do is past",
        lambda: simple() + helped("geta", "VerbForm=Sup"),
        reads("geta", "perfect"),
        "past perfect: geta + past participle 120",
        "cells",
    ),
    Fault(
        "Icelandic: will be examined is past",
        lambda: simple() + helped("verða", "VerbForm=Sup"),
        reads("verða", "perfect"),
        "past perfect: verða + past participle 120",
        "cells",
    ),
    Fault(
        "Welsh: has gone is present",
        lambda: (
            simple() + "".join(block(WELSH.format(i=i, k=i % 60, aux="wedi")) for i in range(200))
        ),
        verbal_nouns_alone,
        "pres simple: wedi + verbal noun 200",
        "cells",
    ),
    Fault(
        "Estonian: must do is past",
        lambda: simple() + helped("pidama", "VerbForm=Sup"),
        reads("pidama", "perfect"),
        "past perfect: pidama + past participle 120",
        "cells",
    ),
    Fault(
        "Bulgarian: one participle is passive or past by its relation",
        lambda: simple() + helped("съм", PASSIVE, relation="aux:pass") + helped("съм", PASSIVE),
        lambda patch: patch.setattr(
            verbs,
            "find_meaning",
            lambda lemma, relation, verb, language: ConstructionMeaning(
                "passive" if relation == "aux:pass" else "own tense" if lemma == "-" else "perfect",
                is_read=True,
            ),
        ),
        "съм + past participle is read as passive 120, perfect 120",
    ),
    Fault(
        "Persian: cannot is past",
        lambda: simple() + helped("توانستن", "Tense=Past|VerbForm=Part"),
        reads("توانستن", "perfect"),
        "past perfect: توانستن + past participle 120",
        "cells",
    ),
    Fault(
        "Danish: a present state is a perfect",
        lambda: simple() + helped("være", "Tense=Past|VerbForm=Part"),
        reads("være", "perfect"),
        "past perfect: være + past participle 120",
        "cells",
    ),
    Fault(
        "Afrikaans: verbs that are Fin,Inf have no tense",
        lambda: simple(feats="Fin,Inf"),
        only_fin,
        "no sentence is 'pres'",
        "why",
    ),
    Fault(
        "Basque: ordinary auxiliaries are modals",
        lambda: (
            helped("edun", "Aspect=Perf|VerbForm=Part", 300)
            + helped("edun", "Aspect=Imp|VerbForm=Part", 300)
        ),
        reads("edun", "modal"),
        "modal: 600",
        "why",
    ),
    Fault(
        "Greek: no question is one",
        lambda: simple(900, asked=";").replace("\tv", "\tφ"),
        no_greek_mark,
        "no sentence is 'inter'",
        "why",
        "ud/sent-type",
    ),
    Fault(
        "Armenian: a question inside the sentence is none",
        armenian,
        no_inner_mark,
        "no sentence is 'inter'",
        "why",
        "ud/sent-type",
    ),
]


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """What was read by one rule is not told by another."""
    verbs.verb_group.cache_clear()
    yield
    verbs.verb_group.cache_clear()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_that_is_put_back_shows(fault, tmp_path, monkeypatch):
    def survey(name: str) -> SurveyRow:
        verbs.verb_group.cache_clear()
        place = tmp_path / f"UD_Qaa-{name}"
        place.mkdir()
        (place / "qaa_x-ud-train.conllu").write_text(fault.text(), "utf-8")
        return survey_row(str(place), fault.task, TASKS.make(f"{fault.task}:{place}"))

    sound = survey("Sound")
    assert fault.shows not in getattr(sound, fault.column)
    with monkeypatch.context() as patch:
        fault.put_back(patch)
        wrong = survey("Wrong")
    assert fault.shows in getattr(wrong, fault.column), (sound, wrong)
