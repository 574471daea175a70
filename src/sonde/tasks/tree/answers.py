"""From a parsed corpus to the candidates of each of the ten questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from sonde.corpora.frequencies import Frequencies, frequencies
from sonde.corpora.frequencies import corpus as files
from sonde.datasets import Candidate
from sonde.datasets.match import joint
from sonde.tasks.answers import Answer, tallied
from sonde.tasks.parsed import ParsedCorpus
from sonde.tasks.questions import Answers, Notes
from sonde.tasks.tree.altered import Altered, inversions, shifts
from sonde.tasks.tree.corpus import DEPTH, TAGS, Options
from sonde.tasks.tree.odd import Choice, band, lexicon, replacements
from sonde.tasks.ud.classes import CONNEAU, comparable, contents, outside, targets

Alteration = Callable[[ParsedCorpus, Options, Notes], list[Altered]]
"""Altered sentences, with the places that words had before."""

EQUAL = tuple((low, low + 3) for low in range(5, 29, 4))  # section 2: six equal-width bins
README = ((5, 8), (9, 12), (13, 16), (17, 20), (21, 25), (26, 28))
DEPTHS = range(5, 13)  # section 2
SEQUENCES, ENOUGH = 19, 100  # classes beside OTHER, and the sentences that each has at least
PUBLISHED = (
    "ADVP_NP_VP_. CC_ADVP_NP_VP_. CC_NP_VP_. IN_NP_VP_. NP_ADVP_VP_. NP_NP_VP_. NP_PP_. NP_VP_."
    " PP_NP_VP_. RB_NP_VP_. SBAR_NP_VP_. SBAR_VP_. S_CC_S_. S_NP_VP_. S_VP_. VBD_NP_VP_. VP_."
    " WHADVP_SQ_. WHNP_SQ_."
)
"""The README's classes; the two that its list lacks are labels of the published file."""
LITERAL = (100, 5000)  # occurrences of a target form (README)
# of the novels that the paper took its sentences from (Paperno et al. 2016, section 3)
PAPERS_WORDS = 203_000_000


def lengths(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Candidate]:
    """Sentences by the bin of their number of words."""
    bins = EQUAL if options.bins == "equal" else README
    named = {n: f"{low}-{high}" for low, high in bins for n in range(low, high + 1)}
    return [
        corpus.candidate(row, named[len(sentence.words)])
        for row, sentence in enumerate(corpus.sentences)
    ]


def words(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Candidate]:
    """Sentences by the one target word that they hold."""
    chosen = contents(corpus.sentences, corpus.forms, CONNEAU, _ranks(options))
    notes["word content"] = chosen.notes
    notes["left out"] = {"no target word, or several": len(corpus.sentences) - len(chosen.rows)}
    return [corpus.candidate(row, word) for row, word in chosen.rows]


def frequent(corpus: ParsedCorpus, options: Options) -> list[str]:
    """The words that are too frequent to be targets."""
    return targets(corpus.forms, CONNEAU, _ranks(options)).frequent


def _ranks(options: Options) -> Mapping[str, int] | None:
    """How frequent each word is in the corpora that are named; None where it is the sources that
    count.
    """
    corpus = _frequencies(options)
    return (
        None
        if corpus is None
        else {word: int(n) for word, n in zip(corpus.numbers, corpus.counts, strict=True)}
    )


def depths(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Candidate]:
    """Sentences by the depth of their trees: 5 to 12, or the widest run of these that can be told
    apart with length held equal.
    """
    counts = Counter(
        (d, len(s.words))
        for d, s in zip(corpus.answers[DEPTH], corpus.sentences, strict=True)
        if d in DEPTHS
    )
    run = DEPTHS if options.depths == "gaussian" else comparable(counts)
    labels = set(options.classes) or set(map(str, run))
    candidates = [
        corpus.candidate(row, str(depth))
        for row, depth in enumerate(corpus.answers[DEPTH])
        if str(depth) in labels
    ]
    notes["depths"] = dict(sorted(Counter(corpus.answers[DEPTH]).items()))
    notes["left out"] = {outside(run): len(corpus.answers[DEPTH]) - len(candidates)}
    return (
        _gaussian(candidates, options.seed, notes)
        if options.depths == "gaussian" and candidates
        else candidates
    )


def _gaussian(candidates: list[Candidate], seed: int, notes: Notes) -> list[Candidate]:
    """Those candidates whose depths and lengths follow a Gaussian over both (README)."""
    lengths, deep = (
        np.array(values, np.int64)
        for values in zip(
            *((len(c.sentence.words), int(str(c.label))) for c in candidates), strict=True
        )
    )
    rows = joint(lengths, deep, np.random.default_rng([seed, 29]))
    notes["left out"]["more than a Gaussian over lengths and depths has"] = len(candidates) - len(
        rows
    )
    return [candidates[row] for row in rows]


def sequences(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Candidate]:
    """Sentences by their top constituents: the most frequent sequences, and OTHER."""
    findings = corpus.answers["top-const"]
    counts, notes["left out"] = tallied(findings)
    if options.classes or options.inventory == "published":
        inventory = set(options.classes or PUBLISHED.split())
    else:
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SEQUENCES]
        inventory = {label for label, n in ranked if n >= ENOUGH}
    notes["classes"] = {label: n for label, n in counts.items() if label in inventory}
    notes["number of classes, with OTHER"] = len(inventory) + 1
    rows = [
        (row, str(finding.label)) for row, finding in enumerate(findings) if type(finding) is Answer
    ]
    return [corpus.candidate(row, label if label in inventory else "OTHER") for row, label in rows]


def ruled(name: str) -> Answers[Options]:
    """Candidates from what one rule says, whose target forms are neither too rare nor too
    common.
    """

    def answers(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Candidate]:
        findings = corpus.answers[name]
        notes["labels"], notes["left out"] = tallied(findings)
        band = _band(corpus, options, notes)
        every = corpus.candidates(findings)
        candidates = [candidate for candidate in every if band(candidate.target)]
        if len(candidates) < len(every):
            reason = "a target form outside the band of frequencies"
            notes["left out"][reason] = len(every) - len(candidates)
        return candidates

    return answers


def shifted(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Altered]:
    """Sentences as they were and with two words swapped."""
    sentences, out = shifts(
        (corpus.sentences, corpus.answers[TAGS], corpus.splits),
        options.seed,
        corpus.sources,
        options.literal,
    )
    return _noted("I", notes, sentences, out)


def replaced(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Altered]:
    """Sentences as they were and with a word replaced."""
    counts = _frequencies(options) or _own(corpus, options)
    among = not options.freq or not {
        path.resolve() for name in options.freq for path in files(name)
    }.isdisjoint(_paths(corpus))
    choice = Choice.of(counts, lexicon(corpus.sentences, corpus.answers[TAGS]), among)
    notes["frequencies"] = {
        "words": counts.total,
        "band": list(band(counts.total)),
        "forms": int((choice.tags >= 0).sum()),
    }
    sentences, out = replacements(
        (corpus.sentences, corpus.answers[TAGS], corpus.splits),
        choice,
        options.seed,
        corpus.sources,
    )
    return _noted("C", notes, sentences, out)


def inverted(corpus: ParsedCorpus, options: Options, notes: Notes) -> list[Altered]:
    """Sentences as they were and with their clauses inverted."""
    columns = list(
        zip(
            corpus.sentences,
            corpus.answers[TAGS],
            corpus.splits,
            corpus.answers["coord-inv"],
            strict=True,
        )
    )
    sentences, out = inversions(
        columns, _frequencies(options) or _own(corpus, options), options.seed, corpus.sources
    )
    return _noted("I", notes, sentences, out)


def _noted(label: str, notes: Notes, sentences: list[Altered], out: Counter[str]) -> list[Altered]:
    notes["altered"] = label
    notes["left out"] = {reason: n for reason, n in out.most_common() if n}
    return sentences


ALTERATIONS: Mapping[str, Alteration] = {
    "tree/bigram-shift": shifted,
    "tree/somo": replaced,
    "tree/coord-inv": inverted,
}
"""By task, how the sentences are altered."""


def altered(name: str) -> Answers[Options]:
    """Candidates of a task that alters sentences."""
    return lambda corpus, options, notes: [
        one.candidate for one in ALTERATIONS[name](corpus, options, notes)
    ]


def _frequencies(options: Options) -> Frequencies | None:
    """The frequencies of the corpora that are named, None where they are those of the sources."""
    return frequencies(options.freq, options.on_error) if options.freq else None


def _own(corpus: ParsedCorpus, options: Options) -> Frequencies:
    """The frequencies of the sources, sentences of any length."""
    return frequencies(corpus.files, options.on_error)


def _paths(corpus: ParsedCorpus) -> set[Path]:
    return {Path(file).resolve() for file in corpus.files}


def _band(corpus: ParsedCorpus, options: Options, notes: Notes) -> Callable[[str], bool]:
    """Whether a target form is neither too rare nor too common in a corpus; without one, sampling
    sees to that.
    """
    if not options.counted:
        return lambda form: True
    counts = _frequencies(options) or _own(corpus, options)
    scale = 1.0 if options.band == "literal" else min(1.0, counts.total / PAPERS_WORDS)
    low, high = max(1, round(LITERAL[0] * scale)), max(20, round(LITERAL[1] * scale))
    notes["frequencies"] = {"words": counts.total, "rarest": low, "commonest": high}
    return lambda form: low <= counts.count(form) <= high
