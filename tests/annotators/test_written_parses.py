"""What is written of a sentence, row by row, and what is left out and why."""

from __future__ import annotations

import json

import pytest

from lingprobe.annotators import blocks
from lingprobe.annotators.blocks import ParsedBlock, PlacedSentence
from lingprobe.annotators.parse import PARSE_FACTS_FILE, _tell
from lingprobe.annotators.parser import Annotation
from lingprobe.annotators.segment import SegmentedSentence
from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.running import TextPassage
from lingprobe.corpora.trees import MultiwordToken
from lingprobe.data.core import DataProblem


class Said:
    """A parser that says what it was given."""

    name = fingerprint = "said"

    def __init__(self, *answers):
        self.answers = answers

    def annotate(self, sentences):
        return iter(self.answers)


def rows(cut: SegmentedSentence, answer: Annotation) -> list[str]:
    """The rows that are written, with | between columns."""
    return [row.replace("\t", "|") for row in blocks._format_conllu_rows(cut, answer)]


def test_words_of_one_token_stand_below_it():
    cut = SegmentedSentence(
        ("Il", "va", "de", "le", "nord", "à", "les", "Alpes", "."),
        "Il va du nord aux Alpes.",
        (MultiwordToken(2, 4, "du", "_"), MultiwordToken(5, 7, "aux", "_")),
    )
    heads = (1, -1, 4, 4, 1, 7, 7, 1, 1)
    assert rows(cut, Annotation(upos=("X",) * 9, heads=heads)) == [
        "1|Il|_|X|_|_|2|dep|_|_",
        "2|va|_|X|_|_|0|dep|_|_",
        "3-4|du|_|_|_|_|_|_|_|_",
        "3|de|_|X|_|_|5|dep|_|_",
        "4|le|_|X|_|_|5|dep|_|_",
        "5|nord|_|X|_|_|2|dep|_|_",
        "6-7|aux|_|_|_|_|_|_|_|_",
        "6|à|_|X|_|_|8|dep|_|_",
        "7|les|_|X|_|_|8|dep|_|_",
        "8|Alpes|_|X|_|_|2|dep|_|SpaceAfter=No",
        "9|.|_|X|_|_|2|dep|_|_",
    ]


def test_a_token_of_several_words_may_be_followed_by_no_space():
    cut = SegmentedSentence(
        ("da", "mi", "lo", "!"), "damilo!", (MultiwordToken(0, 3, "damilo", "_"),)
    )
    found = rows(cut, Annotation(heads=(-1, 0, 0, 0)))
    assert found[0] == "1-3|damilo|_|_|_|_|_|_|_|SpaceAfter=No"
    assert [row[-1] for row in found[1:]] == ["_"] * 4


def test_a_token_that_is_none_of_its_words_may_be_followed_by_no_space():
    cut = SegmentedSentence(
        ("va", "de", "le", ".", "X"), "va du. X", (MultiwordToken(1, 3, "du", "_"),)
    )
    spaces = [row.rpartition("|")[2] for row in rows(cut, Annotation(heads=(-1, 0, 0, 0, 0)))]
    assert spaces == ["_", "SpaceAfter=No", "_", "_", "_", "_"]


def test_every_column_is_written_and_spaces_in_it_are_one():
    cut = SegmentedSentence(("a\u00a0b", "c"), "a\u00a0b c")
    told = Annotation(
        ("X", ""), ("T", "_"), ("A=B", "_"), (1, -1), ("obj", "root"), lemmas=("l  m", "c")
    )
    assert rows(cut, told) == ["1|a b|l m|X|T|A=B|2|obj|_|_", "2|c|c|_|_|_|0|root|_|_"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Annotation(heads=(-1, 0)), ""),
        (Annotation(heads=(1, -1)), ""),
        (Annotation(brackets="(X a b)"), ""),
        (Annotation(), "no tree"),
        (Annotation(heads=(-1,)), "no tree"),
        (Annotation(heads=(-1, -1)), "no tree"),
        (Annotation(heads=(-1, 2)), "no tree"),
        (Annotation(heads=(-1, -2)), "no tree"),
        (Annotation(heads=(-1, 1)), "no tree"),
        (Annotation(heads=(-1, 0), feats=("_", "Case")), "features"),
    ],
)
def test_what_is_no_tree_is_left_out_with_its_reason(answer, why, tmp_path):
    assert blocks._fault(("ä", "b"), answer).partition(":")[0] == why
    block = ParsedBlock()
    blocks.annotate_sentences(
        3, [PlacedSentence(SegmentedSentence(("ä", "b"), "ä b"), "ö.txt", 7)], Said(answer), block
    )
    assert (block.sentences, block.words) == ((0, 0) if why else (1, 2))
    note = blocks.write_parsed_block(tmp_path, 3, block)
    assert {what.partition(":")[0]: case for what, case in note["skipped"].items()} == (
        {why: {"times": 1, "first": "ö.txt:7"}} if why else {}
    )
    assert json.loads(written := blocks.get_note_path(tmp_path, 3).read_text("utf-8")) == note
    assert ("ö.txt" in written) == bool(why)
    left = tmp_path / "blocks" / "00003.skipped.jsonl.zst"
    assert left.is_file() == bool(why)
    if why:
        [(_, row), *_] = read_text_lines(left)
        assert '"text": "ä b"' in row
        assert json.loads(row)["where"] == "ö.txt:7"


def test_a_sentence_says_where_it_is_from_and_how_sure_it_is(tmp_path):
    block = ParsedBlock()
    place = PlacedSentence(SegmentedSentence(("a",), "a"), "f.txt", 7)
    told = Annotation(heads=(-1,), confidence=0.123456)
    done: list[int] = []
    blocks.annotate_sentences(
        12, [place, place], Said(told, Annotation(heads=(-1,))), block, done.append
    )
    assert done == [1, 1]
    blocks.write_parsed_block(tmp_path, 12, block)
    assert [row for _, row in read_text_lines(tmp_path / "00012.conllu.zst")] == [
        *("# sent_id = 00012-1", "# source = f.txt:7", "# text = a", "# confidence = 0.1235"),
        *("1\ta\t_\t_\t_\t_\t0\tdep\t_\t_", ""),
        *("# sent_id = 00012-2", "# source = f.txt:7", "# text = a"),
        *("1\ta\t_\t_\t_\t_\t0\tdep\t_\t_", ""),
    ]


def test_what_a_folder_says_of_itself_is_text_as_it_stands(tmp_path):
    _tell(tmp_path, {"files": ["Łódź.txt"], "blocks": 2})
    written = (tmp_path / PARSE_FACTS_FILE).read_text("utf-8")
    assert '"Łódź.txt"' in written
    assert written.endswith("}\n")
    assert json.loads(written) == {"files": ["Łódź.txt"], "blocks": 2}


def test_a_block_is_whole_where_its_files_are_as_long_as_they_were(tmp_path):
    assert blocks.is_block_complete(tmp_path, 0) is False
    block = ParsedBlock()
    blocks.annotate_sentences(
        0,
        [PlacedSentence(SegmentedSentence(("a",), "a"), "f", 1)],
        Said(Annotation(heads=(-1,))),
        block,
    )
    blocks.write_parsed_block(tmp_path, 0, block)
    assert blocks.is_block_complete(tmp_path, 0)
    file = tmp_path / "00000.conllu.zst"
    file.write_bytes(file.read_bytes() + b"x")
    assert blocks.is_block_complete(tmp_path, 0) is False
    file.unlink()
    assert blocks.is_block_complete(tmp_path, 0) is False
    blocks.get_note_path(tmp_path, 0).write_text("{", "utf-8")
    assert blocks.is_block_complete(tmp_path, 0) is False


def test_what_of_a_passage_cannot_be_parsed_is_left_out_with_the_reason():
    class Segmenter:
        name = "made"

        def segment(self, text, is_sentence=False):
            if text == "no":
                raise DataProblem("cannot be cut")
            return [
                SegmentedSentence(tuple(part.split()), part) for part in text.split("|") if part
            ]

    road = blocks.ParsingPipeline(Said(), Segmenter(), longest=2)
    some = [
        TextPassage("a b|c d e|f", "x.txt", 3, mended=("tabs",)),
        TextPassage("", "x.txt", 4),
        TextPassage("no", "x.txt", 5),
        TextPassage("\\xff", "y.txt", 0, "not UTF-8", mended=("never",)),
    ]
    block = ParsedBlock()
    found = [(place.cut.text, place.line) for place in blocks._cut(some, road, block)]
    assert found == [("a b", 3), ("f", 3)]
    assert block.skipped == [
        ("a sentence of more than 2 words", "x.txt:3", "c d e"),
        ("no words", "x.txt:4", ""),
        ("cannot be cut", "x.txt:5", "no"),
        ("not UTF-8", "y.txt", "\\xff"),
    ]
    assert block.mended == [("tabs", "x.txt:3")]
    assert block.note()["skipped"]["no words"] == {"times": 1, "first": "x.txt:4"}
