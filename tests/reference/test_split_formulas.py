"""F1 of sentences, tokens and words against the shared task's description of it."""

from __future__ import annotations

import random

import pytest
import splitting

from lingprobe.data.core import DataProblem
from lingprobe.parts.training.parsers.layout import Paragraph, Token
from lingprobe.parts.training.parsers.splits import segmentation


def split(text: str, draws: random.Random) -> list[list[tuple[str, list[str]]]]:
    """The visible characters of a text in sentences and tokens, some of more than a word."""
    sentences, rest = [[]], text.replace(" ", "")
    while rest:
        size = draws.randint(1, 3)
        form, rest = rest[:size], rest[size:]
        words = [form]
        if draws.random() < 0.4:
            words = [draws.choice([form, form[0].upper(), "x"]) for _ in range(draws.randint(2, 3))]
        sentences[-1].append((form, words))
        if rest and draws.random() < 0.3:
            sentences.append([])
    return sentences


def paragraph(text: str, sentences: list[list[tuple[str, list[str]]]]) -> Paragraph:
    visible = [i + 1 for i, letter in enumerate(text) if letter != " "]
    tokens, at = [], 0
    for sentence in sentences:
        for i, (form, words) in enumerate(sentence):
            at += len(form)
            tokens.append(Token(visible[at - 1], tuple(words), i + 1 == len(sentence)))
    return Paragraph(text, tuple(tokens))


@pytest.mark.parametrize("seed", range(40))
def test_agreement_of_splits_is_that_of_the_shared_task(seed):
    draws = random.Random(seed)
    text = "".join(draws.choice("ab b") for _ in range(14)).strip()
    mine, true = split(text, draws), split(text, draws)
    found = segmentation([paragraph(text, mine)], [paragraph(text, true)])
    assert found == pytest.approx(splitting.agreement(mine, true), abs=1e-12)
    assert set(segmentation([paragraph(text, mine)], [paragraph(text, mine)]).values()) == {100}


def test_counts_of_several_paragraphs_are_added():
    parts = [("ab", [[("ab", ["ab"])]]), ("c d", [[("c", ["c"]), ("d", ["d"])]])]
    gold = [paragraph(*part) for part in parts]
    said = [paragraph("ab", [[("a", ["a"]), ("b", ["b"])]]), gold[1]]
    both = segmentation(said, gold)
    assert both["Words"] == both["Tokens"] == pytest.approx(200 * 2 / 7)
    assert both["Sentences"] == 100


def test_splits_of_different_texts_are_not_compared():
    one, other = (paragraph(text, [[(text, [text])]]) for text in ("ab", "ac"))
    with pytest.raises(DataProblem, match="not the same text"):
        segmentation([one], [other])
