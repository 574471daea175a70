import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem, LayeredEncoder, Sentence
from lingprobe.encoders import make_encoder

CAT = Sentence(("The", "cat", "."), "The cat.")
DOG = Sentence(("A", "dog"), "A dog")
NONE = Sentence((), "")


def save_npz(path, sentences, **arrays):
    np.savez(path, sentences=np.array(sentences), **arrays)
    return path


def test_npz_is_matched_by_text_or_by_words(tmp_path):
    path = save_npz(
        tmp_path / "a.npz", ["A dog", "The cat .", ""], vectors=np.arange(6).reshape(3, 2)
    )
    vectors = make_encoder(f"npz:{path}").encode([CAT, NONE, DOG, CAT])
    assert vectors.layers[0].tolist() == [[2, 3], [4, 5], [0, 1], [2, 3]]
    assert vectors.names == ("-",)


def test_text_comes_before_words(tmp_path):
    path = save_npz(tmp_path / "a.npz", ["The cat .", "The cat."], vectors=np.array([[1.0], [2.0]]))
    assert make_encoder(f"npz:{path}").encode([CAT]).layers[0].tolist() == [[2]]


def test_layers_are_slots(tmp_path):
    layers = {f"layer_{k}": np.full((1, 2), k, np.float16) for k in (0, 2, 10)}
    encoder = make_encoder(f"npz:{save_npz(tmp_path / 'a.npz', ['A dog'], **layers)}")
    assert isinstance(encoder, LayeredEncoder)
    assert encoder.slots == ("0", "2", "10")
    assert [layer[0, 0] for layer in encoder.encode([DOG]).layers] == [0, 2, 10]
    asked = encoder.asking(("10", "0"))
    assert (asked.base, asked.encode([DOG]).names) == (encoder.base, ("10", "0"))
    assert asked.encode([DOG]).layer("10")[0, 0] == 10


def test_missing_sentences_are_named(tmp_path):
    encoder = make_encoder(
        f"npz:{save_npz(tmp_path / 'a.npz', ['A dog'], vectors=np.ones((1, 2)))}"
    )
    many = [Sentence.of([f"w{i}"]) for i in range(5)]
    with pytest.raises(
        DataProblem,
        match=r"no vector for 5 of 6 sentences: 'w0', 'w1', 'w2', \.\.\. .*missing=skip",
    ) as caught:
        encoder.encode([DOG, *many])
    assert "\n" not in str(caught.value)


def test_missing_sentences_can_be_skipped(tmp_path):
    path = save_npz(tmp_path / "a.npz", ["A dog"], vectors=np.ones((1, 2)))
    vectors = make_encoder(f"npz:{path},missing=skip").encode([CAT, DOG]).layers[0]
    assert np.isnan(vectors[0]).all()  # the store counts it among those that could not be encoded
    assert vectors[1].tolist() == [1, 1]


def test_a_sentence_with_two_vectors_is_refused(tmp_path):
    same = save_npz(
        tmp_path / "a.npz", ["A dog", "A dog"], vectors=np.array([[1.0, np.nan], [1.0, np.nan]])
    )
    assert make_encoder(f"npz:{same}").encode([DOG]).layers[0][0, 0] == 1
    other = save_npz(
        tmp_path / "b.npz", ["x", "A dog", "A dog"], vectors=np.array([[1.0], [1.0], [2.0]])
    )
    with pytest.raises(DataProblem, match="rows 1 and 2 give two different vectors for 'A dog'"):
        make_encoder(f"npz:{other}").encode([DOG])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"sentences": np.array(["a", None], object), "vectors": np.ones((2, 2))},
            "holds Python objects",
        ),
        ({"vectors": np.ones((2, 2))}, "no array 'sentences'"),
        ({"sentences": np.array(["a"])}, "neither 'vectors' nor layer_0"),
        (
            {"sentences": np.array(["a"]), "vectors": np.ones((2, 2))},
            r"float64 \[2, 2\], expected numbers \[1, dim\]",
        ),
        ({"sentences": np.array(["a"]), "vectors": np.ones(1)}, "expected numbers"),
        ({"sentences": np.array(["a"]), "vectors": np.array([["x"]])}, "expected numbers"),
        (
            {"sentences": np.array([1]), "vectors": np.ones((1, 2))},
            "expected one string a sentence",
        ),
        ({"sentences": np.array(["a"]), "vectors": np.ones((1, 0))}, "expected numbers"),
        ({"sentences": np.array(["a"]), "vectors": np.ones((1, 2)) * 1j}, "complex128"),
        (
            {"sentences": np.array(["a"]), "layer_00": np.ones((1, 2)), "layer_x": np.ones((1, 2))},
            "neither 'vectors' nor layer_0",
        ),
    ],
)
def test_files_of_another_shape_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataProblem, match=message):
        make_encoder(f"npz:{tmp_path / 'a.npz'}").encode([DOG])


@pytest.mark.parametrize("shape", [(10**7, 10**5), (1, 1)])
def test_an_array_that_is_not_as_long_as_it_says_is_refused_at_once(tmp_path, shape):
    save_npz(tmp_path / "a.npz", ["A dog"], vectors=np.ones((1, 2)))
    with (
        zipfile.ZipFile(tmp_path / "a.npz") as archive,
        zipfile.ZipFile(tmp_path / "b.npz", "w") as other,
    ):
        other.writestr("sentences.npy", archive.read("sentences.npy"))
        np.lib.format.write_array_header_1_0(
            header := io.BytesIO(),
            {"descr": "<f8", "fortran_order": False, "shape": shape},
        )
        other.writestr("vectors.npy", data := header.getvalue() + bytes(16))
    (tmp_path / "c.npy").write_bytes(data)
    (tmp_path / "c.txt").write_text("A dog\n")
    for reference in (f"npz:{tmp_path / 'b.npz'}", f"npy:{tmp_path / 'c.npy'}"):
        with pytest.raises(
            DataProblem, match=r"is truncated: its header says float64|not a NumPy file"
        ):
            make_encoder(reference).encode([DOG])


def test_numbers_beyond_single_precision_stay_finite_until_that_is_told(tmp_path):
    path = save_npz(tmp_path / "a.npz", ["A dog"], vectors=np.array([[1.0, 1e300]]))
    assert make_encoder(f"npz:{path}").encode([DOG]).layers[0].tolist() == [[1, 1e300]]


def test_two_kinds_of_vectors_in_one_file_are_asked_about(tmp_path):
    one = np.ones((1, 2))
    path = save_npz(tmp_path / "a.npz", ["A dog"], vectors=one, layer_3=one)
    with pytest.raises(DataProblem, match=r"has both 'vectors' and layer_3: rename"):
        make_encoder(f"npz:{path}").encode([DOG])


def test_one_array_and_several_are_told_apart(tmp_path):
    one, several = tmp_path / "a.npy", save_npz(tmp_path / "b.npz", ["A dog"], vectors=np.ones(1))
    np.save(one, np.ones((1, 2)))
    (tmp_path / "b.txt").write_text("A dog\n")
    with pytest.raises(DataProblem, match=r"a\.npy is one array: read it as npy:"):
        make_encoder(f"npz:{one}").encode([DOG])
    with pytest.raises(DataProblem, match=r"b\.npz has several arrays: read it as npz:"):
        make_encoder(f"npy:{several}").encode([DOG])


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_harmless(where, change):
    with tempfile.TemporaryDirectory() as folder:
        path = save_npz(Path(folder) / "a.npz", ["A dog"], vectors=np.ones((1, 2)))
        content = bytearray(path.read_bytes())
        content[int(where * len(content))] ^= change
        path.write_bytes(content)
        try:
            vectors = make_encoder(f"npz:{path}").encode([DOG]).layers[0]
        except DataProblem:
            return
        assert vectors.tolist() == [[1, 1]]


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"no zip")
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    for reference in (
        f"npz:{tmp_path}/a.npz",
        f"parquet:{tmp_path}/a.parquet",
        f"npz:{tmp_path}/none.npz",
    ):
        with pytest.raises(DataProblem):
            make_encoder(reference).encode([DOG])


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.float32()), pa.large_list(pa.float64()), pa.list_(pa.float32(), 2)]
)
def test_parquet(tmp_path, kind):
    vectors = pa.array([[1.0, 2.0], [3.0, 4.0]], kind)
    pq.write_table(
        pa.table({"sentence": ["A dog", "The cat."], "vector": vectors}), tmp_path / "a.parquet"
    )
    encoder = make_encoder(f"parquet:{tmp_path / 'a.parquet'}")
    assert encoder.encode([CAT, DOG]).layers[0].tolist() == [[3, 4], [1, 2]]
    assert encoder.slots == ("-",)


@pytest.mark.parametrize("texts", ["sentence", "sentences", "text", "texts"])
@pytest.mark.parametrize("vectors", ["vector", "vectors", "embedding", "embeddings", "emb"])
def test_usual_names_of_columns_and_arrays(tmp_path, texts, vectors):
    rows = {texts: ["A dog", "The cat."], vectors: [[1.0, 2.0], [3.0, 4.0]]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    np.savez(tmp_path / "a.npz", **{name: np.array(cells) for name, cells in rows.items()})
    for kind in ("parquet", "npz"):
        encoder = make_encoder(f"{kind}:{tmp_path / 'a'}.{kind}")
        assert encoder.encode([CAT, DOG]).layers[0].tolist() == [[3, 4], [1, 2]]


def test_the_documented_name_comes_first_and_two_others_are_asked_about(tmp_path):
    path, right, wrong = tmp_path / "a.npz", np.ones((1, 2)), np.zeros((1, 3))
    texts, others = np.array(["A dog"]), np.array(["x"])
    np.savez(path, sentences=texts, text=others, vectors=right, embeddings=wrong)
    assert make_encoder(f"npz:{path}").encode([DOG]).layers[0].tolist() == [[1, 1]]
    np.savez(path, sentences=texts, embedding=right, emb=wrong)
    with pytest.raises(DataProblem, match="'embedding' and 'emb' may both be meant: call one 've"):
        make_encoder(f"npz:{path}").encode([DOG])
    np.savez(path, text=texts, texts=others, vectors=right)
    with pytest.raises(DataProblem, match="'text' and 'texts' may both be meant: call one 'sent"):
        make_encoder(f"npz:{path}").encode([DOG])


def test_parquet_rows_of_unequal_length_are_refused(tmp_path):
    pq.write_table(
        pa.table({"sentence": ["A dog", "x"], "layer_3": [[1.0], [1.0, 2.0]]}),
        tmp_path / "a.parquet",
    )
    with pytest.raises(DataProblem, match="all equally long"):
        make_encoder(f"parquet:{tmp_path / 'a.parquet'}").encode([DOG])


@pytest.mark.parametrize("written", ["file", "stream", "feather"])
def test_arrow(tmp_path, written):
    path = tmp_path / "a.arrow"
    table = pa.table({"sentence": ["A dog", "The cat."], "vector": [[1.0, 2.0], [3.0, 4.0]]})
    if written == "feather":
        from pyarrow import feather

        feather.write_feather(table, path)
    else:
        writer = pa.ipc.new_file if written == "file" else pa.ipc.new_stream
        with path.open("wb") as file, writer(file, table.schema) as out:
            out.write_table(table)
    assert make_encoder(f"arrow:{path}").encode([CAT, DOG]).layers[0].tolist() == [[3, 4], [1, 2]]
    path.write_bytes(b"no arrow")
    with pytest.raises(DataProblem, match="not a Parquet or Arrow file that can be read"):
        make_encoder(f"arrow:{path}").encode([CAT])


def test_npy_beside_a_text_file(tmp_path):
    path, lines = tmp_path / "a.npy", tmp_path / "a.txt"
    np.save(path, np.array([[1, 2], [3, 4]], np.float32))
    lines.write_text("A dog\r\nThe cat.\r\n", "utf-8-sig")
    encoder = make_encoder(f"npy:{path}")
    assert encoder.encode([CAT, DOG]).layers[0].tolist() == [[3, 4], [1, 2]]
    known = encoder.fingerprint
    lines.rename(tmp_path / "other.txt")
    other = make_encoder(f"npy:{path},sentences={tmp_path / 'other.txt'}")
    assert other.encode([CAT]).layers[0].tolist() == [[3, 4]]
    assert other.fingerprint == known
    with pytest.raises(DataProblem, match="no vector for 1 of 2 sentences: ''"):
        other.encode([CAT, NONE])


def test_what_is_wrong_with_npy_is_told(tmp_path):
    path, lines = tmp_path / "a.npy", tmp_path / "a.txt"
    np.save(path, np.ones((2, 3), np.float32))
    for ask in (lambda made: made.encode([CAT]), lambda made: made.fingerprint):
        with pytest.raises(DataProblem, match=r"its sentences are not there, .*: write one a line"):
            ask(make_encoder(f"npy:{path}"))
    lines.write_bytes(b"The cat.\nA d\xf6g\n")
    with pytest.raises(DataProblem, match=r"a\.txt:2: byte 0xf6 is not UTF-8"):
        make_encoder(f"npy:{path}").encode([CAT])
    lines.write_text("The cat.\nA dog\nA third")
    with pytest.raises(DataProblem, match=r"has 2 rows, and .*a.txt 3 lines"):
        make_encoder(f"npy:{path}").encode([CAT])
    lines.write_text("The cat.\nA dog")
    np.save(path, np.ones(2))
    with pytest.raises(DataProblem, match=r"are float64 \[2\], expected numbers \[2, dim\]"):
        make_encoder(f"npy:{path}").encode([CAT])
    np.save(path, np.array([{}, {}]), allow_pickle=True)
    with pytest.raises(DataProblem, match="Python objects"):
        make_encoder(f"npy:{path}").encode([CAT])
    path.write_bytes(b"no")
    with pytest.raises(DataProblem, match="not a NumPy"):
        make_encoder(f"npy:{path}").encode([CAT])


def test_white_space_is_no_difference_unless_it_is_the_only_one(tmp_path):
    np.save(tmp_path / "v.npy", np.array([[1.0], [2.0], [3.0], [4.0]]))
    (tmp_path / "v.txt").write_text("The cat.  \n A\u00a0dog\nsee  it\nsee it \n")
    encoder = make_encoder(f"npy:{tmp_path / 'v.npy'},missing=skip")
    vectors = encoder.encode([CAT, DOG, Sentence(("see", "it"), "see\u00a0it"), NONE])
    assert vectors.layers[0][:2].tolist() == [[1], [2]]
    assert np.isnan(vectors.layers[0][2:]).all()  # two lines are see it, and none is empty
