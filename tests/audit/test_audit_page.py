"""An audit is shown with what deserves a look first, and no sentence is lost."""

from lingprobe.audit.inspection import audit_dataset
from lingprobe.audit.page import _MANY, audit_tables
from lingprobe.data.core import Dataset, Example, Sentence
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.markup import format_markdown
from lingprobe.testing import TINY_DATASET_FAMILIES


def test_every_family_can_be_shown():
    for family in (
        TINY_DATASET_FAMILIES.values()
        if isinstance(TINY_DATASET_FAMILIES, dict)
        else TINY_DATASET_FAMILIES
    ):
        tables = audit_tables(audit_dataset(family()), "a title")
        text = "".join(format_terminal_table(table, 140) for table in tables)
        assert text.startswith("a title")
        for heading in (
            "Examples",
            "Scores without an encoder",
            "Overlap",
            "Counted while building",
            "Sample of examples",
        ):
            assert heading in text
        assert "".join(format_markdown(table) for table in tables).count("|") > 20


def test_what_deserves_a_look_comes_first():
    examples = [
        Example.about(
            Sentence.of([f"w{i + (7 if split == 'dev' else 0)}"] * (1 + 9 * (i % 2))),
            "long" if i % 2 else "short",
            split,
        )
        for split, n in (("train", 40), ("dev", 10), ("test", 30))
        for i in range(n)
    ]
    first, *_ = audit_tables(audit_dataset(Dataset.of(examples)), "title")
    text = format_terminal_table(first)
    assert "length alone" in text
    assert "have a sentence of train" in text


def test_of_many_classes_the_most_and_the_least_frequent_are_shown():
    examples = [
        Example.about(Sentence.of([f"w{i}", split]), f"c{i}", split)
        for split in ("train", "dev", "test")
        for i in range(100)
    ]
    (balance,) = [
        t
        for t in audit_tables(audit_dataset(Dataset.of(examples)), "")
        if t.sections and t.sections[0].heading == "Examples"
    ]
    assert len(balance.sections[0].rows) == _MANY + 1
    assert "of 100 classes" in balance.sections[0].line


def test_same_splits_repeats_and_both_versions_are_shown():
    rows = [
        Example.about(Sentence.of(w.split()), label, split)
        for split in ("dev", "test")
        for w, label in (("a b", "O"), ("b a", "I"))
    ]
    dataset = Dataset.of(
        [Example.about(Sentence.of(["c"]), "O"), *rows],
        {"altered": "I", "sampling": {"settings": {"seed": 1, "size": None}}},
    )
    text = "".join(
        format_terminal_table(table, 140)
        for table in audit_tables(audit_dataset(dataset, floors=False), "title")
    )
    assert "dev and test are the same 2 rows in the same order" in text
    assert "Scores without an encoder" not in text
    assert "Sentences that occur more than once" in text
    assert "dev: I 1, test: I 1" in text
    assert "a sentence in both versions" in text
    assert "seed 1" in text
    assert "size" not in text
