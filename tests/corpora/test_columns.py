import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora.columns import (
    INDIC_COLUMNS,
    SENTEVAL_COLUMNS,
    SINGLE_WORD_COLUMNS,
    WORD_IN_CONTEXT_COLUMNS,
    WORD_PAIR_COLUMNS,
    XPROBE_COLUMNS,
    ReadingPolicy,
    TableExamples,
)
from lingprobe.data.core import DataProblem

LENIENT = ReadingPolicy("skip", "skip")


def read(tmp_path, content, layout, how=None, split="test"):
    (tmp_path / "a.txt").write_bytes(content.encode())
    rows = TableExamples(layout, how)
    return [
        (e.split, e.label, [(s.sentence.text, s.span) for s in e.sites])
        for e in rows.read(tmp_path / "a.txt", split)
    ], rows


def test_first_second_and_last_columns_count_whatever_stands_between(tmp_path):
    found, _ = read(
        tmp_path,
        'tr\tNN\t" Why ?\nva\tNNS\tmore\tcolumns\tWe  went .\nte\tNN\tIt is .\t\t\n',
        SENTEVAL_COLUMNS,
    )
    assert found == [
        ("train", "NN", [('" Why ?', None)]),
        ("dev", "NNS", [("We  went .", None)]),
        ("test", "NN", [("It is .", None)]),
    ]


def test_every_layout_finds_its_columns(tmp_path):
    assert read(tmp_path, "one word\tO\n", XPROBE_COLUMNS)[0] == [
        ("test", "O", [("one word", None)])
    ]
    assert read(tmp_path, "galach\t6\n", SINGLE_WORD_COLUMNS)[0] == [
        ("test", "6", [("galach", None)])
    ]
    assert read(tmp_path, "umie\tumiesz\tPerson\n", WORD_PAIR_COLUMNS)[0] == [
        ("test", "Person", [("umie", None), ("umiesz", None)])
    ]
    assert read(tmp_path, "so it is\t2\tPresent\n", WORD_IN_CONTEXT_COLUMNS)[0] == [
        ("test", "Present", [("so it is", (2, 3))])
    ]
    rows = 'voice,sentences,index\nactive,"she went , he said",7\npassive,it was seen,8\n'
    assert read(tmp_path, rows, INDIC_COLUMNS)[0] == [
        ("test", "active", [("she went , he said", None)]),
        ("test", "passive", [("it was seen", None)]),
    ]


@pytest.mark.parametrize(
    ("layout", "content", "said"),
    [
        (
            SENTEVAL_COLUMNS,
            "tr\tx\ta\ntr\tx\n",
            r"a\.txt:2: 2 columns, not at least 3 \(split, label, words, with tabs between\)",
        ),
        (SENTEVAL_COLUMNS, "tr\tx\ta\n\ntr\tx\tb\n", r"a\.txt:2: the line is blank; on_error=skip"),
        (SENTEVAL_COLUMNS, "xx\tx\ta\n", r"a\.txt:1: split 'xx' is not one of tr, va, te"),
        (SENTEVAL_COLUMNS, "tr\t \ta\n", r"a\.txt:1: the label is empty"),
        (SENTEVAL_COLUMNS, "tr\tx\t \n", r"a\.txt:1: there are no words"),
        (XPROBE_COLUMNS, "a\tb\tc\n", r"a\.txt:1: 3 columns, not 2 \(words, label, with tabs"),
        (
            WORD_IN_CONTEXT_COLUMNS,
            "so it is\t3\tPast\n",
            r"a\.txt:1: '3' is not the number of a word, from 0 to 2",
        ),
        (
            WORD_IN_CONTEXT_COLUMNS,
            "so it is\t-1\tPast\n",
            r"a\.txt:1: '-1' is not the number of a word",
        ),
        (INDIC_COLUMNS, "voice,sentences\n,it was seen\n", r"a\.txt:2: the label is empty"),
        (INDIC_COLUMNS, 'voice,sentences\nactive,"it was" seen\n', r"a\.txt:2: .*fix the quotes"),
    ],
)
def test_bad_rows_are_named_with_their_line(tmp_path, layout, content, said):
    with pytest.raises(DataProblem, match=said):
        read(tmp_path, content, layout)


def test_bad_rows_can_be_left_out_and_are_counted(tmp_path):
    found, rows = read(
        tmp_path, "tr\tx\ta b\n\ntr\t\tb\nxx\tx\tc\nte\ty\td\n", SENTEVAL_COLUMNS, LENIENT
    )
    assert [label for _, label, _ in found] == ["x", "y"]
    assert rows.counts() == {"examples": 2, "words": 3, "blank lines": 1, "skipped": 2}
    assert [problem.rpartition("a.txt:")[2] for problem in rows.tally.problems] == [
        "3: the label is empty",
        "4: split 'xx' is not one of tr, va, te",
    ]


def test_rows_without_a_label_are_counted_in_a_csv(tmp_path):
    found, rows = read(
        tmp_path, "case,sentences\n,one two\nd,three\n,four\n", INDIC_COLUMNS, LENIENT
    )
    assert len(found) == 1
    assert rows.counts() == {"examples": 1, "words": 1, "skipped": 2}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tr", "va", "te"]), st.text("ab\"' ,\\", min_size=1).filter(str.strip)
        ),
        min_size=1,
    )
)
def test_cells_come_back_byte_for_byte(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("rows") / "a.txt"
    file.write_text("".join(f"{split}\tx\t{text}\n" for split, text in rows))
    found = list(TableExamples(SENTEVAL_COLUMNS).read(file))
    assert [e.sites[0].sentence.text for e in found] == [text for _, text in rows]
    assert [e.sites[0].sentence.words for e in found] == [tuple(text.split()) for _, text in rows]


def test_only_spaces_end_a_word(tmp_path):
    (tmp_path / "a.txt").write_bytes("tr\tx\tten\u00a0km  away\u2028.\n".encode())
    assert next(TableExamples(SENTEVAL_COLUMNS).read(tmp_path / "a.txt")).sites[
        0
    ].sentence.words == (
        "ten\u00a0km",
        "away\u2028.",
    )


def test_equal_words_are_one_string(tmp_path):
    (tmp_path / "a.txt").write_text("tr\tx\tsame word\nte\tx\tword same\n")
    first, second = (
        e.sites[0].sentence.words for e in TableExamples(SENTEVAL_COLUMNS).read(tmp_path / "a.txt")
    )
    assert first[0] is second[1]
