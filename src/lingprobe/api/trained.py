"""A trained probe: scores of texts and vectors, thresholds, tokens, and a folder to keep it in."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.api.probe_transfer import OwnTest, ProbeTransfer, measure_elsewhere
from lingprobe.corpora.text import split_words
from lingprobe.data.abilities import TextWriting, TokenReading
from lingprobe.data.core import DataProblem, Dataset, Encoder, LayeredEncoder, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import Readings, read_of
from lingprobe.data.references import (
    Reference,
    allow_code,
    shorten_reference,
    try_parse_reference,
)
from lingprobe.data.vectors import Floats, Vectors
from lingprobe.datasets.formats.conversations import arrange_turns, is_conversation, read_turns
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.experiment.attempt import EncoderRun
from lingprobe.experiment.embed import slots_of
from lingprobe.experiment.provenance import get_revision, list_layer_names
from lingprobe.metrics.intervals import interval
from lingprobe.metrics.thresholds import find_threshold
from lingprobe.pages.probe_card import write_card
from lingprobe.store.precision import kept_as
from lingprobe.store.probe_folder import ProbeFacts, StoredProbe, read_probe
from lingprobe.tasks import TASKS
from lingprobe.tasks.repeats import strip_fold

Doubles = NDArray[np.float64]
log = logging.getLogger("lingprobe.api")

_ENCODED_TEXTS = 256  # at one time
_SHADES = 3  # decimals of the strength of a colour
_AGAINST, _FOR = "214, 96, 77", "67, 147, 195"  # red and blue of a diverging map, as CSS has them
_NUMBERS = "fiu"  # kinds of arrays that are vectors
_MACHINE_OPTIONS = ("device", "dtype", "tokens", "layers", "batch_size")
"""Options of encoders that do not make another encoder of one."""


class ProbeThreshold(NamedTuple):
    """A threshold of a probe of two classes, set on dev so that at most a rate of negative examples
    lies above it, and what it did on test.

    margin       score of the positive class less that of the other, from which on one is flagged
    probability  the same as a probability
    positive     the class
    achieved     the share of negative test examples above it, with its 95 % interval
    recall       the share of positive test examples above it, with its 95 % interval
    negatives, positives  how many test examples these are of; dev_negatives: of dev
    """

    fpr: float
    margin: float
    probability: float
    positive: str
    achieved: float
    achieved_low: float
    achieved_high: float
    recall: float
    recall_low: float
    recall_high: float
    negatives: int
    positives: int
    dev_negatives: int

    def __str__(self) -> str:
        return (
            f"{self.positive!r} from a probability of {self.probability:.4g}: {self.recall:.1%} of"
            f" them found [{self.recall_low:.1%}, {self.recall_high:.1%}], with"
            f" {self.achieved:.2%} of the others [{self.achieved_low:.2%},"
            f" {self.achieved_high:.2%}] where {self.fpr:.2%} was asked for"
        )


@dataclass(frozen=True, repr=False)
class ProbeTrace:
    """The tokens of a text with the scores that the probe gives to each; a notebook shows them in
    colours.

    tokens   [tokens] as the model reads them
    scores   [tokens, classes] probabilities
    margins  [tokens] of two classes the score of the positive one less the other; of more that of
             the class predicted for the text less the mean of all
    counted  [tokens] whether pooling counts them
    labels   [classes] the classes
    shown    the class that colours are for
    """

    tokens: tuple[str, ...]
    scores: Doubles
    margins: Doubles
    counted: NDArray[np.bool_]
    labels: tuple[str, ...]
    shown: str

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[tuple[str, Doubles]]:
        return iter(zip(self.tokens, self.scores, strict=True))

    @property
    def html(self) -> str:
        """The text with coloured tokens: blue speaks for the class that is shown, red against it;
        tokens that pooling does not count are grey.
        """
        largest = float(np.abs(self.margins[self.counted]).max(initial=0.0)) or 1.0
        spans = []
        for token, margin, counts in zip(self.tokens, self.margins, self.counted, strict=True):
            strength = min(abs(margin) / largest, 1.0)
            colour = _FOR if margin > 0 else _AGAINST
            style = (
                f"background: rgba({colour}, {strength:.{_SHADES}f})" if counts else "opacity: 0.5"
            )
            title = f"{self.shown}: {margin:+.3f}"
            spans.append(f'<span style="{style}" title="{escape(title)}">{escape(token)}</span>')
        return f'<div style="white-space: pre-wrap">{"".join(spans)}</div>'

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        wide = max(map(len, map(repr, self.tokens)), default=0)
        return "\n".join(
            f"{token!r:{wide}}  {margin:+8.3f}{'' if counts else '  (not counted)'}"
            for token, margin, counts in zip(self.tokens, self.margins, self.counted, strict=True)
        )

    def __repr__(self) -> str:
        return f"ProbeTrace({len(self):,} tokens, {self.shown!r})"


class SplitMargins(NamedTuple):
    """How far examples [n] lie on the side of a class, and which are of it."""

    margins: Doubles
    is_positive: NDArray[np.bool_]


class ScoredTexts(NamedTuple):
    """Probabilities and logits [n, classes] of texts, NaN for those that have none, and why by
    number. Probabilities near 1 may be equal where logits are not. What the model wrote behind each
    text, where it writes.
    """

    scores: Doubles
    logits: Doubles
    reasons: Mapping[int, str]
    written: Sequence[str | None] = ()


@dataclass(frozen=True, repr=False, eq=False)
class TrainedProbe:
    """A linear probe that was trained and can be kept. Vectors are scored with numpy alone; texts
    need the encoder. For vectors it is a fitted classifier as scikit-learn has them.

    facts    what it was trained on, what it reads, how it scored
    arrays   weights [classes, dim], bias [classes], and what thresholds are made of [examples]
    encoder  what reads texts; None until it is needed, where a reference makes it
    """

    facts: ProbeFacts
    arrays: Mapping[str, NDArray[Any]]
    encoder: Encoder | None = field(default=None, compare=False)

    # ---- numbers

    @property
    def weights(self) -> Doubles:
        """[classes, dim], of vectors as the encoder gives them."""
        return np.asarray(self.arrays["weights"], np.float64)

    @property
    def bias(self) -> Doubles:
        """[classes]; scores are vectors @ weights.T + bias."""
        return np.asarray(self.arrays["bias"], np.float64)

    @property
    def direction(self) -> Doubles:
        """The direction [dim], of length 1, in which the score of the positive class of two grows,
        or a score that is predicted. UsageProblem where labels are several classes or sets.
        """
        if self.facts.kind == "scores":
            found = self.weights[0]
        elif self.facts.positive:
            place = self._positive
            found = self.weights[place] - self.weights[1 - place]
        else:
            raise UsageProblem(
                f"{len(self.labels)} labels have no one direction: each has a row of .weights"
            )
        return np.asarray(found / (np.linalg.norm(found) or 1.0))

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in the order of scores."""
        return self.facts.labels

    @property
    def layer(self) -> str:
        """What of the encoder is read."""
        return self.facts.layer

    @property
    def _positive(self) -> int:
        return self.labels.index(self.facts.positive)

    # ---- scores

    def score(self, inputs: Any) -> Doubles:
        """Calibrated probabilities [n, classes] of texts, or of vectors [n, dim]; of scores that
        are predicted the scores [n, 1].

        inputs  texts, conversations (lists of messages with a role and a content), or an array of
                vectors of the same encoder and layer
        DataProblem where vectors have another width or are not finite, and where a text cannot be
        encoded.
        """
        return self._probabilities(self._logits(inputs))

    def predict(self, inputs: Any) -> NDArray[Any]:
        """The labels [n] of texts or vectors: classes, sets of labels, or scores."""
        logits = self._logits(inputs)
        if self.facts.kind == "scores":
            return logits[:, 0]
        if self.facts.kind == "classes":
            return np.asarray(self.classes_[logits.argmax(1)])
        holds = logits >= self.arrays.get("cuts", np.zeros(len(self.bias)))
        found = np.empty(len(logits), object)
        found[:] = [frozenset(np.array(self.labels)[row].tolist()) for row in holds]
        return found

    def name_label(self, scores: Doubles) -> str:
        """The label that scores [classes] of one text predict, in words."""
        if self.facts.kind == "scores":
            return repr(float(scores[0]))
        if self.facts.kind == "classes":
            return self.labels[int(scores.argmax())]
        cuts = self._probabilities(self.arrays.get("cuts", np.zeros(len(self.bias))))
        return "; ".join(n for n, s, c in zip(self.labels, scores, cuts, strict=True) if s >= c)

    def score_texts(self, texts: Sequence[Any]) -> ScoredTexts:
        """The same probabilities of texts, of which those that cannot be encoded have none."""
        features, reasons = self._encode(texts)
        logits = self._score_vectors(features)
        logits[list(reasons)] = np.nan
        encoder = self._ready()
        written: Sequence[str | None] = ()
        if isinstance(encoder, TextWriting):
            written = encoder.find_written(_as_sentences(texts))
        return ScoredTexts(self._probabilities(logits), logits, reasons, written)

    def trace(self, text: Any) -> ProbeTrace:
        """The tokens of a text with their scores, as if each were the vector that the probe reads.
        Where vectors are means, the mean of the counted tokens' margins is that of the text.

        UsageProblem for an encoder that does not show its tokens.
        """
        encoder = self._ready()
        if not isinstance(encoder, TokenReading):
            raise UsageProblem(
                f"{shorten_reference(ENCODERS, self.facts.encoder.reference)} does not show states"
                " of single tokens: train the probe on hf:MODEL"
            )
        read = read_of(self.layer, list_layer_names(encoder))
        (sentence,) = _as_sentences([text])
        found = encoder.read_tokens(sentence, read.whole_layers)
        states = Vectors(tuple(found.states.values()), tuple(found.states))
        logits = self._score_vectors(np.concatenate([*map(states.layer, read.layers)], 1))
        shown = (
            self._positive if self.facts.positive else int(logits[found.counted].mean(0).argmax())
        )
        other = logits[:, 1 - shown] if self.facts.positive else logits.mean(1)
        margins = logits[:, shown] - other if logits.shape[1] > 1 else logits[:, 0]
        scores = self._probabilities(logits)
        return ProbeTrace(
            found.pieces, scores, margins, found.counted, self.labels, self.labels[shown]
        )

    def threshold(self, fpr: float = 0.01, positive: str | None = None) -> ProbeThreshold:
        """The threshold that lets at most this share of negative examples pass, from scores of dev
        that the probe has not seen; with the share that passed on test, and its interval.

        fpr       the rate of false positives, between 0 and 1
        positive  the class that is looked for (default: the rarer of the two)
        UsageProblem where labels are not two classes, and where dev has too few negative examples
        for so low a rate.
        """
        if not 0 < fpr < 1:
            raise UsageProblem(f"fpr={fpr}: a rate of false positives is between 0 and 1")
        if not self.facts.positive:
            raise UsageProblem("a threshold is of two classes, and this probe has others")
        name = self.facts.positive if positive is None else positive
        if name not in self.labels:
            raise UsageProblem(f"positive={name!r}: the classes are {', '.join(self.labels)}")
        dev, test = (self._take_side(split, name) for split in ("dev", "test"))
        negatives = dev.margins[~dev.is_positive]
        margin = find_threshold(negatives, fpr)
        if margin is None:
            least = math.ceil(1 / fpr) - 1
            raise UsageProblem(
                f"fpr={fpr:g} needs {least:,} negative examples in dev, and there are"
                f" {len(negatives):,}: ask for {1 / (len(negatives) + 1):.2g} or more, or give more"
                " data"
            )
        is_above = test.margins > margin
        achieved = self._share(is_above, ~test.is_positive)
        recall = self._share(is_above, test.is_positive)
        counts = int((~test.is_positive).sum()), int(test.is_positive.sum()), len(negatives)
        probability = float(_compute_shares(np.float64(margin)))
        return ProbeThreshold(float(fpr), margin, probability, name, *achieved, *recall, *counts)

    def _take_side(self, split: str, positive: str) -> SplitMargins:
        """The margins of dev or test on the side of a class."""
        margins = self.arrays[f"{split}_margins"]
        is_positive = self.arrays[f"{split}_positive"] > 0
        if positive == self.facts.positive:
            return SplitMargins(margins, is_positive)
        return SplitMargins(-margins, ~is_positive)

    def evaluate(self, data: Any, fpr: float = 0.01) -> ProbeTransfer:
        """Whether the probe holds on other data: its score on all their examples beside that on its
        own test, AUROC, recall at the threshold of its own dev, prevalence, and the difference,
        with intervals over what was sampled together. Printing it begins with where it holds least.

        data  one data set or several, as tasks of `evaluate`: {"forum": frame, "mail": "mail.csv"}
        fpr   the rate of false positives that the threshold is set for
        DataProblem for labels that the probe does not know; UsageProblem for data that are not
        whole texts.

            print(probe.evaluate({"forum": frame}))
        """
        margin = math.nan
        if self.facts.positive:
            negatives = self.arrays["dev_margins"][self.arrays["dev_positive"] == 0]
            found = find_threshold(negatives, fpr)
            margin = math.nan if found is None else found
        margins = self.arrays.get("test_margins", np.zeros(0))
        own = OwnTest(
            self.arrays.get("test_positive", np.zeros(0)) > 0,
            np.asarray(margins, np.float64),
            self.arrays.get("test_clusters", np.zeros((0, len(margins)), np.int64)),
        )
        return measure_elsewhere(self, own, data, (fpr, margin))

    def _share(
        self, flags: NDArray[np.bool_], among: NDArray[np.bool_]
    ) -> tuple[float, float, float]:
        """The share of flags among some test examples, and its interval over what was sampled
        together.
        """
        if not among.any():
            return math.nan, math.nan, math.nan
        some = flags[among].astype(np.float64)
        shared = self.arrays.get("test_clusters", np.zeros((0, len(flags)), np.int64))
        clusters = {str(k): codes[among] for k, codes in enumerate(shared)}
        return (float(some.mean()), *interval(some[None], clusters=clusters))

    def _logits(self, inputs: Any) -> Doubles:
        """Scores [n, outputs] of texts or vectors."""
        if isinstance(inputs, str):
            raise UsageProblem(f"{inputs[:40]!r} is one text: give a list, [text]")
        if is_conversation(inputs):
            raise UsageProblem("this is one conversation: give a list, [conversation]")
        if _are_vectors(inputs):
            return self._score_vectors(np.asarray(inputs))
        features, reasons = self._encode(list(inputs))
        if reasons:
            first = min(reasons)
            raise DataProblem(
                f"{len(reasons):,} of {len(features):,} texts cannot be scored, the first of them"
                f" number {first}: {reasons[first]}"
            )
        return self._score_vectors(features)

    def _score_vectors(self, vectors: NDArray[Any]) -> Doubles:
        width = self.weights.shape[1]
        if vectors.ndim != 2 or vectors.shape[1] != width:
            raise DataProblem(
                f"vectors of shape {list(vectors.shape)}, and the probe reads [n, {width}] of"
                f" {_describe_source(self.facts)}"
            )
        features = vectors.astype(np.float64)
        if not np.isfinite(features).all():
            bad = int((~np.isfinite(features).all(1)).sum())
            raise DataProblem(
                f"{bad:,} of {len(features):,} vectors have numbers that are not finite"
            )
        return np.asarray(features @ self.weights.T + self.bias)

    def _probabilities(self, logits: Doubles) -> Doubles:
        if self.facts.kind == "scores":
            return logits
        if self.facts.kind == "sets":
            return _compute_shares(logits)
        shares = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(shares / shares.sum(1, keepdims=True))

    # ---- texts

    def _ready(self) -> Encoder:
        """The encoder, made of its reference where there is none yet."""
        about = self.facts.encoder
        if not self.facts.task.of_texts:
            raise UsageProblem(
                "this probe was trained on words, spans or pairs, so it scores vectors, not texts"
            )
        if self.encoder is None:
            if about.is_object:
                raise UsageProblem(
                    f"{about.reference} was a loaded model: give it again, as"
                    " lingprobe.load_probe(FOLDER, model=model)"
                )
            made = make_encoder(about.reference)
            check_probe_encoder(self.facts, made, about.reference)
            object.__setattr__(self, "encoder", made)
        assert self.encoder is not None
        return self.encoder

    def _encode(self, texts: Sequence[Any]) -> tuple[Floats, dict[int, str]]:
        """Features [n, dim] of texts, zeros for those that cannot be encoded, and why."""
        sentences = _as_sentences(texts)
        encoder = _narrow(self._ready(), self.layer)
        work = EncoderRun(
            encoder, slots_of(encoder), kept_as("float32"), lambda: sentences[:_ENCODED_TEXTS]
        )
        features = np.zeros((len(sentences), self.weights.shape[1]), np.float32)
        reasons, cut = dict[int, str](), 0
        for start in range(0, len(sentences), _ENCODED_TEXTS):
            block = sentences[start : start + _ENCODED_TEXTS]
            done = work.encode(block)
            reasons |= {start + row: why for row, why in done.failed.items()}
            for refused in done.refused.values():
                rows = done.rows[list(refused)] if done.vectors and not done.vectors.spans else ()
                reasons |= {start + int(row): "a value that is not finite" for row in rows}
            if done.vectors is not None:
                known = [block[row] for row in done.rows.tolist()]
                features[start + done.rows] = self._read(known, done.vectors)
                cut += 0 if done.vectors.cut is None else int(done.vectors.cut.sum())
        if cut:
            log.warning("%s of %s texts are longer than the model reads, and cut", cut, len(texts))
        return features, reasons

    def _read(self, sentences: Sequence[Sentence], vectors: Vectors) -> Floats:
        """What the probe reads of sentences."""
        rows = np.arange(len(sentences))
        dataset = Dataset.of_columns(sentences, rows, [""] * len(rows), [0] * len(rows))
        return Readings(dataset, vectors, self.facts.encoder.view).features(self.layer)

    # ---- keeping

    def save(self, folder: str | Path) -> Path:
        """Write the probe to a folder, with a card in README.md; returns the folder.

        DataProblem where the folder has other files.
        """
        root = Path(folder).expanduser().absolute()
        stored = StoredProbe(self.facts, self.arrays)
        stored.check_free(root)
        stored.write(root, self.card)
        return root

    @property
    def card(self) -> str:
        """What it is, how it scored, and where it fails, as Markdown."""
        thresholds = []
        for rate in (0.01, 0.05) if self.facts.positive else ():
            try:
                thresholds.append(self.threshold(rate))
            except UsageProblem:
                continue
        return write_card(self.facts, list(map(str, thresholds)))

    # ---- scikit-learn

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes [classes], as scikit-learn calls them."""
        return np.array(self.labels)

    @property
    def n_features_in_(self) -> int:
        """The width of vectors, as scikit-learn calls it."""
        return int(self.weights.shape[1])

    def fit(self, X: Any, y: Any = None) -> TrainedProbe:  # noqa: N803
        """The probe itself: it is trained already, wherever scikit-learn fits it again."""
        return self

    def predict_proba(self, X: Any) -> Doubles:  # noqa: N803
        """Probabilities [n, classes] of vectors [n, dim]; UsageProblem for scores."""
        if self.facts.kind == "scores":
            raise UsageProblem("a probe of scores has no probabilities: use predict")
        return self.score(X)

    def decision_function(self, X: Any) -> Doubles:  # noqa: N803
        """Log odds of vectors: [n] for the second of two classes, else [n, classes]."""
        logits = self._logits(X)
        is_pair = self.facts.kind == "classes" and len(self.labels) == 2
        return logits[:, 1] - logits[:, 0] if is_pair else logits

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Nothing that scikit-learn may set."""
        return {}

    def __sklearn_clone__(self) -> TrainedProbe:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        target = TargetTags(required=False)
        if self.facts.kind == "scores":
            return Tags("regressor", target, regressor_tags=RegressorTags())
        return Tags("classifier", target, classifier_tags=ClassifierTags())

    def __repr__(self) -> str:
        about = self.facts
        task = shorten_reference(TASKS, strip_fold(about.task.reference))
        encoder = shorten_reference(ENCODERS, about.encoder.reference)
        layer = "" if self.layer == "-" else f" layer {self.layer},"
        return f"TrainedProbe({task!r}, {encoder!r},{layer} {about.metric} {about.score.score:.1f})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.card)}</pre>"


def load_probe(folder: str | Path, model: Any = None, *, trust: bool = False) -> TrainedProbe:
    """A probe that `TrainedProbe.save` or `lingprobe probe keep` wrote. Nothing in the folder is
    run, and the encoder is loaded when the first text is scored.

    folder  where it lies
    model   the encoder, where it was a loaded model, or lies elsewhere now
    trust   whether code in files (`mine.py@thing`) that the folder names may run
    DataProblem where files are damaged, and where the model or its layers are not those that the
    probe was trained on.

        probe = lingprobe.load_probe("harmful/")
        print(probe.score(["How do I bake bread?"]))
    """
    found = read_probe(Path(folder).expanduser().absolute())
    if trust:
        allow_code(found.facts.encoder.reference)
    probe = TrainedProbe(found.facts, found.arrays)
    if model is None:
        return probe
    allow_code(model)
    if isinstance(model, str | Reference):
        model = _complete_reference(found.facts, str(model))
    made = make_encoder(model)
    given = model if isinstance(model, str) else made.name
    check_probe_encoder(found.facts, made, given)
    return replace(probe, encoder=made)


def _complete_reference(facts: ProbeFacts, reference: str) -> str:
    """A reference with the options of the probe's own encoder that it does not set itself."""
    given, own = try_parse_reference(reference), try_parse_reference(facts.encoder.reference)
    if given is None or own is None or given.name != own.name or facts.encoder.is_object:
        return reference
    if given.name not in ENCODERS.places():
        return reference
    return str(given.plus(**dict(own.options)))


def _describe_source(facts: ProbeFacts) -> str:
    """The encoder that a probe was trained on, and the layer where it has several."""
    encoder = shorten_reference(ENCODERS, facts.encoder.reference)
    return encoder if facts.layer == "-" else f"layer {facts.layer} of {encoder}"


def check_probe_encoder(facts: ProbeFacts, encoder: Encoder, name: str) -> None:
    """Refuse other weights: an encoder whose vectors are not those that a probe was trained on.
    DataProblem.
    """
    about = facts.encoder
    trained = f"this probe was trained on {_describe_source(facts)}"
    shown = shorten_reference(ENCODERS, name)
    if not about.is_object and _name_apart(about.reference) != _name_apart(name):
        raise DataProblem(f"{trained}, and {shown} reads texts otherwise")
    if about.revision and (now := get_revision(encoder)) != about.revision:
        raise DataProblem(
            f"{trained}, of revision {about.revision[:40]}, and {shown} has revision {now[:40]}:"
            " other weights need another probe"
        )
    names = list_layer_names(encoder)
    try:
        read_of(facts.layer, names)
    except ValueError as problem:
        raise DataProblem(f"{trained}, and {shown} gives {', '.join(names)}") from problem


def _name_apart(reference: str) -> str:
    """A reference without its argument and the options that do not make another encoder of it."""
    parsed = try_parse_reference(reference)
    if parsed is None or parsed.name not in ENCODERS.places():
        return reference
    whole = Reference.parse(ENCODERS.canonical(parsed))
    return str(Reference(whole.name, None, whole.without(*_MACHINE_OPTIONS).options))


def _narrow(encoder: Encoder, layer: str) -> Encoder:
    """An encoder that gives the layers of a read alone."""
    if not isinstance(encoder, LayeredEncoder):
        return encoder
    wanted = read_of(layer, list_layer_names(encoder)).whole_layers
    slots = zip(encoder.slots, list_layer_names(encoder), strict=True)
    return encoder.asking(tuple(slot for slot, name in slots if name in wanted))


def _compute_shares(odds: Any) -> Doubles:
    """Probabilities from log odds, without overflow, and small ones exactly."""
    return np.asarray(np.exp(-np.logaddexp(0, -odds)))


@runtime_checkable
class ArrayHolder(Protocol):
    """An array, a tensor or a frame, which numpy reads."""

    def __array__(self) -> NDArray[Any]: ...


def _are_vectors(inputs: Any) -> bool:
    """Whether inputs are an array of numbers, or rows of numbers."""
    if isinstance(inputs, ArrayHolder):
        return np.asarray(inputs).dtype.kind in _NUMBERS
    rows = isinstance(inputs, list | tuple) and bool(inputs) and not isinstance(inputs[0], str)
    return rows and np.asarray(inputs[0]).dtype.kind in _NUMBERS


def _as_sentences(texts: Sequence[Any]) -> list[Sentence]:
    """Texts and conversations as encoders take them. UsageProblem for what is neither."""
    found = []
    for number, given in enumerate(texts):
        # as lists of turns come out of Parquet
        text = list(given) if isinstance(given, tuple | np.ndarray) else given
        if isinstance(text, Sentence):
            found.append(text)
        elif is_conversation(turns := arrange_turns(text)):
            known = read_turns(turns)
            lines = "\n".join(turn.content for turn in known)
            found.append(Sentence.of(split_words(lines), lines, known))
        elif isinstance(text, str) and text.strip():
            found.append(Sentence.of(split_words(text), text))
        else:
            shown = "is empty" if isinstance(text, str) else f"is {text!r:.40}"
            raise UsageProblem(
                f"text {number} {shown}: give texts, conversations (lists of turns with a role and"
                " a content), or vectors [n, dim]"
            )
    return found
