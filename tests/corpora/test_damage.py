"""Whatever is wrong with a file, the error is one of lingprobe and names the file."""

import hashlib
import json
import struct

import pyarrow as pa
import pytest

import lingprobe
from fixtures.published import ELMO
from lingprobe.analysis.score_files import families_from, read_score_file
from lingprobe.corpora.machine import find_annotator
from lingprobe.encoders.hub import ModelFiles
from lingprobe.encoders.own_vector_files import VECTOR_FILE_FORMATS, read_npy
from lingprobe.encoders.word_files import open_words
from lingprobe.pages.human import read_bound
from lingprobe.store.blocks import write_block_file
from lingprobe_extensions.archive.elmo_shape import read_elmo_shape
from lingprobe_extensions.archive.files import json_file, mmap_table, read_arrays, torch_file
from lingprobe_extensions.papers.sheet_score import read_filled_sheet
from lingprobe_extensions.train.encoder import read_training_facts

DIGITS = b"9" * 5000
DEEP = 100_000
WRONG = {
    "nothing": b"",
    "Windows-1252": "encoder,caf\xe9\nlength,1\n".encode("cp1252"),
    "UTF-16": "encoder,family\na,b\n".encode("utf-16"),
    "zeros": bytes(300),
    "many digits": DIGITS,
    "a header of many digits": DIGITS + b" " + DIGITS + b"\na 1 2\n",
    "a key of many digits": b"a = " + DIGITS,
    "an object of many digits": b'{"parser": ' + DIGITS + b"}",
    "deep lists": b"[" * DEEP,
    "deep objects": b'{"a":' * DEEP,
    "deep TOML": b"a = " + b"[" * DEEP,
    "a deep comment": b'# sonde: {"task": ' + b"[" * DEEP + b"\nid\tjudgement\n",
    "infinity": b'{"char_cnn": Infinity, "lstm": {"dim": Infinity}, "scores": Infinity}',
    "other JSON": b'{"task_name": [], "scores": {"test": [5]}, "format": [], "parser": 5}',
    "a zip": b"PK\x03\x04" + b"\xff" * 100,
    "Arrow": b"ARROW1\x00\x00" + b"\xff" * 64 + b"ARROW1",
    "Parquet": b"PAR1" + b"\xff" * 64 + b"PAR1",
    "torch": b"\x80\x02}q\x00." + b"\x00" * 50,
}
READERS = {
    "scores.csv": lambda path: read_score_file(str(path)),
    "families.csv": families_from,
    "mteb/model/1/T.json": lambda path: read_score_file(f"mteb:{path.parents[2]}"),
    "asked.toml": lingprobe.read_experiment,
    "a.npz": VECTOR_FILE_FORMATS["npz"].layers,
    "a.parquet": VECTOR_FILE_FORMATS["parquet"].layers,
    "a.arrow": VECTOR_FILE_FORMATS["arrow"].layers,
    "a.npy": lambda path: read_npy(path, path),
    "lines.txt": lambda path: read_npy(path.with_name("lines.txt"), path),
    "words.vec": open_words,
    "options.json": read_elmo_shape,
    "bound.json": read_bound,
    "sheet.tsv": read_filled_sheet,
    "arrays.npz": read_arrays,
    "mapped.npy": mmap_table,
    "any.json": lambda path: json_file(path, "anything"),
    "weights.pt": torch_file,
    "parsed/parsed.json": lambda path: find_annotator(path.parent),
    "trained/model.json": lambda path: read_training_facts(path.parent),
    "hub/config.json": lambda path: ModelFiles(path.parent).config(),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("reader", READERS)
def test_an_error_is_ours_and_names_the_file(reader, wrong, tmp_path):
    path = tmp_path / reader
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(WRONG[wrong])
    said = ""
    try:
        READERS[reader](path)
    except lingprobe.LingprobeError as error:
        said = str(error)
    assert not said or str(tmp_path) in said


@pytest.mark.parametrize("change", [{"lstm": {"dim": float("inf")}}, {"char_cnn": {"filters": 3}}])
def test_sizes_of_an_elmo_that_are_no_numbers(change, tmp_path):
    (tmp_path / "options.json").write_text(json.dumps({**ELMO, **change}))
    with pytest.raises(lingprobe.DataProblem, match=r"options\.json: not the sizes of an ELMo"):
        read_elmo_shape(tmp_path / "options.json")


def test_a_column_that_arrow_cannot_turn_into_numbers(tmp_path):
    table = pa.table({"sentence": ["a"], "vector": pa.array([[{"x": 1}]])})
    with (
        pa.OSFile(str(tmp_path / "a.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    with pytest.raises(lingprobe.DataProblem, match=r"a\.arrow"):
        VECTOR_FILE_FORMATS["arrow"].read(tmp_path / "a.arrow", {"-": "vector"})


CRAFTED = [{}, {"results": 5}, {"results": [5]}, {"results": [{"id": "x"}]}]


@pytest.mark.parametrize("facts", CRAFTED, ids=str)
def test_results_that_somebody_crafted(facts, tmp_path):
    unit = tmp_path / f"{'0' * 32}.result"
    write_block_file(unit, "results", facts, {})
    with pytest.raises(lingprobe.DataProblem, match="not a file of results that can be read"):
        lingprobe.results(tmp_path)


@pytest.mark.parametrize("header", [b"[]", b"{}", b"5", b"[" * DEEP, b"{"])
def test_headers_that_somebody_crafted(header, tmp_path, caplog):
    lead = struct.pack("<5s3sQ", b"sonde", b"002", len(header))
    mark = hashlib.blake2b(lead + header, digest_size=16).digest()
    unit = tmp_path / f"{'0' * 32}.result"
    unit.write_bytes(lead + mark + header)
    with pytest.raises(lingprobe.DataProblem, match="no results in"):
        lingprobe.results(tmp_path)
    assert f"{unit} is damaged" in caplog.text
