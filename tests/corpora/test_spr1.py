"""SPR1's own files: Rudinger's records, and the published table in the Penn Treebank's trees with
their traces.
"""

from __future__ import annotations

import json

import pytest

from lingprobe.corpora import brackets
from lingprobe.corpora.spr1 import (
    TracedTree,
    UnplacedArguments,
    read_annotated_arguments,
    read_published_table,
)
from lingprobe.corpora.tally import ProblemTally
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from tasks import edges

# a relative clause: `the dog that *T*-1 *exp* barked , he said *T*-2 , ran home`, with a chain and
# a comment in the middle
TREE = """( (S
    (NP-SBJ (NP (DT the) (NN dog)) (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (-NONE- *T*-1)) (VP (VBD barked)))))
    (PRN (, ,) (S (NP-SBJ (PRP he)) (VP (VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-2))))) (, ,))
    (VP (VBD ran) (ADVP-DIR (NN home))) (. .) ))
"""


@pytest.fixture
def placed(tmp_path):
    (tmp_path / "wsj_0001.mrg").write_text(TREE)
    return TracedTree.of(next(brackets.read_brackets(tmp_path / "wsj_0001.mrg", traces=True)))


def words(placed, span):
    return " ".join(placed.sentence.words[slice(*span)])


def test_sentences_have_no_traces_and_places_count_them(placed):
    assert placed.sentence.words == tuple("the dog that barked , he said , ran home .".split())
    assert [placed.word(place) for place in range(5)] == [0, 1, 2, None, 3]
    assert placed.word(99) is None


@pytest.mark.parametrize(
    ("pointer", "pieces"),
    [
        ("0:0", ["the"]),  # a word's own tag
        ("0:1", ["the dog"]),
        ("0:2", ["the dog that barked"]),
        ("2:1", ["that"]),
        # a trace, its relative pronoun and what that is about: the first with words
        ("3:1*2:1*0:2", ["that"]),
        ("11:1", ["ran home"]),
        # beyond the tree there is nothing more
        ("0:9", ["the dog that barked , he said , ran home ."]),
        ("0:1,2:1", ["the dog that"]),  # pieces that touch
        ("0:1,11:1", ["the dog", "ran home"]),
        ("12:1;0:1", ["the dog", "home"]),
    ],
)
def test_pointers_are_propbanks(placed, pointer, pieces):
    assert [words(placed, span) for span in placed.argument(pointer)] == pieces


@pytest.mark.parametrize("pointer", ["3:1", "3:0", "8:1*9:1", "40:1"])
def test_arguments_of_traces_alone_have_no_words(placed, pointer):
    assert placed.argument(pointer) is None


def test_the_table_stands_in_the_sentences_that_it_numbers(tmp_path):
    path, bank = edges.spr1_table(tmp_path)
    lost = UnplacedArguments()
    found = list(read_published_table(path, str(bank), "raise", ProblemTally(), lost))
    assert len(found) == 36  # two arguments of eighteen sentences
    assert not lost.why
    assert {one.split for one in found} == {"train", "dev", "test"}
    mine = [one for one in found if one.split == "train"][:2]
    for one in mine:
        assert one.sentence.words[0] == "Anna"
        assert one.sentence.words[slice(*one.predicate)] == ("saw",)
    assert [one.sentence.words[slice(*one.argument)] for one in mine] == [
        ("Anna",),
        ("the", "old", "clock00"),
    ]


def test_a_property_holds_beyond_three_and_where_it_is_applicable(tmp_path):
    path, bank = edges.spr1_table(tmp_path)
    dataset = TASKS.make(f"edge/spr1:{path},treebank={bank}").load()
    first = [e.label for e in dataset.examples() if e.sites[0].sentence.words[4] == "clock03"]
    # responses 4, 5, 1; of the second argument nothing is applicable
    assert first == [{"awareness", "existed_after"}, frozenset()]
    soft = TASKS.make(f"edge/spr1:{path},treebank={bank},soft=true").load()
    label = next(e.label for e in soft.examples() if e.sites[0].sentence.words[4] == "clock03")
    assert label == {"awareness": 0.75, "existed_after": 1.0, "was_used": 0.0}


def test_rudingers_records_and_jiants_file_of_them_are_the_same_targets(tmp_path):
    """Converted as jiant's script does: heads as spans of one word, a property where its response
    is above three.
    """
    folder = edges.spr1(tmp_path / "sprl")
    dataset = TASKS.make(f"edge/spr1:{folder}").load()
    lines = {}
    for row in map(json.loads, (folder / "spr1.json").read_text().splitlines()):
        targets = [
            {
                "span1": [a["pred_idx"], a["pred_idx"] + 1],
                "span2": [a["arg_idx"], a["arg_idx"] + 1],
                "label": sorted(r["spr_property"] for r in a["responses"] if r["response"] > 3.0),
            }
            for a in row["spr1"]
        ]
        record = {
            "text": " ".join(row["tokens"]),
            "info": {"split": row["split"]},
            "targets": targets,
        }
        lines.setdefault(row["split"], []).append(json.dumps(record) + "\n")
    for split, mine in lines.items():
        (tmp_path / f"{split}.json").write_text("".join(mine))
    jiant = TASKS.make(
        f"edge/spr1:{tmp_path}/train.json,with={tmp_path}/dev.json,with={tmp_path}/test.json"
    ).load()

    def targets(data):
        return [
            (e.split, tuple(site.span for site in e.sites), e.sites[0].sentence.words, e.label)
            for e in data.examples()
        ]

    assert targets(dataset) == targets(jiant)
    assert dataset.notes["targets"] == {"train": 12, "dev": 12, "test": 12}


def test_what_does_not_fit_is_counted(tmp_path):
    path, bank = edges.spr1_table(tmp_path)
    row = path.read_text().splitlines()[1].split("\t")

    def changed(**cells):
        heads = path.read_text().splitlines()[0].split("\t")
        return (
            "\t".join(
                str(cells.get(head.replace(".", "_"), cell))
                for head, cell in zip(heads, row, strict=True)
            )
            + "\n"
        )

    bad = [
        changed(Sentence_ID="0001_0"),
        changed(Sentence_ID="2000_99"),
        changed(Pred_Token=1),  # a trace
        changed(Arg_Pos="1:1"),
        changed(Arg_Pos="0:1,5:0"),
    ]
    path.write_text(path.read_text() + "".join(bad))
    notes = TASKS.make(f"edge/spr1:{path},treebank={bank}").load().notes
    left = notes["left out"]
    assert left["arguments whose sentence the treebank does not have"] == 2
    assert left["arguments without a word, such as traces"] == 1
    assert (
        sum(many for why, many in left.items() if why.startswith("arguments of a predicate")) == 1
    )
    assert notes["arguments in several pieces, of which the first was taken"] == 1


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("Split", "trial"), ("Sentence.ID", "wsj_1"), ("Pred.Token", "-1"), ("Arg.Pos", "1"),
        ("Property", " "), ("Response", "6"),
        ("Applicable", "maybe"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_named_or_left_out(tmp_path, column, cell):
    path, bank = edges.spr1_table(tmp_path)
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    rows[2][rows[0].index(column)] = cell
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    with pytest.raises(DataProblem, match=rf"tsv:3: {column.replace('.', '[.]')} is"):
        TASKS.make(f"edge/spr1:{path},treebank={bank}").load()
    assert (
        TASKS.make(f"edge/spr1:{path},treebank={bank},on_error=skip")
        .load()
        .notes["source"]["skipped"]
        == 1
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: r.pop("spr1"), "no spr1, the annotated arguments"),
        (lambda r: r.update(tokens=[]), "no record with tokens"),
        (lambda r: r.update(tokens=[1]), "a token is not a word"),
        (lambda r: r.update(split="all"), "split is 'all'"),
        (lambda r: r["spr1"][0].update(arg_idx=99), "word 99 of a sentence of 11"),
        (lambda r: r["spr1"][0].pop("pred_idx"), "an argument has pred_idx"),
        (
            lambda r: r["spr1"][0]["responses"][0].update(response=True),
            "a response is a number from 1 to 5",
        ),
    ],
)
def test_a_malformed_record_is_named(tmp_path, change, told):
    (path,) = edges.spr1(tmp_path).glob("*.json")
    rows = list(map(json.loads, path.read_text().splitlines()))
    change(rows[3])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataProblem, match=rf"spr1[.]json:4: {told}"):
        list(read_annotated_arguments(path, "raise", ProblemTally()))
    tally = ProblemTally()
    assert len(list(read_annotated_arguments(path, "skip", tally))) == 34
    assert tally.skipped == 1


def test_a_table_without_a_treebank_says_what_it_needs(tmp_path):
    path, bank = edges.spr1_table(tmp_path)
    with pytest.raises(DataProblem, match=r"treebank=FOLDER .*LDC99T42"):
        TASKS.make(f"edge/spr1:{path}").load()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.mrg").write_text(TREE)
    with pytest.raises(DataProblem, match="no file of the Wall Street Journal"):
        TASKS.make(f"edge/spr1:{path},treebank={tmp_path / 'other'}").load()
    path.write_text("a\tb\n")
    with pytest.raises(DataProblem, match="no column Split; is this protoroles_eng_pb"):
        TASKS.make(f"edge/spr1:{path},treebank={bank}").load()


def test_the_sample_without_annotations_is_refused():
    import os

    place = os.environ.get("LINGPROBE_DATA")
    if not place:
        pytest.skip("LINGPROBE_DATA is not set")
    with pytest.raises(DataProblem, match=r"mini\.sprl:1: no spr1, the annotated arguments"):
        TASKS.make(f"edge/spr1:{place}/edge/SPR1-sample/mini.sprl").load()
