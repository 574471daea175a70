"""Penn tags as parts of speech and features of Universal Dependencies."""

from __future__ import annotations

import pytest

from lingprobe.annotators.engines.penn import convert_penn_tag

SAID = [
    ("dogs", "NNS", "nsubj", "NOUN", "Number=Plur"),
    ("Rex", "NNP", "nsubj", "PROPN", "Number=Sing"),
    ("barked", "VBD", "root", "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin"),
    ("is", "VBZ", "aux", "AUX", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    ("been", "VBN", "aux:pass", "AUX", "Tense=Past|VerbForm=Part"),
    ("be", "VB", "cop", "AUX", "VerbForm=Inf"),
    ("can", "MD", "aux", "AUX", "VerbForm=Fin"),
    ("in", "IN", "case", "ADP", "_"),
    ("that", "IN", "mark", "SCONJ", "_"),
    ("about", "IN", "advmod", "ADP", "_"),
    ("to", "TO", "mark", "PART", "_"),
    ("to", "TO", "case", "ADP", "_"),
    ("to", "TO", "xcomp", "PART", "_"),
    ("mark", "NN", "mark", "NOUN", "Number=Sing"),
    ("not", "RB", "advmod", "PART", "_"),
    ("N'T", "RB", "advmod", "PART", "_"),
    ("never", "RB", "advmod", "ADV", "_"),
    ("this", "DT", "det", "DET", "_"),
    ("this", "DT", "nsubj", "PRON", "_"),
    ("She", "PRP", "nsubj", "PRON", "Number=Sing"),
    ("they", "PRP", "nsubj", "PRON", "Number=Plur"),
    ("you", "PRP", "nsubj", "PRON", "PronType=Prs"),
    ("her", "PRP$", "nmod", "PRON", "_"),
    ("?!", "???", "punct", "PUNCT", "_"),
]


@pytest.mark.parametrize(("word", "tag", "relation", "upos", "feats"), SAID)
def test_parts_of_speech_are_those_of_the_tag_but_for_what_the_relation_decides(
    word, tag, relation, upos, feats
):
    assert convert_penn_tag(word, tag, relation) == (upos, feats)
