"""Words that stand alone: readers of both formats, what is left out, and what a floor sees."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from lingprobe import DataProblem
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.trees import parse_features
from lingprobe.encoders.char_ngrams import CharNgrams
from lingprobe.inside.languages.words import FormLexicon, convert_unimorph_tags, find_word_files
from lingprobe.tasks import TASKS
from tasks.treebanks import block

ENDINGS = {"NOM": "", "GEN": "n", "IN+ESS": "ssa", "IN+ALL": "ssa", "PRT": "a"}


def stems(many: int) -> list[str]:
    """Stems without a common ending."""
    letters = "bcdfghjklmn"
    return [f"{letters[k % 11]}o{letters[k // 11 % 11]}i{letters[k // 121]}u" for k in range(many)]


@pytest.fixture(scope="module")
def unimorph(tmp_path_factory) -> Path:
    """Five cases of 300 nouns, two of which are one form; a verb without case."""
    file = tmp_path_factory.mktemp("unimorph") / "qaa"
    lines = [
        f"{stem}\t{stem}{ending}\tN;{case};SG"
        for stem in stems(300)
        for case, ending in ENDINGS.items()
    ]
    file.write_text("\n".join([*lines, "", "tora\ttoran\tV;PRS;1;SG", ""]), "utf-8")
    return file


def load(reference: str):
    return TASKS.make(reference).load()


def test_tags_of_unimorph_get_the_names_of_universal_features():
    assert convert_unimorph_tags("N;IN+ESS;SG") == ("NOUN", "Case=IN+ESS|Number=SG")
    assert convert_unimorph_tags("V.PTCP;PST;ACT")[0] == "VERB"
    assert parse_features(convert_unimorph_tags("V.PTCP;PST;ACT")[1]) == {
        "Tense": "PST", "VerbForm": "V.PTCP", "Voice": "ACT",
    }  # fmt: skip
    assert convert_unimorph_tags("ADJ;{ACC/GEN};PL") == ("ADJ", "Case=ACC,GEN|Number=PL")
    assert convert_unimorph_tags("N;UNHEARD") == ("NOUN", "_")


def test_a_form_of_two_values_is_left_out_and_counted(unimorph):
    data = load(f"forms/feat:{unimorph},feature=Case,least=50")
    assert set(data.labels.class_names()) == {"NOM", "GEN", "PRT"}
    assert data.notes["left out"]["forms with several values of Case"] == 300
    assert data.notes["several values"] == {"IN+ALL/IN+ESS": 300}
    (said,) = data.notes.remarks
    assert said.startswith("300 of 1,200 forms with Case have several values of it")


def test_it_is_a_set_where_that_is_asked(unimorph):
    task = TASKS.make(f"forms/feat:{unimorph},feature=Case,several=set,least=50")
    data = task.load()
    assert task.metric == "micro-f1"
    assert len(data) == 1200
    assert data.labels.counts() == Counter(dict.fromkeys(ENDINGS, 300))


def test_no_lemma_is_in_two_splits(unimorph):
    data = load(f"forms/feat:{unimorph},feature=Case,least=50")
    targets = data.strata["target"].codes
    train, dev, test = (set(targets[data.rows(s)].tolist()) for s in ("train", "dev", "test"))
    assert min(train | dev | test) >= 0
    assert not train & dev | train & test | dev & test
    assert all(len(sentence.words) == 1 for sentence in data.sentences)


def test_a_bag_of_letters_knows_endings_and_a_bag_of_words_does_not(unimorph, tmp_path):
    done = lingprobe.run(
        f"forms/feat:{unimorph},feature=Case,least=50,fold=1/5", "char-ngrams", probes=["logreg"],
        seeds=1, output=tmp_path,
    )  # fmt: skip
    scores = {r.trial.encoder.partition(",")[0]: r.score for r in done.results}
    assert scores["char-ngrams"] > 0.95
    assert scores["bow:random"] < 0.5
    assert scores["gold:features"] > 0.95


def test_forms_of_a_treebank(tmp_path):
    rows = """
{a}  NOUN  Case=Nom|Number=Sing 2 nsubj {stem}
{b}  VERB  Mood=Ind             0 root  {stem}
{c}  NOUN  Case=Acc|Number=Sing 2 obj   {stem}
Etc  NOUN  Abbr=Yes|Case=Nom    2 conj  etc
12   NUM   Case=Nom             2 nmod  12
"""
    place = tmp_path / "UD_Qaa-X"
    place.mkdir()
    text = "".join(
        block(rows.format(a=stem.capitalize(), b=f"{stem}zz", c=f"{stem}m", stem=stem))
        for stem in stems(200)
    )
    # stems()[0] is a verb, too, and stems()[1] a form of another lemma
    text += block(f"{stems(1)[0]} VERB Mood=Ind 0 root x")
    text += block(f"{stems(2)[1]} NOUN Case=Nom 0 root other")
    (place / "qaa_x-ud-train.conllu").write_text(text, "utf-8")
    data = load(f"forms/feat:{place},feature=Case")
    assert data.notes["left out"] == {
        "forms that also stand for what has no Case": 1,
        "forms of several lemmas": 1,
        "abbreviations, foreign and misspelt words": 1,
        "forms without a letter": 1,
    }
    assert data.labels.counts() == Counter(Nom=198, Acc=198)
    assert data.sentences[0].words[0][:-1] != data.sentences[1].words[0]
    asked = [dict(r.options)["feature"] for r in TASKS.expand(f"forms/feat:{place},feature=*")]
    assert asked == ["Case"]
    nouns = FormLexicon.of(find_word_files([str(place)]), "raise")
    assert nouns.words[stems(3)[2]].form == stems(3)[2].capitalize()


def test_what_cannot_be_asked_is_said(unimorph, tmp_path):
    with pytest.raises(DataProblem, match="no form has Mood alone; there are Number, Case"):
        load(f"forms/feat:{unimorph},feature=Mood")
    with pytest.raises(DataProblem, match="one value there, PRS"):
        load(f"forms/feat:{unimorph},feature=Tense")
    with pytest.raises(DataProblem, match="classes=ABS: no form has it; there are"):
        load(f"forms/feat:{unimorph},feature=Case,classes=ABS")
    broken = tmp_path / "broken.tsv"
    broken.write_text(unimorph.read_text("utf-8") + "one two\n", "utf-8")
    with pytest.raises(DataProblem, match=r"broken.tsv:1503: not a lemma, a form and tags"):
        load(f"forms/feat:{broken},feature=Case")
    tally = FormLexicon.of(find_word_files([str(broken)]), "skip").tally
    assert (tally.skipped, tally.words) == (1, 1501)
    assert isinstance(tally, ProblemTally)


def test_letters_of_words_are_those_of_sentences_of_one_word():
    words = ["talossa", "Talo", "x"]
    alone = CharNgrams().encode([lingprobe.Sentence.of([word]) for word in words])
    inside = CharNgrams(pool="none").encode(
        [lingprobe.Sentence.of(words), lingprobe.Sentence.of([])]
    )
    np.testing.assert_array_equal(inside.layers[0], alone.layers[0])
