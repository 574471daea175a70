"""What claims say of correlations in a published table, computed again from its figures."""

import csv
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, spearmanr

import lingprobe

LOW = ("SentType", "Relatedness ρ", "Entailment")
FILE = Path(lingprobe.__file__).parent / "suites" / "ud2019.tsv"


@pytest.fixture(scope="module")
def tested():
    return {one.id: one for one in lingprobe.claims(published="ud2019", every=True).content}


@pytest.fixture(scope="module")
def table():
    """Scores [languages, models, tasks] of the models in both languages, and the tasks."""
    with FILE.open(encoding="utf-8") as file:
        header, *rows = csv.reader((line for line in file if line[0] != "#"), delimiter="\t")
    kept = [k for k, name in enumerate(header) if k > 1 and name != "Relatedness r"]
    known = {
        (row[0], row[1]): [float(row[k]) for k in kept]
        for row in rows
        if row[0] in ("English", "Polish") and all(row[k] not in ("", "–") for k in kept)
    }
    models = [
        name for language, name in known if language == "English" and ("Polish", name) in known
    ]
    models = [name for name in models if not name.startswith(("Majority", "length", "Length"))]
    scores = np.array(
        [[known[language, name] for name in models] for language in ("English", "Polish")]
    )
    return scores, [header[k] for k in kept]


def test_a_claim_that_all_correlate_has_the_p_of_the_weakest(tested, table):
    scores, tasks = table
    p = []
    for english, polish in zip(*scores, strict=True):
        rho = spearmanr(english, polish).statistic
        p.append(norm.sf(math.atanh(rho) / math.sqrt((1 + rho**2 / 2) / (len(tasks) - 3))))
    one = tested["k19-correlation-models"]
    assert (one.compared, one.needed, one.agree, one.verdict) == (8, 8, 8, "holds")
    assert one.p == pytest.approx(2 * max(p))
    assert one.difference == pytest.approx(
        100 * min(spearmanr(*pair).statistic for pair in zip(*scores, strict=True))
    )
    assert (one.recipes, one.n) == ("", 0)


def test_a_claim_that_some_correlate_less_has_the_p_of_the_weakest_difference(tested, table):
    scores, tasks = table
    every = []
    for low, other in product(LOW, [task for task in tasks if task not in LOW]):
        a, b = (
            [scores[language][:, tasks.index(task)] for language in range(2)]
            for task in (low, other)
        )
        r = spearmanr(np.array([*a, *b]).T).statistic
        r12, r34, r13, r14, r23, r24 = r[0, 1], r[2, 3], r[0, 2], r[0, 3], r[1, 2], r[1, 3]
        if r34 > 1 - 1e-9:
            continue
        k = (r13 - r23 * r12) * (r24 - r23 * r34) + (r14 - r13 * r34) * (r23 - r13 * r12)
        k += (r13 - r14 * r34) * (r24 - r14 * r12) + (r14 - r12 * r24) * (r23 - r24 * r34)
        shared = k / (2 * (1 - r12**2) * (1 - r34**2))
        error = math.sqrt((2 + (r12**2 + r34**2) / 2) * (1 - shared) / (scores.shape[1] - 3))
        every.append(norm.cdf((math.atanh(r12) - math.atanh(r34)) / error))
    one = tested["k19-correlation-tasks"]
    assert (one.compared, one.needed, one.agree) == (len(every), 21, 21)
    assert one.verdict == "inconclusive"
    assert one.p == pytest.approx(2 * max(every))
