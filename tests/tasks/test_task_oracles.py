"""Oracles of the built-in tasks: they hold what labels are derived from, pass their task, and fail
it with another sentence's facts.
"""

from functools import cache

import numpy as np
import pytest

from fixtures.forest import forest
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data.core import Cell
from lingprobe.data.oracles import about_words, facts_of, oracles_of
from lingprobe.data.reading import Readings
from lingprobe.encoders.gold import GoldOracle
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS, list_task_names
from lingprobe.tasks.edge.facts import true_labels
from tasks.edges import edge_files


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("oracles")
    (folder / "ours.conllu").write_text(
        "\n\n".join("\n".join(generate_treebank()).split("\n\n")[:3000]) + "\n\n",
        "utf-8",
    )
    (folder / "ours.ptb").write_text(forest(4000), "utf-8")
    edge_files(folder / "edges")
    return {
        "BANK": str(folder / "ours.conllu"),
        "TREES": str(folder / "ours.ptb"),
        "EDGES": str(folder / "edges"),
    }


def made(reference, places):
    for name, place in places.items():
        reference = reference.replace(name, place)
    return loaded(reference)


@cache
def loaded(reference):
    task = TASKS.make(reference)
    return task, task.load()


def score(task, dataset, facts, probe="logreg"):
    """What a probe reads of an oracle, from 0 to 1."""
    readings = Readings(
        dataset,
        GoldOracle().with_facts(facts, about_words(dataset)).encode(dataset.sentences),
        task.view,
    )
    (predictor,) = PROBES.make(probe).fit(
        readings.split("train"), readings.split("dev"), cells=(Cell("-", 0),)
    )
    test = readings.split("test")
    return METRICS.make(task.metric)(test.labels, predictor.predict(test).decoded)


def turned(facts):
    """The facts of other sentences."""
    order = np.random.default_rng(0).permutation(len(facts))
    return dict(zip(facts, [list(facts.values())[i] for i in order], strict=True))


WHOLE = [f"ud/{name}:BANK" for name in list_task_names("ud") if name != "feat"] + [
    f"tree/{name}:TREES" for name in list_task_names("tree")
]
WHOLE += ["ud/feat:BANK,feature=Number,of=subj,upos=NOUN", "ud/feat:BANK,feature=Tense,of=VERB"]


@pytest.mark.parametrize("reference", WHOLE)
def test_an_oracle_passes_and_that_of_another_sentence_does_not(reference, places):
    task, dataset = made(reference, places)
    facts = facts_of(task, None, dataset)
    chance = 1 / len(dataset.labels.names)
    assert score(task, dataset, facts) >= 0.95
    assert score(task, dataset, turned(facts)) < chance + 0.5 * (1 - chance)


ONE = (
    "ud/word-content",
    "tree/word-content",
    "tree/top-const",
    "tree/coord-inv",
    "ud/subj-num",
    "ud/obj-num",
    "ud/feat",
    "ud/passive",
    "tree/subj-num",
    "tree/obj-num",
    "tree/tense",
)
"""Tasks whose label is one fact among all others: a word, a feature, a tag, a constituent of toy
trees, where the first word stood.
"""


@pytest.mark.parametrize("reference", [r for r in WHOLE if not r.startswith(ONE)])
def test_labels_are_derived_from_several_facts(reference, places):
    """Not every label goes with one fact in each example, and of two labels neither does."""
    task, dataset = made(reference, places)
    facts = facts_of(task, None, dataset)
    having = {}
    for row, sentence in enumerate(dataset.sites[:, 0, 0].tolist()):
        for fact in {fact for unit in facts[dataset.sentences[sentence]] for fact in unit}:
            having.setdefault(fact, set()).add(row)
    with_label = [
        frozenset(np.flatnonzero(dataset.labels.ids == k).tolist())
        for k in range(len(dataset.labels.names))
    ]
    told = set(map(frozenset, having.values()))
    assert sum(rows in told for rows in with_label) < (
        len(with_label) if len(with_label) > 2 else 1
    )


def test_facts_know_nothing_of_the_task(places):
    for oracle, some in (
        ("clause", ("tense", "passive", "subj-num", "top-deps")),
        ("places", ("sent-len",)),
    ):
        tasks = [made(f"ud/{name}:BANK", places) for name in some]
        every = [task.facts(oracle, dataset.sentences) for task, dataset in tasks]
        for known in every:
            shared = known.keys() & every[0].keys()
            assert shared
            assert all(known[s] == every[0][s] for s in shared)


def test_running_text_has_the_oracles_that_need_no_tree(tmp_path):
    (tmp_path / "text.txt").write_text("The dog sleeps here .\n", "utf-8")
    assert list(oracles_of(TASKS.make(f"ud/sent-len:{tmp_path}/text.txt"))) == ["places"]
    assert list(oracles_of(TASKS.make(f"tree/word-content:{tmp_path}/text.txt"))) == ["content"]
    for name in ("tree/tree-depth", "ud/tree-depth", "tree/tense", "ud/tense"):
        assert not oracles_of(TASKS.make(f"{name}:{tmp_path}/text.txt"))


@pytest.mark.parametrize("reference", ["edge/pos:BANK", "edge/dep:BANK"])
def test_an_oracle_of_words_passes_and_that_of_another_sentence_does_not(reference, places):
    task, dataset = made(f"{reference},size=3000", places)
    facts = facts_of(task, None, dataset)
    assert score(task, dataset, facts, "span") >= 0.95
    wrong = turned(dict(sorted(facts.items(), key=lambda item: len(item[1]))))
    same = {
        s: tuple(wrong[s][i % max(len(wrong[s]), 1)] for i in range(len(s.words))) for s in facts
    }
    assert score(task, dataset, same, "span") < 0.7


def outermost(units, span):
    """What lies in a span from its first word to its last, with the fewest others around it, by
    reading the facts.
    """
    begun = {fact.removesuffix(" begins") for fact in units[span[0]] if fact.endswith(" begins")}
    ended = {fact.removesuffix(" ends") for fact in units[span[1] - 1] if fact.endswith(" ends")}
    least = min(int(what.rpartition(" ")[2]) for what in begun & ended)
    return {what.rpartition(" ")[0] for what in begun & ended if what.endswith(f" {least}")}


def parts(units, one, two):
    """The labels of a second span in the event that a first one names."""
    (event,) = {fact for fact in units[one[0]] if ":" not in fact}
    return {
        fact.removeprefix(f"{event}: ") for fact in units[two[0]] if fact.startswith(f"{event}: ")
    }


READ = {
    "edge/const:TREES": outermost,
    "edge/const:EDGES/gold,unary=set": outermost,
    "edge/entities:EDGES/columns": outermost,
    "edge/chunks:EDGES/columns": outermost,
    "edge/tags:EDGES/columns,column=1": outermost,
    "edge/jsonl:EDGES/sets": parts,
    "edge/srl:EDGES/gold": parts,
    "edge/spr2:EDGES/sets": parts,
    "edge/spr2:EDGES/spr2/protoroles.tsv,treebank=EDGES/spr2/bank": parts,
    "edge/uds:EDGES/uds/normalized_protoroles.zip,treebank=EDGES/uds/bank": parts,
}


@pytest.mark.parametrize("reference", READ)
def test_what_a_span_is_can_be_read_off_the_facts_of_its_words(reference, places):
    task, dataset = made(reference, places)
    facts = facts_of(task, None, dataset)
    for example in dataset.examples():
        units = facts[example.sites[0].sentence]
        assert READ[reference](units, *(site.span for site in example.sites)) == set(
            true_labels(example.label)
        )


@pytest.mark.parametrize(
    "reference",
    [
        "edge/coref:EDGES/gold",
        "edge/coref:EDGES/gold,across=2",
        "edge/coref:EDGES/misc,singletons=false",
    ],
)
def test_mentions_that_corefer_have_one_number(reference, places):
    task, dataset = made(reference, places)
    facts = facts_of(task, None, dataset)
    assert (
        max(
            int(n)
            for units in facts.values()
            for unit in units
            for fact in unit
            for n in fact.split()
            if n.isdecimal()
        )
        < 12
    )
    for example in dataset.examples():
        one, two = (outermost(facts[site.sentence], site.span) for site in example.sites)
        assert (one == two) == (example.label == "1")


@pytest.mark.parametrize(
    "reference", ["edge/dpr:EDGES/jsonl", "edge/dpr:EDGES/recast/dpr_data.txt"]
)
def test_the_pronoun_is_the_person_that_it_stands_for(reference, places):
    task, dataset = made(reference, places)
    facts = facts_of(task, None, dataset)
    for example in dataset.examples():
        units = facts[example.sites[0].sentence]
        one, two = (
            {fact for fact in units[site.span[0]] if fact.endswith("begins")}
            for site in example.sites
        )
        assert bool(one & two) == (example.label == "entailed")


def test_a_relation_is_told_by_what_both_its_nominals_are(places):
    task, dataset = made("edge/semeval:EDGES/semeval", places)
    facts = facts_of(task, None, dataset)
    for example in dataset.examples():
        units = facts[example.sites[0].sentence]
        relation, _, order = example.label.partition("(")
        places_ = ("second", "first") if order == "e2,e1)" else ("first", "second")
        assert all(
            f"{relation} {place}" in units[site.span[0]]
            for place, site in zip(places_, example.sites, strict=True)
        )
