"""Files that unpack to far more than they are: refused before memory or time is spent."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import resource
import socket
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lingprobe
from lingprobe.corpora import unpacking
from lingprobe.corpora.array_files import ArrayFile
from lingprobe.corpora.arrow_sizes import read_batch_sizes
from lingprobe.corpora.files import open_file, open_zip, read_short_file
from lingprobe.corpora.unpacking import count_bytes, open_arrow, open_parquet
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import make_encoder

LONG = "x" * 400_000
ROWS = 30_000


def zst(path, mode):
    return pa.CompressedOutputStream(str(path), "zstd")


OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": zst}
STRINGS = pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int32)), pa.array([LONG]))
LABELS = pa.array(["a", "b"] * (ROWS // 2))
LISTS = pa.ListArray.from_arrays(pa.array(np.arange(ROWS + 1, dtype=np.int32)), STRINGS)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("stores_schema", [True, False])
def test_a_parquet_of_a_kilobyte_is_not_decoded_to_gigabytes(stores_schema, tmp_path):
    path = tmp_path / "small.parquet"
    table = pa.table({"text": STRINGS, "label": LABELS})
    pq.write_table(table, path, compression="zstd", store_schema=stores_schema)
    assert path.stat().st_size < 2000
    before = peak()
    with pytest.raises(DataProblem, match=r"small.parquet has .* unpacks to 12.0 GB or more"):
        lingprobe.inspect(f"table:{path}")
    assert peak() - before < 500e6


def test_many_rows_are_counted_before_they_are_read(tmp_path):
    path = tmp_path / "rows.parquet"
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**7, np.int8)), pa.array(["hello"]))
    pq.write_table(pa.table({"text": codes, "label": codes}), path, compression="zstd")
    with pytest.raises(DataProblem, match=r"unpacks to 3\d\d.0 MB or more"):
        lingprobe.inspect(f"table:{path}")


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_vectors_that_unpack_to_gigabytes_are_refused(kind, tmp_path):
    path = tmp_path / f"zeros.{kind}"
    if kind == "npz":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("vectors.npy", "w") as file,
        ):
            head = {"descr": "<f4", "fortran_order": False, "shape": (300, 250_000)}
            np.lib.format.write_array_header_1_0(file, head)
            for _ in range(300):
                file.write(bytes(10**6))
        with pytest.raises(DataProblem, match=r"unpacks to 300.0 MB or more"):
            ArrayFile(path)["vectors"]
        return
    pq.write_table(pa.table({"sentence": STRINGS, "vector": [[1.0]] * ROWS}), path)
    with pytest.raises(DataProblem, match=r"unpacks to 12.0 GB or more"):
        _ = make_encoder(f"parquet:{path}").stored_vectors


def test_strings_of_a_dictionary_in_arrow_are_counted_as_often_as_they_stand(tmp_path):
    path = tmp_path / "small.arrow"
    table = pa.table({"text": STRINGS, "label": LABELS})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataProblem, match=r"unpacks to 12.0 GB or more"):
        lingprobe.inspect(f"table:{path}")


@pytest.mark.parametrize("array", [STRINGS, LISTS, pa.StructArray.from_arrays([LISTS], ["a"])])
def test_letters_are_counted_inside_lists_and_records(array):
    assert count_bytes(array[:7]) == 7 * len(LONG)
    assert count_bytes(LABELS) == 0


@pytest.mark.parametrize("suffix", OPENERS)
@pytest.mark.parametrize("is_small", [True, False])
def test_streams_end_where_they_are_too_long(suffix, is_small, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREE_BYTES", 1 << 22)
    if not is_small:  # what is not unpacked beforehand is counted while it is read
        monkeypatch.setattr(unpacking, "_SMALL_BYTES", 0)
    path = tmp_path / f"lines.txt{suffix}"
    with OPENERS[suffix](path, "wb") as file:
        for _ in range(40):
            file.write(b"\n" * (1 << 20))
    with pytest.raises(DataProblem, match=r"lines.txt.* unpacks to .* MB or more"):
        read_short_file(path)


@pytest.mark.parametrize("suffix", OPENERS)
def test_what_unpacks_as_texts_do_is_read(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREE_BYTES", 1 << 16)
    text = "".join(f"{i * 7919 % 10007} words\n" for i in range(30_000)).encode()
    path = tmp_path / f"text.txt{suffix}"
    with OPENERS[suffix](path, "wb") as file:
        file.write(text)
    assert read_short_file(path) == text
    with open_file(path) as file:
        assert file.readline() == b"0 words\n"
        if file.seekable():
            file.seek(3)
            assert file.read(4) == b"ords"


def test_a_whole_parquet_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREE_BYTES", 1 << 10)
    texts = [f"text {i}" for i in range(5000)]
    table = pa.table({"text": texts, "tokens": [each.split() for each in texts]})
    pq.write_table(table, tmp_path / "whole.parquet")
    with (tmp_path / "whole.parquet").open("rb") as file:
        assert open_parquet(file).read() == table


def test_a_zip_says_how_long_it_is(tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.txt", "w") as file,
    ):
        for _ in range(300):
            file.write(bytes(10**6))
    with pytest.raises(DataProblem, match=r"a.zip has .* unpacks to 300.0 MB or more"):
        open_zip(tmp_path / "a.zip").__enter__()


PLACES = ["table:{}", "ud/tense:{}", "edge/dep:{}", "minimal/pairs:{}"]


@pytest.mark.parametrize("reference", PLACES)
@pytest.mark.parametrize("suffix", ["tsv", "jsonl", "parquet", "conllu", "tsv.gz"])
def test_a_pipe_is_refused_at_once_as_data(reference, suffix, tmp_path):
    os.mkfifo(tmp_path / f"pipe.{suffix}")
    with pytest.raises(LingprobeError, match="is a pipe, a socket or a device"):
        lingprobe.inspect(reference.format(tmp_path / f"pipe.{suffix}"))


@pytest.mark.parametrize("kind", ["npz", "npy", "parquet", "arrow", "static"])
def test_a_pipe_is_refused_at_once_as_vectors(kind, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReferenceProblem, match="is a pipe, a socket or a device"):
        make_encoder(f"{kind}:{tmp_path / 'pipe'}")


def test_sockets_and_devices_are_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("data.tsv")
        with pytest.raises(LingprobeError, match="is a pipe, a socket or a device"):
            lingprobe.inspect("table:data.tsv")
    with pytest.raises(LingprobeError, match="is a pipe, a socket or a device"):
        lingprobe.inspect("table:/dev/zero")


def write_arrow(path, table, compression, is_stream):
    new = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        pa.OSFile(str(path), "wb") as file,
        new(file, table.schema, options=options) as writer,
    ):
        writer.write_table(table, max_chunksize=50)
    return path


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("is_stream", [True, False])
def test_sizes_of_arrow_are_those_that_its_batches_decode_to(compression, is_stream, tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "text": ["word " * int(k) for k in rng.integers(1, 9, 120)],
            "vector": list(rng.integers(0, 3, (120, 8)).astype(np.float32)),
            "kind": pa.array(["a", "b", None] * 40).dictionary_encode(),
        }
    )
    path = write_arrow(tmp_path / "table.arrow", table, compression, is_stream)
    with path.open("rb") as file:
        batches = [one for one in read_batch_sizes(file) if not one.is_dictionary]
    with path.open("rb") as file:
        opened = open_arrow(file)
        whole = opened.read_all()
    assert whole.equals(table)
    assert len(batches) == 3
    # three columns and the numbers in lists, which are 8 a row
    assert [one.values for one in batches] == [50 * 11, 50 * 11, 20 * 11]
    sizes = [
        batch.nbytes - batch.column("kind").dictionary.nbytes for batch in table.to_batches(50)
    ]
    assert [one.decoded for one in batches] == pytest.approx(sizes, rel=0.05)


@pytest.mark.parametrize("is_stream", [True, False])
def test_an_arrow_file_of_few_bytes_is_not_decoded_to_many(is_stream, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "_FREE_BYTES", 1 << 20)
    table = pa.table({"text": ["x" * 400_000] * 60, "label": ["a", "b"] * 30})
    path = write_arrow(tmp_path / "small.arrow", table, "zstd", is_stream)
    assert path.stat().st_size < 50_000
    with pytest.raises(DataProblem, match=r"small.arrow has .* unpacks to .* MB or more"):
        lingprobe.inspect(f"table:{path}")


def test_rows_without_a_byte_are_counted_in_arrow(tmp_path):
    empty = pa.RecordBatch.from_arrays([pa.nulls(10**9), pa.nulls(10**9)], ["text", "label"])
    path = tmp_path / "nulls.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, empty.schema) as writer:
        writer.write_batch(empty)
    with pytest.raises(DataProblem, match=r"unpacks to 32.0 GB or more"):
        lingprobe.inspect(f"table:{path}")


def test_a_list_of_batches_that_are_not_in_the_file(tmp_path):
    table = pa.table({"text": ["a", "b"], "label": ["x", "y"]})
    path = write_arrow(tmp_path / "few.arrow", table, None, is_stream=False)
    data = path.read_bytes()
    end = data.index(b"\xff\xff\xff\xff\x00\x00\x00\x00")
    cut = data.index(b"\xff\xff\xff\xff", 9)  # where the batch begins, behind the schema
    path.write_bytes(data[:cut] + data[end : end + 8] + data[cut + 8 :])
    with pytest.raises(DataProblem, match=r"few.arrow"):
        lingprobe.inspect(f"table:{path}")
