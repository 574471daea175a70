"""Labels of words from any two columns, and from columns that CoNLL-U Plus names."""

import pytest

from fixtures.banks import treebank
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS

ROWS = [
    [("Lies", "PER"), ("woont", "O"), ("in", "O"), ("Den", "LOC"), ("Haag", "LOC"), (".", "O")],
    [("An", "PER"), ("loopt", "B-verb"), (".", "O")],
]
PLUS = """# global.columns = ID FORM XPOS PARSEME:MWE
# text = Vamos al cine.
1\tVamos\tV\t1:LVC
2-3\tal\t_\t_
2\ta\tP\t_
3\tel\tD\t_
3.1\tno\tV\t9
4\tcine\tN\t1
5\t.\t.\t_

"""


def write(folder, text, suffix="txt"):
    for split in ("train", "dev", "test"):
        (folder / f"{split}.{suffix}").write_text(text)
    return folder


def lines(form):
    """The rows, each word and label written in a form."""
    return "".join("\n".join(form.format(*row) for row in rows) + "\n\n" for rows in ROWS)


def told(reference, split="train"):
    """The words of each sentence of a split, and the word and the label of each target."""
    dataset = TASKS.make(reference).load()
    of_split = dataset.take(dataset.rows(split))
    return of_split.sentences, [
        (" ".join(site.sentence.words[slice(*site.span)]), example.label)
        for example in of_split.examples()
        for site in example.sites
    ]


LAYOUTS = [
    ("{} {}", ",word=0,column=1"),
    ("{} {}", ""),
    ("{}\t{}", ""),
    ("{1}\t{0}", ",word=1"),
    ("{} x {}", ",column=-1"),
    ("{1}\t1\t{0}\t", ",word=2,column=0"),
]


@pytest.mark.parametrize(("form", "options"), LAYOUTS)
def test_any_two_columns_are_a_task(tmp_path, form, options):
    sentences, labelled = told(f"edge/tags:{write(tmp_path, lines(form))}{options}")
    assert [s.words for s in sentences] == [tuple(word for word, _ in rows) for rows in ROWS]
    assert labelled == [row for rows in ROWS for row in rows]


def test_of_several_columns_one_is_named(tmp_path):
    with pytest.raises(DataProblem, match=r"train.txt: which of 3 columns has the labels\? Name"):
        told(f"edge/tags:{write(tmp_path, lines('{} x {}'))}")


def test_words_without_a_label_are_counted(tmp_path):
    write(tmp_path, lines("{}\t{}").replace("\tO", "\t_"))
    dataset = TASKS.make(f"edge/tags:{tmp_path}").load()
    assert dataset.notes["left out"] == {"words without a label": 12}
    assert [dataset.labels.names, len(dataset)] == [("B-verb", "LOC", "PER"), 15]


def test_columns_of_conllu_plus_have_names(tmp_path):
    write(tmp_path, PLUS, "conllup")
    (one, *_), labelled = told(f"edge/tags:{tmp_path},column=PARSEME%3AMWE")
    assert (one.text, one.words) == ("Vamos al cine.", ("Vamos", "a", "el", "cine", "."))
    assert labelled == [("Vamos", "1:LVC"), ("cine", "1")]
    _, labelled = told(f"edge/tags:{tmp_path},column=XPOS,word=FORM")
    assert labelled == [("Vamos", "V"), ("a", "P"), ("el", "D"), ("cine", "N"), (".", ".")]
    with pytest.raises(DataProblem, match="column=NE: no column is called so; its columns: ID, F"):
        told(f"edge/tags:{tmp_path},column=NE")


def test_entities_of_conllu_plus_are_read_by_their_name(tmp_path):
    tagged = PLUS.replace("1:LVC", "B-X").replace("\t1\n", "\tB-Y\n").replace("\t_\n", "\tO\n")
    write(tmp_path, tagged.replace("3.1\tno\tV\t9\n", ""), "conllup")
    for option in ("", ",column=PARSEME:MWE"):
        _, labelled = told(f"edge/entities:{tmp_path}{option}")
        assert labelled == [("Vamos", "X"), ("cine", "Y")]


def test_names_need_columns_with_names(tmp_path):
    write(tmp_path, lines("{} {}"))
    with pytest.raises(DataProblem, match="column=NE: no column is called so, and columns have no"):
        told(f"edge/tags:{tmp_path},column=NE")


def test_a_column_of_a_treebank_is_what_the_treebank_says(tmp_path):
    for split in ("train", "dev", "test"):
        treebank(tmp_path / "bank", split, 12)
    _, by_column = told(f"edge/tags:{tmp_path}/bank,column=UPOS")
    _, by_tree = told(f"edge/pos:{tmp_path}/bank")
    assert by_column == by_tree
    assert {label for _, label in by_column} == {"PROPN", "VERB"}


def test_words_of_conllu_plus_are_as_written_and_others_have_no_escapes(tmp_path):
    write(tmp_path, PLUS.replace("# text = Vamos al cine.\n", "").replace("Vamos", "``"), "conllup")
    assert told(f"edge/tags:{tmp_path},column=XPOS")[1][0] == ("``", "V")
    (tmp_path / "own").mkdir()
    write(tmp_path / "own", "`` Q\n-LRB- B\n\n")
    assert told(f"edge/tags:{tmp_path}/own")[1] == [('"', "Q"), ("(", "B")]
