"""Byte pair encoding by hand: merges in their order, and no piece that a vocabulary lacks."""

import pytest

from fixtures.published import CODES
from lingprobe.data.core import DataProblem
from lingprobe_extensions.archive.bpe import read_codes


@pytest.fixture
def codes(tmp_path):
    (tmp_path / "codes").write_text(CODES)
    return tmp_path / "codes"


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("the", "the"),
        ("then", "th@@ e@@ n"),
        ("thing", "th@@ ing"),
        ("in", "i@@ n"),  # the merge is of an n that ends no word
        ("cat", "cat"),
        ("band", "b@@ and"),
        ("ąt", "ą@@ t"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_words_are_cut_by_merges_in_the_order_in_which_they_were_learnt(codes, word, pieces):
    assert " ".join(read_codes(codes, None).pieces(word)) == pieces


def test_a_new_word_is_cut_as_in_the_paper(tmp_path):
    """Sennrich et al. 2016, Figure 1: merges learnt from low, lowest, newer and wider make "low"
    " er·"
    of "lower"; here the mark of the end stands with the last letter, as in fastBPE.
    """
    (tmp_path / "codes").write_text("l o 9\nlo w 8\ne r</w> 7\n")
    assert read_codes(tmp_path / "codes", None).pieces("lower") == ("low@@", "er")


def test_pieces_that_the_vocabulary_lacks_are_cut_again(codes, tmp_path):
    """As fastBPE does: a merge is undone down to pieces that are known, or to letters."""
    (tmp_path / "vocabulary").write_text("th@@ 5\ne 5\nan@@ 4\nb@@ 3\n")
    held = read_codes(codes, tmp_path / "vocabulary")
    assert held.pieces("the") == ("th@@", "e")
    assert held.pieces("band") == ("b@@", "an@@", "d")
    assert held.pieces("cat") == ("c@@", "a@@", "t")


def test_a_line_that_is_no_merge_is_told(tmp_path):
    (tmp_path / "codes").write_text("t h 9\nthe\n")
    with pytest.raises(DataProblem, match="codes:2: 'the' is not a merge"):
        read_codes(tmp_path / "codes", None)
