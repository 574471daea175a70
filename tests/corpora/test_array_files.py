"""Files of NumPy: what is read equals what was saved, and what is no such file is one sentence."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from lingprobe.corpora.array_files import ArrayFile
from lingprobe.data.core import DataProblem

ARRAYS = {
    "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
    "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "words": np.array(["ab", "c"]),
    "empty": np.zeros((0, 4)),
}


def header(shape: tuple[int, ...]) -> bytes:
    """The header of a file of float64 numbers, and none of them."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return stream.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_named_arrays(tmp_path, save):
    save(tmp_path / "a.npz", **ARRAYS)
    file = ArrayFile(tmp_path / "a.npz")
    assert not file.is_single
    assert {**file}.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert file[name].dtype == array.dtype
        np.testing.assert_array_equal(file[name], array)
    with pytest.raises(KeyError):
        file["others"]


@pytest.mark.parametrize("name", ARRAYS)
def test_one_array_is_mapped(tmp_path, name):
    np.save(tmp_path / "a.npy", ARRAYS[name])
    file = ArrayFile(tmp_path / "a.npy")
    assert (file.is_single, len(file), list(file)) == (True, 1, [""])
    np.testing.assert_array_equal(file[""], ARRAYS[name])
    assert isinstance(file[""], np.memmap) is bool(ARRAYS[name].size)


def test_objects_are_not_unpickled(tmp_path):
    objects = np.array([{"a": 1}], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "a.npz", objects=objects, allow_pickle=True)
    (tmp_path / "pickled.npy").write_bytes(pickle.dumps(objects))
    with pytest.raises(DataProblem, match="holds Python objects"):
        ArrayFile(tmp_path / "a.npy")[""]
    with pytest.raises(DataProblem, match="holds Python objects"):
        ArrayFile(tmp_path / "a.npz")["objects"]
    with pytest.raises(DataProblem, match="not a NumPy file that can be read"):
        ArrayFile(tmp_path / "pickled.npy")


@pytest.mark.parametrize("shape", [(2**40,), (3,)])
def test_a_header_is_not_believed(tmp_path, shape):
    content = header(shape) + bytes(16)
    (tmp_path / "a.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(DataProblem, match="is truncated"):
        ArrayFile(tmp_path / "a.npy")[""]
    with pytest.raises(DataProblem, match=r"a.npz: a.npy is truncated: its header says float64"):
        ArrayFile(tmp_path / "a.npz")["a"]


def test_a_size_that_cannot_be_packed_so_small_is_refused(tmp_path):
    """An archive whose list of contents agrees with the header, with almost nothing behind them."""
    content = header((2**27,))
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
        place = archive.getinfo("a.npy")
        place.file_size = len(content) + 2**30
    with pytest.raises(DataProblem, match=r"more than its .* bytes can hold"):
        ArrayFile(path)["a"]


def test_damage_is_one_sentence(tmp_path):
    np.savez(tmp_path / "a.npz", **ARRAYS)
    whole = (tmp_path / "a.npz").read_bytes()
    broken = bytearray(whole)
    broken[whole.index(ARRAYS["numbers"].tobytes()) + 5] ^= 1
    (tmp_path / "flipped.npz").write_bytes(broken)
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "page.npz").write_text("<html>moved</html>")
    with pytest.raises(DataProblem, match="Bad CRC"):
        ArrayFile(tmp_path / "flipped.npz")["numbers"]
    with pytest.raises(DataProblem, match=r"cut.npz: not a NumPy file that can be read"):
        ArrayFile(tmp_path / "cut.npz")
    with pytest.raises(DataProblem, match="is a web page"):
        ArrayFile(tmp_path / "page.npz")
