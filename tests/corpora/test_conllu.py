"""CoNLL-U: what is read, what is refused and where, and that nothing but DataProblem ever comes
out.
"""

import lzma
import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import files
from lingprobe.corpora.batches import read_treebank_batches
from lingprobe.corpora.conllu import TREE_SUFFIXES, read_conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.trees import (
    MultiwordToken,
    TreeColumns,
    compute_tree_depth,
    format_conllu_tree,
    parse_features,
)
from lingprobe.data.core import DataProblem

ROWS = """# sent_id = s1
# text = Vámonos al mar.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\t_\tCase=Acc\t1\tobj\t1:obj\t_
2.1\tgone\tgo\tVERB\t_\t_\t_\t_\t1:conj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\t_\tNumber=Sing\t1\tobl\t1:obl:a\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""


def row(i, head, form="w", feats="_", deprel="dep"):
    return f"{i}\t{form}\t{form}\tX\t_\t{feats}\t{head}\t{deprel}\t_\t_"


def trees(tmp_path, text, **options):
    path = tmp_path / "t.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_conllu(path, **options))


def test_multiword_tokens_empty_nodes_and_comments_are_kept(tmp_path):
    (tree,) = trees(tmp_path, ROWS)
    assert tree.words == ("Vamos", "nos", "a", "el", "mar", ".")
    assert tree.heads == (-1, 0, 4, 4, 0, 0)
    assert (tree.root, tree.depth, tree.children(0), tree.sent_id, tree.line) == (
        0,
        3,
        [1, 4, 5],
        "s1",
        1,
    )
    assert tree.ranges == (MultiwordToken(0, 2, "Vámonos", "_"), MultiwordToken(2, 4, "al", "_"))
    assert tree.empty == (("2.1", "gone", "go", "VERB", "_", "_", "_", "_", "1:conj", "_"),)
    assert tree.deps[4] == "1:obl:a"
    assert tree.sentence.text == tree.text == "Vámonos al mar."
    assert parse_features(tree.feats[0]) == {"Mood": "Imp"}
    assert format_conllu_tree(tree) == ROWS


def test_text_is_rebuilt_where_no_comment_tells_it(tmp_path):
    assert trees(tmp_path, ROWS.partition("mar.\n")[2])[0].text == "Vámonos al mar."


@pytest.mark.parametrize("comments", ["", "# newdoc\n", "#text=a b\n#  sent_id =  7\n"])
def test_comments_may_be_missing_or_tight(tmp_path, comments):
    (tree,) = trees(tmp_path, f"{comments}{row(1, 0, 'a')}\n{row(2, 1, 'b')}\n\n")
    assert tree.text == "a b"
    assert tree.sent_id == ("7" if "7" in comments else "")


def test_forms_may_hold_spaces_and_underscores(tmp_path):
    (tree,) = trees(
        tmp_path, f"{row(1, 0, 'New York')}\n{row(2, 1, '_')}\n{row(3, 1, chr(0x2028))}\n\n"
    )
    assert tree.words == ("New York", "_", "\u2028")


@pytest.mark.parametrize("end", ["\n\n", "\n", "", "\n\n\n\n", "\r\n\r\n"])
def test_the_end_of_the_file_may_be_written_in_any_way(tmp_path, end):
    text = f"\n\n{row(1, 0)}\n\n\n\n# only a comment\n\n{row(1, 0)}{end}"
    if "\r" in end:
        text = text.replace("\n", "\r\n").replace("\r\r", "\r")
    assert [t.line for t in trees(tmp_path, text)] == [3, 9]


@pytest.mark.parametrize("size", [1, 5, 64, 1 << 19])
@pytest.mark.parametrize("suffix", ["", ".xz"])
def test_pieces_of_any_size_give_the_same_trees_and_lines(tmp_path, monkeypatch, size, suffix):
    monkeypatch.setattr(files, "CHUNK_BYTES", size)
    data = ("\ufeff" + ROWS.replace("\n", "\r\n") * 4).encode()
    path = tmp_path / f"t.conllu{suffix}"
    path.write_bytes(lzma.compress(data) if suffix else data)
    assert [(t.line, format_conllu_tree(t)) for t in read_conllu(path)] == [
        (1 + 12 * k, ROWS) for k in range(4)
    ]


def test_long_and_deep_sentences_are_read(tmp_path):
    n = 3000
    (tree,) = trees(tmp_path, "\n".join(row(i, i - 1) for i in range(1, n + 1)) + "\n\n")
    assert tree.depth == len(tree.words) == n


BAD = [
    (f"{row(1, 0)}\tx", ":4: 11 columns instead of 10"),
    (f"{row(1, 0)}\n2\tonly", ":5: 2 columns instead of 10; columns are separated by single tabs"),
    # the cells add up, the lines do not
    (f"{row(1, 0)[:-2]}\n{row(2, 1, '2')}\tx", ":4: 9 columns"),
    (f"{row(1, 0)}\n# late", ":5: 1 columns instead of 10; comments stand before the words"),
    (f"{row(1, 0)}\n{row(3, 1)}", ":5: id '3' instead of 2"),
    (f"{row(2, 0)}", ":4: id '2' instead of 1"),
    (f"{row(1, 0)}\n{row('x', 1)}", ":5: id 'x' instead of 2"),
    (f"{row(1, 0)}\n{row('01', 1)}", ":5: id '01' instead of 2"),
    (
        f"{row(1, 0)}\n{row('1-2', '_')}\n{row(2, 1)}",
        ":5: the multiword token 1-2 does not begin with the next word, 2",
    ),
    (
        f"{row('1-3', '_')}\n{row(1, 0)}\n{row(2, 1)}",
        ":4: a multiword token ends with word 3, the sentence with word 2",
    ),
    (f"{row('1-1x', '_')}\n{row(1, 0)}", ":4: id '1-1x' is not a range"),
    (f"{row(1, 0)}\n{row('1.2', '_')}", ":5: id '1.2' instead of 1.1 for an empty node"),
    (f"{row('1-2', '_')}", ":4: a sentence without words"),
    (f"{row(1, 'x')}", ":4: head 'x' is not a number from 0 to 1"),
    (f"{row(1, '_')}", ":4: head '_' is not a number"),
    (f"{row(1, '-1')}", ":4: head '-1' is not a number"),
    (f"{row(1, 0)}\n{row(2, '٣')}", ":5: head '٣' is not a number"),
    (f"{row(1, 0)}\n{row(2, 3)}", ":5: head 3 is outside the sentence of 2 words"),
    (f"{row(1, 2)}\n{row(2, 1)}", ":4: no roots"),
    (f"{row(1, 0)}\n{row(2, 0)}", ":5: 2 roots; exactly one word has head 0"),
    (f"{row(1, 0)}\n{row(2, 3)}\n{row(3, 2)}", ":4: the heads run in a circle"),
    (f"{row(1, 0)}\n{row(2, 2)}", ":4: the heads run in a circle"),
    (f"{row(1, 0, feats='Number')}", ":4: FEATS: 'Number' in 'Number' is not Name=Value"),
    (f"{row(1, 0)}\n{row(2, 1, form='')}", ":5: an empty column"),
    (row(1, 0)[:-1], ":4: an empty column"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_what_is_wrong_is_named_by_file_and_line(tmp_path, bad, message):
    text = f"{row(1, 0)}\n\n# a comment\n{bad}\n\n{row(1, 0)}\n\n"
    with pytest.raises(DataProblem) as caught:
        trees(tmp_path, text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "t.conllu:"))
    tally = ProblemTally()
    assert [t.line for t in trees(tmp_path, text, on_error="skip", tally=tally)] == [
        1,
        text[: text.rindex("1\tw")].count("\n") + 1,
    ]
    assert (tally.sentences, tally.words, tally.skipped) == (2, 2, 1)
    assert message in tally.problems[0]


def test_bad_bytes_cost_one_sentence(tmp_path):
    good = row(1, 0, "café").encode() + b"\n\n"
    text = good + good.replace(b"\xc3\xa9", b"\xe9") + b"# a\n" + good
    with pytest.raises(DataProblem, match=r"t\.conllu:3: byte 0xe9 is not UTF-8"):
        trees(tmp_path, text)
    tally = ProblemTally()
    assert [t.line for t in trees(tmp_path, text, on_error="skip", tally=tally)] == [1, 5]
    assert tally.skipped == 1


def test_only_the_first_problems_are_kept(tmp_path):
    tally = ProblemTally()
    trees(tmp_path, (row(1, 1) + "\n\n") * 50, on_error="skip", tally=tally)
    assert (tally.skipped, len(tally.problems)) == (50, 20)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=150))
def test_depth_counts_the_longest_path(numbers):
    heads = [-1, *(n % (i + 1) for i, n in enumerate(numbers))]  # every head stands before its word
    deep = [1] * len(heads)
    for i, head in enumerate(heads[1:], 1):
        deep[i] = deep[head] + 1
    assert compute_tree_depth(tuple(heads)) == max(deep)
    chain = (-1, *range(len(heads) - 1))
    assert compute_tree_depth(chain) == len(chain)
    assert compute_tree_depth((*chain, len(chain))) == 0


word = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=("Cs", "Cc")),
    min_size=1,
    max_size=6,
).filter(lambda w: w.strip() and not w.startswith("#"))


@st.composite
def blocks(draw):
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for k, i in enumerate(order[1:], 1):
        heads[i] = order[draw(st.integers(0, k - 1))] + 1
    lines = [f"# text = {draw(word).strip()}"] if draw(st.booleans()) else []
    spans = draw(st.lists(st.integers(0, n - 1), max_size=2, unique=True))
    last = 0
    for i in range(n):
        if i in spans and i >= last:
            last = draw(st.integers(i + 1, n))
            lines.append("\t".join([f"{i + 1}-{last}", draw(word), *"_______", "_"]))
        feats = draw(st.sampled_from(["_", "Number=Sing", "Mood=Ind|Tense=Past"]))
        cells = [
            draw(word),
            draw(word),
            "NOUN",
            "_",
            feats,
            str(heads[i]),
            "dep",
            "_",
            draw(st.sampled_from(["_", "SpaceAfter=No"])),
        ]
        lines.append("\t".join([str(i + 1), *cells]))
        if draw(st.booleans()) and i in spans:
            lines.append("\t".join([f"{i + 1}.1", draw(word), *"______", "0:root", "_"]))
    return "\n".join(lines) + "\n\n"


@given(st.lists(blocks(), min_size=1, max_size=3))
def test_what_is_read_is_written_back(tmp_path_factory, found):
    path = tmp_path_factory.getbasetemp() / "round.conllu"
    path.write_text("".join(found), encoding="utf-8", newline="")
    assert "".join(map(format_conllu_tree, read_conllu(path))) == "".join(found)


@given(st.data())
def test_damage_is_a_data_problem_or_still_a_tree(tmp_path_factory, data):
    text = bytearray((data.draw(blocks()) + ROWS).encode())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        kind = data.draw(st.sampled_from(["byte", "cut", "double", "piece"]))
        if kind == "byte":
            text[at] = data.draw(
                st.sampled_from(
                    [*b"\t\n\r 0129-._#=|", 0, 0xFF, *map(ord, string.ascii_letters[:3])]
                )
            )
        elif kind == "cut":
            del text[at : at + data.draw(st.integers(1, 9))]
        else:
            text[at:at] = (
                text[at : at + data.draw(st.integers(1, 30))] if kind == "double" else b"\t_\n"
            )
        if not text:
            return
    path = tmp_path_factory.getbasetemp() / "damaged.conllu"
    path.write_bytes(bytes(text))
    try:
        found = list(read_conllu(path))
    except DataProblem:
        found = list(read_conllu(path, "skip"))
    for tree in found:
        assert isinstance(tree, TreeColumns)
        assert (
            len(
                {
                    len(c)
                    for c in (
                        tree.words,
                        tree.upos,
                        tree.feats,
                        tree.heads,
                        tree.deprels,
                        tree.misc,
                    )
                }
            )
            == 1
        )
        assert tree.heads.count(-1) == 1


DATA = (
    Path(os.environ["LINGPROBE_DATA"]) / "treebanks" if os.environ.get("LINGPROBE_DATA") else None
)
real = pytest.mark.skipif(DATA is None or not DATA.is_dir(), reason="needs LINGPROBE_DATA")

COUNTS = [  # sentences, words, multiword tokens, empty nodes, as the treebanks' own statistics say
    ("UD_English-EWT/en_ewt-ud-dev.conllu.xz", 2001, 25147, 359, 4),
    ("UD_English-EWT/en_ewt-ud-test.conllu.xz", 2077, 25094, 354, 2),
    ("UD_Polish-PDB/pl_pdb-ud-test.conllu.xz", 2215, 33616, 250, None),
    ("UD_Finnish-TDT/fi_tdt-ud-dev.conllu.xz", 1364, 18308, 18, 22),
    ("UD_Turkish-IMST/tr_imst-ud-dev.conllu.xz", 1100, 10542, 279, 0),
    ("UD_Hebrew-HTB/he_htb-ud-dev.conllu.xz", 484, 11412, 2502, 0),
    ("UD_Chinese-GSDSimp/zh_gsdsimp-ud-dev.conllu.xz", 500, 12663, 0, 0),
    ("UD_Japanese-GSD/ja_gsd-ud-dev.conllu.xz", 507, 12287, 0, 0),
]


@real
@pytest.mark.parametrize(("name", "sentences", "words", "ranges", "empty"), COUNTS)
def test_real_treebanks_have_the_counts_that_they_say(name, sentences, words, ranges, empty):
    tally = ProblemTally()
    found = list(read_conllu(DATA / name, tally=tally))
    assert (tally.sentences, tally.words, tally.skipped) == (sentences, words, 0)
    assert sum(len(t.ranges) for t in found) == ranges
    assert empty is None or sum(len(t.empty) for t in found) == empty
    with lzma.open(DATA / name, "rt", encoding="utf-8", newline="") as file:
        assert "".join(map(format_conllu_tree, found)) == file.read()


@real
@pytest.mark.parametrize("name", ["UD_English-EWT", "UD_Turkish-IMST", "UD_Hebrew-HTB"])
def test_real_treebanks_read_as_the_conllu_package_reads_them(name):
    conllu = pytest.importorskip("conllu")
    path = next(p.path for p in find_treebank_files(DATA / name) if p.split == "test")
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for ours, theirs in zip(read_conllu(path), conllu.parse_incr(file), strict=True):
            words = [token for token in theirs if isinstance(token["id"], int)]
            assert ours.words == tuple(token["form"] for token in words)
            assert ours.heads == tuple(token["head"] - 1 for token in words)
            assert ours.deprels == tuple(token["deprel"] for token in words)
            assert [dict(parse_features(f)) for f in ours.feats] == [
                token["feats"] or {} for token in words
            ]
            assert ours.text == theirs.metadata["text"]
            assert ours.sent_id == theirs.metadata["sent_id"]


@real
def test_rebuilt_text_is_the_text_that_real_treebanks_tell():
    from lingprobe.corpora.trees import rebuild_text

    for name in (
        "UD_English-EWT/en_ewt-ud-dev.conllu.xz",
        "UD_Hebrew-HTB/he_htb-ud-dev.conllu.xz",
        "UD_Finnish-TDT/fi_tdt-ud-dev.conllu.xz",
    ):
        found = list(read_conllu(DATA / name))
        assert (
            sum(rebuild_text(t.words, t.misc, t.ranges) != t.text for t in found)
            <= len(found) / 100
        )


PLUS = """# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE
# text = Vamos al cine.
1\tVamos\tVERB\t0\troot\t1:LVC
2-3\tal\t_\t_\t_\t_
2\ta\tADP\t4\tcase\t_
3\tel\tDET\t4\tdet\t_
4\tcine\tNOUN\t1\tobl\t1
5\t.\tPUNCT\t1\tpunct\t_

"""
CUPT = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE\n"


def test_the_columns_that_a_first_line_names_are_arranged(tmp_path):
    (tmp_path / "a.conllup").write_text(PLUS)
    (tree,) = read_conllu(tmp_path / "a.conllup")
    assert tree.words == ("Vamos", "a", "el", "cine", ".")
    assert (tree.upos, tree.heads) == (("VERB", "ADP", "DET", "NOUN", "PUNCT"), (-1, 3, 3, 0, 0))
    assert (tree.deprels[3], set(tree.feats), tree.text) == ("obl", {"_"}, "Vamos al cine.")
    (batch,) = read_treebank_batches(tmp_path / "a.conllup")
    assert batch.words.strings() == list(tree.words)
    assert batch.parents.tolist() == [0, 3, 3, 0, 0]


def test_cupt_has_one_column_more(tmp_path):
    lines = ROWS.split("\n")
    rows = "".join(f"{line}\t*\n" if line[:1].isdigit() else f"{line}\n" for line in lines)
    (tmp_path / "train.cupt").write_text(CUPT + rows)
    (tree,) = read_conllu(tmp_path / "train.cupt")
    assert tree.words == ("Vamos", "nos", "a", "el", "mar", ".")
    [part] = find_treebank_files(tmp_path, TREE_SUFFIXES)
    assert part.split == "train"
    for cells, many in (("\tmar", 9), ("\tmar\tmar\tmar", 11)):
        (tmp_path / "train.cupt").write_text(CUPT + rows.replace("\tmar\tmar", cells))
        with pytest.raises(DataProblem, match=rf"train\.cupt:11: {many} columns instead of 10"):
            list(read_conllu(tmp_path / "train.cupt"))


def test_columns_without_heads_are_no_trees(tmp_path):
    (tmp_path / "a.conllup").write_text("# global.columns = ID FORM XPOS PARSEME:MWE\n1\ta\t_\t*\n")
    said = r"a\.conllup:1: its global.columns have no HEAD, DEPREL.*edge/tags:.*column=PARSEME:MWE"
    for read in (read_conllu, read_treebank_batches):
        with pytest.raises(DataProblem, match=said):
            list(read(tmp_path / "a.conllup"))


def test_a_feature_that_stands_twice_is_refused_with_its_line(tmp_path):
    text = row(1, 0, feats="Number=Sing|Number=Plur") + "\n\n" + row(1, 0, feats="Number=Sing")
    said = r"t\.conllu:1: FEATS: Number occurs twice in .*as Number=Sing,Plur"
    with pytest.raises(DataProblem, match=said):
        trees(tmp_path, text)
    with pytest.raises(DataProblem, match=said):
        list(read_treebank_batches(tmp_path / "t.conllu"))
    tally = ProblemTally()
    assert len(trees(tmp_path, text, on_error="skip", tally=tally)) == 1
    assert tally.skipped == 1
    assert parse_features("Number=Sing|Number[psor]=Plur")["Number[psor]"] == "Plur"
