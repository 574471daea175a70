"""`forms/feat` asks which value of a feature a word has that stands alone.

As in LINSPECTOR (Şahin et al. 2020, section 3), an example is a single form. No lemma is in two
splits, so a probe cannot know a word by its stem; what is left is the form, whose ending may say
it. A form that stands for several values (syncretism) is excluded and counted, or is a set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from lingprobe.corpora.files import CorpusPart, digest_files
from lingprobe.corpora.trees import parse_features
from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts
from lingprobe.data.references import PlaceOption
from lingprobe.datasets.candidates import Candidate
from lingprobe.datasets.draw import sample
from lingprobe.datasets.settings import SampleSettings
from lingprobe.inside.languages.words import FormLexicon, SpellingCounts, find_word_files
from lingprobe.tasks.baseline_names import NGRAM_BASELINE
from lingprobe.tasks.baselines import word_by_word
from lingprobe.tasks.features import MIN_VALUE_EXAMPLES, count_features, varied_features
from lingprobe.tasks.memory import CorpusCache, oracle_facts
from lingprobe.tasks.sources import note_sources
from lingprobe.tasks.task import TaskDefinition
from lingprobe.tasks.ud.feat import choose_telling_values

_SHOWN = 6  # groups of values that one form has
_ORACLES = {"features": "every feature that the form has in the data"}
_LEXICONS: CorpusCache[FormLexicon] = CorpusCache()


@dataclass(frozen=True, slots=True)
class FormOptions:
    """What forms/feat takes."""

    path: Annotated[
        PlaceOption,
        Help("a treebank, or a file of UniMorph (lemma, form and tags, with tabs between)"),
    ]
    with_: Annotated[tuple[PlaceOption, ...], Help("further ones")] = field(
        default=(), kw_only=True
    )
    feature: Annotated[
        str,
        Help(
            "the feature's name in Universal Dependencies, as Case; with a `*`, each feature of"
            " that pattern of which two values have enough forms is a task"
        ),
    ] = field(kw_only=True)
    upos: Annotated[
        str | None,
        Help("only forms of this part of speech, as NOUN"),
    ] = field(default=None, kw_only=True)
    several: Annotated[
        Literal["drop", "set"],
        Help(
            "what a form with several values is. drop: excluded and counted; set: an example with"
            " the set of them, judged by micro-F1, and classes are as frequent as they are"
        ),
    ] = field(default="drop", kw_only=True)
    least: Annotated[
        int | None,
        Help(
            "values with fewer forms are excluded; by default, the values are kept that give the"
            " most information in a balanced sample"
        ),
    ] = field(default=None, kw_only=True)
    classes: Annotated[tuple[str, ...], Help("these values alone")] = field(
        default=(), kw_only=True
    )
    on_error: Annotated[
        Literal["raise", "skip"],
        Help(
            "raise: malformed data are an error; skip: bad sentences and lines are excluded and"
            " counted"
        ),
    ] = field(default="raise", kw_only=True)
    seed: Annotated[int, Help("of everything that is drawn", "0")] = field(default=0, kw_only=True)
    size: Annotated[
        int | None,
        Help("examples in all; without, as many as the data allow"),
    ] = field(default=None, kw_only=True)
    fold: Annotated[
        str | None,
        Help(
            "2/5: the second of five folds is test, the rest train and dev; */5: all five of them"
        ),
    ] = field(default=None, kw_only=True)

    @property
    def paths(self) -> tuple[str, ...]:
        """All that was named."""
        return (self.path, *self.with_)


@dataclass(frozen=True)
class FeatureForms:
    """The forms of a source that have a feature.

    candidates  those that can be examples
    values      how many have each value alone
    several     how many have which values at once
    left_out    why others are no examples
    """

    options: FormOptions
    candidates: list[Candidate] = field(default_factory=list)
    values: Counter[str] = field(default_factory=Counter)
    several: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, lexicon: FormLexicon, options: FormOptions) -> FeatureForms:
        """The forms of a source, sorted into examples and others."""
        made = cls(options)
        for word in lexicon.words.values():
            made._add(word)
        return made

    def _add(self, word: SpellingCounts) -> None:
        """Take in a form; forms of several values (syncretism) are excluded, or with `several=set`
        their label is the set.
        """
        feature, is_set = self.options.feature, self.options.several == "set"
        has = word.values(feature, self.options.upos)
        has_none = bool(has.pop("", 0))
        if not has:
            return
        if reason := _unfit(word, has_none, feature):
            self.left_out[reason] += 1
            return
        if len(has) == 1:
            self.values.update(has.keys())
        else:
            self.several["/".join(sorted(has))] += 1
        if len(has) > 1 and not is_set:
            self.left_out[f"forms with several values of {feature}"] += 1
            return
        label = frozenset(has) if is_set else next(iter(has))
        (lemma,) = word.lemmas
        strata = {"upos": word.upos}
        self.candidates.append(Candidate(Sentence.of([word.form]), label, lemma, strata=strata))

    @property
    def usable_values(self) -> Collection[str]:
        """The values that examples may have."""
        asked = self.options
        if missing := [value for value in asked.classes if not self.values[value]]:
            there = ", ".join(f"{value} ({n:,})" for value, n in self.values.most_common())
            raise DataProblem(f"classes={missing[0]}: no form has it; there are {there or 'none'}")
        if asked.classes:
            return asked.classes
        if asked.least is None and asked.several == "drop":
            return choose_telling_values(self.values)
        least = MIN_VALUE_EXAMPLES if asked.least is None else asked.least
        counts = Counter(value for each in self.candidates for value in _values(each))
        return {value for value, n in counts.items() if n >= least}

    def examples(self, kept: Collection[str]) -> Iterator[Candidate]:
        """The candidates that have some values and no others."""
        return (each for each in self.candidates if _values(each) <= set(kept))

    def notes(self, kept: Collection[str]) -> dict[str, Any]:
        """What was counted, in words."""
        feature = self.options.feature
        rare = {
            f"{feature}={value} is too rare beside the others": n
            for value, n in self.values.items()
            if value not in kept
        }
        return {
            "left out": {**self.left_out, **rare},
            "values": dict(self.values),
            "several values": dict(self.several.most_common()),
        }

    def syncretism(self) -> str:
        """How many forms have several values, in a sentence; '' where none has."""
        many = self.several.total()
        if not many:
            return ""
        which = ", ".join(f"{names} {n:,}" for names, n in self.several.most_common(_SHOWN))
        return (
            f"{many:,} of {many + self.values.total():,} forms with {self.options.feature} have"
            f" several values of it ({which}):"
            f" {'they are excluded' if self.options.several == 'drop' else 'each is a set'}. Values"
            " that the source does not show are not counted"
        )

    def check(self, lexicon: FormLexicon) -> None:
        """DataProblem where the words do not have the feature with two values."""
        if len(self.values) > 1:
            return
        options = self.options
        counts = count_features(lexicon.readings(options.upos))
        has = ", ".join(sorted(counts, key=lambda name: -counts[name].total())[:12])
        why = (
            f"{options.feature} has one value there, {next(iter(self.values))}"
            if self.values
            else f"no form has {options.feature} alone; there are {has or 'no features'}"
        )
        out = ", ".join(f"{reason}: {n}" for reason, n in self.left_out.most_common(4))
        raise DataProblem(
            f"forms/feat cannot be built from {options.path}: {why} (excluded: {out or 'nothing'})"
        )


def _values(candidate: Candidate) -> frozenset[str]:
    """The values that a form has."""
    label = candidate.label
    return label if isinstance(label, frozenset) else frozenset([str(label)])


def _unfit(word: SpellingCounts, has_none: bool, feature: str) -> str:
    """Why a form with the feature is no example whatever its value; '' where it is one."""
    if not any(letter.isalpha() for letter in word.form):
        return "forms without a letter"
    if word.is_unusual:
        return "abbreviations, foreign and misspelt words"
    if has_none:
        return f"forms that also stand for what has no {feature}"
    return "forms of several lemmas" if len(word.lemmas) > 1 else ""


def _find_form_files(options: FormOptions) -> list[CorpusPart]:
    return find_word_files(options.paths)


def _lexicon(options: FormOptions) -> FormLexicon:
    """The words of the sources, read once for all features and folds."""
    parts = _find_form_files(options)
    key = digest_files(part.path for part in parts), options.on_error
    return _LEXICONS.get(key, lambda: FormLexicon.of(parts, options.on_error))


def _load(options: FormOptions) -> Dataset:
    """The forms with their splits; what was excluded, and why, is in the notes."""
    lexicon = _lexicon(options)
    forms = FeatureForms.of(lexicon, options)
    forms.check(lexicon)
    kept = forms.usable_values
    paths = [str(part.path) for part in _find_form_files(options)]
    notes = {**note_sources("forms/feat", paths, lexicon.tally), **forms.notes(kept)}
    if said := forms.syncretism():
        notes["remarks"] = [*notes.get("remarks", ()), said]
    is_set = options.several == "set"
    settings = SampleSettings(
        seed=options.seed,
        size=options.size,
        fold=options.fold,
        balance=not is_set,
        least=MIN_VALUE_EXAMPLES if options.least is None else options.least,
        rare="refuse" if options.classes else "drop",
        rarest=0,
        commonest=0,
        cap=0,
    )
    return sample(forms.examples(kept), settings, notes)


def _compute_form_facts(
    oracle: str, options: FormOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Facts]:
    """What the data say of a form."""
    key = (
        "forms/feat",
        digest_files(part.path for part in _find_form_files(options)),
        options.on_error,
    )

    def facts() -> Iterator[tuple[Sentence, Facts]]:
        for word in _lexicon(options).words.values():
            readings = (parse_features(reading.feats).items() for reading in word.readings)
            every = dict.fromkeys(f"{k}={v}" for each in readings for k, v in each)
            yield Sentence.of([word.form]), (tuple(every),)

    return oracle_facts(key, facts)


def _every_feature(options: FormOptions) -> list[str]:
    """`feature=*`: each feature of which two values or more have enough forms."""
    least = MIN_VALUE_EXAMPLES if options.least is None else options.least
    return varied_features(count_features(_lexicon(options).readings(options.upos)), least)


def _metric_and_question(options: FormOptions) -> dict[str, str]:
    whose = f"isolated {options.upos}" if options.upos else "isolated word"
    asks = {"question": f"Which {options.feature} has the {whose}?"}
    return {**asks, "metric": "micro-f1"} if options.several == "set" else asks


feat = TaskDefinition(
    "forms/feat",
    "Which value of a feature does an isolated word have?",
    FormOptions,
    _load,
    _find_form_files,
    baselines=(word_by_word(NGRAM_BASELINE),),
    oracles=_ORACLES,
    facts=_compute_form_facts,
    varied=_metric_and_question,
    every={"feature": _every_feature},
    place="lingprobe.inside.languages.forms:feat",
)
