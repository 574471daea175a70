"""Scores of sentences are those of the reference, however sentences are batched, shared and kept.

minicons 0.3.39 was run beside `lm:` on a GPT-2 and a BERT with drawn weights and 21 sentences, many
of whose words are split: its `sequence_score` with a start token, and with Kauf & Ivanova's
`within_word_l2r`, are ours to 0.00002 nats of 180 and of 110 (its `original`, which masks one piece
at a time, is 0.02 off).
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from fixtures.models import transformer
from inside.minimal.conftest import TEST, TRAIN
from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.current_batch import current_batch
from lingprobe.inside.minimal.lm import LanguageModel
from lingprobe.inside.minimal.ngram import NGramCounts, NGramModel
from lingprobe.inside.minimal.scores import score_vectors
from lingprobe.inside.minimal.scoring import (
    LanguageModelScorer,
    TokenTree,
    plan_causal,
    plan_masked,
    prepare_scorer,
)
from lingprobe.store.precision import kept_as
from reference import probability

TEXTS = [text for pair in TEST[:40] for text in pair]
ODD = ["the boy", "the", "", "the unheard boy waits near the the the"]
PIECES = [
    "unbelievable cats sing.",
    "unbelievable cats sings.",
    "a.",
    "",
    "cats",
    "dogs run to cats",
]


def sentences(texts):
    return [Sentence(tuple(text.split()), text) for text in texts]


def scores(encoder, texts):
    return encoder.encode(sentences(texts)).layers[0].sum(1, dtype=np.float64)


def logits_of(model):
    def logits(ids):
        with torch.no_grad():
            return model(input_ids=torch.tensor([list(ids)])).logits[0]

    return logits


def test_causal_scores_are_those_of_the_reference(agreeing):
    tokenizer = AutoTokenizer.from_pretrained(str(agreeing))
    logits = logits_of(AutoModelForCausalLM.from_pretrained(str(agreeing)).eval())
    texts = TEXTS[:12] + ODD
    wanted = [
        probability.causal(logits, tokenizer.bos_token_id, tokenizer(text)["input_ids"])
        for text in texts
    ]
    assert np.allclose(scores(LanguageModel(str(agreeing)), texts), wanted, atol=1e-4, rtol=0)


def test_masked_scores_are_those_of_the_reference(masking):
    tokenizer = AutoTokenizer.from_pretrained(str(masking))
    logits = logits_of(AutoModelForMaskedLM.from_pretrained(str(masking)).eval())
    wanted = []
    for text in PIECES:
        encoding = tokenizer(text)
        wanted.append(
            probability.masked(
                logits, tokenizer.mask_token_id, encoding["input_ids"], encoding.word_ids(0)
            )
        )
    assert np.allclose(scores(LanguageModel(str(masking)), PIECES), wanted, atol=1e-4, rtol=0)


def test_causal_predictions_are_those_of_the_model_token_by_token(agreeing):
    tokenizer = AutoTokenizer.from_pretrained(str(agreeing))
    model = AutoModelForCausalLM.from_pretrained(str(agreeing)).eval()
    texts = TEXTS[:12]
    found = LanguageModel(str(agreeing)).predictions(sentences(texts))
    for number, text in enumerate(texts):
        ids = [tokenizer.bos_token_id, *tokenizer(text)["input_ids"]]
        said = logits_of(model)(ids).log_softmax(-1)
        mine = np.flatnonzero(found.sentence == number)
        mine = mine[np.argsort(found.word[mine])]
        assert found.word[mine].tolist() == list(range(len(text.split())))
        wanted = [float(said[k, ids[k + 1]]) for k in range(len(ids) - 1)]
        assert np.allclose(found.said[mine], wanted, atol=1e-4)
        likeliest = [int(said[k].argmax()) == ids[k + 1] for k in range(len(ids) - 1)]
        assert found.is_likeliest[mine].tolist() == likeliest
    assert 0 < found.is_likeliest.sum() < len(found.said)


def test_masked_predictions_are_those_of_the_model_piece_by_piece(masking):
    tokenizer = AutoTokenizer.from_pretrained(str(masking))
    logits = logits_of(AutoModelForMaskedLM.from_pretrained(str(masking)).eval())
    found = LanguageModel(str(masking)).predictions(sentences(PIECES))
    for number, text in enumerate(PIECES):
        encoding = tokenizer(text)
        ids, of = encoding["input_ids"], encoding.word_ids(0)
        wanted = []
        for place, word in enumerate(of):
            if word is not None:
                masked = [
                    tokenizer.mask_token_id if k >= place and of[k] == word else token
                    for k, token in enumerate(ids)
                ]
                said = logits(masked)[place].log_softmax(-1)
                # 'sing.' is one word of the sentence, and two of the tokeniser
                at = len(text[: encoding.token_to_chars(place).start].split(" ")) - 1
                wanted.append((at, float(said[ids[place]]), int(said.argmax()) == ids[place]))
        mine = np.flatnonzero(found.sentence == number)
        got = sorted(zip(found.word[mine], found.said[mine], found.is_likeliest[mine], strict=True))
        for one, other in zip(got, sorted(wanted), strict=True):
            assert one[0] == other[0]
            assert one[1] == pytest.approx(other[1], abs=1e-4)
            assert one[2] == other[2]


@pytest.mark.parametrize("kind", ["agreeing", "masking"])
def test_what_depends_on_the_sentence_is_told_which_one_it_is(kind, request):
    place = str(request.getfixturevalue(kind))
    model, tokenizer = LanguageModel(place), AutoTokenizer.from_pretrained(place)
    some = sentences(PIECES if kind == "masking" else TEXTS[:8])
    plain = model.encode(some).layers[0]
    seen = set()

    class Spy:
        by_sentence = True

        def __call__(self, x):
            batch = current_batch(len(x))
            for number, words in zip(batch.sentences.tolist(), batch.words, strict=True):
                start = 0 if kind == "masking" else 1  # behind the start token
                pieces = tokenizer(some[number].text, add_special_tokens=kind == "masking")
                for word, (first, last) in zip(some[number].words, words.tolist(), strict=True):
                    spans = [pieces.token_to_chars(k - start) for k in range(first, last)]
                    text = some[number].text[spans[0].start : spans[-1].end]
                    assert text == word
                    seen.add((number, word))
            return x

    with model.replace_states({"0": Spy()}):
        within = model.encode(some).layers[0]
    # each sentence in rows of its own, so the last digits may differ
    np.testing.assert_allclose(within.sum(1), plain.sum(1), atol=1e-4)
    assert seen == {(k, word) for k, each in enumerate(some) for word in each.words}
    assert model.encode(some).layers[0].tobytes() == plain.tobytes()


def test_sentences_that_begin_alike_share_a_row():
    plan = plan_causal([[0, 1, 2, 3], [0, 1, 2, 4, 5], [0, 9, 9, 9, 9]], branching=True)
    assert plan.rows == [
        TokenTree([0, 1, 2, 3, 4, 5], [-1, 0, 1, 2, 2, 4]),
        TokenTree([0, 9, 9, 9, 9]),
    ]
    assert len(plan.uses) == 3 + 4 + 4
    assert len(plan.items) == len(plan.uses) - 2


def test_a_masked_row_is_read_once_for_both_sentences():
    plan = plan_masked([[7, 1, 2, 8], [7, 1, 3, 8]], [[None, 0, 1, None]] * 2, 9)
    assert sorted(row.ids for row in plan.rows) == [[7, 1, 9, 8], [7, 9, 2, 8], [7, 9, 3, 8]]
    assert len(plan.items) == 4


def test_branching_and_batches_change_nothing(agreeing):
    whole = scores(LanguageModel(str(agreeing)), TEXTS)
    small = scores(LanguageModel(str(agreeing), tokens=16), TEXTS)
    alone = np.concatenate([scores(LanguageModel(str(agreeing)), [text]) for text in TEXTS])
    assert np.allclose(whole, small, atol=1e-4, rtol=0)
    assert np.allclose(whole, alone, atol=1e-4, rtol=0)


def test_a_model_that_cannot_branch_reads_plain_rows(agreeing):
    """A model that reads no mask of its own gives other probabilities in a row that branches."""
    model = AutoModelForCausalLM.from_pretrained(str(agreeing)).eval()
    assert prepare_scorer(LanguageModelScorer(model, "cpu", "float32", 0), "model").branching

    class Plain(torch.nn.Module):
        config = model.config

        def forward(self, input_ids, attention_mask=None, position_ids=None):
            return model(input_ids=input_ids)

        def get_output_embeddings(self):
            return model.get_output_embeddings()

    assert not prepare_scorer(
        LanguageModelScorer(Plain().eval(), "cpu", "float32", 0), "model"
    ).branching


def test_a_model_without_a_head_is_refused(tmp_path):
    with pytest.raises(EncoderStop, match="has no weights that predict tokens"):
        LanguageModel(str(transformer(tmp_path))).encode(sentences(["the old teacher"]))


def test_drawn_weights_are_other_and_the_same_again(masking):
    drawn = scores(LanguageModel(str(masking), weights="random", seed=1), PIECES)
    assert np.array_equal(
        drawn, scores(LanguageModel(str(masking), weights="random", seed=1), PIECES)
    )
    assert not np.allclose(drawn, scores(LanguageModel(str(masking)), PIECES), atol=0.1)
    assert LanguageModel(str(masking), weights="random", seed=1).kind == "baseline"


@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16"])
def test_scores_are_kept_to_24_bits(precision):
    scores = -np.abs(np.random.default_rng(0).normal(size=500)) * np.logspace(-1, 4, 500)
    kept = kept_as(precision).round_values(score_vectors(scores).layers[0])
    assert np.allclose(kept.sum(1, dtype=np.float64), scores, rtol=2e-7, atol=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_ngrams_are_those_of_the_reference(order):
    corpus = [good.split() for good, _ in TRAIN[:60:3]]
    counts = NGramCounts.of(corpus, order)
    for text in [*TEXTS[:6], "the unheard boy", ""]:
        words = text.split()
        wanted = probability.witten_bell(corpus, order, words)
        assert counts.log_probability(words) == pytest.approx(wanted, abs=1e-9)


def test_ngrams_of_a_file(tmp_path):
    (tmp_path / "corpus.txt").write_text("The boy runs.\nThe boys run.\n")
    encoder = NGramModel(tmp_path / "corpus.txt", order=2)
    assert encoder.name == "ngram:corpus.txt,order=2"
    seen, unseen = scores(encoder, ["the boys run .", "the boys runs ."])
    assert seen > unseen
