"""Groups of trials, measured: examples, their vectors, one joint fit, a result for each cell."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.abilities import ModelSelectingProbe, PromptEncoder
from lingprobe.data.core import (
    DATA_SPLITS,
    Cell,
    Dataset,
    Encoder,
    FitJob,
    LexicalEncoder,
    Predictor,
    PreparedEncoder,
    Probe,
    Result,
    Sentence,
    Trial,
    choice_of,
    needs_of,
)
from lingprobe.data.digests import digest_texts
from lingprobe.data.labels import Column
from lingprobe.data.latest import LruCache
from lingprobe.data.narrowing import NarrowName, narrow_part
from lingprobe.data.notes import (
    DatasetNotes,
    ExampleCounts,
    ProbeChoice,
    ResultProvenance,
    ThresholdNote,
)
from lingprobe.data.oracles import (
    OracleEncoder,
    about_words,
    facts_of,
    find_opposed,
    get_encoder_role,
)
from lingprobe.data.reading import EncoderWithView, Readings
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints, Vectors
from lingprobe.datasets.controls import UnchangedLabels
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.experiment.data import load_dataset
from lingprobe.experiment.embed import embed_sentences, load_vectors
from lingprobe.experiment.folds import first_fold
from lingprobe.experiment.groups import TrialGroup
from lingprobe.experiment.provenance import (
    collect_constant_tokens,
    computation_facts,
    describe_oracle,
    get_checkpoint,
    get_revision,
    git_commit,
    list_versions,
)
from lingprobe.experiment.readable import find_readable, may_probe
from lingprobe.experiment.settings import SettingsRequest, fit_wanted, keeps_settings
from lingprobe.experiment.site_digests import digest_sites
from lingprobe.metrics import METRICS, choose_constants, floor, interval_of
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.thresholds import count_at_thresholds
from lingprobe.store.vectors import VectorStore

_MAX_LISTED_PROBLEMS = 5
_MAX_KEPT_PROBES = 256


class EncodedDataset(NamedTuple):
    """What an encoder makes of the sentences of a data set.

    usable    which of them have vectors, [sentences]
    problems  why others have none
    words     how many words they have, and how many of these the encoder does not know; {} where it
              cannot tell
    """

    vectors: Vectors
    usable: NDArray[np.bool_]
    problems: list[str]
    words: dict[str, int]


@dataclass(frozen=True)
class PreparedGroup:
    """A group with all that it is fitted and scored on.

    rows  which examples of the task's data set they are
    own   of a control that keeps the probe, the job of the task itself
    """

    group: TrialGroup
    encoded: EncodedDataset
    readings: Readings
    counts: ExampleCounts
    notes: DatasetNotes
    rows: Ints
    job: FitJob
    own: FitJob | None = None

    @property
    def to_fit(self) -> SettingsRequest:
        """What is to be fitted."""
        first, known = self.group.trials[0], self.group.ingredients
        subject = first.task, first.encoder, first.probe, known.task, known.encoder, known.probe
        return SettingsRequest(self.job, subject, self.own)

    @property
    def size(self) -> int:
        """Bytes of its vectors."""
        return sum(layer.nbytes for layer in self.readings.vectors.layers)

    def informs(self, group: TrialGroup, dataset: Dataset) -> bool:
        """Whether what is encoded is that of another group as well, whose data set this is."""
        same = self.group.encoder is group.encoder and self.group.task is group.task
        return same and self.readings.dataset.sentences is dataset.sentences


def prepare_group(
    group: TrialGroup,
    whole: Dataset,
    store: VectorStore,
    scores: bool = False,
    before: PreparedGroup | None = None,
) -> PreparedGroup:
    """The examples of a group beside their vectors, which the store is given where it lacks them.

    With `scores`, each fit is asked for the state that is best on dev by loss, too. `before` is
    what was made ready last, whose vectors are used again where they are the same.
    """
    dataset = group.control(whole)
    if before is not None and before.informs(group, dataset):
        encoded = before.encoded
    else:
        encoded = _encode(group, dataset, store)
    readings, counts, rows = _readings(group, dataset, encoded)
    train, dev, test = (readings.split(name) for name in ("train", "dev", "test"))
    needed = {"train": needs_of(group.probe).train, "test": True}
    for name, part in (("train", train), ("test", test)):
        if needed[name] and not len(part):
            raise ValueError(f"no {name} examples are left to read ({_describe_lost(counts)})")
    unseen = _unseen(train.labels, test.labels)
    counts = replace(counts, train=len(train), dev=len(dev), test=len(test), unseen=unseen)
    cells = tuple(Cell(trial.read, trial.seed) for trial in group.trials)
    likeliest = tuple(cell._replace(by="loss") for cell in cells if scores and test.labels.link)
    job = FitJob(train, dev, (*cells, *likeliest), group.probe)
    notes = whole.notes.plus(**readings.dataset.notes)
    made = PreparedGroup(group, encoded, readings, counts, notes, rows, job)
    made = replace(made, job=job._replace(probe=_probe_with_choice(made, store)))
    if not keeps_settings(group.probe, group.control):
        return made
    if before is not None and before.informs(group, dataset):
        # which cells are asked for is said anew, where one is fitted
        known = before.job if isinstance(before.group.control, UnchangedLabels) else before.own
        if known is not None:
            return replace(made, own=known)
    own = prepare_group(replace(group, control=UnchangedLabels()), whole, store, scores, made)
    return replace(made, own=own.job)


_PROBES_WITH_CHOICE: LruCache[Probe] = LruCache(_MAX_KEPT_PROBES)
"""Probes that chose lately, by what they chose for."""


def _probe_with_choice(part: PreparedGroup, store: VectorStore) -> Probe:
    """A probe keeps what it chooses once for a task and an encoder, by the first fold of the task
    itself: the probe of a group, with that.
    """
    group = part.group
    if not isinstance(group.probe, ModelSelectingProbe):
        return group.probe
    if (probe := _PROBES_WITH_CHOICE.find(_name_choice(group))) is not None:
        return probe
    first = replace(first_fold(group), control=UnchangedLabels())
    if first.task is group.task and isinstance(group.control, UnchangedLabels):
        probe = group.probe.with_choice(part.job.train, part.job.dev, _reads(group))
    elif (probe := _PROBES_WITH_CHOICE.find(_name_choice(first))) is None:
        dataset = load_dataset(first.task, first.ingredients.task)
        probe = prepare_group(first, dataset, store, before=part).job.probe
    assert probe is not None
    _PROBES_WITH_CHOICE.keep(_name_choice(group), probe)
    return probe


def _name_choice(group: TrialGroup) -> tuple[str, ...]:
    """What a probe's choice depends on."""
    known = group.ingredients
    made_of = str(known.task), str(known.encoder), str(known.probe), group.vectors
    return (*made_of, *sorted({*map(narrow_part, _reads(group))}))


def _width_of(read: str, widths: Mapping[str, int], widest: int) -> int:
    """Numbers of what a trial reads."""
    if part := NarrowName.parse(read):
        return min(part.width, widths.get(part.layer, widest))
    return widths.get(read, widest)


def _reads(group: TrialGroup) -> list[str]:
    """What trials of a group read."""
    return list(dict.fromkeys(trial.read for trial in group.trials))


def fit_groups(parts: Sequence[PreparedGroup]) -> list[list[Result]]:
    """Fit and score groups that share a probe, in one pass where it takes several."""
    start = time.perf_counter()
    predictors = fit_wanted(parts[0].group.probe, [part.to_fit for part in parts])
    seconds = round((time.perf_counter() - start) / len(parts), 3)
    # a model's files are looked at once
    encoders = {id(part.group.encoder): part.group.encoder for part in parts}
    revisions = {key: get_revision(encoder) for key, encoder in encoders.items()}
    found = []
    for part, fits in zip(parts, predictors, strict=True):
        made_with = make_provenance(part.group, part.counts, part.notes)
        made_with = replace(
            made_with, fit_seconds=seconds, revision=revisions[id(part.group.encoder)]
        )
        found.append(_results(part, fits, made_with))
    return found


def _results(
    part: PreparedGroup, predictors: Sequence[Predictor], made_with: ResultProvenance
) -> list[Result]:
    """The results of a group's trials, with what their states of the lowest loss say of test where
    these were asked for.
    """
    group, train, test = part.group, part.job.train.labels, part.readings.split("test")
    metric = group.task.metric
    answers = choose_constants(train, metric)
    shared = replace(
        made_with,
        constants={kind: list(labels) for kind, labels in answers.items()},
        tested=digest_sites(test.dataset),
    )
    fits, rest = predictors[: len(group.trials)], predictors[len(group.trials) :]
    rows = part.rows[part.readings.dataset.rows("test")]
    logits = [_logits(predictor, train, test, rows) for predictor in rest] or [None] * len(fits)
    vectors = part.readings.vectors
    widths = dict(zip(vectors.names, (layer.shape[1] for layer in vectors.layers), strict=True))
    widest = max(widths.values())
    return [
        _result(
            trial,
            predictor,
            test,
            (metric, replace(shared, width=_width_of(trial.read, widths, widest)), scores),
        )
        for trial, predictor, scores in zip(group.trials, fits, logits, strict=True)
    ]


def _logits(predictor: Predictor, train: Column, test: Readings, rows: Ints) -> ProbeLogits | None:
    """What a predictor says of the test examples, which are these rows of the data set; None where
    that is no probabilities.
    """
    said = predictor.predict(test)
    return None if said.link is None else ProbeLogits.of(said.scores, said.link, train, rows)


def _describe_lost(counts: ExampleCounts) -> str:
    """What became of examples that cannot be read."""
    why = f" ({counts.problems[0]})" if counts.unusable and counts.problems else ""
    return (
        f"{counts.unusable} could not be encoded{why}, {counts.beyond} are about words truncated at"
        f" the encoder's maximum length, {counts.unaligned} about words without a vector"
    )


def _unseen(train: Column, test: Column) -> int:
    """Test examples whose class is not in train, which are always wrong."""
    if train.classes is None or test.classes is None:
        return 0
    return int((~np.isin(test.classes, train.classes)).sum())


def _result(
    trial: Trial,
    predictor: Predictor,
    test: Readings,
    rest: tuple[str, ResultProvenance, ProbeLogits | None],
) -> Result:
    metric, shared, scores = rest
    said = predictor.predict(test)
    decoded = predicted = said.decoded
    if scores is not None and find_metric(metric).reads_scores:
        predicted = ScoredLabels.of(decoded, test.labels.names, scores)
    score = METRICS.make(metric)(test.labels, predicted)
    clusters = code_shared_groups(test.dataset)
    low, high = interval_of(metric, test.labels, [predicted], clusters)
    majority = floor(shared.constants or {}, test.labels, predicted, metric)
    choice = ProbeChoice(choice_of(predictor))
    if thresholds := choice.part(ThresholdNote):
        choice = choice.plus(count_at_thresholds(test.labels, said.scores, said.names, thresholds))
    made_with = replace(shared, choice=choice)
    alone = {key: tags.without_unused() for key, tags in test.dataset.strata.items()}
    # one's own tag is no stratum
    strata = {key: tags for key, tags in alone.items() if 2 * len(tags.names) <= len(test)}
    return Result(
        trial,
        metric,
        score,
        low,
        high,
        majority,
        test.labels,
        decoded,
        made_with,
        strata,
        clusters,
        scores,
    )


def _readings(
    group: TrialGroup, dataset: Dataset, encoded: EncodedDataset
) -> tuple[Readings, ExampleCounts, Ints]:
    """Examples beside their vectors, without those that could not be encoded or aligned; what was
    counted; and which they are.
    """
    vectors = encoded.vectors
    may = may_probe(group.encoder, dataset.sentences)[dataset.sites[:, :, 0]].all(1)
    usable = np.flatnonzero(encoded.usable[dataset.sites[:, :, 0]].all(1) & may)
    part = find_readable(dataset.sites[usable], vectors)
    rows = usable[part.whole]
    left = dataset.take(rows) if len(rows) < len(dataset) else dataset
    gone = int(part.lost.sum())
    lost = (
        f"{gone:,} examples are about words with a value that is not finite, or outside the range"
        " of the stored precision"
    )
    counts = ExampleCounts(
        unusable=int(may.sum()) - len(usable) + gone,
        held=int((~may).sum()),
        **part.counts(),
        cut=0 if vectors.cut is None else int(vectors.cut.sum()),
        problems=[*([lost] if gone else []), *_count_problems(encoded.problems)],
        **encoded.words,
        left_out={
            fate: _by_label(dataset.take(usable[flags]))
            for fate, flags in (("beyond", part.beyond), ("unaligned", part.unaligned))
            if flags.any()
        },
    )
    view = group.encoder.own_view if isinstance(group.encoder, EncoderWithView) else group.task.view
    return Readings(left, vectors, view), counts, rows


def _count_problems(problems: Sequence[str]) -> list[str]:
    """The commonest reasons why sentences, or conversations, could not be read or encoded, each
    with its number.
    """
    counted = Counter(problems).most_common(_MAX_LISTED_PROBLEMS)
    return [f"{many:,} as {why}" for why, many in counted]


def _encode(group: TrialGroup, dataset: Dataset, store: VectorStore) -> EncodedDataset:
    """What the encoder makes of a data set's sentences.

    Vectors of an oracle are made anew: it is quicker than to keep them, and they hold for this data
    set alone, and for its controls.
    """
    sentences, words = dataset.sentences, _count_words(group.encoder, dataset)
    if isinstance(group.encoder, OracleEncoder):
        oracle = group.encoder.with_facts(
            facts_of(group.task, group.encoder.oracle, dataset), about_words(dataset)
        )
        return EncodedDataset(oracle.encode(sentences), np.ones(len(sentences), bool), [], words)
    encoder, key = _prepare_encoder(group, sentences)
    # the run tried the rest
    done = embed_sentences(
        encoder, sentences, store, key, retry=isinstance(group.encoder, PreparedEncoder)
    )
    known = load_vectors(encoder, sentences, store, key, done.usable)
    return EncodedDataset(known, done.usable, [why for _, why in done.problems], words)


def _count_words(encoder: Encoder, dataset: Dataset) -> dict[str, int]:
    """How many words the sentences have, and how many of them the encoder does not know, in all and
    in test; {} where it cannot tell.
    """
    if not isinstance(encoder, LexicalEncoder):
        return {}
    every = Counter(chain.from_iterable(sentence.words for sentence in dataset.sentences))
    unknown_words = encoder.unknown(tuple(every))
    if unknown_words is None:
        return {}
    unknown = {word for word, is_new in zip(every, unknown_words.tolist(), strict=True) if is_new}
    rows = np.unique(dataset.sites[dataset.rows("test")][..., 0])
    tested = Counter(chain.from_iterable(dataset.sentences[k].words for k in rows.tolist()))
    return {
        "words": every.total(),
        "unknown": sum(every[word] for word in unknown),
        "test_words": tested.total(),
        "test_unknown": sum(tested[word] for word in unknown),
    }


def _by_label(lost: Dataset) -> dict[str, dict[str, int]]:
    """How many examples there are of each split and class, or of each split where labels are no
    classes.
    """
    by_split: dict[str, dict[str, int]] = {}
    for split in DATA_SPLITS:
        labels = lost.labels.take(lost.rows(split))
        counts = Counter(labels.class_names())
        by_split[split] = {name: counts[name] for name in (*labels.names, "") if counts[name]}
    return {split: counts for split, counts in by_split.items() if counts}


def _prepare_encoder(group: TrialGroup, sentences: Sequence[Sentence]) -> tuple[Encoder, str]:
    """The encoder made ready for these sentences, and the key of its vectors."""
    if isinstance(group.encoder, PreparedEncoder):
        return group.encoder.prepare(sentences), digest_texts(
            group.vectors, str(group.ingredients.task)
        )
    return group.encoder, group.vectors


def make_provenance(
    group: TrialGroup, counts: ExampleCounts, notes: DatasetNotes
) -> ResultProvenance:
    """Everything that the group's numbers were made with, but for the encoder's revision."""
    return ResultProvenance(
        kind=get_encoder_role(group.encoder),
        oracle=describe_oracle(group.encoder, group.task),
        opposes=find_opposed(group.encoder, group.task),
        own_baselines=group.own_baselines,
        identities={kind: str(known) for kind, known in group.ingredients._asdict().items()},
        computed=computation_facts(group.encoder, group.probe),
        read_as=group.encoder.reads if isinstance(group.encoder, PromptEncoder) else "",
        constant_tokens=collect_constant_tokens(group.encoder, {t.read for t in group.trials}),
        versions=list_versions(),
        commit=git_commit(Path.cwd()),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        seeds=sorted({t.seed for t in group.trials}),
        is_seeded=needs_of(group.probe).seeds,
        counts=counts,
        notes=notes,
        checkpoint=get_checkpoint(group.encoder),
    )
