"""The loop of training: batches and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lingprobe.nets.trainable import _ARCHITECTURES, NetworkShape
from lingprobe_extensions.train import loop
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.data import TrainingExample
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.loop import EncoderLearner, OptimizerSettings, group_by_length
from lingprobe_extensions.train.nets.heads import WordEmbedding
from lingprobe_extensions.train.objectives import LessonKit
from lingprobe_extensions.train.ranks import ProcessRank

WORDS = "the a dog cat sees hears barks often".split()


def learner(objective: str, architecture: str, attention: bool = False) -> EncoderLearner:
    texts = {"infer": 0, "skip": 2}.get(objective, 1)
    draws = np.random.default_rng(0)

    def text() -> tuple[str, ...]:
        return tuple(draws.choice(WORDS, draws.integers(1, 9)).tolist())

    examples = [
        TrainingExample(
            text(), (" ".join(text()),) * texts, text() if objective == "infer" else (), label
        )
        for label in ("yes", "no") * 8
    ]
    shape = NetworkShape(architecture, 6, 5, 2)
    chosen, (read, _) = OBJECTIVES.make(objective), TrainingExamples.of(examples)
    lesson = chosen.lesson(chosen, read, LessonKit(shape, 270, 7, 0, attention))
    table = draws.normal(size=(len(read.forms), 6)).astype(np.float32)
    words = WordEmbedding(torch.from_numpy(table))
    return EncoderLearner(shape.network(), lesson, words, OptimizerSettings("adam", 0.01, 0.0, 64))


def gradients(one: EncoderLearner, parts: list[np.ndarray]) -> list[torch.Tensor]:
    """Those of the loss over some batches, added up."""
    one.optimizer.zero_grad()
    for rows in parts:
        torch.autograd.backward(one.lesson.loss(rows, one.encode).total)
    return [parameter.grad.clone() for parameter in one.parameters]


@pytest.mark.parametrize("objective", ["next", "skip", "infer", "next with attention"])
@pytest.mark.parametrize("architecture", [a for a in _ARCHITECTURES if a != "mean"])
def test_a_batch_learns_what_its_sentences_teach_one_by_one(objective, architecture):
    one = learner(objective.split()[0], architecture, "attention" in objective)
    rows = np.arange(16)
    together = gradients(one, [rows])
    alone = gradients(one, [np.array([i]) for i in rows])
    turned = gradients(one, [rows[::-1].copy()])
    for whole, parts, others in zip(together, alone, turned, strict=True):
        torch.testing.assert_close(whole, parts, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(whole, others, rtol=1e-4, atol=1e-5)
    assert any(bool(gradient.abs().max() > 1e-3) for gradient in together)


def test_batches_have_every_row_once_and_hardly_any_padding():
    draws = np.random.default_rng(1)
    lengths = draws.integers(1, 60, 5000)
    rows = np.flatnonzero(lengths > 3)
    made = group_by_length(lengths, rows, 1000, (0, 1))
    assert np.array_equal(np.sort(np.concatenate(made)), rows)
    widths = [int(lengths[batch].max()) * len(batch) for batch in made]
    assert max(widths) <= 1000
    assert lengths[rows].sum() / sum(widths) > 0.95
    assert all(np.all(np.diff(lengths[batch]) <= 0) for batch in made)
    again, other = (
        group_by_length(lengths, rows, 1000, (0, 1)),
        group_by_length(lengths, rows, 1000, (0, 2)),
    )
    assert all(np.array_equal(a, b) for a, b in zip(made, again, strict=True))
    assert not np.array_equal(np.concatenate(made), np.concatenate(other))


def test_a_sentence_longer_than_a_batch_is_a_batch():
    assert [b.tolist() for b in group_by_length(np.array([50]), np.array([0]), 10, (0, 1))] == [[0]]


def test_writing_stops_at_the_end_and_at_the_limit():
    one = learner("next", "bilstm-max")
    written = one.lesson.head[0].write(one.encode(one.lesson.words, np.arange(4)), 6)
    assert len(written) == 4
    assert all(len(row) <= 6 and 1 not in row for row in written)


@pytest.mark.parametrize("attention", [False, True])
def test_what_is_written_is_the_likeliest_piece_after_each(attention):
    one = learner("next", "bilstm-max", attention)
    decoder, rows = one.lesson.head[0], np.arange(4)
    with torch.inference_mode():
        written = decoder.write(one.encode(one.lesson.words, rows), 6)
        for row, pieces in zip(rows, written, strict=True):
            if pieces:
                read = one.encode(one.lesson.words, np.array([row]))
                scores, _ = decoder.scores(read, torch.tensor([[0, *pieces]]))
                scores[:, [0, 2]] = -torch.inf  # where a text begins, and what follows its end
                assert scores.argmax(1).tolist() == pieces
    assert any(written)


def test_attention_reads_words_and_not_what_stands_behind_them():
    one = learner("next", "bilstm-max", attention=True)
    short, long = (int(f(one.lesson.words.lengths)) for f in (np.argmin, np.argmax))
    together = one.encode(one.lesson.words, np.array([short, long]))
    alone = one.encode(one.lesson.words, np.array([short]))
    pieces = torch.from_numpy(one.lesson.wanted[0].pad_rows(np.array([short]), 2))
    decoder = one.lesson.head[0]
    padded = type(alone)(together.sentences[:1], together.words[:1], together.lengths[:1])
    torch.testing.assert_close(decoder(padded, pieces), decoder(alone, pieces))
    moved = alone._replace(words=alone.words + 1)
    assert not torch.allclose(decoder(moved, pieces), decoder(alone, pieces))


def test_the_decoders_of_skip_share_their_pieces():
    one = learner("skip", "bigru-last")
    first, second = one.lesson.head
    assert first.embedding is second.embedding
    assert first.lstm is not second.lstm
    assert len(one.parameters) == len({id(p) for p in one.parameters})


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_products_are_in_bfloat16_only_where_it_is_asked_for(precision):
    one = torch.ones(2, 2)
    with OptimizerSettings("adam", 0.1, 0.0, 1, device="cpu", precision=precision).precise():
        made = one @ one
    assert (made.dtype == torch.bfloat16) == (precision == "bf16")
    assert (one @ one).dtype == torch.float32


def test_bfloat16_learns_what_float32_learns():
    torch.manual_seed(0)
    exact, mixed = learner("next", "bilstm-max"), learner("next", "bilstm-max")
    object.__setattr__(mixed.schedule, "precision", "bf16")
    rows = np.arange(16)
    for _ in range(20):
        losses = [
            one._step(rows, np.random.default_rng(0), one.lesson.lengths)[0]
            for one in (exact, mixed)
        ]
    assert losses[0] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=0.05)


def test_an_epoch_that_was_stopped_ends_as_one_that_was_not(tmp_path):
    rows = np.arange(16)
    whole, parts = learner("next", "bilstm-max"), learner("next", "bilstm-max")
    for one in (whole, parts):
        object.__setattr__(one.schedule, "batch", 24)
    whole.epoch(rows, rows[:4], lambda *_: None)

    class Stopped(Exception):
        pass

    def told(done: int, *_: float) -> None:
        parts.keep(tmp_path)
        if parts.part.done == 3:
            raise Stopped

    loop.PROGRESS_INTERVAL_SECONDS = -1.0
    try:
        with pytest.raises(Stopped):
            parts.epoch(rows, rows[:4], told)
    finally:
        loop.PROGRESS_INTERVAL_SECONDS = 0.3
    again = learner("next", "bilstm-max")
    object.__setattr__(again.schedule, "batch", 24)
    assert again.resume(tmp_path)
    assert again.part.done == 3
    again.epoch(rows, rows[:4], lambda *_: None)
    assert again.epochs[0].loss == whole.epochs[0].loss
    assert all(map(torch.equal, again.parameters, whole.parameters))


def test_an_epoch_tells_how_far_it_is_and_pauses_every_some_seconds(monkeypatch):
    rows = np.arange(16)

    def epoch(told, paused):
        one = learner("next", "bilstm-max")
        object.__setattr__(one.schedule, "batch", 24)
        monkeypatch.setattr(loop, "PROGRESS_INTERVAL_SECONDS", told)
        monkeypatch.setattr(loop, "CHECKPOINT_INTERVAL_SECONDS", paused)
        heard, pauses, steps = [], [], []
        step = one._step
        monkeypatch.setattr(one, "_step", lambda *each: (steps.append(step(*each)), steps[-1])[1])
        made = one.epoch(rows, rows[:4], lambda *each: heard.append(each), lambda: pauses.append(1))
        words = int(one.lesson.lengths.sum())
        assert made.words == words
        losses, over, many = map(sum, zip(*steps, strict=True))
        assert (made.loss, many) == (pytest.approx(losses / over), words)
        assert heard[-1] == (words, words, made.loss)
        assert [module.training for module in one.modules] == [False] * 3
        return heard, len(pauses)

    often, every = epoch(-1.0, -1.0)
    assert len(often) == every + 1 > 4
    assert [done for done, *_ in often] == sorted(done for done, *_ in often)
    seldom, never = epoch(1e9, 1e9)
    assert (len(seldom), never) == (1, 0)


def test_gradients_of_one_process_stay_as_they_are():
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.tensor([1.0, 2.0])
    assert ProcessRank().average_gradients([weight], 3.0, 4, 5) == (3.0, 4, 5)
    assert weight.grad.tolist() == [1, 2]


def test_gradients_of_processes_are_those_of_their_batches_as_one(monkeypatch):
    """Two processes, of which one has three things and the other one, or none."""
    weight, silent = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    weight.grad = torch.tensor([1.0, 2.0])  # the mean over its own three
    other = [torch.tensor([5.0, 1.0, 7.0]), torch.tensor([0.25, 0.5]), torch.zeros(2)]

    def reduced(tensor):
        tensor += other.pop(0)

    monkeypatch.setattr("torch.distributed.all_reduce", reduced)
    assert ProcessRank(0, 2).average_gradients([weight, silent], 3.0, 3, 4) == (8.0, 4, 11)
    assert weight.grad.tolist() == [1.0, 2.0]  # 3/4 of its own, and 1/4 of the other's mean of 1, 2
    assert silent.grad.tolist() == [0, 0]


def test_each_process_has_a_batch_of_every_group():
    work = [np.array([i]) for i in range(5)]
    first, second = (ProcessRank(rank, 2).own_batches(work) for rank in (0, 1))
    assert [b.tolist() for b in first] == [[0], [2], [4]]
    assert [b.tolist() for b in second] == [[1], [3], []]


@pytest.mark.parametrize("architecture", ["bilstm-max", "bilstm-last", "lstm-last"])
def test_what_is_learnt_from_is_what_is_read_afterwards(architecture):
    one = learner("next", architecture)
    rows = np.arange(16)
    with torch.inference_mode():
        read = one.encode(one.lesson.words, rows)
    learning = one.encode(one.lesson.words, rows)
    assert learning.sentences.requires_grad
    torch.testing.assert_close(learning.sentences.detach(), read.sentences, rtol=0, atol=1e-6)
    torch.testing.assert_close(learning.words.detach(), read.words, rtol=0, atol=1e-6)
