"""InferSent against a plain loop over words, in both versions."""

import numpy as np
import pytest
import torch

from extensions.archive.plain import bilstm, mixed, table
from fixtures.models import SENTENCES
from fixtures.published import infersent, lstm_state, vectors_file
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.files import recurrent_shapes
from lingprobe_extensions.archive.infersent import _MARKS, _as_trained

EMPTY = Sentence((), "")
UNKNOWN = Sentence.of(("zzz", "yyy"))
TEXTS = [*SENTENCES[:9], EMPTY, UNKNOWN, Sentence.of(("I", "ca", "n't", "go"))]


@pytest.fixture(params=["1", "2"])
def version(request):
    return request.param


@pytest.fixture
def folder(tmp_path, version):
    return infersent(tmp_path, marks=_MARKS[version])


def made(folder, version, sentences, **options):
    rest = "".join(f",{key}={value}" for key, value in options.items())
    reference = f"infersent:{folder}/infersent1.pkl,vectors={folder}/glove.txt,version={version}"
    return ENCODERS.make(reference + rest).encode(sentences)


def plainly(folder, version, sentence):
    """The states of the known words of a sentence between its marks."""
    vectors = table(folder / "glove.txt")
    state = torch.load(folder / "infersent1.pkl", weights_only=True)
    words = list(sentence.words)
    if version == "2":
        words = " ".join(words).replace(" n't ", "n 't ").split(" ") if words else []
    begin, end = _MARKS[version]
    return bilstm(
        [vectors[w] for w in (begin, *words, end) if w in vectors], state, 1, "enc_lstm."
    )[0]


@pytest.mark.parametrize("pool", ["max", "mean"])
def test_vectors_are_those_of_a_plain_loop_in_any_batch_and_order(folder, version, pool):
    wanted = np.array([getattr(plainly(folder, version, s), pool)(0) for s in TEXTS])
    together = made(folder, version, TEXTS, pool=pool).layers[0]
    assert np.abs(together - wanted).max() < 1e-5
    turned, order = mixed(TEXTS)
    assert np.abs(made(folder, version, turned, pool=pool).layers[0] - wanted[order]).max() < 1e-5
    for sentence, vector in zip(TEXTS, wanted, strict=True):
        alone = made(folder, version, [sentence], pool=pool, tokens=1).layers[0][0]
        assert np.abs(alone - vector).max() < 1e-5


def test_words_have_the_states_between_the_marks_and_unknown_ones_none(folder, version):
    vectors = made(folder, version, TEXTS, pool="none")
    known = set(table(folder / "glove.txt"))
    spans = vectors.spans
    for i, sentence in enumerate(TEXTS):
        states = plainly(folder, version, sentence)[1:-1]
        first, last = spans.sentences[i], spans.sentences[i + 1]
        assert np.abs(vectors.layers[0][first:last] - states).max(initial=0) < 1e-5
        words = spans.words[spans.first_word[i] : spans.first_word[i + 1]]
        read = _as_trained(list(sentence.words)) if version == "2" else sentence.words
        assert [b - a for a, b in words] == [int(word in known) for word in read]


def test_version_2_reads_nt_as_it_was_trained():
    assert _as_trained("I ca n't go".split()) == "I can 't go".split()
    assert _as_trained("n't go".split()) == "n't go".split()
    assert _as_trained("I do n't".split()) == "I do n't".split()
    for text in ("he did n't n't x", "a n't n't n't n't b", "x n't n't", "n't n't n't a"):
        assert _as_trained(text.split()) == text.replace(" n't ", "n 't ").split()


def test_unknown_words_are_told(folder, version):
    encoder = ENCODERS.make(f"infersent:{folder}/infersent1.pkl,vectors={folder}/glove.txt")
    assert encoder.unknown(["the", "zzz"]).tolist() == [False, True]


def test_the_published_network_has_two_times_2048_units():
    shapes = recurrent_shapes(300, 2048, 1)
    assert sum(np.prod(shape) for shape in shapes.values()) == 2 * 4 * 2048 * (300 + 2048 + 2)


def test_wrong_files_are_told_in_one_sentence(tmp_path):
    folder = infersent(tmp_path / "right")
    weights, vectors = folder / "infersent1.pkl", folder / "glove.txt"

    def told(file, vectors=vectors, **options):
        rest = "".join(f",{key}={value}" for key, value in options.items())
        encoder = ENCODERS.make(f"infersent:{file},vectors={vectors}{rest}")
        with pytest.raises(DataProblem) as problem:
            encoder.encode(SENTENCES[:2])
        assert "\n" not in str(problem.value)
        return str(problem.value)

    (tmp_path / "cut.pkl").write_bytes(weights.read_bytes()[:400])
    torch.save(torch.nn.LSTM(3, 4), tmp_path / "object.pkl")
    torch.save({"other": torch.zeros(3)}, tmp_path / "other.pkl")
    wrong = lstm_state("enc_lstm.", 7, 5)
    wrong["enc_lstm.bias_hh_l0"] = torch.zeros(4)
    torch.save(wrong, tmp_path / "wrong.pkl")
    assert "run code" in told(tmp_path / "object.pkl")
    cut = told(tmp_path / "cut.pkl")
    assert cut.endswith("is the download complete?")
    assert ". " not in cut
    assert "enc_lstm.weight_hh_l0" in told(tmp_path / "other.pkl")
    assert "expected [20]" in told(tmp_path / "wrong.pkl")
    assert "missing.pkl" in told(tmp_path / "missing.pkl")
    other = vectors_file(tmp_path / "wide.txt", ["<s>", "</s>", "the"], 9)
    assert "word vectors of 7 dimensions, and those of vectors= have 9" in told(weights, other)
    assert "version 2" in told(weights, version="2")
