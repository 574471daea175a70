"""Sentences whose content words gave way to others: against the files, read in plain loops; on
encoders that know only words, or only the annotation; and what is refused.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors, word_units
from lingprobe.pages.views import VIEWS
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.exchange import ClassWords

CONTENT = ("NOUN", "VERB", "ADJ", "ADV", "PROPN")


def row(number: int, form: str, lemma: str, upos: str, feats: str, head: int, deprel: str) -> str:
    return f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_\n"


def prefixes(path: str) -> list[str]:
    """The edges on the way from a word to the root: `wcab` hangs on `wca`."""
    return [path[:end] for end in range(2, len(path) + 1)]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory) -> Path:
    """Words whose letters are the way to the root, in any order, so that they alone say what the
    tree is; of two classes, those that end in `a` and others.
    """
    draws, place = np.random.default_rng(4), tmp_path_factory.mktemp("paths")
    for split, many in (("train", 100), ("dev", 20), ("test", 50)):
        text = ""
        for _ in range(many):
            paths = ["w"]
            while len(paths) < 7:
                above = paths[draws.integers(len(paths))]
                new = above + "abc"[draws.integers(3)]
                if new not in paths and len(new) < 5:
                    paths.append(new)
            paths = [paths[i] for i in draws.permutation(7)]
            shown = [p.capitalize() if i == 0 else p for i, p in enumerate(paths)]
            text += f"# text = {' '.join(shown)}!\n"
            for i, path in enumerate(paths):
                head = 0 if path == "w" else 1 + paths.index(path[:-1])
                feats = "Case=Acc" if path[-1] == "a" else "Case=Nom"
                deprel = "dep" if head else "root"
                text += row(i + 1, shown[i], path, "NOUN", feats, head, deprel)
            text += row(8, "!", "!", "PUNCT", "_", 1 + paths.index("w"), "punct") + "\n"
        (place / f"x-{split}.conllu").write_text(text)
    return place


def rows(folder: Path) -> list[list[list[str]]]:
    """The sentences of a folder as rows of cells."""
    files = [folder / f"x-{split}.conllu" for split in ("train", "dev", "test")]
    blocks = "".join(path.read_text() for path in files).strip().split("\n\n")
    return [[line.split("\t") for line in block.splitlines() if line[0] != "#"] for block in blocks]


@pytest.mark.parametrize("where", ["test", "all"])
def test_words_give_way_to_others_of_their_class(treebank, where):
    known = {tuple(cells[1] for cells in sentence): sentence for sentence in rows(treebank)}
    attested: dict[str, set[tuple[str, str]]] = {}
    for sentence in rows(treebank):
        for cells in sentence:
            attested.setdefault(cells[1].lower(), set()).add((cells[3], cells[5]))
    own = TASKS.make(f"structure/distance:{treebank}").load()
    other = TASKS.make(f"structure/distance:{treebank},exchange={where}").load()
    assert len(own) == len(other)
    assert np.array_equal(own.labels.values, other.labels.values)
    changed = content = 0
    for k in range(len(own)):
        before = own.sentences[own.sites[k, 0, 0]]
        after = other.sentences[other.sites[k, 0, 0]]
        if own.splits[k] != 2 and where == "test":
            assert before == after
            continue
        assert len(before.words) == len(after.words)
        assert after.text == " ".join(after.words[:-1]) + after.words[-1]  # spaced as before
        assert after.words[0][0].isupper()
        for cells, old, new in zip(known[before.words], before.words, after.words, strict=True):
            if cells[3] not in CONTENT:
                assert old == new
                continue
            content += 1
            changed += old != new
            assert (cells[3], cells[5]) in attested[new.lower()]
            assert old == new or new.lower() != cells[2]
    told = other.notes["words exchanged"]
    assert (told["words"], told["of"], told["in"]) == (changed, content, where)
    assert changed == content  # every class has words enough


def test_what_a_sentence_becomes_depends_on_it_and_the_seed_alone(treebank):
    def test_sentences(options: str) -> dict[tuple[str, ...], Sentence]:
        own = TASKS.make(f"structure/distance:{treebank}{options}").load()
        other = TASKS.make(f"structure/distance:{treebank}{options},exchange=test").load()
        pairs = [(own.sites[k, 0, 0], other.sites[k, 0, 0]) for k in own.rows("test")]
        return {own.sentences[a].words: other.sentences[b] for a, b in pairs}

    whole, part, again = map(test_sentences, ("", ",size=90", ",seed=1"))
    assert len(part) < len(whole)
    assert all(whole[words] == sentence for words, sentence in part.items())
    assert all(whole[words] != sentence for words, sentence in again.items())


def test_words_are_drawn_as_often_as_they_occur():
    pool = ClassWords.of(
        [(("a", "as"), 6), (("b", "bs"), 1), (("a", "a"), 2), *((((c, c), 1)) for c in "cdef")]
    )
    step = 1 << 50
    numbers = range(0, 1 << 64, step)
    counts = Counter(pool.draw("a", number) for number in numbers)
    assert set(counts) == {"bs", "c", "d", "e", "f"}
    assert {round(5 * n / len(numbers), 2) for n in counts.values()} == {1.0}
    counts = Counter(pool.draw("b", number) for number in numbers)
    shares = {form: round(12 * n / len(numbers), 2) for form, n in counts.items()}
    assert shares == {"as": 6, "a": 2, "c": 1, "d": 1, "e": 1, "f": 1}
    few = ClassWords.of([((c, c), 1) for c in "abcde"])
    assert few.draw("a", 0) is None
    assert few.draw("other", 0) == "a"


class Letters:
    """Knows words alone: an axis for each edge on the way to the root that a word's letters say."""

    name, takes, fingerprint = "letters", "sentences", "1"
    axes = tuple(
        p + a + b + c for p in "w" for a in "abc" for b in ("", *"abc") for c in ("", *"abc")
    )

    def encode(self, sentences):
        rows = np.zeros((sum(len(s.words) for s in sentences), len(self.axes)), np.float32)
        words = (word.lower() for s in sentences for word in s.words)
        for at, word in enumerate(words):
            rows[at, [self.axes.index(p) for p in prefixes(word) if p in self.axes]] = 1
        return Vectors((rows,), spans=word_units(np.array([len(s.words) for s in sentences])))


@pytest.fixture(scope="module")
def results(treebank, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    task = f"structure/distance:{treebank}"
    encoders = [Letters(), "tags", "gold:tree,width=none"]
    probes = ["structural,batch=4,epochs=20", "chain"]
    options = {
        "seeds": 1,
        "baselines": "none",
        "output": folder,
        "cache": tmp_path_factory.mktemp("c"),
    }
    lingprobe.run([task, f"{task},exchange=test"], encoders, probes=probes, **options)
    return folder


def test_who_knows_only_words_falls_and_who_knows_the_annotation_does_not(results):
    page = lingprobe.report(results, view="exchange")
    found = {
        (row["encoder"], row["probe"]): row for row in csv.DictReader(io.StringIO(page.text("csv")))
    }
    probe = "structural,batch=4,epochs=20"
    words, tags = found["letters", probe], found["tags", probe]
    chain = next(row for (_, name), row in found.items() if name == "chain")
    assert float(words["own"]) > 90
    assert abs(float(words["others"]) - float(chain["others"])) < 12
    assert float(words["high"]) < -50
    assert tags["own"] == tags["others"]
    assert float(tags["change"]) == 0
    assert chain["own"] == chain["others"]
    gold = found["gold:tree,width=none", probe]
    assert float(gold["own"]) == float(gold["others"]) > 90
    assert float(words["share"]) == 100
    text = str(page)
    assert "100 % of the content words of test exchanged" in text
    assert "significantly less" in text


def test_tasks_about_single_words_are_beside_each_other_too(treebank, tmp_path):
    task = f"edge/feat:{treebank},feature=Case"
    options = {"seeds": 1, "baselines": "none", "output": tmp_path / "r", "cache": tmp_path / "c"}
    lingprobe.run([task, f"{task},exchange=test"], [Letters(), "gold:rows"], **options)
    page = lingprobe.report(tmp_path / "r", view="exchange")
    rows = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert {row["encoder"] for row in rows} == {"letters", "gold:rows"}
    assert all(int(row["n"]) == 50 * 7 for row in rows)
    assert VIEWS.find("exchange").name == "exchange"
    assert "paired over test examples" in str(page)


def test_without_the_other_run_there_is_nothing_to_compare(results):
    with pytest.raises(DataProblem, match="exchange=test"):
        str(lingprobe.report(results, view="exchange", tasks=["*exchange=test*"]))


def test_what_cannot_be_exchanged_is_refused_by_name(tmp_path):
    bare = "".join(
        row(i + 1, w, w, "NOUN", "_", i, "dep" if i else "root") for i, w in enumerate("abcdefgh")
    )
    few = bare.replace("\t_\t_\t", "\t_\tCase=Nom\t").replace("\tNOUN\t", "\tNOUN\t", 1)
    cases = {
        "bare": (bare, "no content word has features"),
        "few": (few[: few.index("\n5") + 1], "only 0 of 4"),
    }
    for name, (text, said) in cases.items():
        folder = tmp_path / name
        folder.mkdir()
        for split in ("train", "dev", "test"):
            (folder / f"x-{split}.conllu").write_text(text + "\n")
        with pytest.raises(DataProblem, match=said):
            TASKS.make(f"structure/depth:{folder},exchange=test").load()
    for split in ("train", "dev", "test"):
        (tmp_path / f"x-{split}.mrg").write_text("(TOP (S (N a) (V b)))\n")
    with pytest.raises(DataProblem, match="a treebank in CoNLL-U"):
        TASKS.make(f"edge/pos:{tmp_path},exchange=test").load()
    with pytest.raises(ReferenceProblem, match="exchange"):
        TASKS.make(f"edge/srl:{tmp_path},exchange=test")
