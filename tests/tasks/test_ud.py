"""The nine ud tasks as a user meets them: references, options, notes, refusals, real treebanks."""

import lzma
import os
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from treebanks import STARRED, block

from lingprobe.corpora import embedded as grammar
from lingprobe.data.core import DataProblem
from lingprobe.datasets.candidates import number_values
from lingprobe.tasks import TASK_FAMILIES, TASKS
from lingprobe.tasks import parsed_corpora as parsed
from lingprobe.tasks.shards import StringLists
from lingprobe.tasks.ud import family
from lingprobe.tasks.ud.classes import (
    assign_target_words,
    find_comparable_depths,
    sentences_per_class,
)

NINE = TASK_FAMILIES["ud"]["ud.family"].replace("_", "-").split()


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "en_toy.conllu"
    path.write_text("\n".join(grammar.generate_treebank(5000)) + "\n\n", encoding="utf-8")
    return path


def load(name, path, **options):
    reference = f"ud/{name}:{path}" + "".join(f",{key}={value}" for key, value in options.items())
    return TASKS.make(reference).load()


def by_label(dataset):
    return Counter(e.label for e in dataset.examples())


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    path = tmp_path_factory.mktemp("more") / "en_more.conllu"
    path.write_text(
        "\n".join(grammar.generate_treebank(1500, after=5000)) + "\n\n", encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("name", [*NINE, "feat"])
def test_of_several_sources_every_example_says_its_own(generated, second, name):
    options = {"feature": "Tense"} if name == "feat" else {}
    dataset = load(name, generated, **{"with": second}, **options)
    said = {
        path.name: {
            line for line in path.read_text("utf-8").splitlines() if line.startswith("# text")
        }
        for path in (generated, second)
    }
    found = {
        (example.strata["source"], example.sites[0].sentence.text) for example in dataset.examples()
    }
    assert {source for source, _ in found} == set(said)
    assert all(f"# text = {text}" in said[source] for source, text in found)
    assert "source" not in load(name, generated, **options).strata


@pytest.mark.parametrize("name", NINE)
def test_every_task_is_balanced_and_says_what_it_read(generated, name):
    task = TASKS.make(f"ud/{name}:{generated}")
    probe = "linear"
    assert (task.name, task.metric, task.probe, task.view) == (
        f"ud/{name}",
        "accuracy",
        probe,
        "mean",
    )
    assert task.question.endswith("?")
    assert TASKS.find(f"ud/{name}").__doc__ == task.question
    assert pickle.loads(pickle.dumps(task)) == task
    dataset = task.load()
    assert len(set(by_label(dataset).values())) == 1
    assert dataset.notes["source"]["sentences"] == 5000
    assert {"left out", "sampling"} <= set(dataset.notes)
    again = TASKS.make(f"ud/{name}:{generated}").load()
    assert list(again.examples()) == list(dataset.examples())


def test_target_forms_are_disjoint_and_floors_are_tagged(generated):
    for name in ("passive", "tense", "subj-num", "obj-num"):
        dataset = load(name, generated)
        forms = {}
        for example in dataset.examples():
            forms.setdefault(example.strata["target"], set()).add(example.split)
        assert all(len(splits) == 1 for splits in forms.values())
    assert {"majority-feature", "construction", "auxiliary", "target"} == set(
        load("tense", generated).strata
    )
    assert set(load("sent-type", generated).strata) == {"mark"}


def test_depth_tells_nothing_of_length(generated):
    found = load("tree-depth", generated).notes["sampling"]["length_r_after"]
    assert max(map(abs, found.values())) <= 0.05


def test_the_final_mark_can_be_taken_off(generated):
    kept, stripped = load("sent-type", generated), load("sent-type", generated, final="strip")
    assert all(s.text[-1] in ".!?" for s in kept.sentences)
    assert not any(
        s.text[-1] in ".!?" or s.words[-1] in (".", "!", "?") for s in stripped.sentences
    )


def test_nine_tasks_read_a_treebank_once(generated, monkeypatch):
    files = []
    plain = parsed.read_blocks
    monkeypatch.setattr(family, "CORPUS_CACHE", type(family.CORPUS_CACHE)())
    monkeypatch.setattr(
        parsed, "read_blocks", lambda path, *rest: files.append(path) or plain(path, *rest)
    )
    for name in NINE:
        load(name, generated)
    assert files == [generated]


def test_a_changed_file_is_read_again_and_has_another_fingerprint(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(block(STARRED))
    task = TASKS.make(f"ud/tense:{path}")
    before = task.fingerprint
    assert len(family.parsed_files(family.TreebankTaskOptions(str(path)))) == 1
    path.write_text(block(STARRED) * 2)
    assert task.fingerprint != before
    assert len(family.parsed_files(family.TreebankTaskOptions(str(path)))) == 2


def test_several_sources_are_read_together_but_none_twice(tmp_path, generated):
    other = tmp_path / "b.conllu.xz"
    other.write_bytes(lzma.compress(generated.read_bytes()))
    notes = load("tense", generated, **{"with": other}).notes
    assert notes["source"]["sentences"] == 10000
    assert notes["sampling"]["duplicates"] > 0
    with pytest.raises(DataProblem, match="is named twice"):
        load("tense", generated, **{"with": generated})


def test_bad_sentences_are_an_error_or_counted(tmp_path, generated):
    path = tmp_path / "bad.conllu"
    path.write_text("1\tonly\n\n" + generated.read_text())
    with pytest.raises(DataProblem, match=r"bad\.conllu:1: 2 columns instead of 10"):
        load("tense", path)
    notes = load("tense", path, on_error="skip").notes
    assert notes["source"]["skipped"] == 1
    assert "bad.conllu:1" in notes["problems"][0]


def test_official_splits_are_kept(tmp_path, generated):
    blocks = generated.read_text().strip().split("\n\n")
    home = {"train": blocks[0::3], "dev": blocks[1::3], "test": blocks[2::3]}
    for split, part in home.items():
        (tmp_path / f"en_toy-ud-{split}.conllu").write_text("\n\n".join(part) + "\n\n")
    texts = {
        split: {b.partition("# text = ")[2].partition("\n")[0] for b in part}
        for split, part in home.items()
    }
    examples = list(load("tense", tmp_path, splits="official").examples())
    assert {e.split for e in examples} == set(home)
    assert all(e.sites[0].sentence.text in texts[e.split] for e in examples)


def test_running_text_serves_the_tasks_that_need_no_tree(tmp_path, generated):
    path = tmp_path / "text.txt.xz"
    corpus = family.parsed_files(family.TreebankTaskOptions(str(generated)))
    texts = [sentence.text for some, _ in corpus.read() for sentence in some]
    path.write_bytes(lzma.compress("\n".join(texts).encode()))
    assert len(by_label(load("sent-len", path))) == 7
    assert len(by_label(load("word-content", path))) > 1
    for name in ("tense", "top-deps", "tree-depth"):
        with pytest.raises(
            DataProblem, match=r"running text|no sentence has an answer|no candidates"
        ):
            load(name, path)
    with pytest.raises(DataProblem, match="no file"):
        load("sent-len", tmp_path / "none.txt")


VERB = "{form} VERB {feats} 0 root\nit PRON _ 1 nsubj"


def many(rows, n=60):
    return "".join(block(rows.replace("FORM", f"w{i}")) for i in range(n))


MORPHOLOGICAL = many("FORM VERB Voice=Pass 0 root\n. PUNCT _ 1 punct")
ACTIVE = many("xFORM VERB Tense=Past 0 root\n. PUNCT _ 1 punct")
HELPED = many("is AUX Tense=Pres 2 aux:pass be\nyFORM VERB Tense=Past|VerbForm=Part 0 root")


def test_voice_without_auxiliary_is_left_out_or_counts_but_is_never_active(tmp_path):
    path = tmp_path / "tr.conllu"
    path.write_text(MORPHOLOGICAL + ACTIVE + HELPED)
    left = load("passive", path).notes["left out"]
    assert left["Voice=Pass without aux:pass (passive=morphological counts it as passive)"] == 60
    path.write_text(MORPHOLOGICAL + ACTIVE)
    found = load("passive", path, passive="morphological")
    assert {e.label for e in found.examples() if e.strata["target"].startswith("w")} == {"passive"}
    assert {e.label for e in found.examples() if e.strata["target"].startswith("xw")} == {"active"}


def test_what_a_treebank_lacks_is_said(tmp_path):
    path = tmp_path / "zh.conllu"
    path.write_text(
        many("FORM VERB _ 0 root\nNOUN NOUN _ 1 nsubj\nthing NOUN _ 1 obj\n. PUNCT _ 1 punct")
    )
    for name, lack in {
        "passive": "aux:pass",
        "tense": "Tense=Pres",
        "subj-num": "Number=Sing",
        "obj-num": "Number=Plur",
        "sent-type": "Mood=Imp",
    }.items():
        with pytest.raises(
            DataProblem,
            match=rf"ud/{name} cannot be built from .*zh\.conllu: no sentence is .*{lack}",
        ):
            load(name, path)


def test_word_content_keeps_words_with_enough_sentences():
    from lingprobe.data.core import Sentence

    words = [f"w{i:03}" for i in range(40)]
    sentences = [
        Sentence.of(["The", word, str(k)]) for i, word in enumerate(words) for k in range(24 + i)
    ]
    sentences += [Sentence.of([words[-1], words[-2]])] * 30  # two targets: of no use
    forms = Counter(w for s in sentences for w in s.words)
    codes, names = number_values(w for s in sentences for w in s.words)
    starts = np.cumsum([0, *(len(s.words) for s in sentences)])
    found = assign_target_words([StringLists(codes, names, starts)], forms)
    rows = [(row, found.words[k]) for row, k in enumerate(found.codes.tolist()) if k >= 0]
    assert set(found.words) < set(words)
    assert found.notes["classes"] == len(found.words)
    assert min(Counter(word for _, word in rows).values()) >= 12
    assert all(sentences[row].words.count(word) == 1 for row, word in rows)
    assert not any({words[-1], words[-2]} <= set(sentences[row].words) for row, _ in rows)


def test_depths_that_share_lengths_are_compared():
    counts = Counter(
        {
            (depth, length): 100
            for depth in range(2, 12)
            for length in range(depth * 2, depth * 2 + 30)
        }
    )
    run = find_comparable_depths(counts)
    assert len(run) == 8
    assert sentences_per_class(counts, run) >= 400
    assert len(find_comparable_depths(Counter({(depth, depth): 50 for depth in range(1, 10)}))) == 4


def test_an_empty_treebank_is_refused(tmp_path):
    path = tmp_path / "empty.conllu"
    path.write_text("# nothing\n\n")
    with pytest.raises(DataProblem, match="no sentences in"):
        load("tense", path)


DATA = (
    Path(os.environ["LINGPROBE_DATA"]) / "treebanks" if os.environ.get("LINGPROBE_DATA") else None
)
real = pytest.mark.skipif(DATA is None or not DATA.is_dir(), reason="needs LINGPROBE_DATA")


@real
def test_english_tenses_that_the_literal_rule_mislabels():
    """On all of EWT: 316 passives with a present auxiliary (61 of them perfects), 87 past
    auxiliaries beside Tense=Pres.
    """
    dataset = load("tense", DATA / "UD_English-EWT")
    found = dataset.notes["mislabelled by rules=paper"]
    assert found["distinct sentences"] == 6041
    assert found["pres passive called past"] == pytest.approx(316 - 61, abs=5)
    assert found["past progressive called pres"] == pytest.approx(87 - 4, abs=3)
    assert found["modal"] == pytest.approx(217, abs=12)
    majority = [e.strata["majority-feature"] == e.label for e in dataset.examples()]
    assert 0.5 < sum(majority) / len(majority) < 0.952


@real
def test_polish_treebanks_that_share_sentences():
    dataset = load("tense", DATA / "UD_Polish-PDB", **{"with": DATA / "UD_Polish-LFG"})
    assert dataset.notes["source"]["sentences"] == 7902
    assert dataset.notes["sampling"]["duplicates"] > 500
    keys = [" ".join(s.words).casefold() for s in dataset.sentences]
    assert len(set(keys)) == len(keys)


ANSWERED = {
    "UD_English-EWT": set(NINE),
    "UD_Polish-PDB": set(NINE),
    "UD_Finnish-TDT": set(NINE),
    "UD_Turkish-IMST": set(NINE),  # Voice=Pass without aux:pass
    # no Tense=Pres
    "UD_Hebrew-HTB": {
        "sent-len",
        "subj-num",
        "tree-depth",
        "word-content",
        "top-deps",
        "passive",
    },
    "UD_Chinese-GSDSimp": {"sent-len", "tree-depth", "word-content"},
    "UD_Japanese-GSD": {"sent-len", "tree-depth", "word-content"},
}


@real
@pytest.mark.parametrize("bank", ANSWERED)
def test_seven_languages_are_answered_or_told_what_is_lacking(bank):
    for name in NINE:
        if name in ANSWERED[bank]:
            assert len(set(by_label(load(name, DATA / bank)).values())) == 1
        else:
            with pytest.raises(
                DataProblem,
                match=r"cannot be built from|too few examples of a class|class is left",
            ):
                load(name, DATA / bank)


@real
def test_turkish_passives_count_when_asked():
    found = load("passive", DATA / "UD_Turkish-IMST", passive="morphological")
    assert set(by_label(found)) == {"passive", "active"}


@real
def test_withheld_words_are_refused_by_name():
    bank = DATA / "GUM" / "reddit_withheld_text" / "gum_reddit_train.conllu.xz"
    for name in ("ud/tense", "edge/pos"):
        with pytest.raises(DataProblem, match="its words are withheld"):
            TASKS.make(f"{name}:{bank}").load()


@pytest.fixture(scope="module")
def simple(generated):
    return load("tense", generated, forms="simple")


def test_forms_simple_keeps_finite_verbs_of_one_word(generated, simple):
    assert set(simple.strata["construction"].names) == {"simple"}
    assert simple.notes["left out"]["a tense of several words"] > 0
    every = load("tense", generated)
    assert {"simple", "perfect", "progressive"} <= set(every.strata["construction"].names)
    told = every.notes["constructions"]
    assert {label: sum(counts.values()) for label, counts in told.items()} == every.notes["labels"]
    assert set(every.notes["auxiliaries"]["past perfect"]) == {"have + past participle"}


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("sent-len", ["6-8", "9-11"]),
        ("tree-depth", ["3", "4"]),
        ("top-deps", ["nsubj obj", "OTHER"]),
        ("tense", ["past", "pres"]),
    ],
)
def test_classes_can_be_named_so_that_sources_are_asked_one_question(generated, name, classes):
    reference = f"ud/{name}:{generated}" + "".join(f",classes={label}" for label in classes)
    dataset = TASKS.make(reference).load()
    assert set(by_label(dataset)) == set(classes)
    with pytest.raises(DataProblem, match=r"classes=99: no sentence has that label; there are"):
        TASKS.make(f"{reference},classes=99").load()


def test_a_class_that_is_named_is_never_given_up(tmp_path, generated):
    path = tmp_path / "few.conllu"
    few = "".join(block(f"a{i} X _ 0 root\nb X _ 1 dep\nc X _ 1 dep") for i in range(20))
    long = [b for b in generated.read_text().strip().split("\n\n") if "\n6\t" in b]
    path.write_text(few + "\n\n".join(long) + "\n\n")
    assert load("sent-len", path).notes["classes of the question"] == 7
    assert "3-5" not in by_label(load("sent-len", path))  # too rare, and dropped
    with pytest.raises(DataProblem, match=r"too few examples of a class \(3-5: "):
        TASKS.make(f"ud/sent-len:{path},classes=3-5,classes=6-8").load()


def test_the_band_of_target_forms_can_be_given(generated):
    reference = f"ud/tense:{generated}"
    count = Counter(c.target for c in TASKS.make(reference).candidates()[0])
    forms, commonest = count.values(), max(count.values())
    kept = TASKS.make(f"{reference},rarest=0,commonest={min(forms)}").load()
    assert {count[form] for form in kept.strata["target"].names} <= {min(forms)}
    with pytest.raises(DataProblem, match=r"rarest=-1: write a number from 0 on, of candidates"):
        TASKS.make(f"{reference},rarest=-1").load()
    with pytest.raises(DataProblem, match=rf"fewer than {commonest + 1} of them have \(rarest="):
        TASKS.make(f"{reference},rarest={commonest + 1}").load()


def test_trees_of_depth_1_are_refused_in_words(tmp_path):
    path = tmp_path / "flat.conllu"
    path.write_text("".join(block(f"w{i} INTJ _ 0 root") for i in range(60)))
    with pytest.raises(
        DataProblem, match=r"ud/tree-depth cannot be built from .*a tree of one word: 60"
    ):
        load("tree-depth", path)
