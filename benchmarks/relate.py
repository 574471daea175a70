"""How `lingprobe relate` errs: how often p values call nothing something, alone and as a table (Holm),
how often intervals hold the true correlation, and how strong a correlation must be to be found.

    python benchmarks/relate.py [TABLES]

Tables are made up: families of encoders whose variants correlate, columns that have nothing to do
with each other or a known correlation. TABLES (default 2,000) of each kind; at 2,000 a share of
5 % is known to within one point. It takes some ten minutes on one core.
"""

import itertools
import math
import sys

import numpy as np
from scipy.special import ndtr

from lingprobe.analysis.relation import RelationRequest, relate_columns
from lingprobe.analysis.score_table import EncoderName, MeasuredTask, ScoreCell, join_scores
from lingprobe.metrics.correlation import coefficients, group_column_pairs, permutation_p_values
from lingprobe.metrics.correlation_intervals import compute_correlation_intervals
from lingprobe.metrics.multiplicity import correct_holm

PAIR = [(0, 1)]
LEVEL = 0.05
DRAWS = 999


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(0)
    alarms(rng, tables)
    family_wise(rng, tables)
    coverage(rng, tables)
    power(rng, tables // 4)


def families(rng, sizes, shared, columns=2, rho=0.0):
    """The means of families [families, columns] whose variants correlate; `rho` is the correlation
    of the columns, between families and within.
    """
    mixing = np.linalg.cholesky(np.full((columns, columns), rho) + (1 - rho) * np.eye(columns))
    own = rng.normal(size=(len(sizes), columns)) @ mixing.T
    means = []
    for family, size in zip(own, sizes, strict=True):
        variants = rng.normal(size=(size, columns)) @ mixing.T
        means.append(math.sqrt(shared) * family + math.sqrt(1 - shared) * variants.mean(0))
    return np.array(means)


def p_of(values, seed, method="spearman"):
    (group,) = group_column_pairs(values, PAIR)
    return permutation_p_values(group, method, DRAWS, seed)[0, 1].p


def alarms(rng, tables):
    """Two columns that have nothing to do with each other."""
    print("False alarms at 5 %, in percent, of columns that have nothing to do with each other")
    print(f"{'families':>9} {'variants':>10} {'correlated':>10} {'ρ':>6} {'r':>6} {'rows':>6}")
    for many, shared in itertools.product((6, 8, 12, 24), (0.5, 0.9)):
        hits = {"spearman": 0, "pearson": 0, "rows": 0}
        for seed in range(tables):
            sizes = rng.integers(2, 11, many)
            means = families(rng, sizes, shared)
            for method in ("spearman", "pearson"):
                hits[method] += p_of(means, seed, method) <= LEVEL
            hits["rows"] += as_if_independent(rng, sizes, shared)
        shares = "".join(f" {100 * hit / tables:6.1f}" for hit in hits.values())
        print(f"{many:>9} {'2 to 10':>10} {shared:>10}{shares}")
    print("rows: Spearman's ρ over all variants, taken for independent encoders\n")


def as_if_independent(rng, sizes, shared):
    """Whether variants, each taken for an encoder of its own, give a false alarm."""
    from scipy.stats import spearmanr

    both = []
    for size in sizes:
        own = rng.normal(size=2)
        variants = rng.normal(size=(size, 2))
        both.append(math.sqrt(shared) * own + math.sqrt(1 - shared) * variants)
    rows = np.concatenate(both)
    return spearmanr(rows[:, 0], rows[:, 1]).pvalue <= LEVEL


def family_wise(rng, tables):
    """Whole tables, and of how many any cell is significant after Holm's correction."""
    print("Tables with any false alarm after Holm's correction, in percent")
    print(f"{'families':>9} {'columns':>8} {'tables':>7}")
    for many, columns in ((7, 4), (12, 8), (24, 12)):
        hits, some = 0, tables // 4
        for seed in range(some):
            means = families(rng, rng.integers(2, 11, many), 0.7, columns)
            scores = [
                ScoreCell(
                    EncoderName(str(i), str(i)),
                    MeasuredTask(str(j), "made", str(j)),
                    float(means[i, j]),
                )
                for i in range(many)
                for j in range(columns)
            ]
            hits += any(
                one.is_significant
                for one in relate_columns(join_scores([scores]), RelationRequest(seed=seed)).found
            )
        print(f"{many:>9} {columns:>8} {100 * hits / some:>7.1f}")
    print()


def two(rng, tables, n, rho, kind):
    """Pairs of scores [tables, n, 2]: normal ones, or what can become of these."""
    x = rng.normal(size=(tables, n, 2))
    x[..., 1] = rho * x[..., 0] + math.sqrt(1 - rho * rho) * x[..., 1]
    return KINDS[kind](x, rng)


KINDS = {
    "normal": lambda x, rng: x,
    "heavy": lambda x, rng: x / np.sqrt(rng.chisquare(3, (*x.shape[:2], 1)) / 3),
    "ceiling": lambda x, rng: ndtr(0.8 * x + 1),
    "apart": lambda x, rng: x - 3 * (rng.random((*x.shape[:2], 1)) < 0.2),
    "skewed": lambda x, rng: np.exp(x),
}


def coverage(rng, tables):
    print("Intervals that hold the true correlation, in percent (95 are promised)")
    print(f"{'method':>9} {'scores':>7} {'n':>4} {'ρ = 0':>7} {'0.5':>6} {'0.9':>6}")
    cases = [("spearman", kind) for kind in ("normal", "heavy", "apart")]
    cases += [("pearson", kind) for kind in ("normal", "ceiling", "apart", "skewed")]
    for (method, kind), n in itertools.product(cases, (8, 10, 15, 25, 40)):
        shares = []
        for rho in (0.0, 0.5, 0.9):
            true = true_of(rng, rho, method, kind)
            hits, some = 0, tables // 2
            for scores in two(rng, some, n, rho, kind):
                low, high = compute_correlation_intervals(scores, PAIR, method)[0, 1]
                hits += low <= true <= high
            shares.append(100 * hits / some)
        print(f"{method:>9} {kind:>7} {n:>4}" + "".join(f" {share:6.1f}" for share in shares))
    print("heavy: Student's t with 3 degrees of freedom; ceiling: scores that cannot exceed 1;")
    print("apart: a fifth of the encoders is far below in both; skewed: log-normal\n")


def true_of(rng, rho, method, kind):
    """The true correlation: a formula, or where there is none that of a million encoders."""
    if method == "pearson" and kind == "skewed":
        return (math.exp(rho) - 1) / (math.e - 1)  # a million are too few for such tails
    (many,) = two(rng, 1, 1_000_000, rho, kind)
    return coefficients(many, PAIR, method)[0, 1].value


def power(rng, tables):
    print("Correlations that are found, in percent: alone, and among 45 pairs (Holm, others null)")
    print(f"{'families':>9} {'ρ':>5} {'alone':>6} {'of 45':>6}")
    for many, rho in itertools.product((8, 12, 24, 40), (0.3, 0.5, 0.7, 0.9)):
        alone = among = 0
        for seed in range(tables):
            (group,) = group_column_pairs(families(rng, np.ones(many, int), 1.0, 2, rho), PAIR)
            p = permutation_p_values(group, "spearman", 9999, seed)[0, 1].p
            alone += p <= LEVEL
            among += correct_holm([p, *rng.random(44)])[0] <= LEVEL
        print(f"{many:>9} {rho:>5} {100 * alone / tables:>6.0f} {100 * among / tables:>6.0f}")


if __name__ == "__main__":
    main()
