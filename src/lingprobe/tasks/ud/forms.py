"""Verbs: which form their features describe (finite, infinitive, participle or gerund, after UD's
VerbForm and its neighbours), and the words that rules have to know by their lemmas, because
treebanks annotate them as they annotate others.

A list says nothing about a language that it has no word of: its sentences are judged by their
annotation alone. The lists are of all languages together, since a file does not say which its
language is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from lingprobe.corpora.trees import features

Feats = Mapping[str, str]


class Form(Enum):
    """Forms of verbs, as far as tense and voice depend on them.

    PERFECT are past participles and supines, IMPERFECT present participles and gerunds; of BARE
    words features say nothing.
    """

    FINITE = "finite"
    INFINITIVE = "infinitive"
    PERFECT = "perfect"
    IMPERFECT = "imperfect"
    PROSPECTIVE = "prospective"
    BARE = "bare"


class Verb(NamedTuple):
    """One verb of a group: its relation, lemma and features, and which form it is."""

    relation: str
    lemma: str
    feats: Feats
    form: Form


_NAMED = {
    "Fin": Form.FINITE,
    "Inf": Form.INFINITIVE,
    "Vnoun": Form.INFINITIVE,
    "Gdv": Form.INFINITIVE,
    "Sup": Form.PERFECT,
    "Ger": Form.IMPERFECT,
    "Conv": Form.IMPERFECT,
}
_BY_TENSE = {
    "Past": Form.PERFECT,
    "Pres": Form.IMPERFECT,
    "Imp": Form.IMPERFECT,
    "Fut": Form.PROSPECTIVE,
}
_BY_ASPECT = {
    "Imp": Form.IMPERFECT,
    "Prog": Form.IMPERFECT,
    "Hab": Form.IMPERFECT,
    "Prosp": Form.PROSPECTIVE,
}


def verb(relation: str, lemma: str, raw: str) -> Verb:
    """A verb from its columns."""
    feats = features(raw)
    return Verb(relation, lemma.lower(), feats, form(feats))


def form(feats: Feats) -> Form:
    """The form that features describe; a treebank may write no VerbForm, as those of Hindi and
    German PUD.
    """
    named = feats.get("VerbForm", "")
    if named.startswith("Part"):
        return _participle(feats)
    if "Fin" in named.split(","):  # Afrikaans writes Fin,Inf of one form for both
        return Form.FINITE
    if named:
        return _NAMED.get(named, Form.BARE)
    if "Tense" in feats:  # UD: what has a mood is finite
        return Form.FINITE if "Mood" in feats or "Person" in feats else _participle(feats)
    return _participle(feats) if "Aspect" in feats else Form.BARE


def _participle(feats: Feats) -> Form:
    # Finnish participles have PartForm for Tense
    tense = feats.get("Tense", feats.get("PartForm", ""))
    if tense:
        return _BY_TENSE.get(tense, Form.INFINITIVE)
    return _BY_ASPECT.get(feats.get("Aspect", ""), Form.PERFECT)


_NOMINAL = frozenset({"Case", "Number[psor]"})


def l_participle(feats: Feats) -> bool:
    """Whether a past participle is a finite past tense where it stands alone (Czech *napsal*):
    active, and without case or owner (Turkish *göründüğü*: what it looks like).

    Participles that say neither Voice=Act nor an aspect are those of languages whose perfects need
    an auxiliary.
    """
    if (
        not feats.get("VerbForm", "").startswith("Part")
        or not _NOMINAL.isdisjoint(feats)
        or feats.get("Tense", "Past") != "Past"
    ):
        return False
    if feats.get("Voice") == "Act":
        return "Tense" in feats or feats.get("Aspect") == "Perf"
    return "Tense" in feats and "Aspect" in feats and "Voice" not in feats


TENSES_OF_FORMS = re.compile(
    r"(?:ba(?:it)?)?"
    r"(?:(?P<Past>[nhgz](?!a[iur])\w*n)|(?P<Pres>d\w+|[nhgz]\w*[^\Wn](?<!la)(?<!na)(?<!nak)))$",
    re.IGNORECASE,
)
"""Finite forms of Basque, whose treebank has no Tense: past ones end in *-n* and do not begin with
*d-* (*zen*, *zuen*, *nion*). Hualde & Ortiz de Urbina 2003.
"""

OTHERWISE = {
    "था": ("", "Tense=Pres", "Tense=Past"),
    **dict.fromkeys(("bod", "gallu", "dylu"), ("Tense=Pqp", "Mood=Ind", "Mood=Cnd")),
}
"""Lemma -> a feature, and how another is to be read beside it: Hindi *the* is past (Kachru 2006), a
Welsh *basai* conditional (King 2016).
"""


def read_as(form: str, lemma: str, raw: str) -> str:
    """The features of a verb, where its form says what they do not."""
    if "Number[abs]=" in raw and "Mood=Ind" in raw and "Tense=" not in raw:
        found = TENSES_OF_FORMS.match(form)
        return f"{raw}|Tense={found.lastgroup}" if found else raw
    beside, wrong, right = OTHERWISE.get(lemma, ("", "", ""))
    return raw.replace(wrong, right) if wrong and beside in raw else raw


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


OBJECT_MARKERS = _listed("a pe vir את को کو را ला কে ကို を 把 将 將")
"""Adpositions that mark a direct object, where neither `case:acc` nor Case=Acc says so: Spanish
*a*, Romanian *pe*, Hindi *को*.
"""

SUBJECT_MARKERS = _listed("ने が は も")
"""Adpositions that mark a subject: Hindi *ने*, Japanese *が*. Another one makes it an experiencer or
an owner, and no subject to count.
"""

BEING = _listed(
    "be become ser estar être devenir essere diventare sein werden zijn worden være blive vara bli"
    " być zostać být byť biti postati быть стать бути стати olla olema είμαι होना हैना थाना हो है"
    " था बनना"
)
"""Verbs of being and becoming, which have no direct object: a treebank may call their subject or
their predicate obj.
"""

NO_PASSIVE = BEING | _listed(
    "entrer rentrer sortir ressortir monter descendre passer retourner entrare uscire salire"
    " scendere tornare ritornare aller venir revenir devenir parvenir survenir partir repartir"
    " arriver naître mourir décéder rester tomber andare venire arrivare partire nascere"
    " morire restare rimanere cadere"
)
"""Verbs of being, and others that have no passive: where one has an aux:pass, that is the auxiliary
of its perfect (French *est venu*) or of another construction (Hindi *हो गया*).
"""

BE = _listed("être essere")
WITH_BE = NO_PASSIVE | _listed(
    "apparaître disparaître advenir intervenir remonter retomber éclore échoir accourir"
    " résulter stare restare sembrare parere piacere dispiacere mancare bastare costare durare"
    " esistere accadere succedere avvenire capitare occorrere crescere scoppiare esplodere"
    " sparire scomparire apparire comparire fuggire scappare giungere intervenire pervenire"
    " provenire derivare dipendere emergere sorgere spuntare scadere cominciare iniziare"
    " finire terminare continuare proseguire cambiare mutare aumentare diminuire migliorare"
    " peggiorare sbarcare salpare fallire guarire passare riuscire decollare progredire"
    " scaturire valere vivere volare correre saltare circolare affondare bruciare calare"
    " cedere convenire spettare toccare risultare"
)
"""Auxiliaries that make a perfect of some verbs and a passive of all others, and those verbs
(Grevisse & Goosse 2016; Maiden & Robustelli 2013). A treebank may not tell the two apart.
"""

MODALS = _listed("skulle kunne måtte vilje ville burde få")
"""Norwegian modals, beside which a form in *-ast* is an infinitive."""

PARTICLES = _listed("ezin ohi")
"""Basque words beside a verb: cannot, usually."""

PRESENTATIVES = _listed("voilà voici")
"""Words that show something, which a treebank may call imperatives."""

OF = _listed("of de di von van av af od z ze из")
"""Adpositions between a measure and what it measures; case alone does as well."""

ONE = _listed("en ena eden jedan jeden один üks yksi bat einn viens vienas")
"""The numeral one, where the noun behind it may be a genitive or partitive plural, and the subject
one of them: Slovenian *ena najlepših zgodb*, Estonian *üks suurimaid probleeme*.
"""

MEASURES = _listed(
    "% percent procent prozent procento percento процент prosent prosentti porcentaje pourcentage"
    " percentuale "
    # English, as in tree/
    "lot number couple bunch majority minority variety handful range host dozen rest half third"
    " quarter part plenty series array amount bit pair group total kind sort type "
    # German, Dutch
    "reihe anzahl vielzahl zahl mehrheit minderheit mehrzahl großteil teil hälfte drittel viertel"
    " gruppe menge paar dutzend art handvoll fülle serie aantal meerderheid minderheid deel helft"
    " derde kwart groep reeks dozijn soort hoeveelheid tal "
    # French, Spanish, Portuguese, Italian, Romanian
    "plupart nombre majorité minorité partie moitié tiers quart reste groupe série foule dizaine"
    " douzaine vingtaine trentaine centaine millier million ensemble sorte espèce paire totalité"
    " multitude quantité poignée mayoría minoría número parte mitad tercio cuarto resto grupo par"
    " docena decena centenar millar millón cantidad conjunto totalidad tipo clase multitud maioria"
    " minoria metade terço dúzia dezena centena milhar milhão quantidade maggioranza minoranza"
    " numero metà terzo gruppo paio dozzina decina centinaio migliaio milione quantità insieme"
    " totalità sorta genere moltitudine majoritate număr jumătate sfert pereche "
    # Danish, Norwegian, Swedish
    "antal antall flertal flertall mindretal mindretall majoritet minoritet del halvdel halvpart"
    " hälft tredjedel fjerdedel fjärdedel gruppe grupp rekke række rad dusin dussin slags mengde"
    " mængde mängd "
    # Czech, Slovak, Polish, Croatian, Serbian, Slovene
    "většina menšina řada počet část polovina třetina čtvrtina zbytek skupina množství pár tucet"
    " druh väčšina časť polovica tretina štvrtina zvyšok množstvo séria większość mniejszość szereg"
    " liczba część połowa ćwierć reszta grupa mnóstwo ilość para tuzin rodzaj seria većina manjina"
    " niz broj dio trećina četvrtina ostatak mnoštvo količina vrsta serija večina manjšina število"
    " tretjina ostanek množica "
    # Russian, Ukrainian
    "большинство меньшинство ряд число часть половина треть четверть остаток группа множество"
    " количество пара десяток сотня тысяча миллион вид серия більшість меншість частина третина"
    " чверть решта група безліч кількість "
    # Finnish, Estonian, Greek, Hindi
    "osa enemmistö vähemmistö joukko määrä puoli kolmannes neljännes loppu ryhmä sarja pari tusina"
    " enamik hulk arv πλειοψηφία αριθμός μέρος संख्या हिस्सा भाग "
)
"""Nouns that leave the number to the noun behind them (`nmod`): *a lot of people*, *la plupart des
gens*, *większość ludzi*.
"""
