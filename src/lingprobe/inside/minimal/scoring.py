"""Log-probabilities of sentences under a causal or a masked language model. Imports torch.

A causal model predicts each token from those before it. Sentences that begin alike are one row that
branches: what they share is computed once, and a mask keeps the branches apart. A masked model
predicts each piece with it and the later pieces of its word masked (Kauf & Ivanova 2023). The
matrix of the vocabulary is only applied where something is predicted.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.encoders.alone import Batching, choose_batching, get_tolerance
from lingprobe.encoders.batches import group_rows, pad_rows
from lingprobe.encoders.current_batch import BatchRows, mark_batch
from lingprobe.encoders.hub import ModelSource, explain_unloadable
from lingprobe.encoders.loading import load_tokenizer, load_transformer
from lingprobe.encoders.model_files import in_precision, set_precision
from lingprobe.encoders.network import LoadedModel
from lingprobe.nets.device import check_device

_ROW = 96  # tokens of a row that branches, so that attention stays cheap
_ALIKE = 4  # sentences branch where they share at least a quarter
_TRIAL = 24  # tokens on which a model is tried

Doubles = NDArray[np.float64]
Inputs = dict[str, Tensor]
Triple = tuple[int, int, int]
Places = tuple[Tensor, Tensor]
"""Rows of a batch, and tokens in them."""


class TokenTree(NamedTuple):
    """What the model reads at once: tokens, and for each the token before it in its sentence; None
    where that is the one to its left.
    """

    ids: list[int]
    parents: list[int] | None = None


class ReadingPlan(NamedTuple):
    """What is read and predicted.

    items   [items, 3] row, place in it, and the token whose probability is read there
    uses    [uses, 3] sentence, item, and the token's place in the sentence: a sentence's
            log-probability is the sum over its items
    owners  [rows] the first sentence of each row
    words   of each sentence the tokens first:last of its words; None where nobody asks
    """

    rows: list[TokenTree]
    items: Ints
    uses: Ints
    owners: Ints
    words: Sequence[Ints] | None = None

    def batch(self, rows: Ints) -> BatchRows:
        """Some of its rows as a batch."""
        owners = self.owners[rows]
        words = None if self.words is None else [self.words[k] for k in owners.tolist()]
        return BatchRows(owners, words)


def plan_causal(sentences: Sequence[Sequence[int]], branching: bool) -> ReadingPlan:
    """Each token after those before it, from a start token on, whose log-probabilities are
    summed.
    """
    rows, owners = list[TokenTree](), list[int]()
    items, uses = list[Triple](), list[Triple]()
    for group in (
        _group_by_beginning(sentences) if branching else ([i] for i in range(len(sentences)))
    ):
        ids, parents, known = list[int](), list[int](), dict[tuple[int, int], int]()
        number: dict[int, int] = {}
        for sentence in group:
            at = -1
            for nth, token in enumerate(sentences[sentence]):
                if (place := known.get((at, token))) is None:
                    place = known[at, token] = len(ids)
                    ids.append(token)
                    parents.append(at)
                    if at >= 0:
                        number[place] = len(items)
                        items.append((len(rows), at, token))
                if at >= 0:
                    uses.append((sentence, number[place], nth))
                at = place
        chain = parents == list(range(-1, len(parents) - 1))
        rows.append(TokenTree(ids, None if chain else parents))
        owners.append(group[0])
    return _plan(rows, items, uses, owners)


def _group_by_beginning(sentences: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Numbers of sentences that are put into one row: neighbours in alphabetical order that share
    enough of their beginnings.
    """
    group, size, before = list[int](), 0, tuple[int, ...]()
    for number in sorted(range(len(sentences)), key=lambda i: tuple(sentences[i])):
        ids = tuple(sentences[number])
        shared = next(
            (k for k, (a, b) in enumerate(zip(before, ids, strict=False)) if a != b),
            min(len(before), len(ids)),
        )
        if group and (_ALIKE * shared < len(ids) or size + len(ids) - shared > _ROW):
            yield group
            group, size, shared = [], 0, 0
        group.append(number)
        size, before = size + len(ids) - shared, ids
    if group:
        yield group


def plan_masked(
    sentences: Sequence[Sequence[int]],
    words: Sequence[Sequence[int | None]],
    mask: int,
    apart: bool = False,
) -> ReadingPlan:
    """Each piece of a word is predicted with it and the later pieces of its word masked
    (pseudo-log-likelihood); pieces without a word, such as [CLS], are not predicted.

    Sentences that are equal but for a word give the same row where that word is masked, unless they
    are to stay `apart`.
    """
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    numbers: dict[Triple, int] = {}
    uses, owners = list[Triple](), dict[int, int]()
    for sentence, (ids, of) in enumerate(zip(sentences, words, strict=True)):
        for place, word in enumerate(of):
            if word is None:
                continue
            masked = tuple(
                mask if k >= place and of[k] == word else token for k, token in enumerate(ids)
            )
            row = known.setdefault((sentence if apart else 0, masked), len(known))
            owners.setdefault(row, sentence)
            item = (row, place, ids[place])
            uses.append((sentence, numbers.setdefault(item, len(numbers)), place))
    return _plan(
        [TokenTree(list(ids)) for _, ids in known], list(numbers), uses, list(owners.values())
    )


def _plan(
    rows: list[TokenTree], items: list[Triple], uses: list[Triple], owners: list[int]
) -> ReadingPlan:
    """The same in columns, items in the order of their rows."""
    table = np.array(items, np.int64).reshape(-1, 3)
    order = np.argsort(table[:, 0], kind="stable")
    used = np.array(uses, np.int64).reshape(-1, 3)
    used[:, 1] = np.argsort(order)[used[:, 1]]
    return ReadingPlan(rows, table[order], used, np.array(owners, np.int64))


class _Selection(threading.local):
    """The places that a thread asks for; None: all."""

    places: Any = None


class LogitSelector:
    """Makes a model apply its matrix of the vocabulary at some places alone: a hook on the module,
    one selection a thread.
    """

    def __init__(self, module: nn.Module) -> None:
        self._local = _Selection()
        module.register_forward_pre_hook(self._select)

    def _select(self, module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        places = self._local.places
        return arguments if places is None else (arguments[0][places][None], *arguments[1:])

    def logits(self, model: Any, inputs: Inputs, places: Places) -> Tensor:
        """Logits [places, vocabulary]."""
        self._local.places = places
        try:
            logits: Tensor = model(**inputs).logits
        finally:
            self._local.places = None
        return logits[0]


def every_place(model: Any, inputs: Inputs, places: Places) -> Tensor:
    """The same of a model that must apply its vocabulary everywhere."""
    logits: Tensor = model(**inputs).logits
    return logits[places]


@dataclass(frozen=True)
class LanguageModelScorer:
    """A language model that is ready to be run.

    filling    what rows are filled up with
    logits     reads logits at some places
    how        which rows may be in one batch
    branching  whether rows that branch give what sentences alone give
    """

    model: Any
    device: str
    dtype: str
    filling: int
    logits: Callable[[Any, Inputs, Places], Tensor] = every_place
    how: Batching = "padded"
    branching: bool = False

    def log_probabilities(self, plan: ReadingPlan, sentences: int, tokens: int) -> Doubles:
        """The log-probability of each sentence [sentences]; `tokens` go into one batch."""
        used = self.predictions(plan, tokens)[0]
        return np.bincount(plan.uses[:, 0], used, sentences).astype(np.float64)

    def predictions(self, plan: ReadingPlan, tokens: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """The log-probability of each use [uses], and whether its token is the likeliest there."""
        said, likeliest = np.zeros(len(plan.items)), np.zeros(len(plan.items), bool)
        lengths = np.array([len(row.ids) for row in plan.rows], np.int64)
        ends = np.searchsorted(plan.items[:, 0], np.arange(len(lengths) + 1))
        lengths[ends[1:] == ends[:-1]] = 0  # nothing is predicted there
        branches = np.array([row.parents is not None for row in plan.rows], bool)
        for kind in (False, True):
            for part in group_rows(np.where(branches == kind, lengths, 0), tokens, self.how):
                mine, begins = expand_ranges(ends[part], ends[part + 1])
                items = plan.items[mine]
                items[:, 0] = np.repeat(np.arange(len(part)), np.diff(begins))
                with mark_batch(plan.batch(part)):
                    found = self.read([plan.rows[row] for row in part], items)
                said[mine], likeliest[mine] = found
        return said[plan.uses[:, 1]], likeliest[plan.uses[:, 1]]

    def read(self, rows: Sequence[TokenTree], items: Ints) -> tuple[Doubles, NDArray[np.bool_]]:
        """The log-probability of each item of a batch of rows, and whether it is the highest."""
        places, which = np.unique(items[:, :2], axis=0, return_inverse=True)
        at = torch.from_numpy(places).to(self.device)
        wanted = torch.from_numpy(np.stack([which.ravel(), items[:, 2]])).to(self.device)
        with torch.inference_mode(), set_precision(self.device, self.dtype):
            logits = self.logits(self.model, self.inputs(rows), (at[:, 0], at[:, 1])).float()
            chosen = logits[wanted[0], wanted[1]]
            # in place, as a copy of the logits takes as long as a sum over them
            highest = logits.amax(1)
            best = chosen == highest[wanted[0]]
            total = logits.sub_(highest[:, None]).exp_().sum(1).log_().add_(highest)
            said = (chosen - total[wanted[0]]).double().cpu().numpy()
            return np.asarray(said), best.cpu().numpy()

    def inputs(self, rows: Sequence[TokenTree]) -> Inputs:
        """What the model is given, on its device."""
        ids = pad_rows([row.ids for row in rows], self.filling)
        fields: dict[str, NDArray[Any]]
        if rows[0].parents is None:
            fields = {"attention_mask": pad_rows([[1] * len(row.ids) for row in rows], 0)}
        else:
            seen, depth = _ancestors(rows, ids.shape[1])
            barred = np.where(seen, 0, np.finfo(np.float32).min).astype(np.float32)
            fields = {"attention_mask": barred[:, None], "position_ids": depth}
        return {
            name: torch.from_numpy(value).to(self.device)
            for name, value in {"input_ids": ids, **fields}.items()
        }


def _ancestors(rows: Sequence[TokenTree], longest: int) -> tuple[NDArray[np.bool_], Ints]:
    """Which tokens each token may see [rows, longest, longest], those of its own sentence up to
    itself, and how many stand before it [rows, longest].
    """
    seen = np.zeros((len(rows), longest, longest), bool)
    for table, row in zip(seen, rows, strict=True):
        for token, parent in enumerate(row.parents or ()):
            if parent >= 0:
                table[token] = table[parent]
            table[token, token] = True
    seen[:, range(longest), range(longest)] = True  # what fills up sees itself
    return seen, seen.sum(2) - 1


@functools.lru_cache(maxsize=2)
def load_scorer(
    source: ModelSource, device: str, dtype: str, masked: bool, drawn: int | None = None
) -> tuple[LanguageModelScorer, Any]:
    """A model that was tried on a few tokens, and its tokeniser. EncoderStop where it does not run,
    or predicts no tokens.

    drawn  the seed of weights that are drawn; None for those of the model
    """
    check_device(device)
    tokenizer = load_tokenizer(source)
    try:
        model = in_precision(_model(source, masked, drawn), dtype).to(device).eval()
        return prepare_scorer(
            LanguageModelScorer(model, device, dtype, _filling(tokenizer)), source.name
        ), tokenizer
    except DataProblem:
        raise
    except Exception as error:  # of every library that reads a part of a model
        raise EncoderStop(explain_unloadable(source.name, "transformers", error)) from error


@functools.lru_cache(maxsize=2)
def network_within(scorer: LanguageModelScorer, tokenizer: Any) -> LoadedModel:
    """Its model below the matrix of the vocabulary."""
    return LoadedModel(scorer.model.base_model, tokenizer, scorer.device, scorer.dtype)


def _filling(tokenizer: Any) -> int:
    """A token that the model knows."""
    known = (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id)
    return int(next((token for token in known if token is not None), 0))


def _model(source: ModelSource, masked: bool, drawn: int | None) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM

    kind = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    config = AutoConfig.from_pretrained(source.name, **source.arguments)
    config.use_cache = False
    if drawn is not None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(drawn)
            return kind.from_config(config, **source.trust.arguments)
    model, missing = load_transformer(kind, source, config=config)
    if lacking := sorted(missing):
        raise EncoderStop(
            f"{source.name} has no weights that predict tokens ({lacking[0]} is missing): name a"
            f" model that was saved as a {'masked' if masked else 'causal'} language model"
        )
    return model


def prepare_scorer(scorer: LanguageModelScorer, name: str) -> LanguageModelScorer:
    """The same model, of which it is known where it can apply its vocabulary, which rows may be in
    one batch, and whether rows may branch.
    """
    limit = get_tolerance(scorer.model, scorer.dtype)
    trial = [token % scorer.model.config.vocab_size for token in range(_TRIAL)]

    def run(rows: Sequence[Sequence[int]]) -> list[Sequence[Tensor]]:
        inputs = scorer.inputs([TokenTree(list(row)) for row in rows])
        with torch.inference_mode(), set_precision(scorer.device, scorer.dtype):
            logits = scorer.model(**inputs).logits
        return [[logits[i, : len(row)]] for i, row in enumerate(rows)]

    scorer = replace(scorer, how=choose_batching(name, run, trial, limit))
    half = _TRIAL // 2
    sentences = [trial[: half + 4], [*trial[:half], *trial[half + 4 :]]]
    plain = plan_causal(sentences, branching=False)
    said = scorer.log_probabilities(plain, 2, _TRIAL)
    head = scorer.model.get_output_embeddings()
    if isinstance(head, nn.Module):
        narrow = replace(scorer, logits=LogitSelector(head).logits)
        scorer = narrow if _agrees(narrow, plain, said, limit) else scorer
    together = scorer.how == "padded" and _agrees(scorer, plan_causal(sentences, True), said, limit)
    return replace(scorer, branching=together)


def _agrees(scorer: LanguageModelScorer, plan: ReadingPlan, said: Doubles, limit: float) -> bool:
    """Whether a way to read sentences gives what was said of them."""
    try:
        other = scorer.log_probabilities(plan, len(said), _TRIAL)
    except Exception:  # whatever models raise that are not made for such input
        return False
    return bool(np.allclose(other, said, rtol=limit, atol=0))
