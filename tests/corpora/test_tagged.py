"""Tagged text in its three forms, Brown's tags as Penn's, and what is wrong with a file."""

import gzip
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora.tagged_text import (
    convert_to_penn,
    is_tagged,
    read_tagged_text,
)
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from lingprobe_extensions.train.parsers.tagged import write_tagged

WORDS, TAGS = ("The", "and/or", "dog", "."), ("DT", "CC", "NN", ".")


@pytest.mark.parametrize(
    "text",
    [
        "The/DT and/or/CC dog/NN ./.\n\n  The/DT and/or/CC   dog/NN ./.",
        "The_DT and/or_CC dog_NN ._.\nThe_DT and/or_CC dog_NN ._.\n",
        "The\tDT\nand/or\tCC\ndog\tNN\n.\t.\n\nThe\tDT\nand/or\tCC\ndog\tNN\n.\t.",
    ],
)
def test_three_forms_say_the_same(tmp_path, text):
    path = tmp_path / "a.tagged.gz"
    path.write_bytes(gzip.compress(text.encode()))
    tally = ProblemTally()
    found = list(read_tagged_text(path, tally=tally))
    assert [(s.words, tags) for s, tags in found] == [(WORDS, TAGS)] * 2
    assert found[0][0].text == "The and/or dog."
    assert (tally.sentences, tally.words) == (2, 8)


def test_a_word_without_a_tag_is_named_or_counted(tmp_path):
    path = tmp_path / "a.tagged"
    path.write_text("A/DT dog/NN\nno tags here\nA/DT cat/NN\n")
    with pytest.raises(DataProblem, match=r"a\.tagged:2: 'no'"):
        list(read_tagged_text(path))
    tally = ProblemTally()
    assert len(list(read_tagged_text(path, "skip", tally))) == 2
    assert tally.skipped == 1


def test_a_zip_of_brown_files_is_read_in_order(tmp_path):
    path = tmp_path / "brown.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("brown/README", "not a text")
        archive.writestr("brown/cb01", "He/pps didn't/dod* go/vb ./.\n")
        archive.writestr(
            "brown/ca01", "\n\n\tThe/at-tl Dogs/nns-tl ran/vbd ``/`` home/nr ''/'' ./.\n"
        )
    found = list(read_tagged_text(path))
    assert [(s.words, tags) for s, tags in found] == [
        (
            ("The", "Dogs", "ran", '"', "home", '"', "."),
            ("DT", "NNPS", "VBD", "``", "NN", "''", "."),
        ),
        (("He", "did", "n't", "go", "."), ("PRP", "VBD", "RB", "VB", ".")),
    ]
    whole = path.read_bytes()
    # the last has a wrong checksum
    for spoilt in (b"no zip", whole[:-30], whole.replace(b"didn't", b"didn`t")):
        path.write_bytes(spoilt)
        with pytest.raises(
            DataProblem, match=r"brown\.zip is damaged or not a zip \(.*\); download it again"
        ):
            list(read_tagged_text(path))


@pytest.mark.parametrize(
    ("brown", "expected"),
    [
        ("I/ppss think/vb he/pps will/md not/* go/vb ./.", "PRP VBP PRP MD RB VB ."),
        ("Go/vb home/nr ./.", "VB NN ."),
        ("They/ppss eat/vb and/cc drink/vb to/to forget/vb ./.", "PRP VBP CC VBP TO VB ."),
        ("He'd/pps+md seen/vbn John's/np$ dogs'/nns$ bowls/nns", "PRP MD VBN NNP POS NNS POS NNS"),
        ("He/pps cannot/md* have/hv fw/fw-nn gonna/vbg+to", "PRP MD RB VB FW VBG"),
        (
            "United/vbn-tl States/nns-tl Monday/nr was/bedz cold/jj-hl --/--",
            "NNP NNPS NNP VBD JJ :",
        ),
    ],
)
def test_brown_tags_become_penn_tags(brown, expected):
    pairs = [item.rpartition("/") for item in brown.split()]
    words, tags = convert_to_penn([w for w, _, _ in pairs], [t for _, _, t in pairs])
    assert " ".join(tags) == expected
    assert len(words) == len(tags)
    assert "".join(words) == "".join(w for w, _, _ in pairs)


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(["a/b", "c_d", "dog", "."]), st.sampled_from(["NN", "X"])),
            min_size=1,
        ),
        min_size=1,
    )
)
def test_what_is_written_is_read_again(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("t") / "a.tagged.xz"
    columns = [tuple(zip(*pairs, strict=True)) for pairs in sentences]
    write_tagged(path, columns)
    assert [(s.words, tags) for s, tags in read_tagged_text(path)] == columns


def test_names_say_what_is_tagged(tmp_path):
    assert all(map(is_tagged, ["a.tagged", "a.pos.xz", "brown.zip"]))
    assert not is_tagged("a.txt.xz")
    with pytest.raises(DataProblem, match="name the file so"):
        write_tagged(tmp_path / "a.txt", [])


BROWN = Path(os.environ.get("LINGPROBE_DATA", "/nowhere")) / "raw_text" / "Brown-NLTK" / "brown.zip"


@pytest.mark.skipif(not BROWN.exists(), reason="LINGPROBE_DATA has no Brown corpus")
def test_the_brown_corpus_is_read_whole_with_tags_that_the_penn_treebank_has():
    tally = ProblemTally()
    tags = {tag for _, tags in read_tagged_text(BROWN, tally=tally) for tag in tags}
    assert (tally.sentences, tally.skipped) == (57_340, 0)
    assert tally.words > 1_161_192  # NLTK's count, in which contractions are one word
    assert {"NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "NNP", "MD", "POS"} <= tags
    assert not any(tag.islower() for tag in tags)
