"""Questions of one's own get what those of lingprobe get: the same data, options, notes and oracles."""

import pickle
from collections import Counter

import pytest
from treebanks import STARRED, block

from lingprobe.corpora import embedded as grammar
from lingprobe.corpora.batches import read_treebank_batches
from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.tally import ProblemTally
from lingprobe.corpora.views import read_blocks, view_trees
from lingprobe.data.core import DataProblem
from lingprobe.data.oracles import facts_of, oracles_of
from lingprobe.data.references import ReferenceProblem, allow_code
from lingprobe.tasks import TASKS
from lingprobe.testing import check_task
from lingprobe.testing.tasks import same_dataset

FIVE = """
from lingprobe import question, Tree
@question("mine/subject", "Has the main clause a subject?")
def subject(tree: Tree):
    return "yes" if any(w.deprel == "nsubj" for w in tree.root.children) else "no"
"""
RULES = """
from lingprobe import Answer, Reason, question

def said(value, form):
    if not value or "," in value:
        return Reason(f"the word has {'several values of' if value else 'no'} Tense")
    return Answer(value, form.lower())

@question("mine/tense", "Which tense?", rare="drop")
def tense(tree):
    return said(tree.root.feats.get("Tense", ""), tree.root.form)

@question("mine/tense", "Which tense?", over="batches", rare="drop")
def columns(batch):
    from lingprobe.corpora.trees import parse_features
    roots = zip(batch.feats.take(batch.roots).strings(), batch.words.take(batch.roots).strings())
    return [said(parse_features(feats).get("Tense", ""), form) for feats, form in roots]

@question("mine/long", "Has the sentence many words?", over="sentences", balance=False)
def long(sentence, *, words: int = 8):
    return len(sentence.words) >= words

@question("mine/words", "How many words?", over="sentences", balance=False, metric="pearson")
def words(sentence):
    return len(sentence.words)

@question("mine/noun", "Does a noun phrase begin it?")
def noun(tree):
    return tree.phrases.children(tree.phrases.children(0)[0].node)[0].label == "NP"

@question("mine/wrong", "Which?")
def wrong(tree):
    return tree.words[1000].form

@question("mine/odd", "Which?")
def odd(tree):
    return [tree]

@question("mine/few", "Which?", over="batches")
def few(batch):
    return ["yes"]

@question("mine/rare", "Which?", needs={"never": "it needs what is nowhere"})
def rare(tree):
    return Answer("always", strata={"root": tree.root.upos})
"""


SPANS = """
from lingprobe import Answer, Reason, question

@question("mine/dep", "What is it?", about="spans", key=0)
def dep(tree):
    for word in tree.words:
        if word.head is None:
            yield Reason("roots")
        else:
            yield (word, word.head), word.deprel

@question("mine/pos", "What is it?", about="spans", over="batches")
def pos(batch):
    tags, starts = batch.upos.strings(), batch.starts.tolist()
    return [
        [((i, i + 1), tag) for i, tag in enumerate(tags[a:b])] for a, b in zip(starts, starts[1:])
    ]

@question("mine/phrase", "Which?", about="spans", metric="accuracy", probe="logreg")
def phrase(tree, *, least: int = 1):
    for child in tree.phrases.children(tree.phrases.children(0)[0].node):
        if child.stop - child.start >= least:
            label = Answer(child.label, strata={"place": str(child.start)})
            yield (child.start, child.stop), label

@question("mine/capital", "Is it written with a capital?", about="spans", over="sentences")
def capital(sentence):
    return [((i, i + 1), word.istitle()) for i, word in enumerate(sentence.words)]

@question("mine/beyond", "Which?", about="spans")
def beyond(tree):
    yield (0, len(tree.words) + 1), "x"

@question("mine/bare", "Which?", about="spans")
def bare(tree):
    yield "x"

@question("mine/never", "Which?", about="spans", needs={"never": "it needs what is nowhere"})
def never(tree):
    yield tree.root, "always"
"""


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "en_toy.conllu"
    path.write_text("\n".join(grammar.generate_treebank(3000)) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """Makes the task of one of these rules."""
    file = tmp_path_factory.mktemp("rules") / "mine.py"
    file.write_text(RULES + FIVE + SPANS)
    allow_code(f"{file}@any")
    return lambda name, path, more="": TASKS.make(f"{file}@{name}:{path}{more}")


def rows(dataset):
    return [
        (e.sites, e.label, e.split, e.strata.get("target"), e.strata.get("source"))
        for e in dataset.examples()
    ]


@pytest.mark.parametrize(
    "more", ["", ",fold=2/5", ",size=300,seed=3", ",with=MORE", ",classes=Past,classes=Pres"]
)
def test_inside_is_outside(bank, mine, more, tmp_path):
    other = tmp_path / "en_more.conllu"
    other.write_text(
        "\n".join(grammar.generate_treebank(500, after=5000)) + "\n\n", encoding="utf-8"
    )
    more = more.replace("MORE", str(other))
    theirs = TASKS.make(f"ud/feat:{bank},feature=Tense,least=50{more}").load()
    for name in ("tense", "columns"):
        ours = mine(name, bank, more).load()
        assert rows(ours) == rows(theirs)
        assert ours.notes["sampling"] == theirs.notes["sampling"]
        assert ours.notes["source"] == theirs.notes["source"]
        assert ours.notes["left out"] == theirs.notes["left out"]


def test_five_lines_are_a_task_with_all_that_tasks_have(bank, mine):
    task = mine("subject", bank)
    assert (task.name, task.question) == ("mine/subject", "Has the main clause a subject?")
    assert (task.metric, task.probe, task.view) == ("accuracy", "linear", "mean")
    assert pickle.loads(pickle.dumps(task)) == task == mine("subject", bank)
    assert all(option in task.sampling for option in ("fold", "size", "on_error"))
    dataset = task.load()
    assert len(set(Counter(e.label for e in dataset.examples()).values())) == 1
    for oracle in oracles_of(task):
        assert all(facts_of(task, oracle, dataset).values())
    check_task(task)


def test_official_splits_are_those_of_the_files(tmp_path, mine):
    for number, split in enumerate(("train", "dev", "test")):
        lines = grammar.generate_treebank(400, after=400 * number)
        (tmp_path / f"en_toy-ud-{split}.conllu").write_text("\n".join(lines) + "\n\n", "utf-8")
    dataset = mine("subject", tmp_path, ",splits=official").load()
    texts = {
        split: (tmp_path / f"en_toy-ud-{split}.conllu").read_text("utf-8")
        for split in ("train", "dev", "test")
    }
    assert all(
        f"# text = {e.sites[0].sentence.text}\n" in texts[e.split] for e in dataset.examples()
    )


def test_bad_sentences_are_an_error_or_left_out_and_counted(bank, mine, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(bank.read_text("utf-8") + "1\ta\n\n", "utf-8")
    with pytest.raises(DataProblem, match=r"bad\.conllu"):
        mine("subject", path).load()
    assert mine("subject", path, ",on_error=skip").load().notes["source"]["skipped"] == 1


def test_what_a_rule_takes_by_keyword_is_an_option(bank, mine):
    short, long = (
        Counter(e.label for e in mine("long", bank, f",words={n}").load().examples())
        for n in (6, 9)
    )
    assert short["yes"] > long["yes"] > 0
    task = mine("long", bank, ",words=9")
    assert pickle.loads(pickle.dumps(task)) == task != mine("long", bank)
    with pytest.raises(ReferenceProblem, match="no option 'letters'"):
        mine("long", bank, ",letters=3")


def test_scores_are_labels_and_running_text_will_do_where_words_are_enough(mine, tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("".join(f"{'word ' * (n % 7 + 1)}{n}.\n" for n in range(400)))
    assert {e.label for e in mine("words", path).load().examples()} == {
        float(n) for n in range(3, 10)
    }
    assert list(oracles_of(mine("words", path))) == ["places"]
    with pytest.raises(DataProblem, match="running text has none"):
        mine("subject", path).load()


def test_phrase_structure_trees_have_phrases(mine, tmp_path):
    path = tmp_path / "some.mrg"
    subjects = ("(NP (NNS Dogs{0}))", "(SBAR (IN That) (S (VP (VBZ is{0}))))")
    path.write_text(
        "".join(
            f"(ROOT (S {subjects[n % 2].format(n)} (VP (VBP see)) (. .)))\n" for n in range(400)
        )
    )
    labels = {
        e.sites[0].sentence.words[0][:4]: e.label for e in mine("noun", path).load().examples()
    }
    assert labels == {"Dogs": "yes", "That": "no"}


@pytest.mark.parametrize("more", [",size=300,seed=3", ",splits=sampled,sample=2/5,with=MORE"])
def test_spans_inside_are_spans_outside(bank, mine, more, tmp_path):
    other = tmp_path / "en_more.conllu"
    other.write_text(
        "\n".join(grammar.generate_treebank(500, after=5000)) + "\n\n", encoding="utf-8"
    )
    more = more.replace("MORE", str(other))
    for name in ("dep", "pos"):
        theirs = TASKS.make(f"edge/{name}:{bank}{more}").load()
        ours = mine(name, bank, more).load()
        same_dataset(ours, theirs)
        assert dict(ours.notes) == dict(theirs.notes)


def test_a_question_about_spans_has_all_that_edge_tasks_have(bank, mine, tmp_path):
    task = mine("dep", bank)
    assert (task.metric, task.probe, task.view) == ("micro-f1", "linear", "mean")
    assert pickle.loads(pickle.dumps(task)) == task == mine("dep", bank)
    assert all(option in task.sampling for option in ("sample", "size", "on_error"))
    dataset = task.load()
    assert {"distance", "seen"} <= dataset.strata.keys()
    (oracle,) = oracles_of(task)
    assert all(map(any, facts_of(task, oracle, dataset).values()))
    path = tmp_path / "bad.conllu"
    path.write_text(bank.read_text("utf-8") + "1\ta\n\n", "utf-8")
    with pytest.raises(DataProblem, match=r"bad\.conllu"):
        mine("dep", path).load()
    assert mine("dep", path, ",on_error=skip").load().notes["source"]["skipped"] == 1


def test_spans_of_phrases_and_of_running_text(mine, tmp_path):
    trees, lines = tmp_path / "some.mrg", tmp_path / "some.txt"
    trees.write_text(
        "".join(f"(ROOT (S (NP (NNS D{n})) (VP (VBP see) (NP (PRP us)))))\n" for n in range(40))
    )
    dataset = mine("phrase", trees).load()
    assert set(dataset.strata["place"].names) == {"0", "1"}
    assert dataset.labels.names == ("NP", "VP")
    assert mine("phrase", trees, ",least=2").load().labels.names == ("VP",)
    lines.write_text("".join(f"Word{n} is lower.\n" for n in range(40)))
    assert set(mine("capital", lines).load().labels.names) == {"yes", "no"}
    with pytest.raises(DataProblem, match="running text has none"):
        mine("dep", lines).load()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("beyond", r"mine/beyond: the rule gave \(\(0, \d+\), 'x'\) for .+ inside the sentence"),
        ("bare", r"mine/bare: the rule gave 'x' for"),
        ("never", r"no span is 'never': it needs what is nowhere"),
        ("wrong", r"mine/wrong: the rule failed on .+: IndexError"),
        ("odd", r"mine/odd: the rule gave list for"),
        ("few", r"the rule gave 1 answers for \d+ sentences"),
        ("rare", r"no sentence is 'never': it needs what is nowhere"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(bank, mine, name, told):
    with pytest.raises(DataProblem, match=told):
        mine(name, bank).load()


def test_a_decorator_that_says_what_nothing_knows_fails_where_it_stands(tmp_path):
    from lingprobe import question

    with pytest.raises(TypeError, match="balanced"):
        question("mine/x", "?", balanced=True)
    with pytest.raises(TypeError, match="balance"):
        question("mine/x", "?", about="spans", balance=True)
    with pytest.raises(TypeError, match="has an option 'seed' already"):

        @question("mine/x", "?")
        def rule(tree, *, seed: int = 1):
            return "x"


def test_trees_say_what_the_columns_say(bank, tmp_path):
    (tmp_path / "one.conllu").write_text(block(STARRED))
    for path in (bank, tmp_path / "one.conllu"):
        views = [
            tree
            for part in read_blocks(path, "raise", ProblemTally())
            for tree in view_trees(part, part.sentences())
        ]
        parsed = list(read_conllu(path))
        assert len(views) == len(parsed)
        for view, tree in zip(views, parsed, strict=True):
            assert view.sentence == tree.sentence
            assert view.root.index == tree.root
            for i, word in enumerate(view.words):
                columns = (word.form, word.lemma, word.upos, word.deprel, word.index)
                assert columns == (tree.words[i], tree.lemmas[i], tree.upos[i], tree.deprels[i], i)
                assert "|".join(f"{k}={v}" for k, v in word.feats.items()) in ("", tree.feats[i])
                assert (word.head.index if word.head else -1) == tree.heads[i]
                assert [kid.index for kid in word.children] == tree.children(i)
                assert word == view.words[i] != object()
    assert sum(map(len, read_treebank_batches(bank))) == 3000
