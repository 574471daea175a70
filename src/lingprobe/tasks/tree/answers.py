"""From a parsed corpus to the candidates of each of the ten questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lingprobe.corpora.frequencies import WordFrequencies, load_frequencies
from lingprobe.corpora.frequencies import list_readable_files as files
from lingprobe.datasets.match import match_joint_gaussian
from lingprobe.tasks.answers import Answer, count_findings
from lingprobe.tasks.findings import FoundCandidates
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.questions import Answers, Notes
from lingprobe.tasks.shards import DEPTH_COLUMN, LENGTH_COLUMN
from lingprobe.tasks.tree.altered_sentences import find_inversions, find_shifts, tagged_words
from lingprobe.tasks.tree.corpus import SENTENCE_LENGTHS, TreeTaskOptions
from lingprobe.tasks.tree.odd import (
    ReplacementWords,
    compute_frequency_band,
    find_replacements,
    make_tag_lexicon,
)
from lingprobe.tasks.ud.classes import (
    CONNEAU_FREQUENCY_RANKS,
    assign_target_words,
    choose_target_words,
    cross_tabulate,
    explain_excluded_depth,
    find_comparable_depths,
)

EQUAL_LENGTH_BINS = tuple(
    (low, low + 3) for low in range(5, 29, 4)
)  # section 2: six equal-width bins
_README = ((5, 8), (9, 12), (13, 16), (17, 20), (21, 25), (26, 28))
TREE_DEPTH_CLASSES = range(5, 13)  # section 2
TOP_SEQUENCE_COUNT, _ENOUGH = (
    19,
    100,
)  # classes beside OTHER, and the sentences that each has at least
_PUBLISHED = (
    "ADVP_NP_VP_. CC_ADVP_NP_VP_. CC_NP_VP_. IN_NP_VP_. NP_ADVP_VP_. NP_NP_VP_. NP_PP_. NP_VP_."
    " PP_NP_VP_. RB_NP_VP_. SBAR_NP_VP_. SBAR_VP_. S_CC_S_. S_NP_VP_. S_VP_. VBD_NP_VP_. VP_."
    " WHADVP_SQ_. WHNP_SQ_."
)
"""The README's classes; the two that its list lacks are labels of the published file."""
_LITERAL = (100, 5000)  # occurrences of a target form (README)
# of the novels that the paper took its sentences from (Paperno et al. 2016, section 3)
_PAPERS_WORDS = 203_000_000


def label_lengths(corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of tree/sent-len: the bin of the number of tokens, as `5-8`, or with
    `bins=readme`.
    """
    bins = EQUAL_LENGTH_BINS if options.bins == "equal" else _README
    named = {n: Answer(f"{low}-{high}") for low, high in bins for n in range(low, high + 1)}
    said = [named.get(n) for n in range(SENTENCE_LENGTHS[-1] + 1)]
    return FoundCandidates.where(corpus, corpus.columns(LENGTH_COLUMN)[0], said)


def find_word_candidates(
    corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of tree/word-content: the one target word that the sentence contains; none, or
    several, is excluded.
    """
    chosen = assign_target_words(
        corpus.words(), corpus.forms, CONNEAU_FREQUENCY_RANKS, _ranks(options)
    )
    notes["word content"] = chosen.notes
    found = FoundCandidates.where(corpus, chosen.codes, list(map(Answer, chosen.words)))
    notes["left out"] = {"no target word, or several": len(corpus) - len(found)}
    return found


def find_frequent_words(corpus: ParsedCorpus, options: TreeTaskOptions) -> list[str]:
    """The words that are too frequent to be targets."""
    return choose_target_words(corpus.forms, CONNEAU_FREQUENCY_RANKS, _ranks(options)).frequent


def _ranks(options: TreeTaskOptions) -> Mapping[str, int] | None:
    """How frequent each word is in the corpora that are named; None where it is the sources that
    count.
    """
    corpus = _frequencies(options)
    return (
        None
        if corpus is None
        else {word: int(n) for word, n in zip(corpus.numbers, corpus.counts, strict=True)}
    )


def find_depth_candidates(
    corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of tree/tree-depth: depths 5 to 12, or the widest range of these in which every
    depth has the same number of sentences of each length; `depths=gaussian` follows the published
    data.
    """
    deep, long = corpus.columns(DEPTH_COLUMN, LENGTH_COLUMN)
    fit = (deep >= TREE_DEPTH_CLASSES[0]) & (deep <= TREE_DEPTH_CLASSES[-1])
    gaussian = options.depths == "gaussian"
    run = (
        TREE_DEPTH_CLASSES
        if gaussian
        else find_comparable_depths(cross_tabulate(deep[fit], long[fit]))
    )
    labels = set(options.classes) or set(map(str, run))
    said = [Answer(str(d)) if str(d) in labels else None for d in range(int(deep.max()) + 1)]
    found = FoundCandidates.where(corpus, deep, said)
    notes["depths"] = {d: n for d, n in enumerate(np.bincount(deep).tolist()) if n}
    notes["left out"] = {explain_excluded_depth(run): len(corpus) - len(found)}
    if not (gaussian and len(found)):
        return found
    rng = np.random.default_rng([options.seed, 29])
    rows = match_joint_gaussian(
        long[found.rows], deep[found.rows], rng
    )  # README: a Gaussian over both
    reason = "more than a Gaussian over lengths and depths has"
    notes["left out"][reason] = len(found) - len(rows)
    return found.take(rows)


def label_sequences(
    corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of tree/top-const: the 19 most frequent sequences of constituents with 100
    sentences (`inventory=published`: the published ones), and OTHER.
    """
    findings = corpus.findings("top-const")
    counts, notes["left out"] = count_findings(findings)
    if options.classes or options.inventory == "published":
        inventory = set(options.classes or _PUBLISHED.split())
    else:
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP_SEQUENCE_COUNT]
        inventory = {label for label, n in ranked if n >= _ENOUGH}
    notes["classes"] = {label: n for label, n in counts.items() if label in inventory}
    notes["number of classes, with OTHER"] = len(inventory) + 1
    other = Answer("OTHER")
    return FoundCandidates.of(corpus, findings).map_answers(
        lambda said: Answer(said.label) if said.label in inventory else other
    )


def find_rule_candidates(name: str) -> Answers[TreeTaskOptions]:
    """Candidates from what one rule says, whose target forms are neither too rare nor too
    common.
    """

    def answers(corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes) -> FoundCandidates:
        findings = corpus.findings(name)
        notes["labels"], notes["left out"] = count_findings(findings)
        band = _band(corpus, options, notes)
        every = FoundCandidates.of(corpus, findings)
        found = every.map_answers(lambda said: said if band(said.target) else None)
        if len(found) < len(every):
            reason = "a target form outside the band of frequencies"
            notes["left out"][reason] = len(every) - len(found)
        return found

    return answers


def shift_answers(corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes) -> FoundCandidates:
    """The label of tree/bigram-shift: `I` two neighbouring words were swapped, `O` not."""
    return _add_notes("I", notes, *find_shifts(corpus, options.seed, options.literal))


def replacement_answers(
    corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of tree/somo: `C` a noun or verb was replaced, `O` not."""
    counts = _frequencies(options) or _own(corpus, options)
    among = not options.freq or not {
        path.resolve() for name in options.freq for path in files(name)
    }.isdisjoint(_paths(corpus))
    choice = ReplacementWords.of(counts, make_tag_lexicon(tagged_words(corpus)), among)
    notes["frequencies"] = {
        "words": counts.total,
        "band": list(compute_frequency_band(counts.total)),
        "forms": int((choice.tags >= 0).sum()),
    }
    return _add_notes("C", notes, *find_replacements(corpus, choice, options.seed))


def inversion_answers(
    corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes
) -> FoundCandidates:
    """The label of tree/coord-inv: `I` two clauses were swapped, `O` not."""
    counts = _frequencies(options) or _own(corpus, options)
    return _add_notes("I", notes, *find_inversions(corpus, counts, options.seed))


def _add_notes(
    label: str, notes: Notes, found: FoundCandidates, out: Mapping[str, int]
) -> FoundCandidates:
    notes["altered"] = label
    notes["left out"] = {reason: n for reason, n in Counter(out).most_common() if n}
    return found


SENTENCE_ALTERATIONS: Mapping[str, Answers[TreeTaskOptions]] = {
    "tree/bigram-shift": shift_answers,
    "tree/somo": replacement_answers,
    "tree/coord-inv": inversion_answers,
}
"""By task, how sentences are altered."""


def _frequencies(options: TreeTaskOptions) -> WordFrequencies | None:
    """The frequencies of the corpora that `freq=` names, None where they are counted in the
    sources.
    """
    return load_frequencies(options.freq, options.on_error) if options.freq else None


def _own(corpus: ParsedCorpus, options: TreeTaskOptions) -> WordFrequencies:
    """The frequencies of the sources, sentences of any length."""
    return load_frequencies(corpus.files, options.on_error)


def _paths(corpus: ParsedCorpus) -> set[Path]:
    return {Path(file).resolve() for file in corpus.files}


def _band(corpus: ParsedCorpus, options: TreeTaskOptions, notes: Notes) -> Callable[[str], bool]:
    """Whether a target form is within the band, 100 to 5,000 occurrences in a corpus, which shrinks
    with the data unless `band=literal`; without one, sampling sees to that.
    """
    if not options.has_corpus_band:
        return lambda form: True
    counts = _frequencies(options) or _own(corpus, options)
    scale = 1.0 if options.band == "literal" else min(1.0, counts.total / _PAPERS_WORDS)
    low, high = max(1, round(_LITERAL[0] * scale)), max(20, round(_LITERAL[1] * scale))
    notes["frequencies"] = {"words": counts.total, "rarest": low, "commonest": high}
    return lambda form: low <= counts.count(form) <= high
