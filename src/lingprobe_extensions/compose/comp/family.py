"""The composition tasks of Ettinger et al. 2018 on sentences of our own: minimal pairs that words
alone cannot tell apart, with a least share of every construction.

docs/tasks-comp.md says what is balanced and how; docs/design/composition.md why.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from lingprobe import DataProblem, Dataset, Help, Sentence
from lingprobe.extend import (
    CorpusPart,
    PlaceOption,
    TaskDefinition,
    check_number,
    digest_code,
    digest_files,
)
from lingprobe_extensions.compose.comp import answers as comp_answers
from lingprobe_extensions.compose.comp import paper as comp_paper
from lingprobe_extensions.compose.comp.build import DatasetPlan, Held, PartPairs, QuestionDesign
from lingprobe_extensions.compose.comp.data import (
    Written,
    build_item_dataset,
    capitalize_sentences,
    list_pair_meanings,
    make_sentence,
    parse_meaning,
    with_words,
)
from lingprobe_extensions.compose.comp.designs import DESIGNS_BY_LANGUAGE, Designs
from lingprobe_extensions.compose.comp.draw import SamplingState, UnclearPair
from lingprobe_extensions.compose.comp.facts import SENTENCE_ORACLES
from lingprobe_extensions.compose.comp.rules import score_rules
from lingprobe_extensions.compose.comp.shallow import WrittenIn
from lingprobe_extensions.compose.comp.words import (
    NEW_COMBINATIONS,
    build_vocabulary_parts,
    complete_request,
    parse_request,
)
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.languages import LANGUAGES, load_language
from lingprobe_extensions.compose.events.request import GenerationRequest, tables_of
from lingprobe_extensions.compose.readings.reading import SentenceReading

_PROBE = "mlp,protocol=ettinger"
_BASELINES = ("window", "ngrams")
_FEWEST = 8  # items of a split
_MAX_REMEMBERED_SETS = 24  # a run loads all sets before it asks for the facts of the first one
_UNCLEAR = 5  # pairs that are unclear before a word that is asked about nowhere counts as lost


@dataclass(frozen=True, slots=True)
class CompositionOptions:
    """What every task of composition takes."""

    mode: Annotated[
        Literal["controlled", "paper"],
        Help(
            "controlled: minimal pairs, nothing given away; paper: as the paper's sets were built"
        ),
    ] = field(default="controlled", kw_only=True)
    balance: Annotated[
        Held,
        Help(
            "(controlled) features: rules of thumb and single features of the words near the asked"
            " ones are right half of the time as far as the least shares of constructions allow;"
            " rules: rules of thumb alone; none: neither"
        ),
    ] = field(default="features", kw_only=True)
    size: Annotated[
        int | None,
        Help("training items; without 20,000, in paper mode 4,000"),
    ] = field(default=None, kw_only=True)
    dev: Annotated[
        int,
        Help("items of dev and test; without test 4,000, in paper mode 1,000"),
    ] = field(default=1000, kw_only=True)
    test: Annotated[
        int | None,
        Help("items of dev and test; without test 4,000, in paper mode 1,000"),
    ] = field(default=None, kw_only=True)
    seed: Annotated[int, Help("of everything that is drawn", "0")] = field(default=0, kw_only=True)
    per_sentence: Annotated[
        int | None,
        Help(
            "questions about each sentence, at most: 1 without, in paper mode as many as can be"
            " even"
        ),
    ] = field(default=None, kw_only=True)
    readings: Annotated[
        Literal["all", "none"],
        Help(
            "all: an item whose label not all readings of its sentence give is excluded; none:"
            " nothing is checked, for speed"
        ),
    ] = field(default="all", kw_only=True)
    asked: Annotated[
        Literal["one-hot", "vectors"],
        Help(
            "one-hot: each asked word is a number of its own, as in the paper; vectors: what the"
            " encoder makes of the isolated word"
        ),
    ] = field(default="one-hot", kw_only=True)
    written: Annotated[
        Written,
        Help("plain: words between spaces, as in the paper; cased: with a capital and a full stop"),
    ] = field(default="plain", kw_only=True)
    request: Annotated[
        PlaceOption | None,
        Help(
            "a file with what is asked of the generator, in place of the usual words, forms and"
            " structures"
        ),
    ] = field(default=None, kw_only=True)
    language: Annotated[
        str,
        Help(
            "of the sentences, as `polish` or `mine.py@esperanto`; `lingprobe list languages`"
            " lists them. Polish has no agreement and no quantifier-scope"
        ),
    ] = field(default="english", kw_only=True)

    @property
    def fingerprint(self) -> str:
        """A digest of the code that its language reaches, which no import shows."""
        return digest_code(*LANGUAGES.roots(self.language))

    @property
    def items(self) -> tuple[int, int, int]:
        """How many items train, dev and test have."""
        size, test = (4000, 1000) if self.mode == "paper" else (20_000, 4000)
        return (
            size if self.size is None else self.size,
            self.dev,
            test if self.test is None else self.test,
        )


def _view_options(options: CompositionOptions) -> dict[str, str]:
    """How units are brought together, and what is told of the asked words."""
    return {} if options.asked == "one-hot" else {"view": "mean+asked-vectors"}


def _collect_event_facts(
    name: str, oracle: str, options: CompositionOptions, sentences: Collection[Sentence]
) -> Mapping[Sentence, Sequence[Sequence[str]]]:
    """The facts of all sentences, as the events say that they were made from; an asked word by
    itself is one fact.
    """
    facts, drawn = SENTENCE_ORACLES[name][oracle].facts, _select_item_options(options)
    meanings = _meanings(name, drawn, _contents(drawn), options.written, frozenset(sentences))
    own = {sentence: (tuple(facts(reading)),) for sentence, reading in meanings}
    return own | {s: ((s.text,),) for s in sentences if len(s.words) == 1}


def _load(name: str, options: CompositionOptions) -> Dataset:
    """The items, built now: the same for the same options."""
    _check_options(name, options)
    dataset, language = _build_dataset(name, _select_item_options(options))
    dataset = dataset.with_notes(rules=score_rules(dataset, language))
    dataset = capitalize_sentences(dataset) if options.written == "cased" else dataset
    return dataset if options.asked == "one-hot" else with_words(dataset)


def _select_item_options(options: CompositionOptions) -> CompositionOptions:
    """The options that decide which items there are."""
    return dataclasses.replace(options, asked="one-hot", written="plain")


def _list_request_files(options: CompositionOptions) -> list[CorpusPart]:
    """The file of a request of one's own, and the tables of words that it names."""
    if options.request is None:
        return []
    tables = tables_of(complete_request(options.request, {})).values()
    return [
        CorpusPart("", Path(options.request).expanduser()),
        *(CorpusPart("", table) for table in tables),
    ]


def _contents(options: CompositionOptions) -> str:
    """A hash of these files: sets are remembered by it, as files may be written anew while one
    works.
    """
    return digest_files(part.path for part in _list_request_files(options))


def _check_options(name: str, options: CompositionOptions) -> None:
    _design(load_language(options.language), name)
    for split, n in zip(("size", "dev", "test"), options.items, strict=True):
        check_number(split, n, str(_FEWEST), "items of that split", DataProblem)
    if options.language != comp_paper.ETTINGER_LANGUAGE and options.mode == "paper":
        raise DataProblem("the paper's sets are English: leave out mode=paper")
    if options.balance != "features" and options.mode == "paper":
        raise DataProblem(
            f"balance={options.balance} is about mode=controlled: leave out one of them"
        )
    each = "questions about each sentence"
    check_number("per_sentence", options.per_sentence, "1", each, DataProblem)


def _design(language: Language, name: str) -> QuestionDesign:
    """What a task of comp/ asks of the sentences of a language. DataProblem with the reason where
    it has none.
    """
    designs: Designs = language.designs or {}
    design = (DESIGNS_BY_LANGUAGE[designs] if isinstance(designs, str) else designs).get(
        name, "its descriptor has no design for it"
    )
    if isinstance(design, str):
        raise DataProblem(f"comp/{name} is not there in {language.name}: {design}")
    return design


def _build_dataset(name: str, options: CompositionOptions) -> tuple[Dataset, Language]:
    if options.mode == "paper":
        drawn = _paper_sentences(name, options, _contents(options))
        return comp_paper.build_dataset(name, drawn, *_paper_inputs(name, options)), load_language(
            options.language
        )
    by_part, plan, unclear = _generate_pairs(name, options, _contents(options))
    told = {"pairs": len(unclear), "as": [text for text, _ in unclear[:5]]}
    items = build_item_dataset(
        by_part, plan.own.language, options.seed, {**_count_pairs(by_part), "unclear": told}
    )
    if options.request is not None:
        _all_asked(items, unclear, options.request)
    if "@" in options.language:
        items = items.with_notes(WrittenIn(options.language))
    return items, plan.own.language


@lru_cache(maxsize=1)  # all oracles of a set are asked for in turn
def _meanings(
    name: str,
    options: CompositionOptions,
    contents: str,
    written: Written,
    asked: frozenset[Sentence],
) -> tuple[tuple[Sentence, SentenceReading], ...]:
    """What sentences mean: those that are asked about, and maybe others."""
    if options.mode == "paper":  # which draws many more than it asks about
        language = load_language(options.language)
        drawn = comp_paper.list_drawn(_paper_sentences(name, options, contents))
        sentences = (make_sentence(one.sentence.text, written) for one in drawn)
        return tuple(
            (sentence, parse_meaning(one.line, language.denying)[1])
            for one, sentence in zip(drawn, sentences, strict=True)
            if sentence in asked
        )
    by_part, plan, _ = _generate_pairs(name, options, contents)
    return tuple(
        (make_sentence(text, written), reading)
        for text, reading in list_pair_meanings(by_part, plan.own.language)
    )


@lru_cache(maxsize=_MAX_REMEMBERED_SETS)
def _generate_pairs(
    name: str, options: CompositionOptions, contents: str
) -> tuple[list[PartPairs], DatasetPlan, list[UnclearPair]]:
    """The pairs of all parts, the plan that they were made by, and the pairs that readings did not
    confirm.
    """
    plan = _make_plan(name, options, contents)
    design, (size, dev, test) = plan.design, options.items
    every = [
        p
        for p in build_vocabulary_parts(plan.own, options.seed, single=design.single)
        if p.name != NEW_COMBINATIONS or plan.candidates(new=True)[0]
    ]
    checked = options.readings == "all"
    drawing = SamplingState(
        options.seed,
        design.adverbs,
        comp_answers.LabelChecker.of(design.answer, plan.own.language) if checked else None,
        [],
        set(),
        {},
    )
    sizes = {1: dev, 2: test // sum(part.split == 2 for part in every)}
    *rest, train = every
    by_part = [plan.pairs_of(train, size, drawing, len(rest))]
    seen, together = by_part[0].asked_words(), by_part[0].together()
    by_part += [
        plan.pairs_of(part.after(seen, together), sizes[part.split], drawing, number)
        for number, part in enumerate(rest)
    ]
    return by_part, plan, drawing.unclear


def _make_plan(name: str, options: CompositionOptions, contents: str) -> DatasetPlan:
    """How a set is built."""
    usual = complete_request(
        options.request,
        {**_design(load_language(options.language), name).request, "language": options.language},
    )
    if usual["language"] != options.language:
        raise DataProblem(f"{options.request}: write language={usual['language']} in the task, too")
    return _plan(
        (options.language, name),
        json.dumps(usual),
        options.request,
        contents,
        options.balance,
        options.per_sentence or 1,
    )


def _all_asked(items: Dataset, unclear: list[UnclearPair], file: str) -> None:
    """Complain of words that are asked about nowhere because readings of their sentences do not
    agree.
    """
    lost = {word: text for text, asked in unclear for word in asked if word not in items.vocabulary}
    for word, text in lost.items():
        if sum(word in asked for _, asked in unclear) >= _UNCLEAR:
            raise DataProblem(
                f"{file}: {word!r} is asked about in no item, because the readings of its sentences"
                f" do not agree, as of {text!r}; leave the word out, or write readings=none"
            )


@lru_cache(maxsize=32)
def _plan(
    design: tuple[str, str],
    request: str,
    file: str | None,
    _as_written: str,
    held: Held,
    per_sentence: int,
) -> DatasetPlan:
    """A plan with all that it finds out: sets of other sizes and seeds need it, too."""
    language, name = design
    own = parse_request(json.loads(request), file)
    return DatasetPlan(_design(load_language(language), name), own, held, per_sentence)


def _paper_inputs(
    name: str, options: CompositionOptions
) -> tuple[Mapping[str, GenerationRequest], tuple[int, int, int], int, int | None]:
    """What the paper's set is built from: requests of train (three fifths of the adverbs) and of
    test (the others), sizes, seed.
    """
    if name not in comp_paper.ETTINGER_REQUESTS:
        raise DataProblem(f"the paper has no set for comp/{name}: leave out mode=paper")
    usual = comp_paper.ETTINGER_REQUESTS[name]
    adverbs = [entry.lemma for entry in load_language(options.language).values("adverb")]
    order = np.random.default_rng([options.seed, 2]).permutation(len(adverbs))
    cut = round(0.6 * len(adverbs))
    sides = {"train": order[:cut], "test": order[cut:]}
    own = complete_request(options.request, {}) if options.request else {}
    requests = {
        s: parse_request(
            {**usual, "adverbs": [adverbs[i] for i in sorted(rows)], **own}, options.request
        )
        for s, rows in sides.items()
    }
    return requests, options.items, options.seed, options.per_sentence


@lru_cache(maxsize=_MAX_REMEMBERED_SETS)
def _paper_sentences(
    name: str, options: CompositionOptions, _as_written: str
) -> comp_paper.Sentences:
    """The sentences of the paper's set, which its oracles ask for, too."""
    requests, sizes, seed, _ = _paper_inputs(name, options)
    return comp_paper.draw_paper_sentences(name, requests, sizes, seed)


def _count_pairs(by_part: Sequence[PartPairs]) -> dict[str, Any]:
    """How many pairs and structures each part has."""
    pairs = {m.part.name: sum(len(run.first) for _, run in m.runs) for m in by_part}
    structures = {
        m.part.name: len({schema for schema, run in m.runs if run.first}) for m in by_part
    }
    return {"pairs": pairs, "structures": structures}


def _task(name: str, asks: str) -> TaskDefinition[CompositionOptions]:
    return TaskDefinition(
        f"comp/{name}",
        asks,
        CompositionOptions,
        partial(_load, name),
        _list_request_files,
        probe=_PROBE,
        view="mean+asked",
        baselines=_BASELINES,
        oracles={label: oracle.about for label, oracle in SENTENCE_ORACLES[name].items()},
        facts=partial(_collect_event_facts, name),
        varied=_view_options,
    )


content1 = _task("content1", "Does the asked verb occur in the sentence?")
content2 = _task("content2", "Do both the asked noun and the asked verb occur in the sentence?")
order = _task("order", "Does the asked noun come before the asked verb?")
sem_role = _task("sem-role", "Is the asked noun the agent of the asked verb?")
negation = _task("negation", "Does what the asked verb says happen, or is it said not to?")
agreement = _task("agreement", "Is the subject of the asked verb plural?")
embedded_tense = _task(
    "embedded-tense",
    "Is the asked noun the subject of a verb in the past, where another clause is not?",
)
adjective = _task("adjective", "Does the asked adjective describe the asked noun?")
quantifier_scope = _task("quantifier-scope", "Is it of no asked noun that the asked verb is said?")
