"""What treebanks support, and that rules that are wrong in one language are visible there."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe import DataProblem, Dataset, Example, Sentence
from lingprobe.cli import app
from lingprobe.inside.languages.survey import (
    is_told,
    list_warnings,
    survey_row,
    two_readings,
    two_tenses,
)
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tasks import TASKS
from tasks.treebanks import block

SIMPLE = """
n{i}  NOUN  Number={number} 2 nsubj
{verb} VERB Mood=Ind|Tense={tense}|VerbForm=Fin 0 root {lemma}
.     PUNCT _ 2 punct
"""
HELPED = """
n{i}  NOUN Number=Sing 3 nsubj
{aux} AUX  Mood=Ind|Tense=Pres|VerbForm=Fin 3 aux {lemma}
{verb} VERB {feats} 0 root
.     PUNCT _ 3 punct
"""


def bank(folder: Path, code: str, blocks: list[str]) -> str:
    place = folder / f"UD_{code}"
    place.mkdir()
    (place / f"{code}_x-ud-train.conllu").write_text("".join(blocks), "utf-8")
    return str(place)


def simple(many: int, verbs: int = 60) -> list[str]:
    """Clauses of one finite verb, past and present, singular and plural."""
    rng = np.random.default_rng(many)
    blocks = []
    for i in range(many):
        tense = ("Pres", "Past")[i % 2]
        # present verbs are of fewer forms where there are few
        k = rng.integers(verbs if tense == "Pres" else 60)
        rows = SIMPLE.format(
            i=i,
            number=("Sing", "Plur")[i // 2 % 2],
            verb=f"v{k}{tense}",
            tense=tense,
            lemma=f"v{k}",
        )
        blocks.append(block(rows))
    return blocks


def helped(many: int, lemma: str, feats: str) -> list[str]:
    return [
        block(HELPED.format(i=i, aux=f"{lemma}s", lemma=lemma, verb=f"w{i % 50}", feats=feats))
        for i in range(many)
    ]


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    def survey(blocks: list[str], task: str = "ud/tense"):
        place = bank(tmp_path_factory.mktemp("bank"), "qaa", blocks)
        return survey_row(place, task, TASKS.make(f"{task}:{place}"))

    return survey


def test_a_sound_treebank_deserves_no_look(row):
    found = row(simple(800))
    assert found.is_offered
    assert found.classes == 2
    assert found.n == 2 * found.smallest
    assert found.composed == "past: simple 100 %; pres: simple 100 %"
    assert found.look == ""


def test_an_auxiliary_that_no_rule_knows_is_named(row):
    """As where a language is new: its perfects would be guessed."""
    found = row([*simple(800), *helped(200, "zog", "Tense=Past|VerbForm=Part")])
    assert found.unknown == 200
    assert "no rule knows zog + past participle (200)" in found.look


def test_what_a_class_consists_of_shows_aspect_for_tense(row):
    """As in Slovenian, whose imperfective participle with *biti* is past: read as progressives they
    are a quarter of the presents. In a bank where the form means the present, as in English, the
    same rows are shown; sentences by cell tell which they are.
    """
    sound = row(simple(800))
    wrong = row([*simple(800), *helped(140, "be", "Tense=Pres|VerbForm=Part")])
    assert "progressive" not in sound.composed
    assert "progressive" in wrong.composed.partition("pres: ")[2]
    assert "pres progressive: be + present participle 140" in wrong.cells


def test_a_class_of_one_verb_is_named():
    """As in Welsh, where all presents were of *bod*."""
    examples = [
        Example.about(Sentence.of([str(i)]), label, split, target=form)
        for i, (label, form) in enumerate(
            [("pres", "bod")] * 30 + [("pres", "x")] * 10 + [("past", f"v{k}") for k in range(40)]
        )
        for split in ("train", "test")
    ]
    assert "75 % of 'pres' are about 'bod'" in list(list_warnings(Dataset.of(examples), {}))


def test_one_form_that_is_read_as_two_things_is_named():
    """As in Latin, whose *factus est* was a present passive, and of deponents a perfect."""
    cells = {
        "pres passive": {"sum + past participle": 80},
        "past perfect": {"sum + past participle": 300},
    }
    (told,) = two_readings(cells)
    assert told == "sum + past participle is read as perfect 300, passive 80"
    chains = {
        "past perfect": {"have + past participle": 5},
        "past perfect passive": {"have + past participle": 2},
    }
    assert not list(two_readings(chains))
    tenses = {
        "past passive": {"be + past participle": 5},
        "pres passive": {"be + past participle": 2},
    }
    assert not list(two_readings(tenses))


def test_a_class_that_is_never_produced_is_a_refusal_with_its_reason(row):
    """As in Greek, whose question mark was not known."""
    found = row(simple(300), "ud/sent-type")
    assert not found.is_offered
    assert "no sentence is 'inter': it needs final question marks" in found.why


def test_a_rule_of_one_word_is_named(row):
    blocks = simple(600)
    marked = [
        text.replace("\t.\t.\tPUNCT", "\t!\t!\tPUNCT") if "Tense=Past" in text else text
        for text in blocks
    ]
    assert "one word predicts 100 %" in row(marked).look


def test_a_word_must_tell_more_than_chance_does():
    """Of ten test examples some word tells seven; of a hundred it does not."""
    assert not is_told(0.8, [5, 5])
    assert is_told(0.8, [50, 50])
    assert not is_told(0.6, [500, 500])  # little, however sure


def test_participles_of_one_auxiliary_in_two_tenses_are_named():
    cells = {
        "past perfect": {"biti + past participle": 300},
        "pres progressive": {"biti + present participle": 140},
        "pres passive": {"biti + past participle": 5},
    }
    (told,) = two_tenses(cells)
    assert told.startswith("biti is past with past participle 300; pres with present")
    english = {
        "past perfect": {"have + past participle": 300},
        "pres progressive": {"be + present participle": 140},
        "pres passive": {"be + past participle": 5},
    }
    assert not list(two_tenses(english))


def test_the_page_has_numbers_looks_and_refusals(tmp_path, monkeypatch):
    bank(tmp_path, "qaa", [*simple(800), *helped(200, "zog", "Tense=Past|VerbForm=Part")])
    bank(tmp_path, "qab", simple(40))
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(tmp_path))
    page = lingprobe.survey(tasks=["ud/tense", "ud/passive"])
    text = page.text()
    assert "1 of 4 tasks are offered, on 2 treebanks; 1 have warnings." in text
    assert "it needs aux:pass or Voice=Pass at main predicates" in text
    assert "zog" in text
    page.write(tmp_path / "survey.svg")
    assert "qaa" in (tmp_path / "survey.svg").read_text()
    done = CliRunner().invoke(
        app, ["data", "languages", "-t", "ud/tense", "-o", str(tmp_path / "s.csv")]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "s.csv").read_text().count("\n") == 3
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(tmp_path / "UD_qaa" / "none"))
    with pytest.raises(DataProblem, match="no treebank is named"):
        lingprobe.survey()


def test_rows_have_what_a_typologist_asks_of_a_treebank(tmp_path, monkeypatch):
    for name, code in (("Kurmanji-X", "kmr_x"), ("Polish-X", "pl_x"), ("Odd-X", "qaa_x")):
        folder = tmp_path / f"UD_{name}"
        folder.mkdir()
        (folder / f"{code}-ud-test.conllu").write_text("".join(simple(60)), "utf-8")
    (tmp_path / "UD_Polish-X" / "README.md").write_text(
        "# Summary\n\nGenre: news fiction\nLicense: CC BY-SA 4.0\n", "utf-8"
    )
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(tmp_path))
    rows = {row.treebank: row for row in lingprobe.survey(tasks="ud/sent-len").content}
    kurmanji, polish, odd = (rows[name] for name in ("Kurmanji-X", "Polish-X", "Odd-X"))
    assert (kurmanji.glottocode, kurmanji.iso) == ("nort2641", "kmr")
    assert (kurmanji.family, kurmanji.branch) == ("Indo-European", "Iranian")
    assert (kurmanji.script, kurmanji.macroarea) == ("Latn", "Eurasia")
    assert (round(kurmanji.latitude), round(kurmanji.longitude)) == (37, 43)  # Glottolog's place
    assert math.isnan(odd.latitude)
    assert kurmanji.tokens == polish.tokens == 60 * 3
    assert kurmanji.link == "https://github.com/UniversalDependencies/UD_Kurmanji-X"
    assert (polish.genre, polish.licence) == ("news fiction", "CC BY-SA 4.0")
    assert (odd.family, odd.glottocode) == ("", "")
    headings = [part.heading for part in lingprobe.survey(tasks="ud/sent-len").tables[0].sections]
    assert headings == ["Indo-European", "family not known"]
    lingprobe.survey(tasks="ud/sent-len", figure="map").write(tmp_path / "map.svg")
    told = (tmp_path / "map.svg").read_text()
    assert "Polish: Polish-X 0 tasks" in told
    assert "Odd" not in told
    with pytest.raises(PlotProblem, match="the places of these languages are not known"):
        lingprobe.survey("Odd-X", tasks="ud/sent-len", figure="map").write(tmp_path / "odd.svg")


@pytest.mark.parametrize("name", ["ku", "Kurmanji", "nort2641", "kmr"])
def test_a_survey_takes_languages_by_any_name(tmp_path, monkeypatch, name):
    for code in ("Kurmanji-X", "Polish-X"):
        folder = tmp_path / f"UD_{code}"
        folder.mkdir()
        start = "kmr_x" if code[0] == "K" else "pl_x"
        (folder / f"{start}-ud-test.conllu").write_text("".join(simple(60)), "utf-8")
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(tmp_path))
    (row,) = lingprobe.survey(name, tasks="ud/sent-len").content
    assert row.treebank == "Kurmanji-X"


def test_a_class_that_is_mostly_one_lemma_has_a_warning(row):
    """Of few forms none is capped, and all are of one lemma."""
    blocks = [
        block(
            SIMPLE.format(i=i, number="Sing", verb=f"be{i % 40}", tense="Pres", lemma="be")
            if i % 2
            else SIMPLE.format(
                i=i, number="Sing", verb=f"v{i % 60}", tense="Past", lemma=f"v{i % 60}"
            )
        )
        for i in range(400)
    ]
    found = row(blocks, "ud/tense")
    assert "% of 'pres' have the lemma 'be'" in found.look
    assert "% of 'pres' have the lemma 'be'" in found.remarks
