"""The embedded treebank is well-formed, varied and the same everywhere."""

import hashlib
from collections import Counter
from itertools import pairwise

import pytest

from lingprobe.corpora import conllu, files
from lingprobe.corpora.embedded import _LENGTHS, _SENTENCES, generate_treebank

Rows = list[list[str]]


@pytest.fixture(scope="module")
def sentences() -> list[Rows]:
    found: list[Rows] = [[]]
    for line in generate_treebank(2_000):
        if not line:
            found.append([])
        elif not line.startswith("#"):
            found[-1].append(line.split("\t"))
    return found[:-1]


def test_every_sentence_is_one_tree(sentences):
    for rows in sentences:
        heads = [int(row[6]) for row in rows]
        assert [row[0] for row in rows] == [str(i + 1) for i in range(len(rows))]
        assert heads.count(0) == 1
        assert rows[heads.index(0)][7] == "root"
        reached = {0}
        for _ in rows:
            reached |= {i for i, head in enumerate(heads, 1) if head in reached}
        assert len(reached) == len(rows) + 1


def test_lengths_are_spread_evenly(sentences):
    lengths = [len(rows) for rows in sentences]
    assert set(lengths) == set(_LENGTHS)
    assert max(c := Counter(n // 3 for n in lengths).values()) - min(c) <= 2


def test_sentences_differ(sentences):
    assert len({tuple(row[1] for row in rows) for rows in sentences}) == len(sentences) == 2_000


def test_features_are_sorted_and_unique(sentences):
    for feats in {row[5] for rows in sentences for row in rows} - {"_"}:
        names = [pair.split("=")[0] for pair in feats.split("|")]
        assert names == sorted(set(names), key=str.lower), feats


def test_both_sides_of_every_question_are_common(sentences):
    roots = [next(row for row in rows if row[6] == "0") for rows in sentences]
    relations = Counter(row[7] for rows in sentences for row in rows if row[6] != "0")
    ends = Counter(rows[-1][1] for rows in sentences)
    assert min(sum(f"Tense={t}" in root[5] for root in roots) for t in ("Pres", "Past")) > 300
    assert sum("Voice=Pass" in root[5] for root in roots) > 250
    assert sum("Mood=Imp" in root[5] for root in roots) > 200
    assert ends["?"] > 250
    assert relations["nsubj"] > 1_000
    assert relations["obj"] > 800


def test_only_commands_that_are_affirmative_have_the_imperative_on_the_root(sentences):
    for rows in sentences:
        root = next(row for row in rows if row[6] == "0")
        subjects = [row for row in rows if row[6] == root[0] and row[7].startswith("nsubj")]
        assert not (subjects and "Mood=Imp" in root[5])


def test_subject_and_verb_agree(sentences):
    wrong = [
        " ".join(r[1] for r in rows)
        for rows in sentences
        for row in rows
        if "Mood=Ind" in row[5]
        and "Person=3" in row[5]
        and "Number=Plur|" in row[5]
        and row[1] in {"is", "was", "has", "does"}
    ]
    assert not wrong


def test_articles_fit_the_word_after_them(sentences):
    for rows in sentences:
        for article, after in pairwise(rows):
            if article[1].lower() in ("a", "an"):
                heard = after[1].startswith(tuple("aeiou")) and not after[1].startswith(
                    ("use", "uni")
                )
                assert (article[1].lower() == "an") == (heard or after[1].startswith("hon")), (
                    article[1],
                    after[1],
                )


def test_the_treebank_is_the_same_everywhere():
    text = "\n".join(generate_treebank(300))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "f3f6b9087ea4358c"


def test_sentences_after_others_are_others():
    first, second = (
        {line for line in lines if line.startswith("# text")}
        for lines in (generate_treebank(301), generate_treebank(301, after=301))
    )
    assert len(first) == len(second) == 301
    assert first.isdisjoint(second)
    assert first | second == {line for line in generate_treebank(602) if line.startswith("# text")}


@pytest.mark.usefixtures("whole_treebank")
def test_the_reader_accepts_the_stored_treebank_and_finds_it_by_name():
    (part,) = files.find_treebank_files("embedded")
    trees = list(conllu.read_conllu(part.path))
    assert len(trees) == _SENTENCES
    assert files.find_treebank_files("embedded") == [part]
    assert all(tree.text.startswith(tree.words[0]) for tree in trees)
