"""Tense, construction and voice of verb groups, in the annotation styles of many treebanks: what
counts is the construction.
"""

import pytest
from treebanks import main, tree

from lingprobe.tasks.answers import Answer
from lingprobe.tasks.ud.rules import (
    _UNMARKED,
    classify_clause_tense,
    classify_voice,
    passive_literal,
    tense_literal,
)
from lingprobe.tasks.ud.verbs import (
    _CLAUSAL,
    _COPULA,
    _INFINITIVE,
    _LONE,
    _MODAL,
    _MOOD,
    _NO_TENSE,
    _NOT_FINITE,
    _PERFECTIVE,
    _STEM,
    _TENSELESS_PARTICLE,
    _TWO,
    _UNLISTED,
    DOUBTFUL_PARTICIPLE,
    FUTURE_TENSE,
    NO_VERBAL_PREDICATE,
    PARTICIPLE_STATE,
    UNCLEAR_CONSTRUCTION,
)


@pytest.fixture
def clause(tmp_path):
    return lambda rows: main(tree(rows, tmp_path))


LEMMAS = {
    lemma: forms.split()
    for lemma, forms in {
        "have": "has had 's", "be": "is was been being", "do": "did",
        "hebben": "heeft", "ha": "har", "haben": "hat", "avoir": "avait aura", "avea": "a",
        "být": "jsem", "byť": "bol", "być": "jest będę było", "olla": "on ollut", "ei": "ei",
        "estar": "estaba", "है": "hai haĩ", "जाना": "jātā gayā", "essere": "è sono stati",
        "être": "était", "sein": "war", "werden": "worden wird", "være": "er", "bli": "blitt",
        "ville": "ville", "can": "can could", "will": "will would", "htjeti": "će", "ще": "šte",
    }.items()
}  # fmt: skip
LEMMA = {form: lemma for lemma, forms in LEMMAS.items() for form in forms}


def group(*words):
    """Rows of auxiliaries and a last word, the root: each `form feats [relation [lemma]]`."""
    *auxiliaries, root = (word.split() for word in words)
    rows = []
    for form, feats, *rest in auxiliaries:
        relation, lemma = (*rest, *("aux", LEMMA.get(form, form))[len(rest) :])
        rows.append(f"{form} AUX {feats} {len(words)} {relation} {lemma}")
    form, feats, *upos = root
    return "\n".join([*rows, f"{form} {(upos or ['VERB'])[0]} {feats} 0 root"])


def told(finding):
    return (
        f"{finding.label}: {finding.strata['construction']}"
        if isinstance(finding, Answer)
        else finding
    )


FIN_PRES, FIN_PAST = "Mood=Ind|Tense=Pres|VerbForm=Fin", "Mood=Ind|Tense=Past|VerbForm=Fin"
IMP, PQP, FUT = (f"Mood=Ind|Person=3|Tense={t}|VerbForm=Fin" for t in ("Imp", "Pqp", "Fut"))
PART, PASS = "Tense=Past|VerbForm=Part", "Tense=Past|VerbForm=Part|Voice=Pass"

SIMPLE = {
    "stars": (group(f"stars {FIN_PRES}"), "pres: simple"),
    "starred": (group(f"starred {FIN_PAST}"), "past: simple"),
    "Hebrew, Turkish: no VerbForm": (group("halax Person=3|Tense=Past"), "past: simple"),
    "Gaelic: Tense alone": (group("chaidh Tense=Past"), "past: simple"),
    "andava": (group(f"andava {IMP}"), "past: simple imperfect"),
    "fora": (group(f"fora {PQP}"), "past: simple pluperfect"),
    "irá": (group(f"irá {FUT}"), FUTURE_TENSE),
    "Czech napsal": (
        group("napsal Aspect=Perf|Polarity=Pos|Tense=Past|VerbForm=Part|Voice=Act"),
        "past: simple",
    ),
    "Slovak napísal, without Voice": (
        group("napísal Aspect=Perf|Gender=Masc|Tense=Past|VerbForm=Part"),
        "past: simple",
    ),
    "Hindi-HDTB gayā, without Tense": (
        group("gayā Aspect=Perf|VerbForm=Part|Voice=Act"),
        "past: simple",
    ),
    "Italian visto": (group(f"visto Gender=Masc|{PART}"), _NOT_FINITE),
    "highly recommended": (group(f"recommended {PASS}"), _NOT_FINITE),
    "Russian napisano, short participle": (group(f"napisano Aspect=Perf|{PASS}"), _NOT_FINITE),
    "Russian napisavšij, with case": (
        group(f"napisavšij Aspect=Perf|Case=Nom|{PART}|Voice=Act"),
        _NOT_FINITE,
    ),
    "Czech napíše": (group(f"napíše Aspect=Perf|{FIN_PRES}"), _PERFECTIVE),
    "Turkish unmarked aspect": (group("gelir Aspect=Perf|Mood=Ind|Tense=Pres"), "pres: simple"),
    "Polish zrobiłem": (group("em Person=1 aux:clitic", f"zrobił {FIN_PAST}"), "past: simple"),
    "Turkish geldi mi": (
        group("mi Mood=Ind|Tense=Pres aux:q", "geldi Mood=Ind|Tense=Past"),
        "past: simple",
    ),
    "Greek perfective, without Tense": (
        group("κάνουμε Aspect=Perf|Mood=Ind|VerbForm=Fin"),
        _NO_TENSE,
    ),
}

COMPOUND = {
    # one construction, as many treebanks write it
    "has starred": (group(f"has {FIN_PRES}", f"starred {PART}"), "past: perfect"),
    "had starred": (group(f"had {FIN_PAST}", f"starred {PART}"), "past: perfect"),
    "Dutch heeft gedaan, no Tense": (group("heeft Tense=Pres|VerbForm=Fin",
    "gedaan VerbForm=Part"), "past: perfect"),
    "Swedish har gjort, supine": (group(f"har {FIN_PRES}", "gjort VerbForm=Sup|Voice=Act"),
    "past: perfect"),
    "German hat getan, no VerbForm": (group("hat Mood=Ind|Person=3|Tense=Pres",
    "getan Tense=Past"), "past: perfect"),
    "German hat getan, Aspect": (group(f"hat {FIN_PRES}", "getan Aspect=Perf|VerbForm=Part"),
    "past: perfect"),
    "French avait fait, imperfect": (group(f"avait {IMP} aux:tense", f"fait {PART}"),
    "past: perfect"),
    "Czech psal jsem": (group(f"jsem {FIN_PRES}", f"psal {PART}|Voice=Act"), "past: perfect"),
    "Romanian a făcut, no Tense": (group("a Number=Sing|Person=3",
    "făcut Gender=Masc|VerbForm=Part"), "past: perfect"),
    "Finnish on tehnyt": (group(f"on {FIN_PRES}", "tehnyt PartForm=Past|VerbForm=Part|Voice=Act"),
    "past: perfect"),
    "Finnish ei ollut tehnyt": (
        group("ei Polarity=Neg|VerbForm=Fin", "ollut PartForm=Past|VerbForm=Part",
        "tehnyt PartForm=Past|VerbForm=Part"), "past: perfect",
    ),
    "Greek έχει γράψει": (group(f"έχει {FIN_PRES} aux έχω", "γράψει Aspect=Perf|VerbForm=Inf"),
    "past: perfect"),
    "Hindi huā hai": (group("hai Person=3|Tense=Pres", "huā Aspect=Perf|Mood=Ind|Person=3"),
    "past: perfect"),
    "'s fuelled, finite by mistake": (group(f"'s {FIN_PRES} aux have", f"fuelled {FIN_PAST}"),
    "past: perfect"),
    "aura fait": (group(f"aura {FUT}", f"fait {PART}"), FUTURE_TENSE),
    "ei tee": (group("ei Polarity=Neg|VerbForm=Fin", f"tee Connegative=Yes|{FIN_PRES}"),
    "pres: negative"),
    "ei tehnyt": (group("ei Polarity=Neg|VerbForm=Fin", "tehnyt PartForm=Past|VerbForm=Part"),
    "past: negative"),
    "is running": (group(f"is {FIN_PRES} aux be", "running Tense=Pres|VerbForm=Part"),
    "pres: progressive"),
    "was running": (group(f"was {FIN_PAST} aux be", "running Tense=Pres|VerbForm=Part"),
    "past: progressive"),
    "estaba corriendo": (group(f"estaba {IMP} aux estar", "corriendo VerbForm=Ger"),
    "past: progressive"),
    "has been running": (group(f"has {FIN_PRES}", f"been {PART}",
    "running Tense=Pres|VerbForm=Part"), "past: perfect progressive"),
    "Hindi sīkhte haĩ": (group("haĩ Person=3|Tense=Pres", "sīkhte Aspect=Imp|Mood=Ind|Person=3"),
    "pres: imperfective"),
    "Basque ikusiko du": (group(f"du {FIN_PRES}", "ikusiko Aspect=Prosp|VerbForm=Part"), FUTURE_TENSE),
    "Hindi stem": (group("gayī Aspect=Perf|Mood=Ind|Person=3|Tense=Past", "ho _"), _STEM),
    "Spanish está cerrado": (group(f"está {FIN_PRES} aux estar", f"cerrado {PART}"), "pres: state"),
    "I'm supposed, it's got": (group(f"'s {FIN_PRES} aux be", f"got {PART}"), UNCLEAR_CONSTRUCTION),
    "Polish było słychać": (group(f"było {FIN_PAST}", f"słychać {FIN_PRES}"),
    "past: finite auxiliary"),
    "did go, finite by mistake": (group(f"did {FIN_PAST} aux do", f"go Person=3|{FIN_PRES}"),
    "past: do-support"),
    "a conduit, finite by mistake": (group(f"a {FIN_PRES}", f"conduit Person=3|{FIN_PRES}"), _TWO),
    # modals, with and without Tense; futures; other moods
    "could have run": (group("could VerbForm=Fin", "have VerbForm=Inf", f"run {PART}"), _MODAL),
    "would[Past] have run": (group(f"would {FIN_PAST}", "have VerbForm=Inf", f"run {PART}"), _MODAL),
    "shall[Pres] be made": (group(f"shall {FIN_PRES} aux soll", "be VerbForm=Inf aux:pass",
    f"made {PASS}"), _INFINITIVE),
    "Norwegian ville gjort": (group(f"ville {FIN_PAST}", "gjort VerbForm=Part"), _MODAL),
    "will run": (group("will VerbForm=Fin", "run VerbForm=Inf"), _MODAL),
    "kann ziehen": (group(f"kann {FIN_PRES}", "ziehen VerbForm=Inf"), _INFINITIVE),
    "German kann werden verwendet": (group("kann Mood=Ind|Tense=Pres", "werden _ aux:pass",
    "verwendet Tense=Past"), _UNLISTED),
    "German wird erhalten, no VerbForm": (group("wird Mood=Ind|Tense=Pres aux werden",
    "erhalten Tense=Pres"), _UNLISTED),
    "German wird gebaut, no aux:pass": (group(f"wird {FIN_PRES} aux werden", f"gebaut {PART}"),
    "pres: passive"),
    "did not go": (group(f"did {FIN_PAST} aux do", "go VerbForm=Inf"), _INFINITIVE),
    "Croatian će pokazati": (group(f"će {FIN_PRES}", "pokazati VerbForm=Inf"), FUTURE_TENSE),
    "Bulgarian šte piše": (group("šte _", f"piše {FIN_PRES}"), FUTURE_TENSE),
    "będę robił": (group(f"będę {FUT}", f"robił {FIN_PAST}"), FUTURE_TENSE),
    "zrobiłby": (group("by _ aux:cnd", f"zrobił {FIN_PAST}"), _MOOD),
    "Slovak by mohol": (group("by Mood=Cnd", f"mohol Aspect=Imp|{PART}"), _MOOD),
    "the thing is (it) worked": (group(f"is {FIN_PRES} cop", f"worked {FIN_PAST}"), _CLAUSAL),
    "Norwegian er kommet": (group(f"er {FIN_PRES} cop", "kommet VerbForm=Part"), _COPULA),
    "is happy": (group(f"is {FIN_PRES} cop", "happy Degree=Pos ADJ"), NO_VERBAL_PREDICATE),
}  # fmt: skip


@pytest.mark.parametrize("name", [*SIMPLE, *COMPOUND])
def test_tense_is_told_by_the_construction(clause, name):
    rows, expected = {**SIMPLE, **COMPOUND}[name]
    assert told(classify_clause_tense(clause(rows))) == expected


PASSIVE = {  # tense, ours, the paper's
    "is seen": (group(f"is {FIN_PRES} aux:pass", f"seen {PASS}"), "pres: passive", True),
    "was seen": (group(f"was {FIN_PAST} aux:pass", f"seen {PASS}"), "past: passive", True),
    "is being seen": (group(f"is {FIN_PRES}", "being Tense=Pres|VerbForm=Part aux:pass",
    f"seen {PASS}"), "pres: passive", True),
    "has been seen": (group(f"has {FIN_PRES}", f"been {PART} aux:pass", f"seen {PASS}"),
    "past: perfect passive", True),
    "Italian è protetta, no Voice": (group(f"è {FIN_PRES} aux:pass", f"protetta {PART}"),
    "pres: passive", False),
    "Italian sono stati colpiti": (
        group(f"sono {FIN_PRES} aux:pass", f"stati {PART} aux:pass", f"colpiti {PART}"),
        "past: perfect passive", False,
    ),
    "French était prévue": (group(f"était {IMP} aux:pass", f"prévue {PART}"), "past: passive",
    False),
    "Dutch wordt gedaan": (group("wordt Tense=Pres|VerbForm=Fin aux:pass worden",
    "gedaan VerbForm=Part"), "pres: passive", False),
    "Dutch is gedaan": (group("is Tense=Pres|VerbForm=Fin aux:pass zijn", "gedaan VerbForm=Part"),
    DOUBTFUL_PARTICIPLE, False),
    "Dutch was gedaan": (group("was Tense=Past|VerbForm=Fin aux:pass zijn",
    "gedaan VerbForm=Part"), "past: passive", False),
    "German war geteilt worden": (
        group("war Mood=Ind|Tense=Past", "worden Tense=Past aux:pass", "geteilt Tense=Past"),
        "past: perfect passive", False,
    ),
    "Norwegian er blitt bygget": (
        group(f"er {FIN_PRES} cop", "blitt VerbForm=Part aux:pass", "bygget VerbForm=Part"),
        "past: perfect passive", False,
    ),
    "Hindi kiyā jātā hai": (
        group("jātā Aspect=Imp|Mood=Ind|Person=3 aux:pass", "hai Person=3|Tense=Pres",
        "kiyā Person=3"), "pres: passive", False,
    ),
    "Hindi kiyā gayā hai": (
        group("gayā Aspect=Perf|Mood=Ind|Person=3 aux:pass", "hai Person=3|Tense=Pres",
        "kiyā Person=3"), "past: perfect passive", False,
    ),
    "Polish jest zrobiony": (group(f"jest {FIN_PRES} aux:pass",
    "zrobiony VerbForm=Part|Voice=Pass ADJ"), "pres: passive", True),
    "Slovak bol zvolený, l-participle": (
        group(f"bol Aspect=Imp|{PART} aux:pass",
        "zvolený Aspect=Perf|VerbForm=Part|Voice=Pass ADJ"), "past: passive", True,
    ),
    "Finnish on tehty": (group(f"on {FIN_PRES} aux:pass",
    "tehty PartForm=Past|VerbForm=Part|Voice=Pass"), "past: perfect passive", True),
    "should be seen": (group("should VerbForm=Fin", "be VerbForm=Inf aux:pass", f"seen {PASS}"),
    _MODAL, True),
    "the point is (it) is seen": (group(f"is {FIN_PRES} cop", f"is {FIN_PRES} aux:pass",
    f"seen {PASS}"), _CLAUSAL, True),
    "Chinese bèi dàizǒu": (group("bèi Voice=Pass aux:pass", "dàizǒu _"), _TENSELESS_PARTICLE, False),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSIVE)
def test_aux_pass_is_the_mark_of_a_passive(clause, name):
    rows, expected, literal = PASSIVE[name]
    found = clause(rows)
    assert told(classify_clause_tense(found)) == expected
    assert told(classify_voice(found)) == (
        _CLAUSAL if expected == _CLAUSAL else "passive: aux:pass"
    )
    assert passive_literal(found, classify_voice(found)).label == (
        "passive" if literal else "active"
    )


VOICES = {
    "starred": (group(f"starred {FIN_PAST}"), "active: one verb"),
    "has starred": (group(f"has {FIN_PRES}", f"starred {PART}"), "active: with an auxiliary"),
    "Slovak napísal": (group(f"napísal Aspect=Perf|{PART}"), "active: one verb"),
    "Hindi kahā": (group("kahā Aspect=Perf|Mood=Ind|Person=3"), "active: one verb"),
    "Hebrew participle": (group("roe VerbForm=Part|Voice=Act"), "active: one verb"),
    "gone": (group(f"gone {PART}"), _LONE),
    "highly recommended": (group(f"recommended {PASS}"), "morphological: Voice=Pass alone"),
    "Finnish tehdään": (group(f"tehdään {FIN_PRES}|Voice=Pass"), "morphological: Voice=Pass alone"),
    "Finnish voidaan tehdä": (
        group(f"voidaan {FIN_PRES}|Voice=Pass", "tehdä VerbForm=Inf|Voice=Act"),
        "morphological: Voice=Pass alone",
    ),
    "Greek copula with Voice=Pass": (
        group(f"είναι {FIN_PRES}|Voice=Pass cop", "καλός Degree=Pos ADJ"),
        NO_VERBAL_PREDICATE,
    ),
    "is closed, without aux:pass": (
        group(f"is {FIN_PRES} aux be", f"closed {PART}"),
        PARTICIPLE_STATE,
    ),
    "está cerrado": (group(f"está {FIN_PRES} aux estar", f"cerrado {PART}"), PARTICIPLE_STATE),
    "er kommet": (group(f"er {FIN_PRES} cop", "kommet VerbForm=Part"), _COPULA),
    "the thing is (it) worked": (group(f"is {FIN_PRES} cop", f"worked {FIN_PAST}"), _CLAUSAL),
    "is happy": (group(f"is {FIN_PRES} cop", "happy Degree=Pos ADJ"), NO_VERBAL_PREDICATE),
}


@pytest.mark.parametrize("name", VOICES)
def test_voice_without_a_passive_auxiliary(clause, name):
    rows, expected = VOICES[name]
    assert told(classify_voice(clause(rows))) == expected


def test_the_papers_rule_reads_the_predicates_own_tense(clause):
    literal = {
        "is seen": "past",
        "has been running": "pres",
        "could have run": "past",
        "will run": _UNMARKED,
        "andava": _UNMARKED,
    }
    for name, expected in literal.items():
        rows = {**SIMPLE, **COMPOUND, **PASSIVE}[name][0]
        found = clause(rows)
        finding = tense_literal(found, classify_clause_tense(found))
        assert (finding.label if isinstance(finding, Answer) else finding) == expected
