"""The lists of words that rules of `ud/` ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lingprobe.tasks.ud.lists as module
from lingprobe.tasks.ud.lists import _TABLE, word_list

CODE = sorted(Path(module.__file__).parent.glob("*.py"))


def test_every_list_is_asked_for_and_every_one_asked_for_is_there():
    rows = [line.split("\t") for line in _TABLE.read_text("utf-8").splitlines()[1:]]
    named = {name for lists, *_ in rows for name in lists.split()}
    asked = {
        name
        for file in CODE
        for name in re.findall(
            r'(?:word_list\(|_markers\(batch, )"([\w-]+)"', file.read_text("utf-8")
        )
    }
    assert asked == named
    assert all(len(row) == 4 and all(row) for row in rows)


def test_lists_with_several_rows_hold_the_words_of_all():
    assert word_list("being") < word_list("no-passive") < word_list("with-be")
    assert {"lot", "większość", "संख्या", "%"} < word_list("measures")
    assert word_list("be") == {"être", "essere"}
    assert "venir" in word_list("no-passive")
    assert "valere" in word_list("with-be") - word_list("no-passive")


def test_a_list_that_there_is_not_is_an_error():
    with pytest.raises(KeyError, match="no-such"):
        word_list("no-such")
