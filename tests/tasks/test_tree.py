"""The ten tree tasks: what trees answer, tree by tree, and what a user meets: references, options,
notes, refusals.
"""

import lzma
import os
import pickle
from collections import Counter
from pathlib import Path

import pytest

from fixtures.forest import forest
from lingprobe.corpora.brackets import read_brackets
from lingprobe.data.core import DATA_SPLITS, DataProblem
from lingprobe.tasks import TASKS
from lingprobe.tasks.answers import Answer, make_answer
from lingprobe.tasks.tree import corpus as room
from lingprobe.tasks.tree import rules as tree_rules
from lingprobe.tasks.tree.answers import _PUBLISHED, _README, EQUAL_LENGTH_BINS
from lingprobe.tasks.tree.clause import NO_PENN_CLAUSE

TEN = (
    "sent-len",
    "word-content",
    "tree-depth",
    "top-const",
    "bigram-shift",
    "tense",
    "subj-num",
    "obj-num",
    "somo",
    "coord-inv",
)

# Conneau et al. 2018, section 2: 22 tokens, depth 5
BUSINESS = """(ROOT (S (CC But) (ADVP (RB right) (RB now)) (, ,) (PP (IN for) (NP (DT the) (NN time) (NN being))) (, ,)
    (NP (NP (PRP$ my) (NN past)) (, ,) (NP (PRP$ my) (NNS fears)) (, ,) (CC and) (NP (PRP$ my) (NNS thoughts)))
    (VP (VBD were) (NP (PRP$ my) (NN business))) (. .)))"""
# the same section, of top constituents
LETTERS = """(ROOT (S (ADVP (RB Then)) (NP (NP (ADJP (RB very) (JJ dark)) (JJ gray) (NNS letters))
    (PP (IN on) (NP (DT a) (JJ black) (NN screen)))) (VP (VBD appeared)) (. .)))"""


@pytest.fixture
def tree(tmp_path):
    def read_back(text):
        (tmp_path / "a.ptb").write_text(text)
        (found,) = read_brackets(tmp_path / "a.ptb")
        return found

    return read_back


def label(finding):
    return finding.label if isinstance(finding, Answer) else finding


def test_the_papers_long_and_shallow_sentence_has_depth_5(tree):
    found = tree(BUSINESS)
    assert len(found.words) == 22
    assert tree_rules.measure_tree_depth(found) == 5


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("(ROOT (NN dog))", 2),
        ("(ROOT (S (VP (VB Go))))", 4),
        # a row of the published tree_depth file: class 7
        (
            (
                "(ROOT (S (NP (PRP I)) (VP (VBP know) (SBAR (WHADVP (WRB where)) (S (NP (PRP she))"
                " (VP (VBZ is))))) (. .)))"
            ),
            7,
        ),
    ],
)
def test_root_and_preterminals_count_as_depth_but_words_do_not(tree, text, depth):
    assert tree_rules.measure_tree_depth(tree(text)) == depth


def test_the_papers_top_constituents(tree):
    assert label(tree_rules.top_const(tree(LETTERS))) == "ADVP_NP_VP_."


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (
            "(ROOT (S (PP (IN At) (NP (NN noon))) (, ,) (NP (PRP it)) (VP (VBZ rings)) (. .)))",
            "marks or quotes inside",
        ),
        ("(ROOT (S (`` ``) (NP (PRP It)) (VP (VBZ rings)) (. .)))", "marks or quotes inside"),
        ("(ROOT (S (NP (PRP It)) (VP (VBZ rings)) (. .) ('' '')))", "no final mark"),
        ("(ROOT (NP (DT The) (NN end)))", "no final mark"),
        ("(ROOT (SBARQ (WHNP (WP Who)) (SQ (VP (VBZ rings))) (. ?)))", "WHNP_SQ_."),
        ("(ROOT (S (NP (NN It)) (. .)) (S (NP (NN It)) (. .)))", "several constituents below ROOT"),
    ],
)
def test_sequences_with_marks_inside_or_without_one_at_the_end_are_out(tree, text, finding):
    assert label(tree_rules.top_const(tree(text))) == finding


S = "(ROOT (S {} (. .)))"
HE = "(NP (PRP He))"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (S.format(f"{HE} (VP (VBZ sleeps))"), "PRES"),
        (S.format(f"{HE} (VP (VBD slept))"), "PAST"),
        (S.format(f"{HE} (VP (VBZ has) (VP (VBN slept)))"), "PRES"),
        (S.format(f"{HE} (VP (MD will) (VP (VB sleep)))"), "a modal"),
        (S.format("(VP (VB Sleep))"), "no finite verb"),
        (S.format(f"{HE} (VP (VP (VBD came)) (CC and) (VP (VBD slept)))"), "PAST"),
        (
            S.format(f"{HE} (VP (VP (VBD came)) (CC and) (VP (VBZ sleeps)))"),
            "coordinated verbs of both tenses",
        ),
        (
            S.format(f"(S {HE} (VP (VBD came))) (CC but) (S {HE} (VP (VBZ sleeps)))"),
            "coordinated verbs of both tenses",
        ),
        (S.format(f"{HE} (VP (VBZ says) (SBAR (S {HE} (VP (VBD slept)))))"), "PRES"),
        (
            S.format(f"(S-TPC-1 {HE} (VP (VBZ sleeps))) (, ,) (NP (NNP Ann)) (VP (VBD said))"),
            "PAST",
        ),
        (
            (
                f"(ROOT (SINV (`` ``) (S {HE} (VP (VBZ sleeps))) (, ,) ('' '') (VP (VBD said)) (NP"
                " (NNP Ann)) (. .)))"
            ),
            "PAST",
        ),
        (f"(ROOT (SQ (VBD Did) {HE} (VP (VB sleep)) (. ?)))", "PAST"),
        (f"(ROOT (SBARQ (WHADVP (WRB Why)) (SQ (VBZ does) {HE} (VP (VB sleep))) (. ?)))", "PRES"),
        ("(ROOT (NP (DT The) (NN end)))", NO_PENN_CLAUSE),
    ],
)
def test_tense_is_that_of_the_main_clause(tree, text, finding):
    assert label(tree_rules.classify_phrase_tense(tree(text))) == finding


SAW = "(VP (VBD saw) (NP (PRP it)))"
CATS, DOG = "(NP (DT the) (NNS cats))", "(NP (DT a) (NN dog))"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (S.format(f"{CATS} {SAW}"), "NNS"),
        (S.format(f"{DOG} {SAW}"), "NN"),
        (S.format(f"(NP {DOG} (PP (IN of) {CATS})) {SAW}"), "NN"),
        (S.format(f"(NP (NP (DT the) (NNS cats) (POS 's)) (NN tail)) {SAW}"), "NN"),
        (S.format(f"(NP (NP (DT the) (NNS cats) (POS 's))) {SAW}"), "the subject is a possessor"),
        (S.format(f"(NP {DOG} (CC and) {DOG}) {SAW}"), "the subject is a coordination"),
        (S.format(f"(NP (NN cat) (CC and) (NN dog)) {SAW}"), "the subject is a coordination"),
        (S.format(f"(NP (QP (JJR more) (IN than) (CD two)) (NNS cats)) {SAW}"), "NNS"),
        (S.format(f"(NP (QP (JJR more) (IN than) (CD two))) {SAW}"), "the subject has no noun"),
        (
            S.format(f"(NP (NP (DT a) (NN number)) (PP (IN of) {CATS})) {SAW}"),
            "the subject is a noun of measure before of",
        ),
        (S.format(f"(NP (NNP Ann)) {SAW}"), "the subject is not a common noun"),
        (S.format(f"{HE} {SAW}"), "the subject has no noun"),
        (S.format(f"(NP-TMP (DT this) (NN week)) (NP-SBJ (DT the) (NNS cats)) {SAW}"), "NNS"),
        (S.format(f"(NP (DT this) (NN week)) {CATS} {SAW}"), "NNS"),
        (S.format(f"(NP (NNS friends)) (VP (VB see) {DOG})"), "no nominal subject"),
        (
            S.format("(NP (DT the) (NN staff)) (VP (VBP agree))"),
            "subject and verb differ in number",
        ),
        (f"(ROOT (SINV (S {HE} {SAW}) (, ,) (VP (VBD said)) {DOG} (. .)))", "NN"),
        (f"(ROOT (SQ (VBD Did) {CATS} (VP (VB see) {DOG}) (. ?)))", "NNS"),
        (f"(ROOT (SQ (VBZ Is) {DOG} (NP (NNS animals)) (. ?)))", "NN"),
        (f"(ROOT (SBARQ (WHNP (WDT which) (NNS cats)) (SQ {SAW}) (. ?)))", "NNS"),
        (
            (
                f"(ROOT (SBARQ (WHNP (WDT which) (NNS cats)) (SQ (VBD did) {DOG} (VP (VB see))) (."
                " ?)))"
            ),
            "NN",
        ),
        (
            S.format(f"(S {CATS} {SAW}) (CC and) (S {DOG} {SAW})"),
            "coordinated clauses with subjects of both numbers",
        ),
        (S.format(f"(SBAR (IN That) (S {CATS} {SAW})) (VP (VBZ matters))"), "no nominal subject"),
    ],
)
def test_number_of_the_subject(tree, text, finding):
    assert label(tree_rules.find_subject_phrase_number(tree(text))) == finding


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (S.format(f"{HE} (VP (VBD saw) {CATS})"), "NNS"),
        (S.format(f"{HE} (VP (MD will) (VP (VB see) {DOG}))"), "NN"),
        (S.format(f"{HE} (VP (VBD gave) {DOG} {CATS})"), "NNS"),
        (S.format(f"{HE} (VP (VBD saw) {DOG} (NP (DT this) (NN week)))"), "NN"),
        (
            S.format(f"{HE} (VP (VBD slept) (NP (DT a) (NN week)))"),
            "a noun of time, an object or an adverbial",
        ),
        (
            S.format("(NP-SBJ (PRP He)) (VP (VBD slept) (NP-TMP (DT a) (NN week)))"),
            "no nominal object",
        ),
        (S.format("(NP-SBJ (PRP He)) (VP (VBD wasted) (NP (DT a) (NN week)))"), "NN"),
        (S.format(f"(VP (VB See) {DOG})"), "NN"),
        (S.format(f"(VP (VP (VB Come)) (CC and) (VP (VB see) {DOG}))"), "NN"),
        (S.format(f"(VP (VBG Seeing) {DOG})"), "no finite verb"),
        (S.format(f"(VP (TO To) (VP (VB see) {DOG}))"), "no finite verb"),
        (S.format(f"{HE} (VP (VBD was) {DOG})"), "no nominal object"),
        (S.format(f"{HE} (VP (VBZ ’s) {DOG})"), "no nominal object"),
        (
            S.format("(NP-SBJ (PRP He)) (VP (VBD stayed) (NP-PRD (DT a) (NN dog)))"),
            "no nominal object",
        ),
        (S.format(f"{HE} (VP (VBD was) (VP (VBN given) {DOG}))"), "a passive"),
        (
            S.format(f"{HE} (VP (VBD wanted) (S (VP (TO to) (VP (VB see) {DOG}))))"),
            "no nominal object",
        ),
        (S.format(f"{HE} (VP (VP (VBD came)) (CC and) (VP (VBD saw) {CATS}))"), "NNS"),
        (
            S.format(f"{HE} (VP (VP (VBD fed) {DOG}) (CC and) (VP (VBD saw) {CATS}))"),
            "coordinated verbs with objects of both numbers",
        ),
        (S.format(f"{HE} (VP (VBD saw) (NP (PRP them)))"), "the object has no noun"),
        (f"(ROOT (SQ (VBD Did) {CATS} (VP (VB see) {DOG}) (. ?)))", "NN"),
        (f"(ROOT (SQ (VBZ Has) {CATS} {DOG} (. ?)))", "NN"),
    ],
)
def test_number_of_the_object(tree, text, finding):
    assert label(tree_rules.find_object_phrase_number(tree(text))) == finding


def test_the_majority_of_the_features_is_told(tree):
    found = tree_rules.classify_phrase_tense(
        tree(S.format(f"{HE} (VP (VBZ says) (SBAR (S {HE} (VP (VBD slept)))))"))
    )
    assert found == make_answer(found.label, "says", "tie", "simple")


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "toy.ptb"
    path.write_text(forest(4000))
    return path


def load(name, path, **options):
    return TASKS.make(
        f"tree/{name}:{path}" + "".join(f",{key}={value}" for key, value in options.items())
    ).load()


def by_label(dataset):
    return Counter(e.label for e in dataset.examples())


@pytest.mark.parametrize("name", TEN)
def test_every_task_is_balanced_and_says_what_it_read(bank, name):
    task = TASKS.make(f"tree/{name}:{bank}")
    probe = "linear"
    assert (task.name, task.metric, task.probe, task.view) == (
        f"tree/{name}",
        "accuracy",
        probe,
        "mean",
    )
    assert TASKS.find(f"tree/{name}").__doc__ == task.question
    assert pickle.loads(pickle.dumps(task)) == task
    dataset = task.load()
    assert len(set(by_label(dataset).values())) == 1
    assert dataset.notes["source"]["sentences"] == 4000
    assert dataset.notes["source"]["fewer than 5 or more than 28 tokens"] > 0
    assert all(5 <= len(sentence.words) <= 28 for sentence in dataset.sentences)
    assert list(load(name, bank).examples()) == list(dataset.examples())


def test_lengths_are_in_six_bins(bank):
    for bins, edges in (("equal", EQUAL_LENGTH_BINS), ("readme", _README)):
        dataset = load("sent-len", bank, bins=bins)
        assert set(by_label(dataset)) == {f"{low}-{high}" for low, high in edges}
        for example in dataset.examples():
            low, high = map(int, example.label.split("-"))
            assert low <= len(example.sites[0].sentence.words) <= high
    assert {high - low for low, high in EQUAL_LENGTH_BINS} == {3}


def test_each_sentence_holds_one_target_word_once(bank):
    dataset = load("word-content", bank)
    classes = set(dataset.labels.names)
    assert all(len(word) >= 4 for word in classes)
    for example in dataset.examples():
        words = [word.lower() for word in example.sites[0].sentence.words]
        assert [word for word in words if word in classes] == [example.label]


def test_depth_tells_nothing_of_length(bank):
    dataset = load("tree-depth", bank)
    notes = dataset.notes["sampling"]
    assert abs(notes["length_r_before"]) > 0.2
    assert max(map(abs, notes["length_r_after"].values())) <= 0.05
    assert {int(label) for label in by_label(dataset)} <= set(range(5, 13))


def test_constituents_are_the_most_frequent_or_the_published_ones(bank):
    found = load("top-const", bank)
    assert found.notes["number of classes, with OTHER"] == 6
    assert min(found.notes["classes"].values()) >= 100
    published = load("top-const", bank, inventory="published")
    assert published.notes["number of classes, with OTHER"] == 20
    assert set(by_label(published)) <= {*_PUBLISHED.split(), "OTHER"}


def test_target_forms_are_in_one_split_and_rows_are_tagged(bank):
    for name in ("tense", "subj-num", "obj-num"):
        dataset = load(name, bank)
        assert {"majority-feature", "source", "target"} <= set(dataset.strata)
        forms = {}
        for example in dataset.examples():
            forms.setdefault(example.strata["target"], set()).add(example.split)
            assert example.strata["source"] == "toy.ptb"
        assert all(len(splits) == 1 for splits in forms.values())


def test_the_band_can_be_literal_and_its_frequencies_those_of_another_corpus(bank, tmp_path):
    dataset = load("subj-num", bank, band="literal")
    assert dataset.notes["frequencies"]["rarest"] == 100
    assert all(
        room.TreeTaskOptions(str(bank)).corpus().forms[form] >= 100
        for form in dataset.strata["target"].names
    )
    kept = dataset.strata["target"].names[::2]
    other = tmp_path / "other.txt"
    other.write_text("".join(f"a {form} .\n" * 150 for form in kept))
    counted = load("subj-num", bank, band="literal", freq=other)
    assert set(counted.strata["target"].names) <= set(kept)
    assert counted.notes["frequencies"]["words"] == 3 * 150 * len(kept)
    assert counted.notes["left out"]["a target form outside the band of frequencies"] > 0


def test_ten_tasks_read_their_sources_once(bank, monkeypatch):
    files = []
    plain = room._read_file_blocks
    monkeypatch.setattr(room, "CORPUS_CACHE", type(room.CORPUS_CACHE)())
    monkeypatch.setattr(
        room, "_read_file_blocks", lambda path, *rest: files.append(path) or plain(path, *rest)
    )
    for name in TEN:
        load(name, bank)
    assert files == [bank]


def test_sentences_of_several_sources_are_taken_once_and_keep_the_split_they_are_tested_in(
    tmp_path, bank
):
    (tmp_path / "a-train.ptb").write_text(bank.read_text())
    (tmp_path / "a-dev.ptb").write_text(forest(1500, seed=1))
    (tmp_path / "a-test.ptb.xz").write_bytes(
        lzma.compress(
            (forest(1500, seed=2) + "\n".join(bank.read_text().split("\n")[:100])).encode()
        )
    )
    found = room.TreeTaskOptions(str(tmp_path)).corpus()
    assert found.left_out["a second time"] >= 90
    assert (found.splits[:80] == DATA_SPLITS.index("test")).sum() >= 75
    examples = list(load("sent-len", tmp_path, splits="official").examples())
    sentences = [sentence for some, _ in found.read() for sentence in some]
    home = {s.words: DATA_SPLITS[k] for s, k in zip(sentences, found.splits.tolist(), strict=True)}
    assert all(example.split == home[example.sites[0].sentence.words] for example in examples)
    with pytest.raises(DataProblem, match="is named twice"):
        load("tense", tmp_path, **{"with": tmp_path / "a-dev.ptb"})


def test_running_text_serves_the_tasks_that_need_no_tree(tmp_path, bank):
    path = tmp_path / "text.txt"
    corpus = room.TreeTaskOptions(str(bank)).corpus()
    path.write_text("\n".join(sentence.text for some, _ in corpus.read() for sentence in some))
    assert len(by_label(load("sent-len", path))) == 6
    assert len(by_label(load("word-content", path))) > 1
    assert len(by_label(load("bigram-shift", path))) == 2
    for name in ("tense", "top-const", "tree-depth", "coord-inv", "somo"):
        with pytest.raises(DataProblem):
            load(name, path)


def test_tagged_text_serves_somo_as_well(tmp_path, bank):
    found = room.TreeTaskOptions(str(bank)).corpus()
    path = tmp_path / "text.tagged"
    lines = (
        " ".join(f"{w}/{t}" for w, t in zip(s.words, tags, strict=True))
        for some, (tagged,) in found.read("tags")
        for s, tags in zip(some, tagged, strict=True)
    )
    path.write_text("\n".join(lines))
    again = room.TreeTaskOptions(str(path)).corpus()
    assert [each for _, each in again.read("tags")] == [each for _, each in found.read("tags")]
    assert set(by_label(load("somo", path))) == {"C", "O"}
    with pytest.raises(DataProblem, match="tree/tense cannot be built"):
        load("tense", path)


def test_the_fingerprint_follows_sources_and_the_corpora_of_frequencies(tmp_path, bank):
    path = tmp_path / "freq.txt"
    path.write_text("one sentence .\n")
    tasks = [TASKS.make(f"tree/tense:{bank}"), TASKS.make(f"tree/tense:{bank},freq={path}")]
    plain, counted = (task.fingerprint for task in tasks)
    assert plain != counted
    path.write_text("another sentence altogether .\n")
    assert tasks[0].fingerprint == plain
    assert tasks[1].fingerprint != counted


def test_bad_trees_are_an_error_or_counted(tmp_path, bank):
    path = tmp_path / "bad.ptb"
    path.write_text("(ROOT (S (NN x)\n" + bank.read_text())
    with pytest.raises(DataProblem, match=r"bad\.ptb:1: a bracket is not closed"):
        load("tense", path)
    notes = load("tense", path, on_error="skip").notes
    assert notes["source"]["skipped"] == 1
    assert "bad.ptb:1" in notes["problems"][0]


DATA = Path(os.environ.get("LINGPROBE_DATA", "/nowhere"))
real = pytest.mark.skipif(not (DATA / "constituency").is_dir(), reason="needs LINGPROBE_DATA")


@real
def test_ewt_ptb_and_gum_answer_all_ten():
    paths = [
        DATA / "constituency" / "EWT-propbank-skel",
        DATA / "constituency" / "PTB-sample-NLTK",
        DATA / "treebanks" / "GUM" / "const",
    ]
    first, *others = paths
    found = room.TreeTaskOptions(str(first), with_=tuple(map(str, others))).corpus()
    assert len(found) == 22647
    assert found.tally.skipped == 0
    sizes = {}
    for name in TEN:
        dataset = TASKS.make(
            f"tree/{name}:{first}" + "".join(f",with={path}" for path in others)
        ).load()
        sizes[name] = len(dataset)
        if name == "tree-depth":
            assert max(map(abs, dataset.notes["sampling"]["length_r_after"].values())) <= 0.05
            assert len(dataset.labels.names) >= 6
    assert min(sizes.values()) >= 700
