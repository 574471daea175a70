"""Trees of the Penn parsed corpora of historical English and their kin."""

import pytest

from lingprobe.corpora.brackets import read_brackets
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from lingprobe_extensions.train.linear_trees import format_bracket_tree

ICELANDIC = """( (IP-MAT (CONJ En-en)
          (ADVP-TMP (ADV svo-svo))
          (VBDI hófst-hefja)
          (NP-SBJ (N-N ófriður$-ófriður)
                  (D-N $inn-hinn)
                  (CP-REL (WNP-1 0) (C er-er) (IP-SUB (NP-SBJ *T*-1) (NP-OB1 *con*) (VBDI stóð-standa))))
          (, ,-,)
          (. .-.))
  (ID 1250.MADEUP.NAR-SAG,.7))"""
ENGLISH = """( (CODE <P_26>))

( (METADATA (AUTHOR NOBODY:MALE) (DATE 1500)))

( (IP-MAT-SPE (CODE <heading>) (NP-SBJ (PRO I)) (VBP say) (CP-THT (C 0) (IP-SUB (NP-SBJ (PRO we)) (MD will) (VB go)
  (ADVP-TMP (ADV to-day)) (CODE <paren>) (PP *ICH*-1) (INTJ alas) (CODE <$$paren>))) (E_S .))
  (ID MADEUP-E1,3.14))"""
PORTUGUESE = (
    "( (IP-MAT (NP-SBJ *pro*) (VB-D viu) (PP (P d@) (NP (D-F-P @as) (N-P casas))) (. .)) (ID"
    " A_001,01.1))"
)
LEMMAS = (
    "( (IP-MAT (NP-SBJ (NS dogs@l=dog@)) (VBP bark@l=bark@) (NP-MSR (NUM 0@l=zero@) (NS"
    " hours@l=hour@))) (ID B,2))"
)
JAPANESE = (
    "( (IP-MAT (PP (NP (N 犬)) (P が)) (NP-SBJ *が*) (NP-OB1 *speaker+hearer*) (VB 吠え) (AXD た)"
    " (PU 。)) (ID 3_x;JP))"
)

CORPORA = {
    "IcePaHC": (ICELANDIC, ["En svo hófst ófriðurinn er stóð,."], "CONJ ADV VBDI N-N C VBDI , ."),
    "PPCHE": (
        ENGLISH,
        ["I say we will go to-day (alas)."],
        "PRO VBP PRO MD VB ADV -LRB- INTJ -RRB- E_S",
    ),
    "Tycho Brahe": (PORTUGUESE, ["viu das casas."], "VB-D P N-P ."),
    "PPCMBE with lemmas": (LEMMAS, ["dogs bark 0 hours"], "NS VBP NUM NS"),
    "Keyaki": (JAPANESE, ["犬 が 吠え た 。"], "N P VB AXD PU"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_words_are_the_words_of_the_text(tmp_path, name):
    text, sentences, tags = CORPORA[name]
    path = tmp_path / "a.psd"
    path.write_text(text, encoding="utf-8")
    found = list(read_brackets(path))
    assert [tree.sentence.text for tree in found] == sentences
    assert [" ".join(tree.tags) for tree in found] == [tags]
    assert "ID" not in format_bracket_tree(found[0])
    every = {label for tree in found for label in (*tree.labels, *tree.tags)}
    assert not every & {"ID", "CODE", "METADATA", "-NONE-"}


def test_a_tree_of_codes_alone_is_no_sentence(tmp_path):
    path = tmp_path / "a.psd"
    path.write_text("( (CODE <P_26>))\n( (METADATA (AUTHOR NOBODY)) (ID X,1))\n", encoding="utf-8")
    with pytest.raises(DataProblem, match="a tree without words"):
        TASKS.make(f"tree/sent-len:{path}").load()


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ("(N Amen-amen)", "Amen"),
        ("(ADV to-day)", "to-day"),
        ("(N a-b-a-b) (N c-c) (N d-d)", "a-b c d"),
        ("(N a-b-ab) (N c-c) (N d-d)", "a-b c d"),
        ("(N x) (N to-day) (N y)", "x to-day y"),
        ("(PUNC ---) (N a-a) (N b-b)", "- a b"),
        ("(NUM 0) (N hours) (C 0)", "0 hours"),
        ("(N *) (N a)", "a"),
    ],
)
def test_lemmas_are_told_from_hyphens_and_nothing_from_zero(tmp_path, leaves, words):
    path = tmp_path / "a.psd"
    path.write_text(f"( (FRAG {leaves}) (ID X,1))", encoding="utf-8")
    assert [" ".join(tree.words) for tree in read_brackets(path)] == [words]


def test_the_deep_format_is_refused_by_name(tmp_path):
    path = tmp_path / "a.psd"
    path.write_text("( (FRAG (N (ORTHO dog) (META (LEMMA dog)))) (ID X,1))", encoding="utf-8")
    with pytest.raises(DataProblem, match=r"a\.psd:1: CorpusSearch's deep format"):
        list(read_brackets(path))


def test_ordinary_trees_are_left_alone(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_text("(ROOT (S (NP (NN 0) (NN * ) (NN a-a)) (VP (VBZ b-b))))", encoding="utf-8")
    assert next(read_brackets(path)).words == ("0", "*", "a-a", "b-b")
