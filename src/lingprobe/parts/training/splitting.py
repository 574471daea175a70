"""Learning how a treebank splits its text into sentences, tokens and words."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lingprobe.corpora.files import digest
from lingprobe.encoders.facts import MODEL, facts_of
from lingprobe.parts.training.nets.splitting import (
    LETTERS,
    REACH,
    SENTENCE,
    TOKEN,
    Lost,
    Numbers,
    SplitterNet,
    SplitterShape,
    numbers_of,
)
from lingprobe.parts.training.parsers.expansions import Expansions
from lingprobe.parts.training.parsers.layout import Paragraph, Token
from lingprobe.parts.training.parsers.splits import segmentation
from lingprobe.parts.training.parsers.splitter import ABOUT, SPLITTER, Learnt
from lingprobe.parts.training.weights import save

WINDOW, BATCH = 256, 4  # characters of a part of the text, and parts of a batch
PASSES = 3, 25  # over a large text, and over a small one at most
STEPS = 1000, 3000  # at least, where the text is not so small, and at most
MOST = 1 << 22  # characters that are learnt from
RATE, WARM = 0.004, 50  # the highest rate, and the steps until it is reached
LEAST = 2  # times that a letter must occur
UNTOLD = -1


class Stream(NamedTuple):
    """Texts behind each other with REACH of nothing between them: the numbers of characters
    [2, length], and what is told of each [length, 3], UNTOLD where nothing is.
    """

    numbers: Numbers
    told: Numbers


def learnt_in(
    out: Path, train: Iterable[Paragraph], dev: Iterable[Paragraph], seed: int
) -> dict[str, Any] | None:
    """What a parser's folder says of how text is split, which is learnt and written there, if it is
    not there yet; None where nothing can be learnt.
    """
    file = out / SPLITTER
    known = facts_of(out).get(ABOUT) if (out / MODEL).is_file() else None
    if known is not None and file.is_file() and digest([file]) == known["digest"]:
        return dict(known)
    learnt = learn(train, seed)
    if learnt is None:
        return None
    figures = score_splitter(learnt, list(dev))
    text = json.dumps(learnt.facts(), ensure_ascii=False)
    save(learnt.net.state_dict(), file, {ABOUT: text})
    return {"digest": digest([file]), "dev": figures}


def learn(train: Iterable[Paragraph], seed: int) -> Learnt | None:
    """What paragraphs of a treebank show; None where they show nothing, as none of their tokens
    stands beside another without a space.
    """
    paragraphs = list(_some(train))
    if not any(map(_close, paragraphs)):
        return None
    counts = Counter(letter.lower() for each in paragraphs for letter in each.text)
    known = sorted(letter for letter, n in counts.items() if n >= LEAST and len(letter) == 1)
    letters = {letter: i for i, letter in enumerate(known, LETTERS)}
    net = SplitterShape(len(letters)).network(seed)
    _fit(net, _stream(paragraphs, letters), seed)
    tokens = [(form, token) for each in paragraphs for form, token in _forms(each)]
    spaced = any(" " in form for form, _ in tokens)
    expansions = Expansions.learnt((form, token.words) for form, token in tokens)
    return Learnt(net.eval(), letters, spaced, expansions)


def _fit(net: SplitterNet, stream: Stream, seed: int) -> None:
    """Let a net learn a text."""
    many = stream.numbers.shape[1] - 2 * REACH
    steps = _steps(many / (WINDOW * BATCH))
    net.train()
    optimizer = torch.optim.Adam(net.parameters(), RATE, fused=True)
    lost = Lost(torch.Generator().manual_seed(seed))
    for step, starts in zip(range(steps), _batches(many, seed), strict=False):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / WARM, 1) * (1 - step / steps)
        numbers, told = _windows(stream, starts)
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(_loss(net(numbers, lost), told))
        optimizer.step()


def _steps(once: float) -> int:
    """How many steps are taken, where those of a pass are so many."""
    few, most = (passes * once for passes in PASSES)
    return math.ceil(min(max(few, min(most, STEPS[0])), STEPS[1]))


def _some(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The first paragraphs, of MOST characters."""
    many = 0
    for each in paragraphs:
        yield each
        many += len(each.text)
        if many >= MOST:
            return


def _close(paragraph: Paragraph) -> bool:
    """Whether a token stands beside another without a space."""
    return any(paragraph.text[t.stop : t.stop + 1].strip() for t in paragraph.tokens)


def _forms(paragraph: Paragraph) -> Iterator[tuple[str, Token]]:
    start = 0
    for token in paragraph.tokens:
        yield paragraph.text[start : token.stop].strip(" "), token
        start = token.stop


def _stream(paragraphs: Sequence[Paragraph], letters: Mapping[str, int]) -> Stream:
    numbers, told = list[Numbers](), list[Numbers]()
    for text, tokens in paragraphs:
        numbers.append(numbers_of(text, letters)[:, : len(text) + REACH])
        labels = np.full((len(text), 3), UNTOLD, np.int64)
        labels[:, TOKEN] = 0
        for token in tokens:
            labels[token.stop - 1] = 1, len(token.words) > 1, token.last
        labels[-1, SENTENCE] = UNTOLD  # a text ends there anyhow
        told += [np.full((REACH, 3), UNTOLD, np.int64), labels]
    nothing = np.zeros((2, REACH), np.int64), np.full((REACH, 3), UNTOLD, np.int64)
    return Stream(np.hstack([*numbers, nothing[0]]), np.vstack([*told, nothing[1]]))


def _batches(many: int, seed: int) -> Iterator[Numbers]:
    """Where the parts of each batch begin, in an order and from a first place that are drawn anew
    for each pass.
    """
    draws, waiting = np.random.default_rng(seed), np.empty(0, np.int64)
    while True:
        while len(waiting) < BATCH:
            first = draws.integers(min(WINDOW, many))
            waiting = np.append(waiting, draws.permutation(np.arange(first, many, WINDOW)))
        yield waiting[:BATCH]
        waiting = waiting[BATCH:]


def _windows(stream: Stream, starts: Numbers) -> tuple[Tensor, Tensor]:
    """The numbers of some parts of a text with what stands around them, and what is told."""
    places = starts[:, None] + np.arange(WINDOW + 2 * REACH)
    beyond = places >= len(stream.told)
    places[beyond] = 0  # where nothing stands
    inner = places[:, REACH : REACH + WINDOW]
    return torch.from_numpy(stream.numbers[:, places]), torch.from_numpy(stream.told[inner])


def _loss(logits: Tensor, told: Tensor) -> Tensor:
    """Minus the logarithm of the probability of what is told, for each character."""
    there = told != UNTOLD
    total = functional.binary_cross_entropy_with_logits(
        logits[there], told[there].float(), reduction="sum"
    )
    return total / max(int(there[..., TOKEN].sum()), 1)


def score_splitter(learnt: Learnt, paragraphs: Sequence[Paragraph]) -> dict[str, float]:
    """F1 of tokens, sentences and words on other paragraphs, in percent."""
    said = [Paragraph(each.text, tuple(learnt.tokens(each.text))) for each in paragraphs]
    return segmentation(said, paragraphs)
