"""What is said where a published file is missing."""

import re
from pathlib import Path

import pytest

from lingprobe.data.core import DataProblem
from lingprobe.encoders.sources import (
    _ENGLISH,
    _VECTORS,
    FileSource,
    check_vectors,
)
from lingprobe.encoders.word_files import word_digest
from lingprobe_extensions.archive import sources

DOCS = Path(__file__).parents[3] / "docs" / "published-encoders.md"
NAMES = {
    "InferSent": sources.INFERSENT_SOURCE,
    "Skip-Thought": sources.SKIPTHOUGHT_SOURCE,
    "Sent2Vec": sources.SENT2VEC_SOURCE,
    "LASER": sources.LASER_SOURCE,
    "CoVe": sources.COVE_SOURCE,
    "ELMo": sources.ELMO_SOURCE,
    "Universal Sentence Encoder": sources.USE_SOURCE,
    "GloVe": _VECTORS["glove.*"],
    "fastText": _ENGLISH,
}


def test_errors_and_documentation_name_the_same_licences():
    _, _, section = DOCS.read_text("utf-8").partition("## Licences")
    table = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert dict(table[1:]) == {name: source.licence for name, source in NAMES.items()}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("glove.840B.300d.txt", "nlp.stanford.edu"),
        ("crawl-300d-2M.vec", "english-vectors"),
        ("wiki-news-300d-1M.vec.zip", "english-vectors"),
        ("cc.pl.300.bin", "crawl-vectors"),
    ],
)
def test_known_word_vectors_that_are_missing_are_said_where_to_get(tmp_path, name, address):
    with pytest.raises(DataProblem, match=rf"no file '.*{name}' \(word vectors\).*{address}"):
        word_digest(tmp_path / name)
    (tmp_path / name).touch()
    check_vectors(tmp_path / name)


def test_of_other_word_vectors_nothing_is_known(tmp_path):
    with pytest.raises(DataProblem, match=r"cannot open .*mine\.vec: no such file"):
        word_digest(tmp_path / "mine.vec")


def test_a_missing_folder_is_called_one():
    problem = FileSource("https://example.org", "MIT").missing(Path("here"), "a model", "folder")
    assert (
        str(problem) == "no folder 'here' (a model); get it from https://example.org (licence: MIT)"
    )
