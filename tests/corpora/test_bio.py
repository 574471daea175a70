"""Columns of tags: all ways of marking where spans begin, all layouts, anything wrong named by its
line.
"""

import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora.bio import TagLayout, decode_spans, read_tag_columns
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem

MARKED = {
    "B-X I-X O B-Y": [("X", 0, 2), ("Y", 3, 4)],  # IOB2
    "I-X I-X O I-Y": [("X", 0, 2), ("Y", 3, 4)],  # IOB1
    "I-X B-X I-X I-Y": [("X", 0, 1), ("X", 1, 3), ("Y", 3, 4)],
    "B-X E-X S-Y S-Y": [("X", 0, 2), ("Y", 2, 3), ("Y", 3, 4)],  # BIOES
    "B-X L-X U-Y U-Y": [("X", 0, 2), ("Y", 2, 3), ("Y", 3, 4)],  # BILOU
    "B-X M-X M-X E-X": [("X", 0, 4)],  # BMES
    "B-X E-X I-X O": [("X", 0, 2), ("X", 2, 3)],
    "B-creative-work I-creative-work O O": [("creative-work", 0, 2)],
}


@pytest.mark.parametrize("tags", MARKED)
def test_spans_of_all_schemes(tags):
    assert decode_spans(tags.split())[0] == MARKED[tags]


@given(st.lists(st.tuples(st.sampled_from("XY"), st.integers(1, 3), st.integers(0, 2)), max_size=6))
def test_all_schemes_tell_the_same_spans(pieces):
    wanted, two, bioes, place = [], [], [], 0
    for label, size, gap in pieces:
        wanted.append((label, place, place + size))
        two += [f"B-{label}"] + [f"I-{label}"] * (size - 1) + ["O"] * gap
        bioes += (
            [f"S-{label}"]
            if size == 1
            else [f"B-{label}"] + [f"I-{label}"] * (size - 2) + [f"E-{label}"]
        ) + ["O"] * gap
        place += size + gap
    one = [  # IOB1 has B only where the span before has the same type and touches
        "I" + tag[1:] if tag[0] == "B" and (i == 0 or two[i - 1][1:] != tag[1:]) else tag
        for i, tag in enumerate(two)
    ]
    assert decode_spans(two) == (wanted, 0)
    assert decode_spans(bioes) == (wanted, 0)
    assert decode_spans(one)[0] == wanted


def found(path, layout=None, **more):
    return [
        (one.sentence.words, one.layers)
        for one in read_tag_columns(path, layout or TagLayout(), **more)
    ]


def test_layouts_are_told_by_what_stands_in_them(tmp_path):
    path = tmp_path / "x"
    path.write_text("# a comment\n1\tU.N.\tB-ORG\t-\t-\n2\tnow\tO\t-\t-\n")  # UNER
    assert found(path) == [(("U.N.", "now"), (("B-ORG", "O"),))]
    path.write_text("-DOCSTART- -X- -X- O\n\nU.N. NNP I-NP I-ORG\nnow RB O O\n")  # CoNLL-2003
    assert found(path) == [(("U.N.", "now"), (("I-ORG", "O"),))]
    assert found(path, TagLayout(chunks=True)) == [(("U.N.", "now"), (("I-NP", "O"),))]
    path.write_text("U.N.\tB-ORG\tB-LOC\tO\t\nnow\tO\tI-LOC\tO\t\n")  # LitBank: layers
    assert found(path) == [(("U.N.", "now"), (("B-ORG", "O"), ("B-LOC", "I-LOC"), ("O", "O")))]
    path.write_text("1 CD B-NP\n2 CD I-NP\n")  # numbers are words where nothing else can be
    assert found(path, TagLayout(word=0)) == [(("1", "2"), (("B-NP", "I-NP"),))]


def test_lines_of_blank_cells_part_sentences_and_hashes_are_words(tmp_path):
    path = tmp_path / "x"
    path.write_text("#one\tO\n\t\n@you\tB-person\n\t\n#\tO")  # WNUT17; the last line without an end
    assert [words for words, _ in found(path)] == [("#one",), ("@you",), ("#",)]


def test_raw_text_and_documents_are_kept(tmp_path):
    path = tmp_path / "x"
    path.write_text(
        "# newdoc id = d1\n# text = U.N.,"
        " now\n1\tU.N.\tB-ORG\t-\n2\t,\tO\t-\n3\tnow\tO\t-\n\n1\tyes\tO\t-\n"
    )
    first, second = read_tag_columns(path, TagLayout())
    assert (first.sentence.text, first.document, second.sentence.text, second.document) == (
        "U.N., now",
        "d1",
        "yes",
        "d1",
    )


def test_other_encodings_by_option(tmp_path):
    path = tmp_path / "x.xz"
    path.write_bytes(lzma.compress("España NC B-LOC\n".encode("latin-1")))
    with pytest.raises(DataProblem, match=r"x\.xz:1: byte 0xf1 is not UTF-8"):
        found(path)
    assert found(path, TagLayout(encoding="latin-1")) == [(("España",), (("B-LOC",),))]
    with pytest.raises(DataProblem, match="no encoding called 'latin-17'"):
        found(path, TagLayout(encoding="latin-17"))
    with pytest.raises(DataProblem, match=r"x\.xz:1: byte 0xf1 is not ASCII"):
        found(path, TagLayout(encoding="ascii"))


def test_words_are_closed_up_and_escapes_undone(tmp_path):
    path = tmp_path / "x"
    path.write_text(
        "`` NN O\nIt NN B-X\n's NN O\n-LRB- NN O\n1\\/2 NN B-X\n-RRB- NN O\n! NN O\n'' NN O\n"
    )
    (one,) = read_tag_columns(path, TagLayout())
    assert one.sentence.words == ('"', "It", "'s", "(", "1/2", ")", "!", '"')
    assert one.sentence.text == '"It\'s (1/2)!"'


BAD = {
    "now B\nyes O\n": "3: 'B' is not a tag",
    "now\nyes O\n": "3: 1 columns, most rows have 2",
    "now here O\nyes O\n": "3: 3 columns, most rows have 2",
}


@pytest.mark.parametrize("rows", BAD)
def test_what_is_wrong_is_said_with_its_line_or_counted(tmp_path, rows):
    path = tmp_path / "x"
    path.write_text(f"well O\n\n{rows}\nfine B-X\n")
    layout = TagLayout(tags=(1,))
    with pytest.raises(DataProblem, match=rf"x:{BAD[rows]}"):
        found(path, layout)
    tally = ProblemTally()
    assert [words for words, _ in found(path, layout, on_error="skip", tally=tally)] == [
        ("well",),
        ("fine",),
    ]
    assert (tally.skipped, tally.sentences) == (1, 2)


def test_files_without_tags_are_refused(tmp_path):
    path = tmp_path / "x"
    for text in ("", "only words here\nand here too\n", "one\ntwo\n"):
        path.write_text(text)
        with pytest.raises(DataProblem, match=r"no column holds tags|no rows of words"):
            found(path)


def test_files_longer_than_what_columns_are_told_by(tmp_path):
    path = tmp_path / "x"
    path.write_text(
        "".join(
            f"w{i} NN {'B-X' if i % 3 else 'O'}\n{chr(10) if i % 10 == 9 else ''}"
            for i in range(5000)
        )
        + "bad NN\n"
    )
    tally = ProblemTally()
    sentences = list(read_tag_columns(path, TagLayout(), "skip", tally))
    assert (len(sentences), tally.words, tally.skipped) == (500, 5000, 1)
    assert sentences[-1].line == 5490
    assert "x:5501: 2 columns" in tally.problems[0]
