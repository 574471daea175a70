"""Running text: one sentence a line, words and marks apart."""

import gzip

import pytest

from lingprobe.corpora.running import read_passages
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.text import (
    CONLLU_ROW_PROBLEM,
    read_running_text,
    split_words,
)
from lingprobe.data.core import DataProblem, Sentence


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("She has starred.", ["She", "has", "starred", "."]),
        ("Don't re-read “it”…", ["Don't", "re-read", "“", "it", "”", "…"]),
        ("l’été 3.5 €", ["l’été", "3", ".", "5", "€"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_single_marks(line, expected):
    assert list(split_words(line)) == expected


def test_blank_lines_and_metadata_are_no_sentences(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"# book = x\r\nOne two.\r\n\r\n  #hash tag \r\nLast"))
    tally = ProblemTally()
    assert list(read_running_text(path, tally=tally)) == [
        Sentence(("One", "two", "."), "One two."),
        Sentence(("#", "hash", "tag"), "#hash tag"),
        Sentence(("Last",), "Last"),
    ]
    assert (tally.sentences, tally.words) == (3, 7)


def test_rows_of_a_treebank_are_no_running_text(tmp_path):
    row = "1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_"
    (path := tmp_path / "a.txt").write_text(f"# sent_id = 1\n{row}\n\nA line .\n")
    with pytest.raises(DataProblem, match=r"a\.txt:2: a row of CoNLL-U, .* end in \.conllu"):
        list(read_running_text(path))
    assert [s.text for s in read_running_text(path, "skip")] == ["A line ."]
    bad, good = read_passages(path, lines=True)
    assert (bad.line, bad.problem, good.text) == (2, CONLLU_ROW_PROBLEM, "A line .")


def test_bad_bytes_are_named_or_counted(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nb\xe9d\ngood")
    with pytest.raises(DataProblem, match=r"a\.txt:2: byte 0xe9"):
        list(read_running_text(path))
    tally = ProblemTally()
    assert len(list(read_running_text(path, "skip", tally))) == 2
    assert tally.skipped == 1
