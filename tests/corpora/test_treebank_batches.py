"""Batches: the same sentences as `conllu.read`, in arrays, whatever way the file is written or
damaged.
"""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_conllu import BAD, ROWS, blocks, row

from lingprobe.corpora import batches as room
from lingprobe.corpora import files
from lingprobe.corpora.batches import TreebankBatch, read_treebank_batches
from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem


def plain(found):
    """A batch in plain values."""
    columns = [getattr(found, name).strings() for name in ("words", "upos", "feats", "deprels")]
    return [
        found.starts.tolist(),
        found.parents.tolist(),
        found.roots.tolist(),
        found.depths.tolist(),
        columns,
        found.texts,
    ]


def same(path, on_error="raise"):
    """Whether both readers give the same sentences and counts; what they give."""
    ours, theirs = ProblemTally(), ProblemTally()
    trees = list(read_conllu(path, on_error, theirs))
    found = list(read_treebank_batches(path, on_error, ours))
    assert [s for part in found for s in part.sentences()] == [t.sentence for t in trees]
    assert [d for part in found for d in part.depths.tolist()] == [t.depth for t in trees]
    assert ours == theirs
    if len(found) == 1:
        assert plain(found[0]) == plain(TreebankBatch.of(trees))
    return trees


@pytest.fixture
def alone(monkeypatch):
    """Refuse to fall back to the reader of single sentences."""

    def refuse(*args):
        raise AssertionError("this is read without a closer look")

    return lambda: monkeypatch.setattr(room, "parse_trees", refuse)


@pytest.mark.parametrize("comments", [True, False])
def test_ordinary_sentences_are_parsed_at_once(tmp_path, alone, comments):
    path = tmp_path / "t.conllu"
    quoted = row(2, 0, '"#')
    text = ROWS + f"# sent_id = 2\n{row(1, 2, 'New York')}\n{quoted}\n\n\n{row(1, 0, '_')}\n"
    path.write_text(text if comments else text.replace("# text = Vámonos al mar.\n", ""))
    assert len(same(path)) == 3
    alone()
    assert [s for part in read_treebank_batches(path) for s in part.texts] == [
        "Vámonos al mar.",
        'New York "#',
        "_",
    ]


@pytest.mark.parametrize(
    ("comments", "text"),
    [
        ("# text = a\n# text = b\n", "b"),
        ("# said # text = a\n# text = b\n", "b"),
        ("# text = b\n# said # text = a\n", "b"),
        ("#text=b\n", "b"),
        ("# alone\n# text = b \n# last\n", "b"),
        ("# said # text = a\n", "b"),
    ],
)
def test_the_last_comment_that_tells_the_text_counts(tmp_path, alone, comments, text):
    path = tmp_path / "t.conllu"
    path.write_text(f"{comments}{row(1, 0, 'b')}\n")
    alone()
    assert [t for part in read_treebank_batches(path) for t in part.texts] == [text]


@pytest.mark.parametrize("size", [40, 333, 1 << 20])
def test_pieces_of_any_size_give_the_same(tmp_path, monkeypatch, size):
    path = tmp_path / "t.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + (ROWS + row(1, 0) + "\n\n").encode() * 30)
    monkeypatch.setattr(files, "CHUNK_BYTES", size)
    assert len(same(path)) == 60


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_what_is_wrong_is_named_as_by_the_other_reader(tmp_path, bad, message):
    path = tmp_path / "t.conllu"
    path.write_text(f"{row(1, 0)}\n\n# a comment\n{bad}\n\n{row(1, 0)}\n\n")
    with pytest.raises(DataProblem) as caught:
        list(read_treebank_batches(path))
    assert message in str(caught.value)
    same(path, "skip")


@given(st.lists(blocks(), min_size=1, max_size=4))
def test_generated_sentences_are_the_same(tmp_path_factory, found):
    path = tmp_path_factory.getbasetemp() / "same.conllu"
    path.write_text("".join(found), encoding="utf-8", newline="")
    same(path)


@given(st.data())
def test_damaged_sentences_are_the_same(tmp_path_factory, data):
    text = bytearray((data.draw(blocks()) + ROWS).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from([b"\t", b"\n", b"\r", b"", b"7", b"-", b".", b"#", b"\xff", b'"'])
        )
    path = tmp_path_factory.getbasetemp() / "damaged.conllu"
    path.write_bytes(bytes(text))
    same(path, "skip")


DATA = (
    Path(os.environ["LINGPROBE_DATA"]) / "treebanks" if os.environ.get("LINGPROBE_DATA") else None
)


@pytest.mark.skipif(DATA is None or not DATA.is_dir(), reason="needs LINGPROBE_DATA")
@pytest.mark.parametrize(
    "name",
    [
        "UD_English-EWT/en_ewt-ud-test.conllu.xz",
        "UD_Polish-PDB/pl_pdb-ud-dev.conllu.xz",
        "UD_Finnish-TDT/fi_tdt-ud-test.conllu.xz",
        "UD_Turkish-IMST/tr_imst-ud-test.conllu.xz",
        "UD_Hebrew-HTB/he_htb-ud-test.conllu.xz",
        "UD_Chinese-GSDSimp/zh_gsdsimp-ud-test.conllu.xz",
        "UD_Japanese-GSD/ja_gsd-ud-test.conllu.xz",
        "GUM/dep/gum_test.conllu.xz",
    ],
)
def test_real_treebanks_are_parsed_at_once(alone, name):
    trees = same(DATA / name)
    alone()
    assert sum(map(len, read_treebank_batches(DATA / name))) == len(trees)
