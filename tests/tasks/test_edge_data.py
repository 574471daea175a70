"""The edge tasks on the published data: the sizes that were published, and the files that the
paper's code made, target by target.
"""

import json
import lzma
import os
from collections import Counter
from pathlib import Path

import pytest

from lingprobe.corpora import conllu, edges
from lingprobe.data.core import DATA_SPLITS
from lingprobe.tasks import TASKS

DATA = Path(os.environ.get("LINGPROBE_DATA", "/nonexistent"))
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="LINGPROBE_DATA does not name the folder of real data"
)
EDGE, EWT = DATA / "edge", DATA / "treebanks" / "UD_English-EWT"


def sizes(dataset):
    return tuple(len(dataset.rows(split)) for split in DATA_SPLITS)


def targets(dataset):
    """Every target with its sentence, however often, to compare with another's."""
    return Counter(
        (
            e.split,
            e.sites[0].sentence.words,
            tuple(s.span for s in e.sites),
            e.label if isinstance(e.label, str) else tuple(sorted(e.label)),
        )
        for e in dataset.examples()
    )


def test_spr2_has_its_published_size():
    dataset = TASKS.make(f"edge/spr2:{EDGE}/SPR2").load()
    assert sizes(dataset) == (4925, 630, 582)
    assert len(dataset.labels.names) == 20
    empty = sum(not e.label for e in dataset.examples())
    assert empty == 45


def test_spr2_from_its_table_is_what_the_paper_s_code_made_of_it(tmp_path):
    """The table, the thresholds and the treebank give the published targets, where a later treebank
    has the same words.
    """
    import tarfile

    with tarfile.open(EDGE / "SPR2" / "protoroles_eng_udewt.tar.gz") as archive:
        archive.extract("protoroles_eng_ud1.2_11082016.tsv", tmp_path, filter="data")
    ids = EDGE / "UDS-1.0-decomp" / "ud_ids.json.xz"
    ours = targets(
        TASKS.make(
            f"edge/spr2:{tmp_path}/protoroles_eng_ud1.2_11082016.tsv,treebank={EWT},ids={ids}"
        ).load()
    )
    published = targets(TASKS.make(f"edge/spr2:{EDGE}/SPR2").load())
    assert sum(published.values()) == 6137
    assert sum((ours & published).values()) == 6035
    assert sum(ours.values()) == 6133


def test_dpr_has_its_published_size():
    dataset = TASKS.make(f"edge/dpr:{EDGE}/DPR").load()
    assert sizes(dataset) == (1787, 379, 949)
    assert not any("&apos;" in word for s in dataset.sentences for word in s.words)
    assert sizes(TASKS.make(f"edge/dpr:{EDGE}/DPR/raw_dpr_data.txt.xz").load()) == (1887, 406, 970)


def test_semeval_is_split_as_the_paper_s_code_splits_it():
    place = EDGE / "SemEval2010-Task8"
    original, published = (
        TASKS.make(f"edge/semeval:{place}/{kind}").load() for kind in ("original", "edges")
    )
    assert sizes(original) == (6851, 1149, 2717)
    assert targets(original) == targets(published)
    assert len(original.labels.names) == 19
    assert (
        len({original.labels.names[k] for k in original.labels.take(original.rows("dev")).ids})
        == 18
    )


@pytest.mark.parametrize(
    ("split", "sentences", "size"), [("dev", 2000, 25110), ("test", 2075, 25049)]
)
def test_dependencies_of_ewt_2_2_are_those_of_jiant_and_those_it_dropped(split, sentences, size):
    """jiant drops the last sentence of a file, and those with empty nodes; all others are the same,
    target by target.
    """
    place = EDGE / "UD-EWT-r2.2-edges"
    jiant = list(edges.read_edge_records(place / f"en_ewt-ud-{split}.json.xz"))
    assert (len(jiant), sum(len(r.targets) for r in jiant)) == (sentences, size)
    path = place / f"en_ewt-ud-{split}.r2.2.conllu.xz"
    trees = list(conllu.read_conllu(path))
    kept = [tree for tree in trees[:-1] if not tree.empty]
    assert len(trees) - len(kept) == 2
    unlike = [
        (tuple(r.words), tree.words)
        for r, tree in zip(jiant, kept, strict=True)
        if r.words != tree.words
    ]
    # jiant took a backslash for an escape
    assert unlike == ([(("\\", "//"), ("\\\\", "//"))] if split == "dev" else [])
    dataset = TASKS.make(f"edge/dep:{path},root=self").all_examples()
    dropped = [tree for tree in trees if tree not in kept]
    assert len(dataset) == size + sum(len(tree.words) for tree in dropped)
    left = {tree.words for tree in dropped} | {words for _, words in unlike}
    theirs = Counter(
        (split, r.words, (t.span1, t.span2), t.label)
        for r in jiant
        for t in r.targets
        if "\\" not in r.words
    )
    assert (
        Counter({target: n for target, n in targets(dataset).items() if target[1] not in left})
        == theirs
    )


def test_labels_of_two_releases_of_ewt_are_told_alike():
    """What today's train calls otherwise than release 2.2 is told by common labels; no label of its
    test is unknown.
    """
    place = EDGE / "UD-EWT-r2.2-edges"
    options = f"with={place}/en_ewt-ud-dev.r2.2.conllu.xz,with={place}/en_ewt-ud-test.r2.2.conllu.xz,root=self"
    train = EWT / "en_ewt-ud-train.conllu.xz"
    alike = TASKS.make(f"edge/dep:{train},{options},relations=common").load()
    assert "labels that train lacks" not in alike.notes
    assert "obl:unmarked" in alike.labels.names
    assert not {"obl:tmod", "obl:agent"} & set(alike.labels.names)
    assert sizes(alike) == (204577, 25148, 25096)


def test_propbank_has_the_arguments_of_its_columns():
    """Predicates of several words (`moved on`) are whole here, and one word in the other file;
    arguments are the same.
    """
    dataset = TASKS.make(f"edge/srl:{EDGE}/PropBank-EWT").load()
    assert sizes(dataset) == (81415, 9583, 9337)
    with lzma.open(
        EDGE / "PropBank-EWT" / "ewt_srl_edges_dev.jsonl.xz", "rt", encoding="utf-8"
    ) as file:
        rows = [json.loads(line) for line in file]
    theirs = Counter(
        (row["text"], tuple(t["span2"]), t["label"]) for row in rows for t in row["targets"]
    )
    dev = (e for e in dataset.examples() if e.split == "dev")
    assert (
        Counter((" ".join(e.sites[0].sentence.words), e.sites[1].span, e.label) for e in dev)
        == theirs
    )


def test_entities_and_chunks_have_their_published_sizes():
    assert sizes(TASKS.make(f"edge/entities:{EDGE}/WNUT17").load()) == (1975, 836, 1079)
    assert sizes(TASKS.make(f"edge/entities:{EDGE}/CONLL2002").load())[1:] == (4352, 3559)
    chunks = TASKS.make(f"edge/chunks:{EDGE}/CONLL2000").load()
    assert (len(chunks.rows("train")) + len(chunks.rows("dev")), len(chunks.rows("test"))) == (
        106978,
        23852,
    )


def test_samples_of_ontonotes_format():
    place = EDGE / "format-samples-allennlp"
    path = place / "structured_prediction__srl__conll_2012__subdomain__example.gold_conll"
    for task, many in (("pos", 44), ("const", 34), ("entities", 5), ("srl", 15), ("coref", 2)):
        assert len(TASKS.make(f"edge/{task}:{path},splits=sampled").all_examples()) == many, task


def test_gum_s_two_ways_to_write_mentions_say_the_same():
    place = DATA / "treebanks" / "GUM"
    columns = TASKS.make(
        f"edge/coref:{place}/coref_gum/gum_dev.conll.xz,sentences={place}/dep/gum_dev.conllu.xz"
    ).all_examples()
    assert targets(columns) == targets(
        TASKS.make(f"edge/coref:{place}/dep/gum_dev.conllu.xz").all_examples()
    )
    onto = TASKS.make(
        f"edge/coref:{place}/coref_ontogum/gum_dev.conll.xz,sentences={place}/dep/gum_dev.conllu.xz"
    ).all_examples()
    assert len(onto) == 6898


def test_gum_and_litbank_are_read_whole():
    entities = TASKS.make(
        f"edge/entities:{DATA}/treebanks/GUM/dep/gum_dev.conllu.xz"
    ).all_examples()
    assert (len(entities), len(entities.labels.names)) == (7897, 10)
    assert "left out" in entities.notes
    assert not entities.notes["left out"]
    coref = TASKS.make(f"edge/coref:{EDGE}/LitBank/coref/litbank_all.conll.xz").load()
    assert (len(coref), coref.notes["splits"]["groups"]) == (75546, 100)
