"""Corpora whose columns lie on disk: the same samples, whoever found the columns, and whatever
happened to them since.
"""

import logging
import multiprocessing
import os
import signal
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingprobe
from fixtures.forest import forest
from lingprobe import store
from lingprobe.corpora import embedded as grammar
from lingprobe.data.oracles import facts_of
from lingprobe.data.references import allow_code
from lingprobe.store.blocks import get_version
from lingprobe.store.columns import ColumnOrigin
from lingprobe.tasks import TASKS
from lingprobe.tasks import parsed_corpora as parsed
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.shards import format_finding, parse_findings
from lingprobe.tasks.tree import corpus as trees
from lingprobe.tasks.ud import family
from lingprobe.testing.tasks import same_dataset

SHARDS = 5
UD = ("sent-len", "word-content", "tree-depth", "tense,rules=paper", "sent-type,final=strip")
TREE = ("word-content", "tree-depth", "subj-num", "bigram-shift", "somo", "coord-inv")


@pytest.fixture(scope="module")
def banks(tmp_path_factory):
    """A folder of shards with dependencies, and one with constituents."""
    place = tmp_path_factory.mktemp("columns")
    (ud := place / "ud").mkdir()
    (tree := place / "tree").mkdir()
    sentences = iter("\n".join(grammar.generate_treebank(2000)).split("\n\n"))
    for k in range(SHARDS):
        blocks = "\n\n".join(islice(sentences, 2000 // SHARDS))
        (ud / f"{k:05}.conllu").write_text(blocks + "\n\n", encoding="utf-8")
        (tree / f"{k:05}.ptb").write_text(forest(300, seed=k), encoding="utf-8")
    (ud / "00009.conllu").write_text("# newdoc\n\n", encoding="utf-8")
    return {"ud": ud, "tree": tree}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder of columns; every corpus counts as large, and none is remembered."""
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path))
    monkeypatch.setattr(parsed, "_MIN_COLUMN_FILE_BYTES", -1)
    parsed.CORPUS_CACHE.clear()
    yield tmp_path / "columns"
    parsed.CORPUS_CACHE.clear()


def load(family_, name, banks):
    name, _, options = name.partition(",")
    return TASKS.make(f"{family_}/{name}:{banks[family_]},{options}".rstrip(",")).load()


def found(banks):
    parsed.CORPUS_CACHE.clear()
    return family.parsed_files(family.TreebankTaskOptions(str(banks["ud"])))


@pytest.mark.parametrize(("kind", "name"), [*(("ud", n) for n in UD), *(("tree", n) for n in TREE)])
def test_samples_are_the_same_from_memory_and_from_disk(banks, cache, monkeypatch, kind, name):
    on_disk = load(kind, name, banks)
    assert len(list(cache.glob("*.parquet"))) == len(list(banks[kind].iterdir()))
    parsed.CORPUS_CACHE.clear()
    again = load(kind, name, banks)  # as another process reads it
    parsed.CORPUS_CACHE.clear()
    monkeypatch.setattr(parsed, "_MIN_COLUMN_FILE_BYTES", 1 << 30)
    in_memory = load(kind, name, banks)
    same_dataset(on_disk, in_memory, name)
    same_dataset(again, in_memory, name)
    assert on_disk.notes == in_memory.notes


def test_chosen_sentences_come_in_the_order_that_is_asked_for(banks, cache):
    corpus = found(banks)
    every = [sentence for some, _ in corpus.read() for sentence in some]
    rows = np.random.default_rng(0).permutation(len(corpus))[:99]
    assert corpus.read_rows(rows)[0] == [every[i] for i in rows]
    part = corpus.part(np.arange(3, len(corpus), 7))
    assert part.read_rows(np.array([5, 0]))[0] == [every[38], every[3]]


def test_columns_that_no_rule_reads_can_be_removed(banks, cache, monkeypatch):
    found(banks)
    (holding,) = lingprobe.holdings().files
    assert (holding.kind, holding.made, len(holding.files)) == (
        "columns",
        get_version(),
        SHARDS + 1,
    )
    assert lingprobe.clean_cache(remove=True).outdated == ()
    first, *others = sorted(cache.glob("*"))
    first.replace(first.with_name(first.name + ".damaged"))
    (cache / ".begun.part").touch()
    with monkeypatch.context() as before:
        before.setattr(store.columns, "digest_code", lambda *modules: "other code")
        found(banks)
    cleaning = lingprobe.clean_cache(remove=True)
    assert len(cleaning.outdated) == 1 + SHARDS + 1  # what is damaged, and what other code made
    assert set(cache.glob("*")) == {*others, cache / ".begun.part"}
    assert cleaning.bytes == sum(cleaning.columns[path] for path in cleaning.outdated) > 1000


def test_columns_of_rules_that_are_not_found_here_stay(tmp_path):
    assert ColumnOrigin("1", ("lingprobe.tasks.parsed_corpora", "rules_of_somebody"), "").current
    assert ColumnOrigin("1", ("lingprobe.tasks.parsed_corpora", "__main__"), "").current
    assert not ColumnOrigin(
        "1", ("lingprobe.tasks.parsed_corpora", "lingprobe.tasks.gone"), ""
    ).current
    (damaged := tmp_path / "a.parquet").write_bytes(b"PAR1")
    assert ColumnOrigin.of(damaged) is None


def _killed(folder, cache, after):
    """Put the rules to a folder in a process that is killed at a block."""
    os.environ["LINGPROBE_CACHE"] = str(cache)
    parsed._MIN_COLUMN_FILE_BYTES, blocks, left = -1, parsed.read_blocks, [after]

    def counted(*given):
        for block in blocks(*given):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            yield block

    parsed.read_blocks = counted
    family.parsed_files(family.TreebankTaskOptions(str(folder)))


def process(*given):
    """One that begins now."""
    one = multiprocessing.get_context("spawn").Process(target=_killed, args=given)
    one.start()
    return one


def test_what_a_killed_process_finished_is_not_done_again(banks, cache, monkeypatch):
    one = process(banks["ud"], cache.parent, 3)
    one.join()
    assert one.exitcode == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in cache.glob("*.parquet")}
    assert 3 <= len(before) < SHARDS + 1
    files, blocks = [], parsed.read_blocks
    monkeypatch.setattr(
        parsed, "read_blocks", lambda path, *more: files.append(path) or blocks(path, *more)
    )
    assert len(found(banks)) == 2000
    assert len(files) == SHARDS + 1 - len(before)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_two_processes_find_the_columns_of_one_corpus(banks, cache):
    both = [process(banks["ud"], cache.parent, 1000) for _ in range(2)]
    for one in both:
        one.join()
    assert [one.exitcode for one in both] == [0, 0]
    assert len(list(cache.iterdir())) == SHARDS + 1  # nothing half written, nothing twice
    assert len(found(banks)) == 2000


@pytest.mark.parametrize("how", ["cut", "changed", "other", "empty"])
def test_damaged_columns_are_set_aside_and_found_again(banks, cache, how, caplog):
    before = load("ud", "tense", banks)
    path = max(cache.glob("*.parquet"), key=lambda path: path.stat().st_size)
    content = path.read_bytes()
    middle = len(content) // 3
    damage = {
        "cut": content[:-20],
        "changed": content[:middle] + bytes(b ^ 255 for b in content[middle : middle + 4096])
        + content[middle + 4096 :],
        "other": b"PAR1" + b"other" * 100 + b"PAR1",
        "empty": b"",
    }  # fmt: skip
    path.write_bytes(damage[how])
    parsed.CORPUS_CACHE.clear()
    with caplog.at_level(logging.WARNING, "lingprobe"):
        same_dataset(load("ud", "tense", banks), before, how)
    assert "is set aside" in caplog.text
    assert path.with_name(path.name + ".damaged").exists()
    assert path.read_bytes() == content


def test_oracles_of_large_files_tell_what_is_asked_for(banks, cache, monkeypatch):
    for reference, oracle in (
        (f"ud/tense:{banks['ud']}", "clause"),
        (f"ud/sent-type:{banks['ud']},final=strip", "clause"),
        (f"tree/tense:{banks['tree']}", "phrases"),
    ):
        task = TASKS.make(reference)
        dataset = task.load()
        told = facts_of(task, oracle, dataset)
        monkeypatch.setattr(parsed, "_MIN_COLUMN_FILE_BYTES", 1 << 30)
        assert facts_of(task, oracle, dataset) == told
        monkeypatch.setattr(parsed, "_MIN_COLUMN_FILE_BYTES", -1)
        assert len(task.facts(oracle, dataset.sentences[:3])) == 3


def test_no_file_stays_open(banks, cache):
    corpus = found(banks)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in corpus.words():
        if before:
            assert len(os.listdir("/proc/self/fd")) <= before
    corpus.findings("tense")
    corpus.read_rows(np.arange(len(corpus)))
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before


RULE = """
from lingprobe import Answer, question

@question("mine/long", "Many words?", over="sentences", balance=False)
def long(sentence, *, words: int = 8):
    return Answer("yes" if len(sentence.words) >= words else "no", sentence.words[0])

def made(words):
    @question("mine/made", "Many words?", over="sentences", balance=False)
    def inner(sentence):
        return len(sentence.words) >= words
    return inner

nine = made(9)
"""


def test_rules_of_ones_own_are_kept_where_their_code_says_all(banks, cache, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(RULE)
    allow_code(f"{mine}@any")

    def labels(name):
        parsed.CORPUS_CACHE.clear()
        return TASKS.make(f"{mine}@{name}").load().labels.names

    assert labels(f"long:{banks['ud']}") == ("no", "yes")
    kept = set(cache.iterdir())
    assert len(kept) == SHARDS + 1
    assert labels(f"long:{banks['ud']},words=7") == ("no", "yes")
    assert len(set(cache.iterdir()) - kept) == SHARDS + 1  # other options are another question
    kept = set(cache.iterdir())
    labels(f"nine:{banks['ud']}")  # closes over a number, which no name of a file would tell
    assert set(cache.iterdir()) == kept


words = st.text(max_size=5)
labels = (
    words | st.floats(allow_nan=False) | st.frozensets(words)
    | st.dictionaries(words, st.floats(allow_nan=False))
)  # fmt: skip


@given(labels, words, st.dictionaries(words, words))
def test_answers_come_back_as_they_were(label, target, strata):
    answer = Answer(label, target, strata)
    assert parse_findings([format_finding(answer), format_finding(target)]) == [answer, target]


def test_the_sentences_of_a_second_file_are_taken_once(banks, cache, tmp_path):
    (tmp_path / "a-train.ptb").write_text(forest(200), encoding="utf-8")
    (tmp_path / "a-test.ptb").write_text(forest(200), encoding="utf-8")
    corpus = trees.TreeTaskOptions(str(tmp_path)).corpus()
    assert corpus.left_out["a second time"] >= len(corpus)
    assert set(corpus.splits.tolist()) == {2}  # what is tested stays there
