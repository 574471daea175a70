"""What is said of data sets and results: typed, the same JSON as before, and read in one place."""

import ast
import json
import pickle
from pathlib import Path

import pytest

import lingprobe
from lingprobe.data.centring import UnlabelledSentences
from lingprobe.data.core import Dataset, Example, Result, Sentence, Trial
from lingprobe.data.labels import build_column
from lingprobe.data.notes import (
    BoundaryDensity,
    ByParser,
    Checkpoint,
    CodeLengthNote,
    ControlNote,
    DatasetNotes,
    ExampleCounts,
    MembersCompared,
    NotePart,
    ProbeChoice,
    ResultProvenance,
    SamplingNote,
    SourceNote,
    SourceRule,
    ThresholdCounts,
    ThresholdNote,
    WordRule,
)
from lingprobe.inside.units.notes import AttentionNote, UnitsRead
from lingprobe.store.probe_folder import (
    ClassConfusion,
    EncoderFacts,
    SubgroupScore,
    TaskFacts,
)
from lingprobe.tasks.edge.exchange import WordExchanges
from lingprobe.tasks.ud.account import RowsRead
from lingprobe_extensions.compose.comp.shallow import WrittenIn

PARTS = [
    SamplingNote(5, 10_000, 0.25, {"all": 0.01}),
    ControlNote("word-labels", 3, 0.5, "a label for each word type", 7, 0.25),
    WordRule("past with 'was', else pres", 0.9, 0.8),
    SourceRule(0.75, 0.7, 0.5),
    SourceNote(["a.conllu"], 2),
    CodeLengthNote(1.0, 2.0, 3.0),
    MembersCompared("logistic regression", {"logistic regression": 0.4}, 200, 3),
    BoundaryDensity(0.25, 0.125),
    ThresholdNote("yes", {"0.05": 1.25}),
    ThresholdCounts({"0.05": [3, 4, 1, 20]}),
    ExampleCounts(
        train=3, words=9, problems=["no vector"], left_out={"beyond": {"test": {"x": 1}}}
    ),
    WrittenIn("mine.py@tokipona"),
    UnitsRead([3, 1], 8, [{"up": [[1.5, "a", "Yes."]], "down": []}]),
    WordExchanges(9, 10, "all", 3),
    AttentionNote(0.2, 0.1, 0.9, 12.5, [["was", 3.5, 7]]),
    ByParser("udpipe english.udpipe", 7.5),
    UnlabelledSentences("language", 9, {"pl": [0, 5], "en": [5, 9]}),
    RowsRead("read", {"pres": {"read": 9, "unread": 1}}),
    EncoderFacts("hf:m", False, "i", "r", "query: {sentence}", "mean", 8),
    TaskFacts("table:a.csv", "Which label?", "i", "t", 80, 10, 20, True),
    SubgroupScore("sports", 50.0, 40.0, 60.0, 9),
    ClassConfusion("yes", "no", 3, 9),
    Checkpoint(3, "epoch", 8, 5, "translate", "bleu", {"bleu": 7.1}, {"bleu of copying": 0.4}),
]
SAID = {
    "kind": "trained",
    "identities": {"task": "t"},
    "revision": "abc",
    "date": "2026-01-01",
    "seeds": [0, 1],
    "counts": {**ExampleCounts(train=2).plain(), "problems": [], "left out": {}},
    "notes": {"left out": {"too short": 1}, "one word": PARTS[2].plain(), "mine": [1]},
    "constants": {},
    "choice": {"c": 1.0, "mix": [0.5, 0.5]},
    "checkpoint": PARTS[-1].plain(),
}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_part_comes_back_from_json(part):
    assert type(part).read(json.loads(json.dumps(part.plain()))) == part
    assert pickle.loads(pickle.dumps(part)) == part
    assert type(part).read({"of a later version": 1}) == type(part)()


def test_every_part_is_tried():
    tried = {type(part).__name__ for part in (*PARTS, ResultProvenance())}
    whole = {"ProbeFacts"}  # a file of its own, whose damages test_keeping_probes tries
    assert tried | whole == {kind.__name__ for kind in NotePart.__subclasses__()}


def test_a_provenance_comes_back_from_json():
    given = ResultProvenance.read(SAID)
    assert given.plain() == SAID
    assert ResultProvenance.read(json.loads(json.dumps(given.plain()))) == given
    assert pickle.loads(pickle.dumps(given)).plain()["choice"] == SAID["choice"]
    assert given.notes.left_out == {"too short": 1}
    assert given.notes.part(WordRule) == PARTS[2]
    assert given.choice.mix == (0.5, 0.5)
    assert given.choice.part(CodeLengthNote) is None


def test_what_a_file_does_not_say_is_not_made_up():
    none = ResultProvenance.read({"made up": 1, "counts": None})
    assert none.plain() == {"made up": 1}
    assert none.counts == ExampleCounts()
    assert none.constants is None
    assert none.identity("task", "ud/tense:x") == ""


def test_version_0_1_wrote_identities_under_references():
    assert (
        ResultProvenance(identities={"ud/tense:x": "known"}).identity("task", "ud/tense:x")
        == "known"
    )


def test_results_and_data_sets_take_plain_mappings():
    gold = build_column(["a"])
    one = Result(Trial(*"abcde", 0), "accuracy", 1, 1, 1, 1, gold, gold, {"kind": "oracle"})
    assert one.provenance.kind == "oracle"
    dataset = Dataset.of([Example.about(Sentence.of("a"), "x")], {"remarks": ["odd"]})
    assert dataset.notes.remarks == ("odd",)
    more = dataset.with_notes(PARTS[2], mine=1)
    assert (more.notes.part(WordRule), more.notes["mine"]) == (PARTS[2], 1)
    assert "mine" not in dataset.notes


def test_notes_and_choices_are_frozen():
    for record in (DatasetNotes({"a": 1}), ProbeChoice({"a": 1})):
        with pytest.raises(TypeError):
            record["a"] = 2
        with pytest.raises(AttributeError):
            record.more = 2


def test_malformed_sentences_are_counted_with_the_first_reason():
    assert DatasetNotes().malformed_sentences == (0, "")
    assert DatasetNotes({"source": "a text"}).malformed_sentences == (0, "")
    assert DatasetNotes(
        {"source": {"skipped": 2}, "problems": ["x:1", "x:2"]}
    ).malformed_sentences == (
        2,
        "x:1",
    )


def reads_by_key(tree):
    """Reads of a result's or a data set's notes by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            value, key = node.value, node.slice
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and node.args:
            value, key = node.func.value, node.args[0]
        else:
            continue
        of = isinstance(value, ast.Attribute) and value.attr in {"provenance", "notes", "choice"}
        is_number = isinstance(key, ast.Constant) and isinstance(key.value, int)  # of table.notes
        if of and isinstance(key, ast.Constant | ast.Name) and not is_number:
            yield node.lineno


def test_nobody_else_reads_them_by_key():
    assert list(reads_by_key(ast.parse("r.provenance.get('x', 1)\nd.notes['left out']"))) == [1, 2]
    files = sorted(Path(lingprobe.__file__).parent.rglob("*.py"))
    found = {str(file): [*reads_by_key(ast.parse(file.read_text("utf-8")))] for file in files}
    assert not {file: at for file, at in found.items() if at}
