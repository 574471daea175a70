from pathlib import Path

import numpy as np
import pytest
import torch

from lingprobe.data.core import DataProblem, PreparedEncoder, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.references import ReferenceProblem, allow_code
from lingprobe.encoders import ENCODERS, adapt_encoder, make_encoder

MINE = Path(__file__).with_name("mine.py")
allow_code(f"{MINE}@any")
CAT = Sentence(("The", "cat", "."), "The cat.")
NONE = Sentence((), "")
BOTH = [CAT, NONE]


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ("characters", [[8, 1], [0, 0]]),
        ("annotated", [[8], [0]]),
        ("factory", [[8], [0]]),
        ("factory,scale=2", [[16], [0]]),
        ("of_a_path:abc,dim=1", [[3], [3]]),
        ("Own", [[3], [0]]),
        ("Own,times=2", [[6], [0]]),
        ("Object", [[8], [0]]),
        ("instance", [[8], [0]]),
        ("batcher", [[3], [0]]),
        ("pair", [[1], [0]]),
    ],
)
def test_things_of_a_file(thing, expected):
    encoder = make_encoder(f"{MINE}@{thing}")
    assert encoder.encode(BOTH).layers[0].tolist() == expected
    assert isinstance(encoder.name, str)


def test_canonical_references_of_a_files_things():
    assert ENCODERS.canonical(f"{MINE}@characters") == f"{MINE}@characters"
    assert ENCODERS.canonical(f"{MINE}@factory,scale=1") == f"{MINE}@factory"
    assert ENCODERS.canonical(f"{MINE}@factory,scale=2") == f"{MINE}@factory,scale=2.0"
    with pytest.raises(ReferenceProblem, match="takes no argument"):
        make_encoder(f"{MINE}@characters:x")
    with pytest.raises(ReferenceProblem, match="has no option"):
        make_encoder(f"{MINE}@characters,x=1")
    with pytest.raises(ReferenceProblem, match="does not define"):
        make_encoder(f"{MINE}@nobody")


def test_things_without_a_file_of_their_own_are_told_apart():
    def closed(n):
        return lambda sentences: np.full((len(sentences), 1), n)

    one, two = adapt_encoder(closed(1)), adapt_encoder(closed(2))
    assert one.fingerprint != two.fingerprint
    # the name is then the user's word
    assert (
        adapt_encoder(closed(1), "named").fingerprint
        == adapt_encoder(closed(2), "named").fingerprint
    )


def test_an_old_senteval_script_ports_in_three_lines():
    def prepare(params, samples):  # as in SentEval's examples/bow.py
        params.word2id = {w: i for i, w in enumerate(sorted({w for s in samples for w in s}))}
        params.wvec_dim = 4

    def batcher(params, batch):
        assert params.current_task is None  # a key that nobody set
        batch = [sent if sent != [] else ["."] for sent in batch]
        rows = []
        for sent in batch:
            vectors = [np.eye(4)[params.word2id[w] % 4] for w in sent if w in params.word2id]
            rows.append(np.mean(vectors or [np.zeros(params.wvec_dim)], 0))
        return np.vstack(rows)

    encoder = adapt_encoder((batcher, prepare), "bow")
    assert isinstance(encoder, PreparedEncoder)
    ready = encoder.prepare([CAT, Sentence.of(["A", "dog"])])
    assert not isinstance(ready, PreparedEncoder)
    encoded = ready.encode([CAT] * 300 + [NONE]).layers[0]  # more than a batch
    assert encoded.shape == (301, 4)
    assert np.array_equal(encoded[0], encoded[299])
    assert not isinstance(adapt_encoder((batcher, None)), PreparedEncoder)


def test_batches_are_lists_of_lists_of_words_of_128():
    seen = []

    def batcher(params, batch):
        seen.append(batch)
        return np.zeros((len(batch), 2))

    adapt_encoder(batcher).encode([CAT] * 130)
    assert [len(b) for b in seen] == [128, 2]
    assert seen[0][0] == ["The", "cat", "."]


@pytest.mark.parametrize(
    "returned",
    [
        np.ones((2, 3)),
        [[1, 2, 3], [1, 2, 3]],
        (np.ones(3), np.ones(3)),
        torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True),
        [torch.ones(3), torch.ones(3)],
    ],
)
def test_arrays_lists_and_tensors_are_taken(returned):
    vectors = adapt_encoder(lambda sentences: returned).encode(BOTH).layers[0]
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1, 1, 1], [1, 1, 1]] or vectors.tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            np.ones((3, 2)),
            (
                r"returned an array \[3, 2\], expected one row of numbers for each of 2 sentences,"
                r" \[2, dim\]"
            ),
        ),
        (np.ones(2), r"an array \[2\]"),
        (np.ones((2, 2, 2)), r"an array \[2, 2, 2\]"),
        (None, "expected one row"),
        ("text", "a str"),
        ([[1, 2], [1]], "a list of 2 rows of 1 to 2 numbers"),
        ([["a"], ["b"]], "a list of 2 rows"),
        ([["1"], ["2"]], "a list of 2 rows"),
        (np.array([["1"], ["2"]]), "an array of <U1"),
        (np.ones((2, 3)) * 1j, "an array of complex128"),
        (torch.ones(2, 3) * 1j, "an array of complex64"),
        ([torch.ones(3) * 1j] * 2, "a list of 2 rows"),
        (
            np.ma.masked_array(np.ones((2, 2)), [[0, 1], [0, 0]]),
            "a masked array, whose gaps no vector has",
        ),
        (np.zeros((2, 0)), r"an array \[2, 0\]"),
        (np.float32(3), r"an array \[\]"),
        (np.array(["2020", "2021"], "M8[Y]"), "an array of datetime64"),
    ],
)
def test_what_is_no_row_a_sentence_is_one_sentence(returned, message):
    with pytest.raises(DataProblem, match=message) as caught:
        adapt_encoder(lambda sentences: returned, "f").encode(BOTH)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("f returned")


def test_nan_is_left_to_the_store():
    assert np.isnan(
        adapt_encoder(lambda s: np.full((len(s), 2), np.nan)).encode(BOTH).layers[0]
    ).all()


def test_batches_of_different_width_are_refused():
    with pytest.raises(DataProblem, match="vectors of 2 and 128 dimensions"):
        adapt_encoder(lambda params, batch: np.zeros((len(batch), len(batch)))).encode([CAT] * 130)


@pytest.mark.parametrize("thing", [3, None, "st", object(), (1, 2), dict])
def test_what_is_no_encoder_is_refused(thing):
    if isinstance(thing, str):
        with pytest.raises((DataProblem, ReferenceProblem)):
            make_encoder(thing)
    else:
        with pytest.raises(DataProblem, match=r"is not an encoder|is a class and no encoder"):
            adapt_encoder(thing)


def test_encoders_stay_what_they_are():
    encoder = make_encoder("length")
    assert adapt_encoder(encoder) is encoder


class Sorted:
    """What nobody declares: an object fitted on the texts of the corpus."""

    def __init__(self, dim=3):
        self.dim = dim

    def prepare(self, texts):
        self.letters = sorted({letter for text in texts for letter in text})[: self.dim]
        return self

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in self.letters] for text in texts])


def test_an_object_fitted_on_the_corpus_needs_no_declaration():
    encoder = adapt_encoder(Sorted(2))
    assert isinstance(encoder, PreparedEncoder)
    ready = encoder.prepare([CAT, Sentence.of(["A", "dog"])])
    assert not isinstance(ready, PreparedEncoder)
    assert ready.encode([CAT]).layers[0].shape == (1, 2)


def test_the_first_option_of_an_encoder_goes_by_its_name(tmp_path):
    file = tmp_path / "svd.py"
    source = Path(__file__).read_text("utf-8")
    start, end = source.index("class Sorted"), source.index("def test_an_object_fitted")
    file.write_text("import numpy as np\n\n" + source[start:end], "utf-8")
    allow_code(f"{file}@Sorted")
    encoder = make_encoder(f"{file}@Sorted,dim=2")
    assert encoder.prepare([CAT]).encode([CAT, CAT]).layers[0].shape == (2, 2)
    assert ENCODERS.canonical(f"{file}@Sorted,dim=2") == ENCODERS.canonical(f"{file}@Sorted:2")


def test_prepare_returns_what_encodes():
    class Forgetful(Sorted):
        def prepare(self, texts):
            super().prepare(texts)

    with pytest.raises(EncoderStop, match="prepare returned a NoneType"):
        adapt_encoder(Forgetful()).encode(BOTH)


def test_who_wants_sentences_is_told_how_to_say_so():
    class Bare:
        name = "bare"

        def encode(self, sentences):
            return [[len(s.words)] for s in sentences]

    with pytest.raises(EncoderStop, match=r"reads \.words of a string.*takes = \"sentences\""):
        adapt_encoder(Bare()).encode(BOTH)
    Bare.takes = "sentences"
    bare = Bare()
    assert adapt_encoder(bare) is bare


def test_vectors_without_the_declaration_are_told_what_to_write():
    class Bare:
        def encode(self, sentences):
            return make_encoder("length").encode([])

    with pytest.raises(DataProblem, match='takes = "sentences"'):
        adapt_encoder(Bare()).encode(BOTH)


def test_a_sparse_matrix_of_scipy_is_an_array():
    from scipy import sparse

    rows = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]])
    sentences = [Sentence.of(["a"]), Sentence.of(["b"])]
    for kind in (sparse.csr_matrix, sparse.coo_array):
        encoder = adapt_encoder(lambda texts, kind=kind: kind(rows[: len(texts)]), "mine")
        assert encoder.encode(sentences).layers[0].tolist() == rows.tolist()
