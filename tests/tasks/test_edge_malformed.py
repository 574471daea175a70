"""Malformed files of every format that edge tasks read: each fault is one line that names its
place, or is left out and counted.
"""

import json
import zipfile

import pytest

from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from tasks import edges

LATIN1 = b"\xe9"


def spoil(path, was, now):
    """Replace the first occurrence of some text (or bytes) in a file."""
    was, now = (text.encode() if isinstance(text, str) else text for text in (was, now))
    data = path.read_bytes()
    assert was in data
    path.write_bytes(data.replace(was, now, 1))


def held(reference, told, skipped=1, **left_out):
    """Assert that a task names what is wrong in one line, and with on_error=skip counts it and
    keeps the rest.
    """
    with pytest.raises(DataProblem, match=told) as caught:
        TASKS.make(reference).load()
    assert "\n" not in str(caught.value)
    assert "on_error=skip" in str(caught.value)
    notes = TASKS.make(f"{reference},on_error=skip").load().notes
    assert notes["source"]["skipped"] == skipped
    assert len(notes["problems"]) == skipped
    assert notes["left out"] == left_out


ROW = "saw VBD B-VP O"
COLUMNS = [
    ("saw VBD", "4: 2 columns, most rows have 4"),
    ("saw VBD B-VP", "4: 3 columns, most rows have 4"),
    ("saw it VBD B-VP O", "4: 5 columns, most rows have 4"),
    ("saw VBD B- O-PER", "4: '.*' is not a tag"),
    (b"s" + LATIN1 + b" VBD B-VP O", "4: byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize("task", ["entities", "chunks"])
@pytest.mark.parametrize(("now", "told"), COLUMNS)
def test_rows_of_other_columns_spoil_their_sentence_alone(tmp_path, task, now, told):
    edges.columns(tmp_path)
    spoil(tmp_path / "en.train", ROW, now)
    held(f"edge/{task}:{tmp_path}", rf"en\.train:{told}")


def test_one_row_with_tabs_does_not_make_a_table_with_tabs(tmp_path):
    edges.columns(tmp_path)
    before = len(TASKS.make(f"edge/chunks:{tmp_path}").load())
    spoil(tmp_path / "en.train", ROW, ROW.replace(" ", "\t"))
    assert len(TASKS.make(f"edge/chunks:{tmp_path}").load()) == before


@pytest.mark.parametrize("option", ["column=4", "column=-5", "word=9"])
def test_columns_that_are_not_there_are_refused(tmp_path, option):
    with pytest.raises(DataProblem, match="rows have 4 columns; write 0 to 3"):
        TASKS.make(f"edge/entities:{edges.columns(tmp_path)},{option}").load()


GOLD = [
    ("srl", "saw VBD (VP* see 01", "saw VBD (VP* see -", "2: 14 columns and 1 predicates"),
    (
        "entities",
        "saw VBD (VP* see 01",
        "saw VBD (VP* see -",
        "2: 14 columns and 1 predicates; named entities",
    ),
    (
        "srl",
        "the DT (NP* - -",
        "the DT (NP* -",
        "4: 13 columns, the first word of the sentence has 14",
    ),
    ("srl", "(ARG0*)", "(ARG0*", "2: .ARG0 is never closed"),
    ("coref", "(2\n", "2\n", "2: word 3: '2' closes a mention that was never opened"),
    ("coref", "(2\n", "(2|(9\n", "2: the mention .9 is never closed"),
    ("pos", "the DT", b"th" + LATIN1 + b" DT", "4: byte 0xe9 is not UTF-8"),
    ("const", "the DT (NP*", "the DT *", "2: the brackets are not those of one whole tree"),
]


@pytest.mark.parametrize(("task", "was", "now", "told"), GOLD)
def test_columns_of_conll_2012(tmp_path, task, was, now, told):
    edges.gold(tmp_path)
    spoil(tmp_path / "toy.train.gold_conll", was, now)
    held(f"edge/{task}:{tmp_path}", rf"toy\.train\.gold_conll:{told}")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("Entity=2)", "_"),
        ("Entity=(2-object-new", "_"),
        ("Entity=(4-place-new)", "Entity=(4-place-new"),
    ],
)
@pytest.mark.parametrize("task", ["entities", "coref"])
def test_mentions_that_are_not_closed_or_opened_are_counted(tmp_path, task, was, now):
    edges.misc(tmp_path)
    spoil(tmp_path / "toy-train.conllu", was, now)
    notes = TASKS.make(f"edge/{task}:{tmp_path}").load().notes
    assert notes["left out"] == {"mentions in pieces, or that go beyond their sentence": 1}


def test_files_whose_mentions_have_no_types_say_so(tmp_path):
    edges.misc(tmp_path)
    path = tmp_path / "toy-train.conllu"
    path.write_text(path.read_text().replace("GRP-etype-infstat", "GRP"))
    with pytest.raises(
        DataProblem, match=r"no train targets.*\(excluded: mentions without a type: 30\)"
    ):
        TASKS.make(f"edge/entities:{tmp_path}").load()


def test_words_without_a_relation_are_counted(tmp_path):
    edges.misc(tmp_path)
    spoil(tmp_path / "toy-train.conllu", "\t2\tdep", "\t2\t_")
    for root, many in (("none", 18 * 10 - 1), ("self", 18 * 11 - 1)):
        dataset = TASKS.make(f"edge/dep:{tmp_path},root={root}").load()
        assert len(dataset) == many
        assert dataset.notes["left out"]["words without a relation"] == 1


FIRST = '1\t"The <e1>sparktr0</e1> lit the <e2>fire</e2>."\r\n'
SEMEVAL = [
    ("<e1>sparktr0</e1>", "sparktr0", "1: the sentence does not have <e1>"),
    ("<e1>sparktr0</e1>", "<e1></e1>sparktr0", "1: <e1> contains no word"),
    ('"The', "The", "1: .* is not a number and a sentence in quotes"),
    (FIRST, "", "1: .* is not a number and a sentence in quotes"),
    (FIRST + "Cause-Effect(e1,e2)\r\n", FIRST, "1: the line after the sentence is not a relation"),
    ("Cause-Effect(e1,e2)", "Cause-Effect", "1: the line after the sentence is not a relation"),
    ("Comment: none", b"Comment: " + LATIN1, "3: byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize(("was", "now", "told"), SEMEVAL)
def test_relations_between_nominals(tmp_path, was, now, told):
    edges.semeval(tmp_path)
    spoil(tmp_path / "TRAIN_FILE.TXT", was, now)
    held(f"edge/semeval:{tmp_path}", rf"TRAIN_FILE\.TXT:{told}")


DPR = [
    ("partof: train", "partof: trn", "1: partof is 'trn', not one of train, dev, test"),
    (
        "entailed: entailed",
        "entailed: maybe",
        "1: entailed is 'maybe', not one of entailed, not-entailed",
    ),
    ("hypothesis:", "hyp:", "1: no line `hypothesis:`"),
    ("text: Anna", b"text: Ann" + LATIN1, "3: byte 0xe9 is not UTF-8"),
    (
        "partof: train\n\n",
        "partof: train\n",
        "7: a second line `provenance:`; a blank line parts examples",
    ),
]


@pytest.mark.parametrize(("was", "now", "told"), DPR)
def test_recast_pronouns(tmp_path, was, now, told):
    path = edges.recast(tmp_path)
    spoil(path, was, now)
    held(f"edge/dpr:{path}", rf"dpr_data\.txt:{told}")


PLACE = "train\t1\ten-ud-train.conllu 1\t2\t4"
SPR2 = [
    (PLACE, "train\tx\ten-ud-train.conllu 1\t2\t4", "Pred.Token is 'x', not a number"),
    (PLACE, "train\t-1\ten-ud-train.conllu 1\t2\t4", "Pred.Token is '-1', not a number"),
    (PLACE, "train\t1\t\t2\t4", "Sentence.ID is '', not a number"),
    (
        PLACE,
        "train\t1\ten-ud-train.conllu 1\t4\t2",
        "the argument begins with word 4 and ends with word 2",
    ),
    (PLACE, "trn\t1\ten-ud-train.conllu 1\t2\t4", "Split is 'trn', not one of"),
    ("\t5\tyes", "\tinf\tyes", "Response is 'inf', not one of"),
    ("\t5\tyes", "\t5\tperhaps", "Applicable is 'perhaps', not one of"),
    ("\t5\tyes", "\t5", "8 columns, not at least 9"),
    ("\tawareness", b"\taware" + LATIN1, "byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize(("was", "now", "told"), SPR2)
def test_answers_about_proto_roles(tmp_path, was, now, told):
    table, bank = edges.spr2(tmp_path)
    spoil(table, was, now)
    held(f"edge/spr2:{table},treebank={bank}", rf"protoroles\.tsv:2: {told}")


UDS = [
    ("semantics-pred-2%%", "semantics-pred-0%%", "not a predicate and an argument"),
    ('"value": 0.5', '"value": "x"', "no numbers as"),
    ('"value": 0.5', '"value": NaN', "the value of awareness is not a finite number"),
    ('"protoroles"', '"time"', "no numbers as"),
]


@pytest.mark.parametrize(("was", "now", "told"), UDS)
def test_values_of_proto_roles(tmp_path, was, now, told):
    path, bank = edges.uds(tmp_path)
    _rewritten(path, lambda text: text.replace(was, now, 1))
    held(f"edge/uds:{path},treebank={bank}", rf"normalized_protoroles\.zip: ewt-train-1-.*: {told}")


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        (lambda text: text[:-3], "not JSON"),
        (lambda text: text.encode().replace(b"awareness", LATIN1), "byte 0xe9 is not UTF-8"),
        (
            lambda text: json.dumps({"sentences": json.loads(text)}),
            "has sentences with their edges under `data`",
        ),
    ],
)
def test_archives_that_hold_something_else(tmp_path, spoilt, told):
    path, bank = edges.uds(tmp_path)
    _rewritten(path, spoilt)
    with pytest.raises(DataProblem, match=told) as caught:
        TASKS.make(f"edge/uds:{path},treebank={bank}").load()
    assert len(str(caught.value)) < 300


def _rewritten(path, change):
    with zipfile.ZipFile(path) as archive:
        text = archive.read("protoroles.json").decode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("protoroles.json", change(text))


ONTO = [
    ("1\tsaw\t_", "1\tsaw", "3: 2 columns instead of 3"),
    ("8)7)", "8)", "2: the mention .7 is never closed"),
    ("1\tsaw\t_", b"1\ts" + LATIN1 + b"\t_", "3: byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize(("was", "now", "told"), ONTO)
def test_a_malformed_document_is_left_out_whole(tmp_path, was, now, told):
    edges.onto(tmp_path)
    spoil(tmp_path / "toy_train.conll", was, now)
    held(f"edge/coref:{tmp_path},sentences={tmp_path}/dep", rf"toy_train\.conll:{told}", skipped=2)


TREES = (
    "(TOP (S (NP (NNP Ann)) (VP (VBD saw) (NP (NNS cats))) (. .)))\n(TOP (S (NP (NNP Bob)) (VP (VBD"
    " saw) (NP (NNS dogs))) (. .)))\n"
)
BRACKETS = [
    ("(. .)))", "(. .))", "a bracket is not closed before the next tree begins"),
    ("(. .)))", "(. .))))", "a bracket is closed that was never opened"),
    ("(NNP Ann)", "(NNP)", "a phrase without words"),
    ("(NNP Ann)", "(NNP Ann) Bob", "a word beside phrases"),
    ("(NNP Ann)", b"(NNP Ann" + LATIN1 + b")", "byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize("task", ["const", "pos"])
@pytest.mark.parametrize(("was", "now", "told"), BRACKETS)
def test_trees_in_brackets(tmp_path, task, was, now, told):
    for split in edges.SPLITS:
        (tmp_path / f"toy_{split}.mrg").write_text(TREES)
    spoil(tmp_path / "toy_train.mrg", was, now)
    with pytest.raises(DataProblem, match=rf"toy_train\.mrg:1: {told}"):
        TASKS.make(f"edge/{task}:{tmp_path}").load()
    assert (
        TASKS.make(f"edge/{task}:{tmp_path},on_error=skip").load().notes["source"]["skipped"] == 1
    )


def test_nothing_that_answers_says_what_was_left_out(tmp_path):
    with pytest.raises(DataProblem, match=r"no targets.*\(excluded: words without Case: 198\)"):
        TASKS.make(f"edge/feat:{edges.misc(tmp_path)},feature=Case").load()
