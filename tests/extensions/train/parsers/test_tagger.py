"""A tagger learns what a small grammar shows it, is the same each time, and tags a file by
command.
"""

import lzma

import numpy as np
import pytest

from lingprobe.corpora import tagged_text as tagged
from lingprobe.data.core import DataProblem
from lingprobe_extensions.train.parsers.tagged import write_tagged
from lingprobe_extensions.train.parsers.tagger import (
    compute_tag_accuracy,
    split_tagged_examples,
    train_tagger,
)

NOUNS, VERBS = ["dog", "cat", "king", "ship", "tree"], ["sees", "likes", "finds", "keeps"]


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        noun, other, verb = rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(VERBS)
        yield ("The", noun, verb, "a", other + "s", "."), ("DT", "NN", "VBZ", "DT", "NNS", ".")


def test_words_are_told_by_form_and_neighbours_also_unknown_ones():
    learnt = train_tagger(list(drawn(200)))
    assert compute_tag_accuracy(learnt, list(drawn(50, 1))) == 1
    (found,) = learnt.tag([("The", "yak", "builds", "a", "yurts", ".")])
    assert found[1] == "NN"
    assert len(found) == 6


def test_marks_of_print_are_read_as_typed_ones():
    examples = [(('"', *words, '"'), ("``", *tags, "''")) for words, tags in drawn(200)]
    (found,) = train_tagger(examples).tag([("“", "The", "ship", "sees", "a", "cats", ".", "”")])
    assert (found[0], found[-1]) == ("``", "''")


def test_the_same_examples_and_seed_give_the_same_tagger():
    first, second = (train_tagger(list(drawn(60)), seed=3) for _ in range(2))
    assert np.array_equal(first.weights, second.weights)
    assert first.tags == second.tags == (".", "DT", "NN", "NNS", "VBZ")


def test_what_is_held_out_is_not_learnt_from():
    examples = list(enumerate(drawn(1500)))
    learnt, test = split_tagged_examples(examples)
    assert len(test) == 100
    assert sorted(learnt + test, key=lambda e: e[0]) == examples
    assert [i for i, _ in test] == list(range(900, 1000))


def test_nothing_to_learn_is_said():
    with pytest.raises(DataProblem, match="no tagged sentences"):
        train_tagger([])
    with pytest.raises(DataProblem, match="all words have the tag X"):
        train_tagger([(("a", "b"), ("X", "X"))] * 3)


def test_the_command_tags_text_and_shows_how_well(tmp_path, capsys):
    from lingprobe_extensions.train.corpora import TagCommand, tag

    source, text, out = tmp_path / "known.tagged", tmp_path / "new.txt", tmp_path / "new.tagged.xz"
    write_tagged(source, drawn(200))
    text.write_text(
        "The ship finds a trees.\n\n# a remark\nThe king’s dog sees a cats.\n", encoding="utf-8"
    )
    tag.show(TagCommand(texts=[str(text)], source=str(source), output=out))
    assert "100.00% of 120 held-out words" in capsys.readouterr().err
    lines = lzma.decompress(out.read_bytes()).decode().splitlines()
    assert lines[0] == "The/DT ship/NN finds/VBZ a/DT trees/NNS ./."
    assert lines[1].startswith("The/DT king/NN 's/")
    assert [s.text for s, _ in tagged.read_tagged_text(out)] == [
        "The ship finds a trees.",
        "The king's dog sees a cats.",
    ]
