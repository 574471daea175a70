"""Table 1 of Krasnowska-Kieraś & Wróblewska 2019: what its running text states, and what is run."""

from __future__ import annotations

import math

import pytest

from fixtures.papers import entry
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.suites import SUITES
from lingprobe.suites.page import tabulate_paper
from lingprobe.suites.suite import SuiteRequest, make_designs
from lingprobe.suites.ud2019 import ud2019
from lingprobe.tasks import TASKS
from lingprobe.tasks.released.receipts import all_published

PAPER = ud2019().paper
ROWS = {
    (b.heading, line.name): dict(zip(PAPER.columns, (f.value for f in line.figures), strict=True))
    for b in PAPER.blocks
    for line in b.lines
}
LANGUAGES = ("English", "Polish")
ROWS_OF = {language: [row for block, row in ROWS if block == language] for language in LANGUAGES}


def best(language: str, column: str, without: str = "COMBO") -> str:
    rows = {
        name: row[column]
        for (block, name), row in ROWS.items()
        if block == language and not name.startswith(without)
    }
    return max(rows, key=lambda name: rows[name])


PROBING = PAPER.columns[:9]


def test_it_has_216_figures_in_twelve_columns_and_two_models_in_english_alone():
    assert PROBING == (
        "SentLen",
        "WC",
        "TreeDepth",
        "TopDeps",
        "Passive",
        "Tense",
        "SubjNum",
        "ObjNum",
        "SentType",
    )
    assert PAPER.columns[9:] == ("Relatedness r", "Relatedness ρ", "Entailment")
    assert sum(len(row) for row in ROWS.values()) == 216
    assert ROWS["English", "USE"]["Relatedness r"] == 86.86
    assert ROWS["Polish", "LASER"]["Relatedness ρ"] == 89.30
    assert ROWS["Polish", "fastText-mean"]["Entailment"] == 87.40
    names = [{name for block, name in ROWS if block == language} for language in LANGUAGES]
    assert len(names[0]) == 10
    assert names[0] - names[1] == {"Sent2Vec-orig", "USE"}
    assert not any(math.isnan(value) for row in ROWS.values() for value in row.values())


def test_without_combo_laser_is_best_but_for_the_exceptions_that_the_text_names():
    # "for 17 task-language pairs in 22 ... exceptions are ObjNum and SentType for Polish,
    # Relatedness for English, and WC" (section 5)
    others = {
        (language, column)
        for language in LANGUAGES
        for column in PAPER.columns
        if best(language, column) != "LASER"
    }
    assert others == {
        ("English", "WC"),
        ("Polish", "WC"),
        ("Polish", "ObjNum"),
        ("Polish", "SentType"),
        ("English", "Relatedness r"),
        ("English", "Relatedness ρ"),
    }
    assert best("English", "WC").startswith("Sent2Vec")
    assert best("Polish", "WC").startswith("Sent2Vec")
    assert best("Polish", "ObjNum") == best("Polish", "SentType") == "BERT-mean"


def test_for_almost_all_tasks_a_representation_of_the_parser_is_best():
    found = [
        best(language, column, without="nobody") for language in LANGUAGES for column in PROBING
    ]
    assert sum(name.startswith("COMBO") for name in found) == 12


def test_the_mean_beats_the_maximum_quite_consistently():
    pairs = [
        (ROWS[lang, f"{m}-mean"][c], ROWS[lang, f"{m}-max"][c])
        for lang in LANGUAGES
        for m in ("fastText", "BERT", "COMBO")
        for c in PROBING
    ]
    assert sum(mean > most for mean, most in pairs) >= 0.85 * len(pairs)


def test_on_words_laser_and_sent2vec_fare_alike_in_english_and_not_in_polish():
    assert abs(ROWS["English", "LASER"]["WC"] - ROWS["English", "Sent2Vec-NS"]["WC"]) < 1
    assert ROWS["Polish", "Sent2Vec-NS"]["WC"] - ROWS["Polish", "LASER"]["WC"] > 10


def test_accuracies_of_sentence_type_are_very_high_and_within_a_small_range():
    values = sorted(row["SentType"] for row in ROWS.values())
    assert values[2] > 93  # but for two
    assert values[-1] < 99


def test_one_language_can_be_shown():
    assert [block.heading for block in ud2019(language="pl").paper.blocks] == ["Polish"]


def test_every_task_is_run_under_the_paper_s_protocol():
    made = make_designs(ud2019("bank"), SuiteRequest(["length"], on_error="skip"))
    tasks = {str(task): w.probes[0] for w in made if w.encoders == ["length"] for task in w.tasks}
    assert len(tasks) == 9
    assert tasks.pop("ud/word-content:bank,on_error=skip") == "mlp,protocol=krasnowska,hidden=0"
    assert set(tasks.values()) == {"mlp,protocol=krasnowska"}


def test_without_a_treebank_it_says_what_to_write():
    with pytest.raises(DataProblem, match="write ud2019:PATH"):
        ud2019().tasks()
    with pytest.raises(ReferenceProblem, match="adds to"):
        ud2019(with_=("b",))
    with pytest.raises(ReferenceProblem, match="language=en for SICK or language=pl for CDSC"):
        ud2019("bank", pairs="folder")


def test_relatedness_and_entailment_are_run_in_one_language_with_their_baselines():
    suite = SUITES.make("ud2019:bank,pairs=folder,language=pl")
    made = make_designs(suite, SuiteRequest(["hf:m"], baselines=False))
    probes = {(w.encoders[0], str(task)): w.probes[0] for w in made for task in w.tasks}
    tasks = {task: probe for (encoder, task), probe in probes.items() if encoder == "hf:m"}
    assert len(tasks) == 11
    assert tasks["pair/cdsc-r:folder"] == "relatedness,protocol=krasnowska"
    assert tasks["pair/cdsc-e:folder"] == "mlp,protocol=krasnowska"
    floors = {key: probe for key, probe in probes.items() if key[1].startswith("pair/")}
    assert {encoder for encoder, _ in floors} == {
        *("hf:m", "length", "overlap", "negation", "hypothesis")
    }
    assert all(probe == tasks[task] for (_, task), probe in floors.items())
    assert not suite.lacking()
    assert not SUITES.make("ud2019:bank").lacking()


def test_pairs_alone_are_run_where_no_treebank_is_named():
    asked = SUITES.make("ud2019,pairs=folder,language=en").column_tasks()
    assert [str(task) for _, task in asked] == ["pair/sick-r:folder", "pair/sick-e:folder"]


def test_pairs_of_both_languages_have_columns():
    places = [ud2019().locate_task(f"pair/{name}:f") for name in ("sick-r", "cdsc-r", "cdsc-e")]
    assert [(PAPER.columns[p.column], p.block) for p in places if p] == [
        ("Relatedness r", "English"),
        ("Relatedness r", "Polish"),
        ("Entailment", "Polish"),
    ]
    assert ud2019().locate_task("pair/sick-pl-e:f") is None
    assert ud2019().locate_task("pair/mrpc:f") is None


@pytest.mark.parametrize(
    ("language", "rank", "bold"), [("English", "1–3", True), ("Polish", "1–9", False)]
)
def test_scores_are_ranked_among_those_of_their_language(language, rank, bold):
    """85 % is above all ten English encoders on Entailment, and below several Polish ones."""
    column = PAPER.columns.index("Entailment")
    one = entry(column, 0.85, published=True)
    table = tabulate_paper(PAPER, [one._replace(place=one.place._replace(block=language))])
    own = table.sections[-1]
    (line,) = [cells for cells in own.rows if "rank of" in cells[0]]
    assert line[0] == f"   rank of {len(ROWS_OF[language]) + 1}"
    assert line[column + 1] == rank
    assert bool(own.strong) == bold
    best = {section.heading: section.strong for section in table.sections}
    assert (0, 1) not in best["Polish"]
    assert any(c == column + 1 for _, c in best["Polish"])


@pytest.mark.parametrize(
    ("task", "folder"),
    [("pair/sick-e", "downstream/SICK"), ("pair/cdsc-r", "downstream_pl/CDSCorpus")],
)
def test_the_real_pairs_are_the_published_ones(data, task, folder):
    task = TASKS.make(Reference(task, str(data / folder)))
    paths = [part.path for part in task.parts()]
    assert len(paths) == 3
    assert all_published(paths)
