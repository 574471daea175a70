import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.keyed_random import draw_normals

CAT = Sentence.of(["The", "cat"])
NONE = Sentence((), "")


def test_length_counts_words():
    assert make_encoder("length").encode([CAT, NONE]).layers[0].tolist() == [[2.0], [0.0]]


def test_words_has_no_features():
    vectors = make_encoder("words").encode([CAT, NONE])
    assert vectors.layers[0].shape == (2, 0)
    assert vectors.sentences == 2


def test_no_sentences_are_no_rows():
    assert make_encoder("length").encode([]).layers[0].shape == (0, 1)
    assert make_encoder("random").encode([]).layers[0].shape == (0, 300)


def test_random_is_keyed_on_the_sentence_and_the_seed():
    one, two = make_encoder("random,dim=8").encode([CAT, NONE]).layers[0]
    assert np.array_equal(
        make_encoder("random,dim=8").encode([NONE, CAT, CAT]).layers[0], [two, one, one]
    )
    assert not np.allclose(make_encoder("random,dim=8,seed=1").encode([CAT]).layers[0], one)


def test_random_words_know_only_where_they_stand():
    sentence = Sentence.of(["the", "the"])
    vectors = make_encoder("random,dim=8,pool=none").encode([CAT, NONE, sentence, CAT])
    assert vectors.spans.words.tolist() == [[i, i + 1] for i in range(6)]
    assert vectors.spans.sentences.tolist() == [0, 2, 2, 4, 6]
    assert np.array_equal(vectors.layers[0][:2], vectors.layers[0][4:])
    assert len(np.unique(vectors.layers[0][:4], axis=0)) == 4


def test_keyed_numbers_never_change():
    # written down once: cached vectors and published tables depend on them
    assert np.allclose(
        draw_normals([b"cat"], 3, "word 0"), [[-0.9081759, 0.0929441, -1.2525072]], atol=1e-6
    )


def test_keyed_numbers_are_standard_normal():
    drawn = draw_normals([str(i).encode() for i in range(5000)], 31, "x")
    assert drawn.shape == (5000, 31)
    assert abs(drawn.mean()) < 0.01
    assert abs(drawn.std() - 1) < 0.01
    assert abs(np.corrcoef(drawn.T) - np.eye(31)).max() < 0.08
