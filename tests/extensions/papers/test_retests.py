"""What results say of the claims of papers: which differences are tested, of which scores, and how
sure they are.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

import lingprobe
from fixtures.results import NAMES, result
from lingprobe.data.core import Result
from lingprobe.data.labels import Classes
from lingprobe.data.notes import Checkpoint
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import FitAnswers
from lingprobe.metrics import contrast as difference
from lingprobe.probes import PROBES
from lingprobe_extensions.papers.retests import (
    PaperSetting,
    known_rows,
    match_row_names,
    retest_claims,
)
from lingprobe_extensions.papers.stand_ins import rows_of

N = 400


@pytest.fixture
def folder(tmp_path):
    """Makes the card of a trained encoder, and its reference."""

    def made(architecture: str, objective: str, seed: int = 0, text: str = "a", **said) -> str:
        name = tmp_path / f"{architecture}-{objective}-{seed}-{text}"
        name.mkdir(exist_ok=True)
        facts = {
            "format": 2,
            "architecture": architecture,
            "objective": objective,
            "settings": {"seed": seed, "hidden": 8},
            "files": {f"{text}.txt": text},
            **said,
        }
        (name / "model.json").write_text(json.dumps(facts), "utf-8")
        return f"trained:{name}"

    return made


def scored(share: float, task: str = "ud/tense:EWT", n: int = N, draw: int = 0, **said) -> Result:
    """A result in which that share of n examples is right, other ones for another `draw`."""
    right = np.random.default_rng((draw, round(1000 * share))).permutation(n) < round(share * n)
    gold = np.arange(n) % 2
    told = Classes(np.where(right, gold, 1 - gold), NAMES)
    return replace(result(share, n, task=task, **said), predicted=told)


def found(results, *papers, **said):
    """The claims that were tested, by name; they are over one kind of data."""
    tested = [one for one in retest_claims(results, papers or ("conneau2018",), **said)[0] if one.n]
    assert len({one.id for one in tested}) == len(tested)
    return {one.id: one for one in tested}


def why(results, name, *papers, **said):
    """Why a claim was not tested."""
    every = retest_claims(results, papers or ("conneau2018",), **said)[0]
    [one] = [one for one in every if one.id == name]
    assert (one.n, one.compared) == (0, 0)
    assert math.isnan(one.difference)
    return one.verdict


@pytest.mark.parametrize(
    ("translated", "inferred", "verdict"),
    [
        (0.9, 0.7, "reproduced"),
        (0.7, 0.9, "not reproduced"),
        (0.8, 0.8, "inconclusive"),
    ],
)
def test_the_sign_is_that_of_the_first_side_less_the_second(folder, translated, inferred, verdict):
    """Translation is above inference on Tense, and below it on WC (Conneau et al. 2018, 4)."""
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    for task, name, sign, wanted in (
        ("ud/tense:EWT", "c18-nmt-nli", 1, verdict),
        ("ud/word-content:EWT", "c18-nli-wc", -1, {"reproduced": "not reproduced"}.get(
            verdict, "reproduced" if verdict == "not reproduced" else verdict)),
    ):  # fmt: skip
        results = [
            scored(translated, task, encoder=nmt), scored(inferred, task, encoder=nli, draw=1)
        ]  # fmt: skip
        one = found(results)[name]
        assert one.difference == pytest.approx(sign * 100 * (translated - inferred))
        scores = {"NMT": 100 * translated, "NLI": 100 * inferred}
        assert scores[one.first.rsplit(", ")[-1]] == pytest.approx(one.first_score)
        assert scores[one.second.rsplit(", ")[-1]] == pytest.approx(one.second_score)
        assert one.verdict == wanted
        assert found(results[::-1])[name] == one


def test_trainings_of_one_recipe_are_one_encoder(folder):
    """Their mean score; how much they vary is pooled over cells and added to what examples leave
    open.
    """
    shares = {"translate": (0.9, 0.84, 0.87), "infer": (0.7, 0.78)}
    results = [
        scored(share, encoder=folder("bilstm-max", objective, seed), draw=seed)
        for objective, mine in shares.items()
        for seed, share in enumerate(mine)
    ]
    one = found(results)["c18-nmt-nli"]
    assert (one.compared, one.n) == (1, N)
    assert (one.first_score, one.second_score) == pytest.approx((87.0, 74.0))
    weights = (1 / 3, 1 / 3, 1 / 3, -1 / 2, -1 / 2)
    answers = [FitAnswers(r.gold, [r.predicted]) for r in results]
    paired = difference("accuracy", list(zip(weights, answers, strict=True)))
    examples = 100 * (paired.high - paired.low) / 2 / student.ppf(0.975, paired.df)
    squares = sum(sum((100 * s - 100 * np.mean(m)) ** 2 for s in m) for m in shares.values())
    between = squares / (2 + 1) * (1 / 3 + 1 / 2)
    error = math.sqrt(examples**2 + between)
    df = error**4 / (examples**4 / paired.df + between**2 / 3)
    assert one.high - one.low == pytest.approx(2 * student.ppf(0.975, df) * error, rel=1e-6)
    assert one.p == pytest.approx(2 * student.sf(13 / error, df), rel=1e-6)
    (notes,) = [table.notes for table in lingprobe.claims(results, papers="conneau2018").tables]
    said = f"pooled over cells: {math.sqrt(squares / 3):.1f} points on ud/*:EWT."
    assert any(note.endswith(said) for note in notes)


def test_seeds_are_not_doubt_of_encoders_that_no_seed_decides(folder):
    """Two trainings differ, and word vectors from a file do not, whatever their seed is called."""
    static = scored(0.6, encoder="static:words.vec")
    again = scored(0.9, encoder="static:words.vec,seed=1")
    both = [scored(s, encoder=folder("bilstm-max", "infer", i)) for i, s in enumerate((0.7, 0.8))]
    cells = retest_claims([static, again, *both], ("conneau2018",))[1]
    [(setting, mine)] = [(k, v) for k, v in cells.items() if k.paper == "conneau2018" and v.scores]
    assert setting == PaperSetting("conneau2018", "ud/*:EWT", "mlp")
    assert mine.trainings == pytest.approx((50.0, 1))
    assert mine.once == []
    one = found([static, *both])["c18-encoders-bov"]
    assert one.difference == pytest.approx(15.0)
    alone = found([static, both[0]])["c18-encoders-bov"]
    assert one.high - one.low > 2 * (alone.high - alone.low)


def test_other_texts_make_another_encoder(folder):
    results = [
        *(scored(s, encoder=folder("bilstm-max", "translate", text=t))
          for t, s in (("a", 0.9), ("b", 0.6))),
        scored(0.7, encoder=folder("bilstm-max", "infer"), draw=1),
    ]  # fmt: skip
    one = found(results)["c18-nmt-nli"]
    assert (one.compared, one.agree) == (2, 1)
    assert one.difference == pytest.approx(-10.0)  # the one that speaks against it decides
    assert one.verdict == "not reproduced"


@pytest.mark.parametrize(
    ("task", "name", "relation"),
    [
        ("ud/word-content:EWT", "c18-wc-rises", "rises"),
        ("ud/sent-len:EWT", "c18-sentlen-falls", "falls"),
        ("senteval/somo:data", "c18-somo-flat", "flat"),
    ],
)
@pytest.mark.parametrize("rise", [0.1, -0.1, 0.0])
def test_the_last_epoch_stands_against_the_first(folder, task, name, relation, rise):
    """By number, whatever came between; the best epoch and the untrained network are no epochs."""
    encoder = folder("bilstm-max", "translate")
    course = {2: 0.7, 9: 0.4, 10: 0.7 + rise, 3: 0.9}
    results = [
        *(scored(s, task, 2000, n, encoder=f"{encoder},epoch={n}") for n, s in course.items()),
        scored(0.95, task, 2000, encoder=encoder),
    ]
    one = found(results)[name]
    assert (one.first, one.second) == ("BiLSTM-max, NMT, epoch 10", "epoch 2")
    assert one.difference == pytest.approx(100 * rise, abs=0.01)
    assert (one.relation, one.compared) == (relation, 1)
    wanted = {"rises": 0.1, "falls": -0.1, "flat": 0.0}[relation]
    said = "reproduced" if rise == wanted else "not reproduced"
    if rise == 0.0 != wanted:
        said = "inconclusive"
    assert one.verdict == said
    assert "after several epochs" in why(results[:1], name)


@pytest.mark.parametrize(
    ("gap", "n", "verdict"),
    [
        (0.0, 4000, "reproduced"),
        (0.01, 4000, "reproduced"),
        (-0.01, 4000, "reproduced"),
        (0.1, 4000, "not reproduced"),
        (-0.1, 4000, "not reproduced"),
        (0.03, 4000, "inconclusive"),
        (0.0, 100, "inconclusive"),
    ],
)
def test_alike_are_scores_that_are_surely_within(folder, gap, n, verdict):
    """Seq2Tree and translation on SOMO, within 3 points."""
    tree, nmt = folder("bilstm-max", "parse"), folder("bilstm-max", "translate")
    results = [
        scored(s, "senteval/somo:data", n, draw=i, encoder=e)
        for i, (s, e) in enumerate(((0.8 + gap, tree), (0.8, nmt)))
    ]
    one = found(results)["c18-seq2tree-nmt"]
    assert (one.within, one.difference) == (3.0, pytest.approx(100 * gap))
    assert one.verdict == verdict


def test_chance_is_what_a_constant_answer_gets_here(folder):
    """Not what it gets on the paper's data."""
    one = scored(0.5, "comp/sem-role:x", 4000, encoder=folder("bilstm-max", "infer"))
    [claim] = found([one], "ettinger2018").values()
    assert claim.id == "e18-infersent-chance"
    assert (claim.second_score, claim.verdict) == (50.0, "reproduced")
    [claim] = found([replace(one, majority=0.6)], "ettinger2018").values()
    assert (claim.second_score, claim.difference) == (60.0, pytest.approx(-10.0))
    assert claim.verdict == "not reproduced"


TASKS = ("ud/tense:EWT", "ud/sent-len:EWT")


def test_a_mean_is_over_the_cells_that_both_sides_have(folder):
    """BiLSTM-max against BiLSTM-last on average over tasks; scores of one side say nothing."""
    most, last = folder("bilstm-max", "infer"), folder("bilstm-last", "infer")
    shares = {most: (0.9, 0.8), last: (0.7, 0.5)}
    results = [
        scored(share, task, encoder=encoder, draw=i)
        for encoder, mine in shares.items()
        for i, (task, share) in enumerate(zip(TASKS, mine, strict=True))
    ]
    both = found(results)["c18-max-last"]
    assert both.difference == pytest.approx((20 + 30) / 2)
    assert sorted(both.task.split(", ")) == ["SentLen", "Tense"]
    one = found(results[:-1])["c18-max-last"]
    assert (one.difference, one.task) == (pytest.approx(20.0), "Tense")
    apart = why([results[0], results[3]], "c18-max-last")
    assert "no two of its scores are over the same test examples" in apart
    assert why(results[:2], "c18-max-last") == "no encoder for BiLSTM-last, <training>"
    assert why(results, "c18-somo-flat") == "no score on SOMO"


def test_downstream_claims_are_tested_on_downstream_tasks(folder):
    """Those that Conneau et al. (2018, section 4) make with their appendix: of all tasks together,
    whatever their splits and metrics.
    """
    shares = {"infer": (0.9, 0.8), "translate": (0.7, 0.5)}
    results = [
        scored(share, task, encoder=folder("bilstm-max", objective), draw=i)
        for i, (objective, mine) in enumerate(shares.items())
        for task, share in zip(
            ("text/mr:downstream,splits=senteval", "pair/sick-e:downstream"), mine, strict=True
        )
    ]
    one = found(results)["c18-nli-downstream"]
    assert (one.data, one.difference) == ("*:downstream", pytest.approx((20 + 30) / 2))
    assert (one.n, one.verdict) == (2 * N, "reproduced")


def test_a_mean_leaves_out_a_task_on_which_pairs_have_other_examples(folder):
    """Two trainings of BiLSTM-max and BiLSTM-last: those on Tense are over other sentences."""
    results = [
        scored(share, task, n, draw=i, encoder=folder(net, objective))
        for task, sizes in ((TASKS[0], (N, N - 10)), (TASKS[1], (N, N)))
        for objective, n in zip(("infer", "translate"), sizes, strict=True)
        for i, (net, share) in enumerate((("bilstm-max", 0.8), ("bilstm-last", 0.6)))
    ]
    one = found(results)["c18-max-last"]
    assert (one.task, one.n, one.difference) == ("SentLen", N, pytest.approx(20.0))


def test_scores_over_other_examples_are_not_compared(folder):
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    results = [scored(0.9, encoder=nmt), scored(0.7, n=N - 10, encoder=nli)]
    assert "c18-nmt-nli" not in found(results)
    assert "over the same test examples" in why(results, "c18-nmt-nli")


def test_families_and_probes_are_settings_of_their_own(folder):
    """A claim is tested in each, and p values are corrected for all of them."""
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    results = [
        scored(share, task, encoder=encoder, probe=probe, draw=i)
        for i, (encoder, share) in enumerate(((nmt, 0.75), (nli, 0.7)))
        for task, probe in product(("ud/tense:EWT", "ud/tense:GUM"), ("mlp", "logreg"))
    ]
    tested, _ = retest_claims(results, ("conneau2018",))
    mine = [one for one in tested if one.id == "c18-nmt-nli"]
    assert {(one.data, one.probe) for one in mine} == set(
        product(("ud/*:EWT", "ud/*:GUM"), ("mlp", "logreg"))
    )
    assert all(one.difference == pytest.approx(5.0) for one in mine)
    assert all(one.corrected == pytest.approx(min(1.0, 4 * one.p)) for one in mine)
    alone = found(results[::4])["c18-nmt-nli"]
    assert alone.corrected == alone.p == pytest.approx(mine[0].p)


def test_a_claim_about_baselines_is_tested_once(folder):
    """They have probes of their own, and stand beside all others."""
    bayes = {"encoder": ENCODERS.canonical("words"), "task": "ud/bigram-shift:EWT"}
    two, single = (PROBES.canonical(f"nb-{kind}-tfidf") for kind in ("bi", "uni"))
    results = [
        scored(0.6, **bayes, probe=two, draw=1),
        scored(0.5, **bayes, probe=single),
        *(scored(0.8, encoder=folder("bilstm-max", "infer"), probe=p) for p in ("mlp", "logreg")),
    ]
    one = found(results)["c18-bigrams-bshift"]
    assert (one.difference, one.probe) == (pytest.approx(10.0), "the paper's")
    one = found(results[:2])["c18-bigrams-bshift"]
    assert (one.difference, one.probe) == (pytest.approx(10.0), "the paper's")


def test_encoders_stand_for_the_rows_that_are_named(folder):
    """`--as`, before what their own names say."""
    nli = folder("bilstm-max", "infer")
    results = [scored(0.9, encoder="hf:x"), scored(0.7, encoder=nli, draw=1)]
    assert found(results) == {}
    one = found(results, named={"hf:x": match_row_names("nmt en-fr bilstm-max")})["c18-nmt-nli"]
    assert (one.first, one.difference) == ("BiLSTM-max, NMT En-Fr", pytest.approx(20.0))
    turned = {"hf:x": ["BiLSTM-max, NLI"], nli: ["BiLSTM-max, NMT En-De"]}
    assert found(results, named=turned)["c18-nmt-nli"].difference == pytest.approx(-20.0)
    with pytest.raises(lingprobe.UsageProblem, match=r"no paper has a row 'NMT En-Xx'"):
        match_row_names("NMT En-Xx")
    with pytest.raises(lingprobe.DataProblem, match="no encoder of these results is called"):
        lingprobe.claims(results, named={"st:y": "BiLSTM-max, NLI"})
    page = lingprobe.claims(results, named={"hf:*": "BiLSTM-max NMT En-Fr"}, papers="conneau2018")
    assert [c.verdict for c in page.content if c.id == "c18-nmt-nli"] == ["reproduced"]


@pytest.mark.parametrize(
    ("made", "paper", "row"),
    [
        (("bilstm-max", "infer"), "conneau2018", "BiLSTM-max, NLI"),
        (("gated-convnet", "translate"), "conneau2018", "GatedConvNet, NMT"),
        (("bigru-last", "skip"), "ettinger2018", "ST-BI"),
        (("bow", "cbow"), "ud2019", "Polish, Sent2Vec-NS"),
    ],
)
def test_a_training_stands_for_a_row_by_its_card(folder, made, paper, row):
    encoder = folder(*made)
    assert rows_of(paper, encoder, "-", "Polish") == (row,)
    assert row in known_rows(paper) | {"GatedConvNet, NMT"}
    assert rows_of(paper, "trained:gone", "-", "Polish") == ()


def test_sent2vec_and_laser_are_alike_on_word_content(folder):
    """Krasnowska-Kieraś & Wróblewska 2019, section 5."""
    laser, bag = "laser:model", folder("bow", "cbow")
    results = [
        scored(share, "ud/word-content:embedded", 6000, encoder=encoder)
        for share, encoder in ((0.81, laser), (0.8, bag))
    ]
    one = found(results, "ud2019", named={laser: ["English, LASER"]})["k19-wc-alike"]
    assert (one.second, one.verdict) == ("English, Sent2Vec-NS", "reproduced")
    assert one.difference == pytest.approx(1.0)


def after(share: float, encoder: str, epoch: int, best: int = 4, **said) -> Result:
    """A result of a trained encoder after some epoch."""
    one = scored(share, encoder=f"{encoder},epoch={epoch}", **said)
    checkpoint = Checkpoint(epoch, "epoch", 8, best, "translate", "bleu")
    return replace(one, provenance=replace(one.provenance, checkpoint=checkpoint))


def test_where_epochs_were_asked_for_the_best_one_stands_for_the_encoder(folder):
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    course = {0: 0.2, 1: 0.3, 4: 0.9, 8: 0.5}
    results = [scored(0.6, encoder=nli), *(after(s, nmt, n) for n, s in course.items())]
    one = found(results)["c18-nmt-nli"]
    assert (one.first_score, one.second_score) == pytest.approx((90, 60))
    assert found([*results, scored(0.9, encoder=nmt)])["c18-nmt-nli"] == one, "counted once"
    lacking = [each for each in results if "epoch=4" not in each.trial.encoder]
    assert "no encoder for BiLSTM-max, NMT*" in why(lacking, "c18-nmt-nli")


def test_an_encoder_before_its_training_is_no_trained_one(folder):
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    results = [scored(0.6, encoder=nli), scored(0.2, encoder=f"{nmt},epoch=0")]
    assert "no encoder for BiLSTM-max, NMT*" in why(results, "c18-nmt-nli")


def test_single_epochs_stand_in_claims_about_epochs_alone(folder):
    """They would count as encoders that nobody chose."""
    nmt, nli = folder("bilstm-max", "translate"), folder("bilstm-max", "infer")
    results = [
        scored(0.8, encoder=nmt),
        scored(0.4, encoder=f"{nmt},epoch=1"),
        scored(0.7, encoder=nli, draw=1),
    ]
    one = found(results)["c18-nmt-nli"]
    assert (one.compared, one.difference) == (1, pytest.approx(10.0))
    assert one.first == "BiLSTM-max, NMT"


def test_untrained_networks_that_differ_in_seed_are_one_encoder(folder):
    drawn = [
        scored(
            share,
            "senteval/somo:data",
            encoder=ENCODERS.canonical(f"untrained:bilstm-max,seed={seed}"),
            draw=seed,
        )
        for seed, share in enumerate((0.5, 0.6))
    ]
    one = found([*drawn, scored(0.5, "senteval/somo:data", encoder="static:words.vec", draw=7)])[
        "c18-untrained-somo"
    ]
    assert (one.compared, one.first_score, one.second_score) == (1, 55.0, 50.0)


@pytest.mark.parametrize("paper", ["ettinger2018", "ud2019", "tenney2019"])
def test_an_encoder_that_makes_a_row_stands_for_it(paper):
    rows = [row for row in lingprobe.encoder_rows(paper) if row.how in ("file", "hub")]
    assert rows
    for row in rows:
        name = f"{row.block}, {row.row}" if paper == "ud2019" else row.row
        assert name in rows_of(paper, row.reference, row.read, row.block), row.reference
    for drawn in ("elmo:weights.hdf5,weights=orthonormal", "hf:bert-base-uncased,weights=random"):
        assert rows_of("tenney2019", drawn, "mix", "") == ()
