"""Words that the rules have to know by their lemmas, because treebanks annotate them as they
annotate others.

Everything else is told by features and relations. A list says nothing about a language that it has
no word of: its sentences are judged by their annotation alone. The lists are of all languages
together, since a file does not say which its language is.
"""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


MODALS = _listed(
    # English; some treebanks give them Tense
    "can could may might must shall should will would ought "
    # Scandinavian: a participle may follow at once
    "kunne kunna skulle skola ville vilja måtte måste burde böra turde tore få "
)
"""Auxiliaries that are modal whatever stands beside them: *kan gjort*, *would* with Tense=Past."""

FUTURES = _listed("werden zullen")
"""Auxiliaries (`aux`) of the future; where a treebank has no `aux:pass`, *werden* may be that of a
passive, which has another tense.
"""

STATES = _listed("estar")
"""Auxiliaries (`aux`) that make a state with a past participle, in their own tense, and no perfect:
*está cerrado*.
"""

AMBIGUOUS = _listed("be")
"""Auxiliaries (`aux`, not `aux:pass`) that make no perfect, so that treebanks are in doubt: *I'm
supposed*, *it's got* with lemma be.
"""

STATIVE = _listed("zijn")
"""Passive auxiliaries (`aux:pass`) whose present makes a perfect or a state, beside one that makes
the passive: Dutch *is gebouwd*.
"""

PERFECT_INFINITIVES = _listed("έχω")
"""Auxiliaries that make a perfect with an infinitive: Greek *έχει γράψει*."""

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

PRESENTATIVES = _listed("voilà voici")
"""Words that show something, which a treebank may call imperatives."""

OF = _listed("of de di von van av af od z ze из")
"""Adpositions between a measure and what it measures; case alone does as well."""

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
