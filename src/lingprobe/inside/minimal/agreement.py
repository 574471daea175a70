"""Minimal pairs made from a treebank: the verb of a clause gets the form of its lemma that differs
in Number alone, so that it no longer agrees with its subject (Linzen et al. 2016).

Forms are those of the treebank, or of a file of UniMorph. What makes a pair doubtful drops it, and
is counted: a subject whose number is not its form's alone, a form that stands for both numbers, or
one of which nobody says what it is.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora import conllu
from lingprobe.corpora.files import CorpusPart, read_text_lines
from lingprobe.corpora.tally import OnError
from lingprobe.corpora.trees import TreeColumns, parse_features
from lingprobe.data.core import DataProblem
from lingprobe.inside.minimal.pairs import MinimalPair

_NUMBERS = {"Sing": "Plur", "Plur": "Sing"}
_SUBJECTS = ("nsubj", "nsubj:pass")
_NOMINAL = ("NOUN", "PROPN", "PRON")
_ODD = ("Typo", "Style", "Abbr", "Foreign", "Variant")
_INHERENT = ("Gender", "Animacy")  # of which plurals may say nothing
_AGREEING = ("Nom", "Abs", "Erg", None)  # cases of subjects that verbs agree with
_STRICT = 0.05  # of clear clauses may have a verb of the other number where agreement is the rule
# what makes the number of a subject something else than that of its form
_UNCLEAR = ("conj", "nummod", "nummod:gov", "det:numgov", "det:nummod", "appos", "flat", "clf")
_COLUMNS = 3  # of UniMorph
_ELISIONS, _VOWELS = ("'", "’"), frozenset("aeiouyh")
_UNIMORPH = {"SG": "Sing", "PL": "Plur"}

Cell = tuple[str, str, str]
"""A lemma, what is said of a form but its number, and the number."""
Counts = Counter[str]


class InflectionParadigms(NamedTuple):
    """The forms of each cell, with how often each was seen; and the cells of each form."""

    forms: Mapping[Cell, Counter[str]]
    cells: Mapping[str, set[Cell]]
    seen: Counter[str]

    def other(self, cell: Cell, form: str, gender: str) -> tuple[str, str]:
        """The form of the same lemma that differs in Number alone, or '' and the reason why there
        is none.

        gender  the subject's, which a form takes that the other number lacks
        """
        lemma, rest, number = cell
        bare = "|".join(x for x in rest.split("|") if x.partition("=")[0] not in _INHERENT)
        gendered = "|".join(sorted([*filter(None, bare.split("|")), f"Gender={gender}"]))
        cells = ((lemma, each, _NUMBERS[number]) for each in (rest, bare, gendered))
        known = next((self.forms[each] for each in cells if self.forms.get(each)), None)
        if known is None:
            return "", "no form of the other number"
        (best, many), *more = known.most_common(2)
        if more and more[0][1] == many:
            return "", "several forms of the other number"
        own = self.forms[cell]
        if any(own[each] >= own[form] for each in own if each != form):
            return "", "another form of the same number, which is as common"
        both = self._stands_for(best, rest, number)
        if best == form or both or self._stands_for(form, rest, _NUMBERS[number]):
            return "", "a form that stands for both numbers"
        return best, ""

    def _stands_for(self, form: str, rest: str, number: str) -> bool:
        """Whether a form, in whatever tense or mood, has a number with the person of a cell."""
        person = parse_features(rest or "_").get("Person")
        return any(
            n == number and parse_features(r or "_").get("Person", person) in (person, None)
            for _, r, n in self.cells[form]
        )


def paradigms_of(trees: Sequence[TreeColumns]) -> InflectionParadigms:
    """The forms of verbs in a treebank."""
    forms: dict[Cell, Counter[str]] = defaultdict(Counter)
    cells: dict[str, set[Cell]] = defaultdict(set)
    seen = Counter[str]()
    for tree in trees:
        seen.update(word.lower() for word in tree.words)
        for i, (word, lemma) in enumerate(zip(tree.words, tree.lemmas, strict=True)):
            if tree.upos[i] in ("VERB", "AUX") and (
                cell := _find_paradigm_cell(lemma, tree.feats[i])
            ):
                forms[cell][word.lower()] += 1
                cells[word.lower()].add(cell)
    return InflectionParadigms(forms, cells, seen)


def _find_paradigm_cell(lemma: str, raw: str) -> Cell | None:
    """The cell of a finite form that says its number; None of others."""
    feats = dict(parse_features(raw))
    number = feats.pop("Number", "")
    if number not in _NUMBERS or lemma in ("", "_") or any(name in feats for name in _ODD):
        return None
    return lemma.lower(), "|".join(f"{k}={v}" for k, v in sorted(feats.items())), number


def with_unimorph(paradigms: InflectionParadigms, path: Path) -> InflectionParadigms:
    """The same with forms of a UniMorph file (`forms=`: lemma, form and tags, tab between them),
    where the treebank lacks them: the tags of a form that it has say which form is the other.
    """
    table: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    told: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for place, line in read_text_lines(path):
        cells = line.rstrip().split("\t")
        if not line.strip():
            continue
        if len(cells) != _COLUMNS:
            raise DataProblem(f"{path}:{place}: a line of UniMorph is lemma, form and tags")
        lemma, form, tags = (cell.lower() for cell in cells)
        items = tags.upper().split(";")
        kind = next((_UNIMORPH[item] for item in items if item in _UNIMORPH), "")
        rest = ";".join(item for item in items if item not in _UNIMORPH)
        if kind:
            table[lemma, rest, kind].add(form)
            told[lemma, form].add((rest, kind))
    forms = {cell: Counter(each) for cell, each in paradigms.forms.items()}
    cells_of = {form: set(each) for form, each in paradigms.cells.items()}
    for (lemma, rest, number), known in list(forms.items()):
        other = (lemma, rest, _NUMBERS[number])
        if other in forms:
            continue
        tags_of = {t for form in known for t, kind in told[lemma, form] if kind == number}
        found = {form for t in tags_of for form in table[lemma, t, _NUMBERS[number]]}
        if len(found) == 1:
            (form,) = found
            forms[other] = Counter({form: 1})
            cells_of.setdefault(form, set()).add(other)
    return InflectionParadigms(forms, cells_of, paradigms.seen)


def build_agreement_pairs(
    trees: Sequence[TreeColumns], paradigms: InflectionParadigms, reasons: Counts
) -> Iterator[MinimalPair]:
    """A pair for each clause whose verb, or auxiliary, becomes the form that differs in Number
    alone; a clause that is excluded is counted by reason.
    """
    loose = _loose(trees)
    for tree in trees:
        for verb, subject in _clauses(tree):
            pair, why = _pair(tree, verb, subject, paradigms)
            if pair is None:
                reasons[why] += 1
            elif pair.tags["number"] in loose:
                reasons["a number with which verbs need not agree"] += 1
            else:
                yield pair


def _loose(trees: Sequence[TreeColumns]) -> set[str]:
    """The numbers of subjects with which verbs of the treebank often do not agree, as plurals in
    Turkish.
    """
    agree, differ = Counter[str](), Counter[str]()
    for tree in trees:
        for verb, subject in _clauses(tree):
            told, said = (parse_features(tree.feats[i]).get("Number") for i in (subject, verb))
            if told in _NUMBERS and said in _NUMBERS and _is_clear(tree, subject):
                (agree if told == said else differ)[told] += 1
    return {n for n in _NUMBERS if differ[n] > _STRICT * (agree[n] + differ[n])}


def _is_clear(tree: TreeColumns, subject: int) -> bool:
    """Whether the subject is a single noun, in the case of subjects, with the number of the verb,
    and says how many are meant.
    """
    case = parse_features(tree.feats[subject]).get("Case")
    return case in _AGREEING and not any(
        tree.deprels[k] in _UNCLEAR for k in tree.children(subject)
    )


def _clauses(tree: TreeColumns) -> Iterator[tuple[int, int]]:
    """The finite word that agrees, a verb or its auxiliary, and the subject of each clause."""
    for subject, (head, deprel) in enumerate(zip(tree.heads, tree.deprels, strict=True)):
        if deprel not in _SUBJECTS or head < 0 or tree.upos[subject] not in _NOMINAL:
            continue
        helpers = [k for k in tree.children(head) if tree.upos[k] == "AUX"]
        for word in [*helpers, head]:
            feats = parse_features(tree.feats[word])
            if feats.get("Number") in _NUMBERS and feats.get("VerbForm", "Fin") == "Fin":
                if tree.upos[word] in ("VERB", "AUX"):
                    yield word, subject
                break


def _pair(
    tree: TreeColumns, verb: int, subject: int, paradigms: InflectionParadigms
) -> tuple[MinimalPair | None, str]:
    """The pair of a clause; None, and the reason, where there is none."""
    cell, said = (
        _find_paradigm_cell(tree.lemmas[verb], tree.feats[verb]),
        parse_features(tree.feats[subject]),
    )
    why = _doubt(tree, verb, subject, cell)
    if why or cell is None:
        return None, why
    form = tree.words[verb]
    other, why = paradigms.other(cell, form.lower(), said.get("Gender", ""))
    if other and _elides(tree, verb, other, paradigms.seen):
        other, why = "", "a word beside the verb that is elided beside one of both forms"
    if not other:
        return None, why
    start = _find_word_start(tree, verb)
    if start is None:
        return None, "a verb that is not in the text"
    bad = tree.text[:start] + _as(form, other) + tree.text[start + len(form) :]
    return MinimalPair(tree.text, bad, cell[0], _tags(tree, verb, subject, other, paradigms)), ""


def _doubt(tree: TreeColumns, verb: int, subject: int, cell: Cell | None) -> str:
    """Why a clause is excluded: the verb is misspelt or foreign, part of a token, or stands for
    both numbers; '' where nothing speaks against it.
    """
    number = parse_features(tree.feats[subject]).get("Number")
    if cell is None:
        return "a verb that is misspelt or not standard"
    if number not in _NUMBERS:
        return "a subject without number"
    if number != cell[2] or not _is_clear(tree, subject):
        return "a subject whose case or number is not that of one noun"
    within = any(r.start <= verb < r.stop for r in tree.ranges)
    return "a verb within a token of several words" if within else ""


def _elides(tree: TreeColumns, verb: int, other: str, seen: Mapping[str, int]) -> bool:
    """Whether a neighbour is elided beside one form alone: French *n'est* and *ne sont*, Welsh
    *mae'r* and *maen y*.
    """
    form = _low(tree, verb)
    begins = _is_vowel(form[:1]) != _is_vowel(other[:1])
    ends = _is_vowel(form[-1:]) != _is_vowel(other[-1:])
    before = _low(tree, verb - 1) if verb else ""
    after = _low(tree, verb + 1) if verb + 1 < len(tree.words) else ""
    elided = before.endswith(_ELISIONS) or any(before[:-1] + mark in seen for mark in _ELISIONS)
    return (begins and elided) or (ends and after[:1] in _ELISIONS and after[1:].isalpha())


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[:1] in _VOWELS


def _low(tree: TreeColumns, word: int) -> str:
    return tree.words[word].lower()


def _find_word_start(tree: TreeColumns, word: int) -> int | None:
    """Where a word begins in the raw text; None where the words do not spell it."""
    at = 0
    covered = {r.start: r for r in tree.ranges}
    i = 0
    while i <= word:
        whole = covered.get(i)
        form = whole.form if whole else tree.words[i]
        at = tree.text.find(form, at)
        if at < 0:
            return None
        if i == word:
            return at
        at, i = at + len(form), whole.stop if whole else i + 1
    return None


def _as(form: str, other: str) -> str:
    """A form with capitals where another has them."""
    if form.isupper() and len(form) > 1:
        return other.upper()
    return other.capitalize() if form[:1].isupper() else other


def _tags(
    tree: TreeColumns, verb: int, subject: int, other: str, paradigms: InflectionParadigms
) -> dict[str, str]:
    """What pairs are reported by."""
    number = parse_features(tree.feats[subject])["Number"]
    first, last = sorted((verb, subject))
    between = [
        parse_features(tree.feats[k]).get("Number")
        for k in range(first + 1, last)
        if tree.upos[k] in _NOMINAL
    ]
    attractors = sum(each == _NUMBERS[number] for each in between)
    here, there = paradigms.seen[tree.words[verb].lower()], paradigms.seen[other]
    commoner = "better" if here > there else "worse"
    return {
        "number": number,
        "order": "subject first" if subject < verb else "verb first",
        "distance": _band(last - first - 1),
        "attractors": "none" if not attractors else "1" if attractors == 1 else "2 or more",
        "frequency": "same" if here == there else f"{commoner} one is more frequent",
        "agreeing": tree.upos[verb],
    }


def _band(words: int) -> str:
    """How many words stand between verb and subject."""
    return str(words) if words < 2 else "2-4" if words < 5 else "5 or more"


def trees_of(files: Sequence[CorpusPart], on_error: OnError) -> list[TreeColumns]:
    """All trees of some files."""
    return [tree for part in files for tree in conllu.read_conllu(part.path, on_error)]
