"""Agreement with gold trees, counted as the shared tasks do."""

from __future__ import annotations

import pytest

from lingprobe.annotators import agreement as scores
from lingprobe.annotators.parser import Annotation
from lingprobe.corpora import brackets
from lingprobe.data.core import DataProblem


def told(**columns: tuple) -> Annotation:
    whole = {
        "upos": ("DET", "NOUN", "VERB"),
        "feats": ("Definite=Def|PronType=Art", "Number=Sing", "Tense=Past|Typo=Yes"),
        "heads": (1, 2, -1),
        "deprels": ("det", "nsubj:pass", "root"),
    }
    return Annotation(**{**whole, **columns})


def test_what_is_right_is_counted_by_word():
    mine = told(
        upos=("DET", "PROPN", "VERB"),
        heads=(1, 2, -1),
        deprels=("det", "nsubj", "root"),
        feats=("PronType=Art|Definite=Def", "_", "Tense=Past"),
    )
    found = scores.score_annotations([mine, told()], [told(), told()])
    assert {name: round(value, 2) for name, value in found.items()} == {
        "UPOS": 83.33,
        "UFeats": 83.33,  # their order, and features of single languages, do not count
        "UAS": 100.0,
        "LAS": 100.0,  # subtypes do not count
        "LAS with subtypes": 83.33,
        "exact": 100.0,
    }


def test_a_label_at_another_head_is_wrong():
    found = scores.score_annotations([told(heads=(2, 2, -1))], [told()])
    assert found["UAS"] == found["LAS"] == pytest.approx(200 / 3)
    assert found["exact"] == 0


def test_columns_that_one_of_them_does_not_tell_are_left_out():
    assert "XPOS" not in scores.score_annotations([told()], [told()])
    assert set(scores.score_annotations([told()], [Annotation(upos=("DET", "NOUN", "X"))])) == {
        "UPOS"
    }


def test_a_sentence_without_values_counts_as_the_official_script_counts_it():
    blank = told(feats=())
    assert scores.score_annotations([told(), blank], [told(), blank])["UFeats"] == 100
    # of six words two have features, and parses miss one and make up another
    gold = [told(feats=("Definite=Def", "_", "_")), told(feats=())]
    mine = [told(feats=()), told(feats=("_", "Number=Sing", "_"))]
    assert scores.score_annotations(mine, gold)["UFeats"] == pytest.approx(400 / 6)
    gold, mine = ([told(xpos=x) for x in columns] for columns in ((("a", "b", "_"), ()), ((), ())))
    assert "XPOS" not in scores.score_annotations(mine, gold)  # parses never tell it
    mine = [told(), told(xpos=("_", "_", "c"))]
    assert scores.score_annotations(mine, gold)["XPOS"] == pytest.approx(300 / 6)


def test_phrases_alone_tell_no_dependencies():
    tagged = Annotation(xpos=("DT", "NN", "VBD"))
    found = scores.score_annotations(
        [tagged, told(xpos=("DT", "NN", "VBD"))], [tagged, told(xpos=())]
    )
    assert found["UPOS"] == found["UAS"] == found["exact"] == 100  # of the second sentence alone


def test_a_sentence_whose_gold_tells_neither_a_column_nor_a_tree_does_not_count():
    gold = [Annotation(upos=("A",)), Annotation(xpos=("x", "y"))]
    mine = [Annotation(upos=("A",)), Annotation(upos=("B", "C"), xpos=("x", "z"))]
    assert scores.score_annotations(mine, gold) == {"UPOS": 100, "XPOS": 50}


def test_other_words_are_refused():
    with pytest.raises(DataProblem, match="sentence 1 has 2 words, not 3"):
        scores.score_annotations([Annotation(upos=("DET", "NOUN"))], [told()])


def tree(text: str) -> brackets.BracketTree:
    return brackets.parse_brackets(text, "made.ptb", 4)


GOLD = (
    "(TOP (S (NP-SBJ (DT the) (NN dog)) (VP (VBD ran) (ADVP (RB off)) (, ,)"
    " (PP (IN to) (NP (PRP it)))) (. .)))"
)


def f1(mine: str, gold: str = GOLD) -> tuple[float, float, float]:
    found = scores.score_phrases([tree(mine)], [tree(gold)])
    return round(found["precision"], 2), round(found["recall"], 2), round(found["F1"], 2)


def test_the_same_tree_is_wholly_right():
    assert f1(GOLD) == (100, 100, 100)
    assert scores.score_phrases([tree(GOLD)], [tree(GOLD)])["exact"] == 100


def test_phrases_are_counted_over_all_sentences():
    small, wrong = "(TOP (S (NP (NN snow)) (VP (VBZ falls))))", "(TOP (S (NN snow) (VBZ falls)))"
    found = scores.score_phrases([tree(GOLD), tree(wrong)], [tree(GOLD), tree(small)])
    assert found == pytest.approx(
        {"precision": 100, "recall": 100 * 7 / 9, "F1": 200 * 7 / 16, "exact": 50}
    )
    assert scores.score_phrases([], []) == {"precision": 0, "recall": 0, "F1": 0, "exact": 0}


def test_labels_of_the_root_and_function_tags_do_not_count():
    assert f1(GOLD.replace("TOP", "ROOT").replace("-SBJ", "")) == (100, 100, 100)


def test_particles_are_adverbs():
    assert f1(GOLD.replace("ADVP", "PRT")) == (100, 100, 100)


def test_punctuation_may_hang_anywhere():
    moved = GOLD.replace(" (, ,) (PP", " (PP").replace("(PRP it))))", "(PRP it)))) (, ,)")
    assert moved.count("(, ,)") == 1
    # the words stand in another order then, which counts by place: the comma is no word
    assert f1(GOLD.replace("(ADVP (RB off)) (, ,)", "(ADVP (RB off) (, ,))")) == (100, 100, 100)


def test_phrases_are_right_by_label_and_words():
    # gold: S, NP, VP, ADVP, PP, NP; told: S, NP, VP, PP, NP, where the VP ends before the PP
    mine = (
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBD ran) (RB off)) (, ,) (PP (IN to) (NP (PRP it)))"
        " (. .)))"
    )
    assert f1(mine) == (80.0, 66.67, 72.73)


def test_a_phrase_that_stands_twice_over_the_same_words_counts_twice():
    doubled = GOLD.replace("(NP (PRP it))", "(NP (NP (PRP it)))")
    assert f1(doubled) == (85.71, 100, 92.31)


def test_trees_of_other_words_are_refused_by_file_and_line():
    with pytest.raises(DataProblem, match=r"made\.ptb:4: 8 words, and 1"):
        f1("(TOP (X (NN x)))")


def test_one_phrase_is_all_of_them_and_none_are_nothing():
    assert f1("(TOP (S (NN rain)))", "(TOP (S (NN rain)))") == (100, 100, 100)
    found = scores.score_phrases(
        [tree("(TOP (S (NN rain)))")] * 2, [tree("(TOP (S (NN rain)))")] * 2
    )
    assert found["exact"] == 100
    assert f1("(TOP (NN rain))", "(TOP (S (NN rain)))") == (0, 0, 0)
    assert set(scores.score_phrases([], []).values()) == {0}
