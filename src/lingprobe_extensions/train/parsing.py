"""Training a parser on treebanks: vectors of forms, a BiLSTM over them, and what tells annotation
from its states.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from lingprobe.extend import (
    Annotation,
    Floats,
    Ints,
    NetworkShape,
    ProblemTally,
    draw_network,
    expand_ranges,
    open_word_table,
    parse_brackets,
    score_annotations,
    score_phrases,
)
from lingprobe_extensions.train.data import FileReading
from lingprobe_extensions.train.loop import EncoderLearner, OptimizerSettings, TrainingStart
from lingprobe_extensions.train.nets.forms import FormEmbedding, FormNumbers, FormShape, draw_forms
from lingprobe_extensions.train.nets.parsing import (
    NO_ANNOTATION,
    PHRASE_PAIRS,
    PHRASE_WORDS,
    GoldAnnotations,
    HeadShape,
    ParsingHeads,
    draw_heads,
)
from lingprobe_extensions.train.objectives import EncodeFunction, Figures, SummedLoss
from lingprobe_extensions.train.options import TrainingSettings
from lingprobe_extensions.train.parsers.decoding import (
    DEPREL_COLUMN,
    FEATS_COLUMN,
    UPOS_COLUMN,
    XPOS_COLUMN,
    decode_annotations,
)
from lingprobe_extensions.train.parsers.treebank import AnnotatedSentence, read_annotated_sentences
from lingprobe_extensions.train.ranks import ProcessRank
from lingprobe_extensions.train.settings import TrainingRequest
from lingprobe_extensions.train.splits import choose_rows, draw_dev_rows, too_little
from lingprobe_extensions.train.texts import NumberedTexts, WordNumbers

_BATCH = 128  # sentences that are judged at once
_SCORE = "score"
"""The figure that the best epoch is told by: the mean of LAS and F1, or the one that is told."""


def start_parser(
    request: TrainingRequest, reading: FileReading, settings: TrainingSettings, out: Path
) -> TrainingStart:
    """Read the treebanks, and make a parser of what they tell; how they split text is learnt and
    written here.
    """
    examples, train, dev = _split_train_dev(request, reading, settings)
    lexicon = FormInventory.of(examples, train, settings)
    columns, forms = AnnotationColumns.of(examples, train), lexicon.module(settings)
    shape = NetworkShape("bilstm-max", forms.shape.width, settings.hidden, settings.layers)
    network = shape.network(settings.seed)
    network.body.cells.dropout = settings.dropout  # type: ignore[union-attr]
    lesson = ParsingLesson(
        lexicon.texts, examples, columns, _make_annotation_heads(columns, shape, settings)
    )
    schedule = _schedule(settings)
    ranks = ProcessRank.from_environment(schedule.place)
    learner = EncoderLearner(network, lesson, forms, schedule, ranks, whole=True)
    told = {
        "forms": forms.shape.plain(),
        "heads": lesson.head.shape.plain(),
        "lemmas": learn_auxiliary_lemmas([examples[i] for i in train.tolist()]),
    }
    facts = {
        "shape": shape.plain(),
        "parser": {**told, "letters": "".join(lexicon.letters), "names": columns.names},
        "trivial": lesson.trivial(train, dev),
        "parameters": sum(p.numel() for p in learner.weights().values()),
        "counts": {"train": len(train), "dev": len(dev), "forms": len(lexicon.forms)},
        "vocabulary": lexicon.words,
    }
    return TrainingStart(learner, facts, train, dev)


def _split_train_dev(
    request: TrainingRequest, how: FileReading, settings: TrainingSettings
) -> tuple[list[AnnotatedSentence], Ints, Ints]:
    """The sentences, and which are train and dev, none of whose is in train."""
    learnt = list(_read_learnable_sentences(request.files, how))
    kept = choose_rows(len(learnt), settings.most, settings.seed)
    examples = [learnt[i] for i in kept.tolist()] + list(
        _read_learnable_sentences(request.dev, how)
    )
    dev = np.arange(len(kept), len(examples))
    how.seen.keep(np.concatenate([kept, dev + len(learnt) - len(kept)]))
    if not request.dev:
        dev = draw_dev_rows(len(kept), settings.seed)
    train = _unlike(examples, np.setdiff1d(np.arange(len(kept)), dev), dev)
    how.counts["also in dev"] = len(examples) - len(dev) - len(train)
    if not (len(train) and len(dev)):
        raise too_little(request.files, len(train), len(dev), how.counts)
    return examples, train, dev


def _unlike(examples: Sequence[AnnotatedSentence], rows: Ints, dev: Ints) -> Ints:
    """Those of some rows whose words are not in dev, too."""
    judged = {examples[i].words for i in dev.tolist()}
    return np.array([i for i in rows.tolist() if examples[i].words not in judged], np.int64)


def _read_learnable_sentences(
    paths: Sequence[Path], how: FileReading
) -> Iterable[AnnotatedSentence]:
    """The sentences that may be learnt from."""
    tally = ProblemTally()
    for each in read_annotated_sentences(paths, how.on_error, tally):
        if how.usable(each.text, " ".join(each.words)) and how.fits(each.words):
            how.counts["read"] += 1
            yield each
    how.counts["trees without words, or malformed"] += tally.skipped


class FormInventory(NamedTuple):
    """The forms of sentences, and what is known of them.

    texts    the number of each word's form
    words    forms that have a vector of their own, and letters that have: the commonest of train
    counts   how often each form occurs in train [forms]
    static   vectors of forms [forms, dim]; no columns where there are none
    """

    texts: NumberedTexts
    forms: list[str]
    words: list[str]
    letters: list[str]
    counts: Ints
    static: Floats

    @classmethod
    def of(
        cls, examples: Sequence[AnnotatedSentence], train: Ints, settings: TrainingSettings
    ) -> FormInventory:
        """Of all sentences, of which some are train."""
        numbers = WordNumbers()
        texts = NumberedTexts.of([[numbers[word] for word in each.words] for each in examples])
        forms = list(numbers)
        counts = np.bincount(texts.take(train).ids, minlength=len(forms))
        often = dict(zip(forms, counts.tolist(), strict=True))
        letters = Counter[str]()
        for form, n in often.items():
            letters.update(dict.fromkeys(form, n))
        static = np.empty((len(forms), 0), np.float32)
        if settings.vectors is not None:
            table = open_word_table(settings.vectors, settings.dim, settings.seed)
            static, _ = table.look_up(forms)
        chosen = _common(often, settings), _common(letters, settings)
        return cls(texts, forms, *chosen, counts, static)

    def module(self, settings: TrainingSettings) -> FormEmbedding:
        """What makes vectors of the forms."""
        shape = FormShape(
            len(self.words),
            len(self.letters),
            settings.dim,
            filters=settings.letters,
            dilated=settings.dilated,
            static=self.static.shape[1],
            projected=settings.projected,
        )
        made = draw_network(
            lambda: FormEmbedding(shape, settings.dropout), draw_forms, settings.seed + 1
        )
        known = FormNumbers.of(self.forms, self.words, self.letters, self.static)
        return cast(FormEmbedding, made).know(known, torch.from_numpy(self.counts).float())


def _common(counts: Mapping[str, int], settings: TrainingSettings) -> list[str]:
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [name for name, n in order[: settings.vocabulary] if n >= settings.least]


def _make_annotation_heads(
    columns: AnnotationColumns, shape: NetworkShape, settings: TrainingSettings
) -> ParsingHeads:
    tags = {name: len(values) for name, values in columns.names.items() if name != DEPREL_COLUMN}
    labels = len(columns.names.get(DEPREL_COLUMN, ()))
    told = HeadShape(shape.pooled_dim, tags, labels, settings.arcs)
    made = draw_network(lambda: ParsingHeads(told, settings.dropout), draw_heads, settings.seed + 2)
    return cast(ParsingHeads, made)


def learn_auxiliary_lemmas(examples: Iterable[AnnotatedSentence]) -> dict[str, str]:
    """The lemma that each form of an auxiliary mostly has, in lower case: what tells constructions
    apart is in words of a closed class, which need no network.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for words, _, gold, *_ in examples:
        told = zip(words, gold.lemmas, gold.upos, strict=False)
        counts.update((word.lower(), lemma) for word, lemma, upos in told if upos == "AUX")
    return {form: lemma for (form, lemma), _ in reversed(counts.most_common())}


def _schedule(settings: TrainingSettings) -> OptimizerSettings:
    falls = settings.epochs if settings.falls else 0
    rate, kind = settings.rate or 0.002, settings.optimizer.replace("auto", "adam")
    how = settings.seed, settings.device, settings.precision, falls
    return OptimizerSettings(kind, rate, settings.clip, settings.batch, *how)


class AnnotationColumns(NamedTuple):
    """The annotation of sentences as numbers, one sentence behind the other; NONE where nothing is
    told, or a value that train does not have.

    names  the values of each kind, in the order of their numbers
    heads  of words, counted from 1; 0 at the root
    tags   by kind; of pairs, one fewer for each sentence
    """

    names: Mapping[str, list[str]]
    heads: Ints
    labels: Ints
    tags: Mapping[str, Ints]

    @classmethod
    def of(cls, examples: Sequence[AnnotatedSentence], train: Ints) -> AnnotationColumns:
        """Of all sentences, with the values that those of train have."""
        names, made = dict[str, list[str]](), dict[str, Ints]()
        for kind, column in _KINDS.items():
            rows = [column(each) for each in examples]
            counts = Counter(chain.from_iterable(rows[i] for i in train.tolist()))
            if not counts:
                continue
            names[kind] = sorted(counts, key=lambda name: (-counts[name], name))
            made[kind] = _number_values(examples, rows, names[kind], kind == PHRASE_PAIRS)
        labels = made.pop(DEPREL_COLUMN, np.empty(0, np.int64))
        return cls(names, _list_example_places(examples), labels, made)

    def gold(self, rows: Ints, starts: Ints) -> GoldAnnotations:
        """Of some sentences, whose words begin there."""
        words, _ = expand_ranges(starts[rows], starts[rows + 1])
        pairs, _ = expand_ranges(starts[rows] - rows, starts[rows + 1] - rows - 1)
        tags = {
            kind: torch.from_numpy(column[pairs if kind == PHRASE_PAIRS else words])
            for kind, column in self.tags.items()
        }
        labels = torch.from_numpy(self.labels[words] if len(self.labels) else self.labels)
        return GoldAnnotations(torch.from_numpy(self.heads[words]), labels, tags)


def _number_values(
    examples: Sequence[AnnotatedSentence],
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
    pairs: bool,
) -> Ints:
    """The number of each value of words, or of pairs of them; NONE where nothing is told."""
    number = {name: i for i, name in enumerate(names)}
    told = (row or [""] * (len(e.words) - pairs) for e, row in zip(examples, rows, strict=True))
    return np.array([number.get(value, NO_ANNOTATION) for row in told for value in row], np.int64)


_KINDS: Mapping[str, Callable[[AnnotatedSentence], Sequence[str]]] = {
    UPOS_COLUMN: lambda each: each.gold.upos,
    XPOS_COLUMN: lambda each: each.gold.xpos,
    FEATS_COLUMN: lambda each: each.gold.feats,
    DEPREL_COLUMN: lambda each: each.gold.deprels,
    PHRASE_WORDS: lambda each: each.phrases.words if each.phrases else (),
    PHRASE_PAIRS: lambda each: each.phrases.pairs if each.phrases else (),
}


def _list_example_places(examples: Sequence[AnnotatedSentence]) -> Ints:
    return np.array(
        [
            head + 1 if each.gold.heads else NO_ANNOTATION
            for each in examples
            for head in each.gold.heads or (NO_ANNOTATION,) * len(each.words)
        ],
        np.int64,
    )


@dataclass
class ParsingLesson:
    """Annotated sentences as numbers, and what tells their annotation from states of words."""

    words: NumberedTexts
    examples: Sequence[AnnotatedSentence]
    columns: AnnotationColumns
    head: ParsingHeads

    @property
    def lengths(self) -> Ints:
        """Words of each sentence."""
        return self.words.lengths

    def loss(
        self, rows: Ints, encode: EncodeFunction, draws: np.random.Generator | None = None
    ) -> SummedLoss:
        """Minus the logarithm of the probabilities of the annotation."""
        read = encode(self.words, rows)
        device = read.words.device
        heads, labels, tags = self.columns.gold(rows, self.words.starts)
        gold = GoldAnnotations(
            heads.to(device), labels.to(device), {k: v.to(device) for k, v in tags.items()}
        )
        total = self.head.loss(read.words, read.lengths, gold)
        return SummedLoss(total, int(read.lengths.sum()))

    def figures(self, rows: Ints, encode: EncodeFunction) -> Figures:
        """Agreement with gold, and precision, recall and F1 of phrases."""
        told: dict[int, Annotation] = {}
        order = rows[np.argsort(-self.lengths[rows], kind="stable")]
        for part in np.array_split(order, range(_BATCH, len(order), _BATCH)):
            read = encode(self.words, part)
            words = [self.examples[i].words for i in part.tolist()]
            made = decode_annotations(
                self.head, read.words, read.lengths, words, self.columns.names
            )
            told.update(zip(part.tolist(), made, strict=True))
        return score_parses([(told[i], self.examples[i].gold) for i in rows.tolist()])

    def trivial(self, train: Ints, dev: Ints) -> Figures:
        """Each word annotated as its form mostly is; its head as far away as that of a word with
        such a label mostly is.
        """
        known = _Usual.learnt([self.examples[i] for i in train.tolist()])
        judged = [self.examples[i] for i in dev.tolist()]
        pairs = [(known.annotation(each.words), each.gold) for each in judged]
        return {
            f"{name} of the commonest for the form": value
            for name, value in score_parses(pairs).items()
            if name in (UPOS_COLUMN, "UAS", "LAS")
        }

    def with_examples(self, examples: Any) -> ParsingLesson:
        """Other files are not judged."""
        raise NotImplementedError


class _Usual(NamedTuple):
    """What a form mostly is: its part of speech, how far away its head is, and by which label."""

    of: Mapping[str, tuple[str, int, str]]
    fallback: tuple[str, int, str]

    @classmethod
    def learnt(cls, examples: Iterable[AnnotatedSentence]) -> _Usual:
        """From gold annotation."""
        each: dict[str, Counter[tuple[str, int, str]]] = defaultdict(Counter)
        for words, _, gold, *_ in examples:
            for word, told in zip(words, _word_annotations(words, gold), strict=True):
                each[word][told] += 1
        rare = sum((n for n in each.values() if n.total() == 1), Counter[tuple[str, int, str]]())
        [(other, _)] = (rare or sum(each.values(), rare)).most_common(1)
        return cls({word: n.most_common(1)[0][0] for word, n in each.items()}, other)

    def annotation(self, words: Sequence[str]) -> Annotation:
        """Of a sentence; heads need not make a tree."""
        upos, far, labels = zip(*(self.of.get(word, self.fallback) for word in words), strict=True)
        heads = [i + n if n and 0 <= i + n < len(words) else -1 for i, n in enumerate(far)]
        return Annotation(upos, heads=tuple(heads), deprels=labels)


def _word_annotations(words: Sequence[str], gold: Annotation) -> Iterable[tuple[str, int, str]]:
    """Of each word its part of speech, how far away its head is, and by which label."""
    nothing = ("",) * len(words)
    far = [head - i if head >= 0 else 0 for i, head in enumerate(gold.heads)] or [0] * len(words)
    return zip(gold.upos or nothing, far, gold.deprels or nothing, strict=True)


def score_parses(pairs: Sequence[tuple[Annotation, Annotation]]) -> Figures:
    """What is told against gold: agreement of words, F1 of phrases, and `score`."""
    columns = [(mine, gold) for mine, gold in pairs if gold.heads or gold.upos]
    phrased = [(mine, gold) for mine, gold in pairs if gold.brackets and mine.brackets]
    found = dict(score_annotations(*zip(*columns, strict=True))) if columns else {}
    if phrased:
        mine, gold = (
            [parse_brackets(each[k].brackets, "", i) for i, each in enumerate(phrased)]
            for k in (0, 1)
        )
        found["F1"] = score_phrases(mine, gold)["F1"]
    both = [found[name] for name in ("LAS", "F1") if name in found]
    found[_SCORE] = float(np.mean(both)) if both else found.get(UPOS_COLUMN, 0.0)
    return found
