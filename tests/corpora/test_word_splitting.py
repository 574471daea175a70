"""Words of running text in the scripts of the world."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.chains import Chain
from lingprobe.annotators.blocks import ParsingPipeline, annotate_passages
from lingprobe.annotators.segment import RuleSegmenter
from lingprobe.corpora import text
from lingprobe.corpora.running import TextPassage
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem


@pytest.mark.parametrize(
    "words",
    [
        "हिन्दी में किताबें हैं ।",
        "தமிழ் மொழி",
        "मराठी भाषा",
        "می\u200cشود کتاب\u200cها",
        "l’été déjà well-known",
        "ක\u0dca\u200dරියා",
        "한국어 문장 .",
        "👩\u200d👩\u200d👧 ok 🇩🇪 👍🏽",
        "x_y 3 . 5 a’",
    ],
)
def test_marks_and_joiners_are_part_of_words(words):
    expected = words.replace("a’", "a ’").split()
    assert text.split_words(words.replace(" ।", "।").replace(" . ", ".")) == tuple(expected)


@given(st.text(st.sampled_from("aé e\u0301ñ n\u0303'-’. हि्\u200d\u200c1,?"), max_size=40))
def test_composed_and_decomposed_text_is_cut_alike(line):
    composed, decomposed = (unicodedata.normalize(form, line) for form in ("NFC", "NFD"))
    words = text.split_words(decomposed)
    assert tuple(unicodedata.normalize("NFC", w) for w in words) == text.split_words(composed)
    # a word begins with a mark only where there is nothing that the mark could be on
    alone = {f" {decomposed}"[i + 1] for i, c in enumerate(f" {decomposed}"[:-1]) if c.isspace()}
    assert all(not unicodedata.combining(word[0]) or word[0] in alone for word in words)


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("ภาษาไทยไม่มีช่องว่าง", "Thai"),
        ("ພາສາລາວ", "Lao"),
        ("ភាសាខ្មែរ", "Khmer"),
        ("မြန်မာဘာသာ", "Myanmar"),
        ("这是一本书。", "Han"),
        ("これはほんです。", "Hiragana"),
        ("བོད་སྐད་", "Tibetan"),
        ("他说 OK", ""),
        ("한국어 문장", ""),
        ("the word 书 is Chinese", ""),
        ("plain", ""),
    ],
)
def test_scripts_without_spaces_are_known_by_name(line, script):
    assert text.find_spaceless_script(line) == script


def test_text_that_rules_cannot_cut_is_refused_with_its_place(tmp_path):
    path = tmp_path / "th.txt"
    path.write_text("plain words\nภาษาไทยไม่มีช่องว่าง\n", encoding="utf-8")
    with pytest.raises(DataProblem, match=r"th\.txt:2: text in the script Thai.*tokenizer"):
        list(text.read_running_text(path))
    tally = ProblemTally()
    assert len(list(text.read_running_text(path, "skip", tally))) == tally.sentences == 1
    assert tally.skipped == 1


def test_a_passage_that_rules_cannot_cut_is_left_out_and_counted():
    passages = [TextPassage("ภาษาไทยไม่มีช่องว่าง", "th.txt", 7)]
    block = annotate_passages(
        0, passages, ParsingPipeline(Chain(), RuleSegmenter(), lines=True), lambda n: None
    )
    (why,) = block.note()["skipped"]
    assert "Thai" in why
    assert block.note()["skipped"][why] == {"times": 1, "first": "th.txt:7"}
