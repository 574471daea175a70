"""Data sets of several languages, cut to the same composition."""

from collections import Counter

import numpy as np
import pytest

from lingprobe import DataProblem, Dataset, Example, Sentence
from lingprobe.data.labels import column_from_codes
from lingprobe.inside.languages.joining import DEV_CODE, TEST_CODE, TRAIN_CODE
from lingprobe.inside.languages.matching import MatchedDatasets
from lingprobe.metrics.intervals import interval_of

KINDS = ("simple", "perfect")
SPLITS = ("train", "dev", "test")


def language(name: str, sizes: dict[str, int], hard: float = 0.0, forms: int = 40) -> Dataset:
    """Sentences of two classes; `hard` is the share of perfects."""
    rng = np.random.default_rng(len(name))
    examples = []
    for split, many in sizes.items():
        for i in range(many):
            kind, tense = KINDS[rng.random() < hard], ("pres", "past")[i % 2]
            form = f"v{rng.integers(forms)}{split if name != 'b' else ''}"
            sentence = Sentence.of([name, split, str(i), form])
            examples.append(Example.about(sentence, tense, split, target=form, construction=kind))
    return Dataset.of(examples)


def matched(by: str = "", **more) -> MatchedDatasets:
    data = [
        language("a", {"train": 400, "dev": 60, "test": 90}, 0.2),
        language("b", {"train": 200, "dev": 40, "test": 60}, 0.6),
        language("c", {"train": 300, "dev": 30, "test": 50}, 0.4),
    ]
    return MatchedDatasets(data, ["a", "b", "c"], by, **more)


def composition(made: MatchedDatasets, k: int, rows) -> Counter:
    data = made.datasets[k].take(rows)
    tags = data.strata["construction"]
    kinds = [tags.names[code] for code in tags.codes]
    return Counter(zip(data.labels.class_names(), kinds, strict=True))


@pytest.mark.parametrize("by", ["", "construction"])
def test_all_cells_have_the_same_numbers(by):
    made = matched(by)
    made.check()

    def of(k, rows):
        found = composition(made, k, rows)
        return found if by else Counter(dict(Counter(label for label, _ in found.elements())))

    pairs = [(s, t) for s in range(3) for t in range(3)]
    for part in (0, 1):
        kinds = [of(s, made.train(s, t)[part]) for s, t in pairs]
        assert all(kind == kinds[0] for kind in kinds)
    tests = [of(t, made.tests[t]) for t in range(3)]
    assert all(test == tests[0] for test in tests)
    counts = Counter(label for label, *_ in tests[0].elements()) if by else tests[0]
    assert len(set(counts.values())) == 1  # the task balances its classes


def test_neither_forms_nor_sentences_are_shared():
    made = matched()
    for s in range(3):
        for t in range(3):
            test = made.datasets[t].take(made.tests[t])
            taken = {test.strata["target"].names[c] for c in test.strata["target"].codes}
            for rows in made.train(s, t):
                part = made.datasets[s].take(rows)
                mine = {part.strata["target"].names[c] for c in part.strata["target"].codes}
                assert not mine & taken


def test_the_test_does_not_depend_on_the_source_and_splits_stay():
    made, fewer = matched(), matched(size=50)
    for t in range(3):
        assert (made.tests[t] == fewer.tests[t]).all()
        assert (made.datasets[t].splits[made.tests[t]] == TEST_CODE).all()
        for split, rows in zip((TRAIN_CODE, DEV_CODE), made.train(t, t), strict=True):
            assert (made.datasets[t].splits[rows] == split).all()
    assert len(fewer.train(0, 1)[0]) == 50


def test_languages_without_common_classes_are_refused():
    other = Dataset.of(
        [Example.about(Sentence.of([s, str(i)]), f"x{i % 2}", s) for s in SPLITS for i in range(9)]
    )
    with pytest.raises(DataProblem, match="fewer than two classes are in all"):
        MatchedDatasets([matched().datasets[0], other], ["a", "d"]).check()
    with pytest.raises(DataProblem, match="no tag 'mark'"):
        matched("mark").check()
    scores = Dataset.of(
        [Example.about(Sentence.of(["a"]), 1.0), Example.about(Sentence.of(["b"]), 2.0)]
    )
    with pytest.raises(DataProblem, match="labels are no classes"):
        MatchedDatasets([scores], ["e"]).check()


NOISE = {"simple": 0.9, "perfect": 1.9}


def score(
    made: MatchedDatasets, k: int, rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """The accuracy of the nearest mean, trained and tested in one language, where vectors show the
    class in the same way in every language, and less clearly of perfects.
    """
    data = made.datasets[k]
    tags = data.strata["construction"]
    noise = np.array([NOISE[tags.names[code]] for code in tags.codes])
    names = sorted(data.labels.names)
    gold = np.array([names.index(name) for name in data.labels.class_names()])
    vectors = rng.normal(size=(len(data), 40)) * noise[:, None]
    vectors[:, 0] += np.where(gold == 1, 1.0, -1.0)
    train, _ = made.train(k, k)
    means = [vectors[train[gold[train] == c]].mean(0) for c in (0, 1)]
    test = made.tests[k]
    said = np.stack([((vectors[test] - mean) ** 2).sum(1) for mean in means], 1).argmin(1)
    columns = (column_from_codes(each, names) for each in (gold[test], said))
    right, answered = next(columns), next(columns)
    return float((gold[test] == said).mean()), interval_of("accuracy", right, [answered])


def test_languages_that_are_equal_differ_where_nothing_is_matched():
    """Languages a and b are equal by construction. Their data are not: b has fewer examples, and
    more perfects. Unmatched, a seems far better known; matched, they are alike.
    """
    sizes = {"train": 1200, "dev": 60, "test": 400}, {"train": 160, "dev": 40, "test": 300}
    data = [language("aa", sizes[0], 0.1, 900), language("bbb", sizes[1], 0.7, 900)]
    gaps: dict[str, list[float]] = {"unmatched": [], "matched": []}
    apart = {"unmatched": 0, "matched": 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        both = MatchedDatasets(data, ["a", "b"], "construction", seed=seed)
        alone = [
            MatchedDatasets([each], [name], seed=seed)
            for each, name in zip(data, "ab", strict=True)
        ]
        cells = {"matched": [(both, 0), (both, 1)], "unmatched": [(one, 0) for one in alone]}
        for how, of in cells.items():
            (first, (low, _)), (second, (_, high)) = (score(made, k, rng) for made, k in of)
            gaps[how].append(first - second)
            apart[how] += low > high
    assert np.mean(gaps["unmatched"]) > 0.15
    assert abs(np.mean(gaps["matched"])) < 0.04
    assert apart["unmatched"] >= 18
    assert apart["matched"] <= 1
