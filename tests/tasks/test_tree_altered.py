"""Sentences with two words swapped, or with their clauses in inverted order."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import brackets
from lingprobe.corpora.frequencies import count_frequencies
from lingprobe.corpora.rendering import reorder_words, sentence_of
from lingprobe.data.core import Sentence
from lingprobe.datasets.draw import sample
from lingprobe.datasets.settings import SampleSettings
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.tree.altered_sentences import (
    ClauseCoordination,
    find_coordination,
    find_inversions,
    find_shifts,
    find_swap_places,
    is_name,
    swap_words,
)
from tasks.altering import corpus_of, made

WORDS = st.lists(
    st.sampled_from(["the", "The", "dog", "cat", "ran", "n't", "'s", ",", ".", "--", '"', "old"]),
    min_size=5,
    max_size=28,
)
SENTENCES = st.lists(
    WORDS.map(tuple), min_size=2, max_size=30, unique_by=lambda words: tuple(map(str.lower, words))
)


@given(WORDS)
def test_a_swap_changes_two_neighbouring_words_and_nothing_else(words):
    for i in find_swap_places(words):
        changed = swap_words(words, i)
        assert [k for k in range(len(words)) if changed[k] != words[k]] == [i, i + 1]
        assert sorted(changed) == sorted(words)
        assert i > 0
        assert all(word[0].isalpha() and word != "n't" for word in changed[i : i + 2])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("She saw dogs .", [1]),
        ("He did n't see it , did he", [3, 6]),
        ("the king 's dog barked", [3]),
        ("We can not say what you want to", [3, 4, 5, 6]),
        ("So that That Is is so", [2, 4]),
        ("No !", []),
    ],
)
def test_the_first_word_marks_clitics_and_equal_words_stay(words, expected):
    assert find_swap_places(words.split()) == expected


@given(SENTENCES, st.integers(0, 9))
def test_half_is_swapped_and_no_sentence_comes_in_both_versions(listed, seed):
    sentences = [Sentence.of(words) for words in listed]
    found, out = find_shifts(corpus_of(sentences), seed)
    candidates = list(found)
    labels = [c.label for c in candidates]
    assert labels.count("I") == len(labels) // 2
    assert len(candidates) + sum(out.values()) == len(listed)
    for c in candidates:
        same = [words for words in listed if sorted(words) == sorted(c.sentence.words)]
        assert same
        assert '"' not in c.sentence.words
        assert (c.sentence.words in listed) or c.label == "I"
    bags = [tuple(sorted(map(str.lower, c.sentence.words))) for c in candidates]
    assert len(set(bags)) == len(bags)
    assert candidates == list(find_shifts(corpus_of(sentences), seed)[0])
    for candidate, origins in made(found):
        words = candidate.sentence.words
        # put back where they stood
        assert tuple(words[list(origins).index(i)] for i in range(len(words))) in listed
        assert (candidate.label == "I") == (list(origins) != list(range(len(words))))


MEMORIES = (
    "(ROOT (S (S (NP (PRP They)) (VP (MD might) (VP (VB be) (NP (JJ only) (NNS memories))))) (, ,)"
    " (CC but) (S (NP (PRP I)) (VP (MD can) (ADVP (RB still)) (VP (VB feel) (NP (DT each) (CD"
    " one))))) (. .)))"
)
ROME = (
    "( (S (S (NP (NNP Rome)) (VP (VBD fell))) (CC and) (S (NP (NNS crowds)) (VP (VBD ran) (ADVP (RB"
    " away)))) (. !)) )"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")

    def read(text):
        path = folder / "one.ptb"
        path.write_text(text)
        return next(iter(brackets.read_brackets(path)))

    return read


def turned(found, counts=None):
    place = find_coordination(found)
    assert isinstance(place, ClauseCoordination), place
    name = is_name(found.words[0], found.tags[0], counts or count_frequencies([]))
    return sentence_of(reorder_words(found.words, place.order(len(found.words)), name)).text


def test_the_papers_example(tree):
    assert turned(tree(MEMORIES)) == "I can still feel each one, but they might be only memories."


def test_names_keep_their_capital_and_so_does_what_a_corpus_writes_so(tree):
    assert turned(tree(ROME)) == "Crowds ran away and Rome fell!"
    german = tree(ROME.replace("(NP (NNP Rome))", "(NP (JJ German) (NNS towns))"))
    assert turned(german) == "Crowds ran away and german towns fell!"
    assert (
        turned(german, count_frequencies([("the", "German", "dog")]))
        == "Crowds ran away and German towns fell!"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(RB away)", "(RB away) (CC or) (RB off)", "not exactly one"),
        ("(CC and)", "(, ,) (CC and) (, ,)", "more than a comma"),
        ("(CC and)", "(CC &)", "does not join"),
        ("(CC and)", "(CC and) (ADVP (RB then))", "does not join"),
        ("(NP (NNS crowds)) (VP (VBD ran) (ADVP (RB away)))", "(VP (VB run))", "one word"),
        ("(. !)", "(. !) ('' '')", "more than a mark"),
        ("(NP (NNP Rome))", "(NP (`` ``) (NNP Rome) ('' ''))", "double quotes"),
        (
            "fell))) (CC and) (S (NP (NNS crowds)) (VP (VBD ran)",
            "FELL))) (CC AND) (S (NP (NNS CROWDS)) (VP (VBD RAN)",
            "capitals",
        ),
        ("(S (NP (NNS crowds))", "(SQ (NP (NNS crowds))", "does not join"),
        ("(NP (NNS crowds)) (VP (VBD ran)", "(VP (TO to) (VP (VB run))", "does not join"),
        ("(VP (VBD ran)", "(VP (ADVP (RB now)) (VBG running)", "does not join"),
    ],
)
def test_what_cannot_be_inverted_without_a_trace_is_left_out(tree, old, new, reason):
    assert old in ROME
    assert reason in find_coordination(tree(ROME.replace(old, new)))


def test_a_sentence_in_its_own_order_is_rendered_as_it_is(tree):
    found = tree(MEMORIES)
    size = len(found.words)
    assert reorder_words(found.words, range(size)) == found.words
    place = find_coordination(found)
    # the inverted sentence's own places
    again = ClauseCoordination(place.tail - place.second, place.tail - place.first, place.tail)
    back = [place.order(size)[i] for i in again.order(size)]
    assert back == list(range(size))
    assert (place.longer(False), place.longer(True)) == ("second", "first")


def columns(n):
    for i in range(n):
        first, second = 2 + i % 4, 2 + i // 4 % 5
        words = (
            *(f"A{i}x{k}" for k in range(first)),
            ",",
            "and",
            *(f"b{i}x{k}" for k in range(second)),
            ".",
        )
        yield Sentence.of(words), Answer(f"{first} {first + 2} {first + 2 + second}")


def test_orders_are_balanced_by_which_clause_is_longer_and_no_sentence_comes_in_both():
    sentences, clauses = zip(*columns(1200), strict=True)
    tags = [("NN",) * len(sentence.words) for sentence in sentences]
    corpus = corpus_of(sentences, tags, **{"coord-inv": clauses})
    found, out = find_inversions(corpus, count_frequencies([]), 0)
    candidates = list(found)
    for sentence, (candidate, origins) in zip(sentences, made(found), strict=True):
        assert [w.lower() for w in candidate.sentence.words] == [
            sentence.words[i].lower() for i in origins
        ]
        assert (candidate.label == "I") == (list(origins) != sorted(origins))
    assert len(candidates) == 1200
    assert not out
    assert found.pool().lengths.tolist() == [c.length for c in candidates]
    dataset = sample(candidates, SampleSettings(decorrelate=True))
    for split in ("train", "dev", "test"):
        found = Counter(
            (e.strata["longer clause"], e.label) for e in dataset.examples() if e.split == split
        )
        assert all(
            found[longer, "O"] == found[longer, "I"] for longer in ("first", "second", "neither")
        )
        assert len(found) == 6
    assert len({frozenset(w.lower() for w in s.words) for s in dataset.sentences}) == len(dataset)
    assert sum(e.label == "I" for e in dataset.examples()) * 2 == len(dataset) > 900
