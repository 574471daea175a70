"""What a user asks for: which words, features and structures, what must be there and what may not,
and in which shares.

Everything excluded has the value that the paper's own sets have: people, past and present, simple
and progressive, both voices and polarities, at most one relative clause. An unknown key or word is
named with its path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingprobe import DataProblem, ReferenceProblem
from lingprobe_extensions.compose.events.grammar import (
    REQUEST_VOICES,
    GrammarLimits,
    StructureInventory,
)
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.languages import load_language
from lingprobe_extensions.compose.events.lexicon import FREQUENCY_BANDS, WORD_KINDS
from lingprobe_extensions.compose.events.meaning import (
    DATIVE_FORMS,
    VERB_FRAMES,
    check_keys,
    check_text,
    read_text_list,
)
from lingprobe_extensions.compose.events.patterns import PartialPattern, parse_pattern

_LEXICAL = {
    "nouns": "noun",
    "verbs": "verb",
    "adjectives": "adjective",
    "adverbs": "adverb",
    "prepositions": "preposition",
}
_BOUNDS = (
    "relatives",
    "adjectives",
    "modifiers",
    "complements",
    "pairs",
    "conjuncts",
    "reflexives",
    "together",
    "adverbs",
)
_RELATIVES = ("frames", "voices", "gaps", "depth")
_STRUCTURE = {"frames": VERB_FRAMES, "voices": REQUEST_VOICES, "datives": DATIVE_FORMS}
_FEATURES = ("tense", "modal", "aspect", "polarity", "number", "determiner", "relativiser")
_KEYS = (
    *(
        "language",
        "lexicon",
        "more_words",
        "classes",
        "bands",
        *_LEXICAL,
        *_STRUCTURE,
        "relatives",
        *_FEATURES,
        "at_most",
    ),
    *(
        "require",
        "prohibit",
        "require_words",
        "prohibit_words",
        "matched_number",
        "allow",
        "priors",
        "even_structures",
    ),
)


_HEAVIEST = 10**9  # the largest weight of a prior
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventConstraint:
    """A partial event that must or may not be there, in any clause or the main one; `name` is how
    messages call it.
    """

    name: str
    pattern: PartialPattern
    main: bool


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What is asked for, read and checked.

    domains   for each kind of variable the values that it may have, in bits
    needed    words that must be there: each with its name and what it is by kind, in bits
    matched   whether all nouns of a sentence have one number
    allow     names of rules of the language that are lifted
    priors    path of a feature -> value -> weight
    even      whether every structure has the same share, rather than every sentence the same chance
    """

    language: Language
    grammar: StructureInventory
    domains: Mapping[str, int]
    require: tuple[EventConstraint, ...] = ()
    prohibit: tuple[EventConstraint, ...] = ()
    needed: tuple[tuple[str, Mapping[str, int]], ...] = ()
    matched: bool = False
    allow: frozenset[str] = frozenset()
    priors: Mapping[str, Mapping[str, float]] | None = None
    even: bool = False


def parse_generation_request(value: object) -> GenerationRequest:
    """The request that JSON values describe."""
    fields = check_keys(value, _KEYS, "request")
    language = _language(fields)
    grammar = _grammar(fields, language)
    domains = _domains(fields, language, grammar)
    allow = _read_names(fields, "allow", tuple(language.allowed), ())
    matched, even = (_yes(fields, key) for key in ("matched_number", "even_structures"))
    needed = tuple(
        (w, _anywhere(w, language, "require_words"))
        for w in read_text_list(fields.get("require_words", []), "request.require_words")
    )
    require, prohibit = (
        _constraints(fields.get(key, []), key, language) for key in ("require", "prohibit")
    )
    return GenerationRequest(
        language,
        grammar,
        domains,
        require,
        prohibit,
        needed,
        matched,
        frozenset(allow),
        _priors(fields.get("priors", {})),
        even,
    )


def _language(fields: Fields) -> Language:
    tables = tables_of(fields)
    name = check_text(fields.get("language", "english"), "request.language")
    try:
        return load_language(name, tables.get("lexicon"), tables.get("more_words"))
    except (DataProblem, ReferenceProblem) as problem:
        raise DataProblem(f"request.language: {problem}" if not tables else str(problem)) from None


def tables_of(value: object) -> dict[str, Path]:
    """The tables of words that a request names, by the key that names them."""
    fields: Fields = value if isinstance(value, Mapping) else {}
    return {
        key: Path(check_text(fields[key], f"request.{key}")).expanduser()
        for key in ("lexicon", "more_words")
        if key in fields
    }


def _yes(fields: Fields, key: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise DataProblem(f"request.{key}: is true or false")
    return value


def _grammar(fields: Fields, language: Language) -> StructureInventory:
    """How many relatives, adjectives and the like a sentence may have (`at_most`), and which frames
    and voices.
    """
    bounds = check_keys(fields.get("at_most", {}), _BOUNDS, "request.at_most")
    for key, n in bounds.items():
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n <= 8:
            raise DataProblem(f"request.at_most.{key}: is a whole number from 0 to 8, not {n!r}")
    inner = check_keys(fields.get("relatives", {}), _RELATIVES, "request.relatives")
    depth = inner.get("depth", 1)
    if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 4:
        raise DataProblem(f"request.relatives.depth: is a whole number from 1 to 4, not {depth!r}")
    _check_request_words(fields, bounds, language)
    adverbs = bounds.get("adverbs", 0) > 0
    plain = {key: n for key, n in bounds.items() if key != "adverbs"}
    return StructureInventory(
        frames=_read_names(fields, "frames", VERB_FRAMES, ("intransitive", "transitive")),
        voices=_read_names(fields, "voices", REQUEST_VOICES, REQUEST_VOICES[:2]),
        datives=_read_names(fields, "datives", DATIVE_FORMS, DATIVE_FORMS),
        inner=_read_names(
            inner, "frames", VERB_FRAMES, ("intransitive", "transitive"), "request.relatives"
        ),
        inner_voices=_read_names(
            inner, "voices", REQUEST_VOICES, REQUEST_VOICES[:2], "request.relatives"
        ),
        gaps=_read_names(
            inner, "gaps", ("subject", "object"), ("subject", "object"), "request.relatives"
        ),
        depth=depth,
        adverbs=adverbs,
        bounds=GrammarLimits(**{"relatives": 1, **plain}),
    )


_WORDS_OF = {"adjectives": "adjective", "modifiers": "preposition", "adverbs": "adverb"}


def _check_request_words(fields: Fields, bounds: Mapping[str, int], language: Language) -> None:
    """Complain about frames and parts for which the language has no words."""
    for frame in set(_read_names(fields, "frames", VERB_FRAMES, ())):
        if not language.lexicon.mask("verb", frame=frame):
            raise DataProblem(f"request.frames: {language.name} has no {frame} verb in its lexicon")
    for key, kind in _WORDS_OF.items():
        if bounds.get(key, 0) and not language.count(kind):
            raise DataProblem(
                f"request.at_most.{key}: {language.name} has no {kind} in its lexicon"
            )


def _read_names(
    fields: Fields,
    key: str,
    known: tuple[str, ...],
    default: tuple[str, ...],
    path: str = "request",
) -> tuple[str, ...]:
    """A list of known names, without repeats."""
    if key not in fields:
        return default
    names = read_text_list(fields[key], f"{path}.{key}")
    for i, name in enumerate(names):
        if name not in known:
            raise DataProblem(f"{path}.{key}.{i}: {name!r} is not one of {', '.join(known)}")
    return tuple(dict.fromkeys(names))


def _domains(fields: Fields, language: Language, grammar: StructureInventory) -> dict[str, int]:
    classes = read_text_list(fields.get("classes", ["person"]), "request.classes")
    known = dict.fromkeys(c for e in language.values("noun") for c in e.classes)
    for name in classes:
        if name not in known:
            raise DataProblem(
                f"request.classes: no noun is a {name!r}; there are {', '.join(known)}"
            )
    bands = _read_names(fields, "bands", FREQUENCY_BANDS, FREQUENCY_BANDS)
    domains = {kind: language.mask(kind, lambda e: e.band in bands) for kind in WORD_KINDS}
    domains["noun"] &= language.lexicon.mask("noun", classes=classes)
    for key, kind in _LEXICAL.items():
        if key in fields:
            domains[kind] = _lexical(fields[key], key, kind, language)
    for word in read_text_list(fields.get("prohibit_words", []), "request.prohibit_words"):
        for kind, mask in _anywhere(word, language, "prohibit_words").items():
            domains[kind] &= ~mask
    return {**domains, **_features(fields, language, domains["adverb"])}


def _features(fields: Fields, language: Language, adverbs: int) -> dict[str, int]:
    """The allowed values of tense, modal, aspect, polarity, number, determiner and relativiser."""
    values = {
        key: read_text_list(fields[key], f"request.{key}")
        if key in fields
        else language.defaults[key]
        for key in _FEATURES
    }
    if "modal" in fields and "tense" not in fields:
        values["tense"] = language.defaults["tense"]
    form = language.having("form", "tense", values["tense"]) | language.having(
        "form", "modal", values["modal"]
    )
    form &= language.having("form", "aspect", values["aspect"]) & language.having(
        "form", "polarity", values["polarity"]
    )
    phrase = language.having("phrase", "number", values["number"]) & language.having(
        "phrase", "determiner", values["determiner"]
    )
    for word in values["relativiser"]:
        if word not in language.relativisers:
            raise DataProblem(
                f"request.relativiser: {word!r} is not there; there are"
                f" {', '.join(language.relativisers)}"
            )
    longest = fields.get("at_most", {}).get("adverbs", 0)
    rows = language.mask(
        "adverbs", lambda row: len(row) <= longest and all(adverbs >> i & 1 for i in row)
    )
    relativiser = language.mask("relativiser", lambda word: word in values["relativiser"])
    return {"form": form, "phrase": phrase, "relativiser": relativiser, "adverbs": rows}


def _lexical(value: object, key: str, kind: str, language: Language) -> int:
    """Words of a kind that are listed; verbs also by frame, as {"transitive": ["help"]}."""
    if kind != "verb" or not isinstance(value, Mapping):
        return _word_mask(read_text_list(value, f"request.{key}"), kind, language, f"request.{key}")
    mask = 0
    for frame, lemmas in check_keys(value, VERB_FRAMES, f"request.{key}").items():
        for i, lemma in enumerate(read_text_list(lemmas, f"request.{key}.{frame}")):
            try:
                mask |= 1 << language.lexicon.number("verb", lemma, frame)
            except DataProblem as problem:
                raise DataProblem(f"request.{key}.{frame}.{i}: {problem}") from None
    return mask


def _word_mask(lemmas: tuple[str, ...], kind: str, language: Language, path: str) -> int:
    try:
        return language.words(kind, lemmas)
    except DataProblem as problem:
        raise DataProblem(f"{path}: {problem}") from None


def _anywhere(word: str, language: Language, key: str) -> dict[str, int]:
    """What a word is, by kind, in bits; complains where it is nothing."""
    masks = {kind: language.mask(kind, lambda entry: entry.lemma == word) for kind in WORD_KINDS}
    matches = {kind: mask for kind, mask in masks.items() if mask}
    if not matches:
        raise DataProblem(
            f"request.{key}: no word {word!r} in the lexicon; give the lemma, as 'help' for helped"
        )
    return matches


def _constraints(value: object, key: str, language: Language) -> tuple[EventConstraint, ...]:
    """`require` and `prohibit`: partial events, bare (in any clause) or as {"in": "main", "event":
    {...}}.
    """
    if not isinstance(value, list):
        raise DataProblem(f"request.{key}: is a list of partial events")
    constraints = []
    for i, item in enumerate(value):
        path, inner, where = f"request.{key}.{i}", item, "any"
        if isinstance(item, Mapping) and "event" in item:
            where = check_text(
                check_keys(item, ("in", "event"), path).get("in", "any"), f"{path}.in"
            )
            inner = item["event"]
        if where not in ("any", "main"):
            raise DataProblem(f"{path}.in: {where!r} is not one of any, main")
        path += ".event" if inner is not item else ""
        pattern = parse_pattern(inner, path)
        _check_pattern(pattern, path, language)
        constraints.append(EventConstraint(f"{key}.{i}", pattern, where == "main"))
    return tuple(constraints)


_KINDS_OF = {
    "predicate": "verb",
    "noun": "noun",
    "adjectives": "adjective",
    "adverbs": "adverb",
    "preposition": "preposition",
}
_FORMS_OF = {
    "tense": "form",
    "modal": "form",
    "aspect": "form",
    "polarity": "form",
    "number": "phrase",
    "determiner": "phrase",
}


def _check_pattern(pattern: PartialPattern, path: str, language: Language) -> None:
    """Complain about words and values that the language lacks, and verbs in a frame that they do
    not have.
    """
    fields = pattern.fields
    for key, value in fields.items():
        where = f"{path}.{key}"
        try:
            if isinstance(value, PartialPattern):
                _check_pattern(value, where, language)
            elif value and key in _KINDS_OF:
                language.words(_KINDS_OF[key], value)
            elif value and key in _FORMS_OF:
                language.having(_FORMS_OF[key], key, value - {None})
        except DataProblem as problem:
            raise DataProblem(
                str(problem) if str(problem).startswith("request.") else f"{where}: {problem}"
            ) from None
    for frame in fields.get("frame") or ():
        for lemma in fields.get("predicate") or ():
            if len(fields["frame"]) == 1 and len(fields["predicate"]) == 1:
                _named_frame(lemma, frame, path, language)


def _named_frame(lemma: str, frame: str, path: str, language: Language) -> None:
    try:
        language.lexicon.number("verb", lemma, frame)
    except DataProblem as problem:
        raise DataProblem(f"{path}: {problem}") from None


def _priors(value: object) -> dict[str, dict[str, float]]:
    """The exact proportions that `priors` asks for, by feature of the main clause."""
    if not isinstance(value, Mapping):
        raise DataProblem(
            'request.priors: is an object of features, as {"polarity": {"negative": 0.2,'
            ' "positive": 0.8}}'
        )
    priors: dict[str, dict[str, float]] = {}
    for path, weights in value.items():
        if not isinstance(weights, Mapping) or not weights:
            raise DataProblem(f"request.priors.{path}: is an object of values with their weights")
        for name, weight in weights.items():
            if (
                isinstance(weight, bool)
                or not isinstance(weight, int | float)
                or not 0 <= weight <= _HEAVIEST
            ):
                raise DataProblem(
                    f"request.priors.{path}.{name}: a weight is a number from 0 to {_HEAVIEST:,},"
                    f" not {weight!r}"
                )
        if not sum(weights.values()) > 0:
            raise DataProblem(f"request.priors.{path}: all weights are 0")
        priors[path] = {name: float(weight) for name, weight in weights.items()}
    return priors
