"""How well texts are written and pairs are told, against one example after the other."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch

from extensions.train.test_loop import learner
from lingprobe_extensions.train import objectives
from lingprobe_extensions.train.linear_trees import labelled_f1
from lingprobe_extensions.train.nets.heads import END_TOKEN_ID, PAD_TOKEN_ID, START_TOKEN_ID

ROWS = np.arange(16)


def texts_of(one, rows):
    """The first texts that are to be written of some rows."""
    lesson = one.lesson
    return lesson.pieces.decode(lesson.wanted[0].row(i).tolist() for i in rows.tolist())


@pytest.mark.parametrize("objective", ["next", "skip", "next with attention"])
def test_perplexity_and_accuracy_are_over_all_pieces_of_all_texts(objective, monkeypatch):
    monkeypatch.setattr(objectives, "_BATCH", 5)
    one = learner(objective.split()[0], "bilstm-max", "attention" in objective)
    with torch.inference_mode():
        found = one.lesson.figures(ROWS[3:], one.encode)
        nats, right, count = 0.0, 0, 0
        for i in ROWS[3:]:
            read = one.encode(one.lesson.words, np.array([i]))
            for decoder, texts in zip(one.lesson.head, one.lesson.wanted, strict=True):
                scores, wanted = decoder.scores(read, torch.tensor([texts.row(i).tolist()]))
                assert wanted.tolist() == texts.row(i).tolist()[1:]
                chances = torch.log_softmax(scores, 1)
                for row, piece in zip(chances, wanted.tolist(), strict=True):
                    nats, count = nats - float(row[piece]), count + 1
                    right += int(row.argmax()) == piece
        loss = one.lesson.loss(ROWS[3:], one.encode)
    assert found == pytest.approx(
        {"perplexity": math.exp(nats / count), "accuracy": 100 * right / count}, rel=1e-5
    )
    assert (float(loss.total), loss.over) == (pytest.approx(nats, rel=1e-5), count)


def test_written_texts_are_judged_by_the_bleu_of_sacrebleu(monkeypatch):
    sacrebleu = pytest.importorskip("sacrebleu")
    monkeypatch.setattr(objectives, "_WRITTEN", 7)
    monkeypatch.setattr(objectives, "_BATCH", 3)
    one = learner("translate", "bilstm-max")
    rows = [one.lesson.wanted[0].row(i).tolist() for i in ROWS]
    planned, asked = iter([row[1:-1] for row in (rows[1], *rows[1:6], rows[9])]), []

    def write(self, read, longest):
        asked.append(longest)
        return [next(planned) for _ in read.sentences]

    monkeypatch.setattr(type(one.lesson.head[0]), "write", write)
    with torch.inference_mode():
        found = one.lesson.figures(ROWS, one.encode)
    assert asked == [max(map(len, rows[:7])) + 10] * 3
    texts = texts_of(one, ROWS)
    said, wanted = [texts[1], *texts[1:6], texts[9]], texts[:7]
    expected = sacrebleu.corpus_bleu(said, [wanted], force=True).score
    assert found["bleu"] == pytest.approx(expected)
    assert 0 < expected < 100

    train, dev = ROWS[:9], ROWS[9:]
    trivial = one.lesson.trivial(train, dev)
    wanted = texts_of(one, dev)[:7]
    sources = [
        " ".join(one.lesson.forms[k] for k in one.lesson.words.row(i)) for i in dev.tolist()
    ][:7]
    copying = sacrebleu.corpus_bleu(sources, [wanted], force=True).score
    assert trivial["bleu of copying"] == pytest.approx(copying)
    often = Counter(texts_of(one, train)).most_common(1)[0][0]
    common = sacrebleu.corpus_bleu([often] * len(wanted), [wanted], force=True).score
    assert trivial["bleu of the commonest text"] == pytest.approx(common)


def test_written_trees_are_judged_by_their_constituents(monkeypatch):
    one = learner("parse", "bilstm-max")
    pieces = one.lesson.pieces
    monkeypatch.setattr(objectives, "_WRITTEN", 5)
    with torch.inference_mode():
        found = one.lesson.figures(ROWS, one.encode)
        longest = max(len(one.lesson.wanted[0].row(i)) for i in ROWS[:5]) + 10
        written = one.lesson.head[0].write(one.encode(one.lesson.words, ROWS[:5]), longest)
    wanted = [one.lesson.wanted[0].row(i).tolist() for i in ROWS]
    names = [[pieces.tokenizer.id_to_token(i) for i in row if i > PAD_TOKEN_ID] for row in wanted]
    said = [[pieces.tokenizer.id_to_token(i) for i in row if i > PAD_TOKEN_ID] for row in written]
    assert found["f1"] == labelled_f1(said, names[:5])
    train, dev = ROWS[:9], ROWS[9:]
    trivial = one.lesson.trivial(train, dev)
    told = [piece for i in dev for piece in wanted[i] if piece != START_TOKEN_ID]
    often = Counter(piece for i in train for piece in wanted[i] if piece > PAD_TOKEN_ID)
    most = max(sorted(often), key=often.__getitem__)
    assert trivial["accuracy of the commonest piece"] == pytest.approx(
        100 * told.count(most) / len(told)
    )
    assert END_TOKEN_ID in told


def test_pairs_are_told_by_the_highest_score(monkeypatch):
    monkeypatch.setattr(objectives, "_BATCH", 5)
    one = learner("infer", "bilstm-max")
    with torch.inference_mode():
        found = one.lesson.figures(ROWS, one.encode)
        scores = torch.cat([one.lesson._scores(np.array([i]), one.encode) for i in ROWS])
        loss = one.lesson.loss(ROWS, one.encode)
    labels = one.lesson.labels.tolist()
    right = sum(int(row.argmax()) == k for row, k in zip(scores, labels, strict=True))
    assert found == {"accuracy": 100 * right / 16}
    chances = torch.log_softmax(scores, 1)
    nats = -sum(float(row[k]) for row, k in zip(chances, labels, strict=True))
    assert (float(loss.total), loss.over) == (pytest.approx(nats, rel=1e-5), 16)
    assert one.lesson.lengths.tolist() == [
        len(one.lesson.first.row(i)) + len(one.lesson.second.row(i)) for i in ROWS
    ]
