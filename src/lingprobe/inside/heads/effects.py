"""What a causal language model prefers when a head, an MLP or an attention gives something else:
its mean output (mean ablation), or what it gave in another sentence (activation patching).

A causal model predicts the words in which the sentences of a pair differ from the same states, so
patching a head with its output in the other sentence can only change what follows. Where the margin
lies there, it is patched so; elsewhere with the output at the same place of a pair of another
label, beside that of a pair of the same label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.frame import ProbeRun
from lingprobe.data.abilities import PredictiveEncoder
from lingprobe.data.core import Dataset, LayeredEncoder
from lingprobe.data.labels import Column
from lingprobe.data.vectors import Floats, Ints, Vectors, compute_offsets, expand_ranges
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.encoders.sites import ModelSite
from lingprobe.inside.erase.behaviour import (
    PAIR_MARGIN_MEASURE,
    Doubles,
    PairExamples,
    SentencePreferences,
)
from lingprobe.inside.erase.effects import copy_sentences
from lingprobe.inside.erase.interventions import NO_CHANGE, ChangeName
from lingprobe.inside.erase.target import ProbedModel

EFFECT_METRIC = "nats"
UNCHANGED_HEAD, ABLATED_HEAD, PATCHED_HEAD, HEAD_PATCHED_WITH_OWN = (
    "as-it-is",
    "ablated",
    "patched",
    "patched-own",
)
PatchSource = Literal["member", "label", ""]
"""The other sentence of a pair, a pair of another label, or nothing."""


@dataclass(frozen=True)
class MeanOutput:
    """Ablation: a head gives its mean output [dim] in the place of every state."""

    mean: Floats

    def __call__(self, x: Any) -> Any:
        import torch

        return torch.from_numpy(self.mean).to(x).expand_as(x)


@dataclass(frozen=True)
class TokenPatch:
    """Activation patching: a head gives its output of other sentences at some tokens of each
    sentence.

    states  [tokens, dim]
    places  [tokens] where each stands in its row
    starts  [sentences + 1] the tokens of each sentence
    """

    states: Floats
    places: Ints
    starts: Ints
    by_sentence: ClassVar[bool] = True

    def __call__(self, x: Any) -> Any:
        import torch

        from lingprobe.encoders.current_batch import current_batch

        sentences = current_batch(len(x)).sentences
        tokens, begins = expand_ranges(self.starts[sentences], self.starts[sentences + 1])
        rows = np.repeat(np.arange(len(x)), np.diff(begins))
        there = self.places[tokens] < x.shape[1]  # the rest was cut
        new = x.clone()
        states = torch.from_numpy(self.states[tokens[there]]).to(x)
        new[torch.from_numpy(rows[there]), torch.from_numpy(self.places[tokens[there]])] = states
        return new


class PatchPlan(NamedTuple):
    """Which tokens are patched, and with what.

    places  [tokens] where each stands in its row, behind a start token
    starts  [sentences + 1] the tokens of each sentence
    other   [tokens] the units whose states they get
    own     [tokens] the same of a comparison in which the label stays
    """

    source: PatchSource
    places: Ints
    starts: Ints
    other: Ints
    own: Ints


class PairTokens(NamedTuple):
    """The tokens in which the sentences of each pair differ.

    offsets  [sentences + 1] the units of each sentence
    first    [pairs] the first unit in which they differ, counted within the sentence
    shared   [pairs] how many units at their ends are the same
    """

    offsets: Ints
    first: Ints
    shared: Ints

    @classmethod
    def of(cls, forms: Vectors) -> PairTokens:
        """Of the forms of all tokens of sentences, the two of a pair behind each other."""
        assert forms.spans is not None
        offsets, x = forms.spans.sentences, np.asarray(forms.layers[0])
        first, shared = [], []
        for k in range(0, len(offsets) - 1, 2):
            one, other = (x[offsets[k + j] : offsets[k + j + 1]] for j in (0, 1))
            size = min(len(one), len(other))
            before = _count_equal(one[:size], other[:size])
            first.append(before)
            ends = (each[len(each) - (size - before) :][::-1] for each in (one, other))
            shared.append(_count_equal(*ends))
        return cls(offsets, np.array(first, np.int64), np.array(shared, np.int64))

    def margins(self, log_probabilities: Sequence[Doubles], better: Ints) -> tuple[float, float]:
        """The mean margin of the tokens up to the last in which pairs differ, and of those behind
        it, of the log-probabilities of the tokens of each sentence.
        """
        parts = []
        for k, (first, shared) in enumerate(
            zip(better.tolist(), self.shared.tolist(), strict=True)
        ):
            one, other = log_probabilities[2 * k + first], log_probabilities[2 * k + 1 - first]
            behind = one[len(one) - shared :].sum() - other[len(other) - shared :].sum()
            parts.append((one.sum() - other.sum() - behind, behind))
        at, behind = np.mean(parts, 0).tolist()
        return at, behind

    def patch_members(self) -> PatchPlan:
        """Patched is from the other sentence of the pair: each token from the first difference
        on.
        """
        places, own, other, sizes = [], [], [], []
        for sentence, (start, end) in enumerate(zip(self.offsets, self.offsets[1:], strict=False)):
            pair, partner = sentence // 2, sentence + 1 - 2 * (sentence % 2)
            begin, stop = self.offsets[partner], self.offsets[partner + 1]
            first, shared = int(self.first[pair]), int(self.shared[pair])
            middle = range(first, min(end - start, stop - begin) - shared)
            tail = range(shared, 0, -1)
            mine = [*(start + k for k in middle), *(end - k for k in tail)]
            own += mine
            other += [*(begin + k for k in middle), *(stop - k for k in tail)]
            places += [unit - start + 1 for unit in mine]
            sizes.append(len(mine))
        starts = compute_offsets(sizes)
        return PatchPlan("member", *map(_as_ints, (places, starts, other, own)))

    def patch_labels(self, better: Ints, codes: Ints, rng: np.random.Generator) -> PatchPlan:
        """Patched is the token before the predicted word, from a pair of another label, beside one
        of the same: the word where the sentences first differ.
        """
        able = np.flatnonzero(self.first > 0)  # before others there is nothing but the start
        units = self.offsets[2 * np.arange(len(codes)) + better] + self.first - 1
        places, other, own, sizes = [], [], [], [0] * (2 * len(codes))
        for pair in able.tolist():
            pools = [able[(codes[able] != codes[pair])]]
            pools.append(able[(codes[able] == codes[pair]) & (able != pair)])
            if not all(map(len, pools)):
                continue
            there, here = (units[rng.choice(pool)] for pool in pools)
            for side in (0, 1):
                sizes[2 * pair + side] = 1
                places.append(self.first[pair])
                other.append(there)
                own.append(here)
        starts = compute_offsets(sizes)
        return PatchPlan("label", *map(_as_ints, (places, starts, other, own)))


def _as_ints(values: Any) -> Ints:
    return np.asarray(values, np.int64)


def _count_equal(one: Floats, other: Floats) -> int:
    """How many rows at the beginning are the same."""
    differ = np.flatnonzero((one != other).any(1))
    return int(differ[0]) if len(differ) else len(one)


@dataclass(frozen=True)
class SiteEffects:
    """A model's preferences between pairs with each of some sites changed, one pass each.

    data    the pairs, each sentence of a pair by itself
    reads   by which preferences are read
    layers  the sites, as `layers=` has them
    """

    target: ProbedModel
    pairs: PairExamples
    data: Dataset
    reads: SentencePreferences
    layers: str = "head:*.*"

    @classmethod
    def of(
        cls, target: ProbedModel, pairs: PairExamples, reads: SentencePreferences
    ) -> SiteEffects:
        """Of a model's preferences between pairs, with its heads changed."""
        return cls(target, pairs, copy_sentences(pairs.data), reads)

    @property
    def sites(self) -> list[str]:
        """The names of all sites."""
        made = self.target.encoder(self.layers)
        assert isinstance(made, LayeredEncoder)
        return [slot.rpartition(".")[0] for slot in made.slots]

    def plan(self) -> PatchPlan:
        """How sites are patched."""
        model, data = self.target.model, self.data
        assert isinstance(model, PredictiveEncoder)
        tokens = PairTokens.of(self.target.encoder("lex").encode(data.sentences))
        now = model.predictions(data.sentences)
        order = np.argsort(now.sentence, kind="stable")
        sizes = np.bincount(now.sentence, minlength=len(data.sentences))
        said = np.split(now.said[order], np.cumsum(sizes)[:-1])
        if (sizes != np.diff(tokens.offsets)).any():  # the states are of other tokens
            return _NO_PATCH
        better = data.labels.matrix()
        at, behind = tokens.margins(said, better)
        if behind > at:
            return tokens.patch_members()
        if (self.pairs.codes < 0).any() or len(set(self.pairs.codes.tolist())) < 2:
            return _NO_PATCH
        return tokens.patch_labels(better, self.pairs.codes, np.random.default_rng(0))

    def measure(self, tell: Callable[[int], object]) -> tuple[PatchSource, dict[str, Margins]]:
        """By what sites are patched, and the margins of all pairs in nats by site and change."""
        plan, made = self.plan(), dict[str, Margins]()
        self.reads.keep(NO_CHANGE, False)
        blocks: dict[int, list[str]] = {}
        for site in self.sites:
            blocks.setdefault(ModelSite.parse(site).block, []).append(site)
        for sites in blocks.values():  # the states of one block are held at a time
            vectors = self.target.encoder("+".join(sites)).encode(self.data.sentences)
            for site in sites:
                made[site] = self._change(site, np.asarray(vectors.layer(site), np.float32), plan)
                tell(1)
        return plan.source, made

    def _change(self, site: str, states: Floats, plan: PatchPlan) -> Margins:
        changes: dict[str, MeanOutput | TokenPatch] = {ABLATED_HEAD: MeanOutput(states.mean(0))}
        if plan.source:
            for name, units in ((PATCHED_HEAD, plan.other), (HEAD_PATCHED_WITH_OWN, plan.own)):
                changes[name] = TokenPatch(states[units], plan.places, plan.starts)
        for name, edit in changes.items():
            with self.reads.encoder.replace_states({site: edit}):
                self.reads.keep(ChangeName(f"{name} {site}"), isinstance(edit, TokenPatch))
        said = next(item.said for item in self.reads.items if item.name == PAIR_MARGIN_MEASURE)
        kept = {name: said[ChangeName(f"{name} {site}")][0] for name in changes}
        return {UNCHANGED_HEAD: said[NO_CHANGE][0], **kept}


Margins = Mapping[str, Column]
"""The margins of pairs by what was done."""
_NO_PATCH = PatchPlan("", *(np.zeros(0, np.int64) for _ in range(4)))


def make_effect_runs(
    probes: Sequence[ProbeRun], margins: Mapping[str, Margins], pairs: Dataset
) -> Iterator[ProbeRun]:
    """The rows of a frame for the margins by site, beside the probes of these sites."""
    clusters = code_shared_groups(pairs)
    for layer, run in {run.keys["layer"]: run for run in probes}.items():  # once for all folds
        for change, values in margins.get(layer, {}).items():
            assert values.numbers is not None
            made = RunPredictions(pairs.labels, values, clusters)
            keys = {**run.keys, "fold": "", "metric": EFFECT_METRIC, "control": change}
            yield replace(
                run, keys=keys, values={"score": float(values.numbers.mean())}, predictions=made
            )
