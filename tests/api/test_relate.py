"""`lingprobe relate`: from results and tables of scores to correlations."""

import csv
import io
import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from typer.testing import CliRunner

import lingprobe
from fixtures.results import result, saying
from lingprobe.cli import app
from lingprobe.data.labels import Classes

LINGPROBE_DATA = os.environ.get("LINGPROBE_DATA", "")
BERT = Path(LINGPROBE_DATA, "results", "senteval-bert-layers", "senteval_bert_layers.tsv")
SIX = ["TREC", "SUBJ", "STS B p", "TopConst", "Tense", "BShift"]


def table(path, columns, rows):
    """A CSV of these rows."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def wide(path, models=12, variants=1, seed=0):
    """Scores of models on three tasks, the second like the first, the third like nothing."""
    rng = np.random.default_rng(seed)
    rows = []
    for model in range(models):
        skill = rng.normal()
        for layer in range(variants):
            near = skill + rng.normal() / 5
            rows.append((f"m{model}", layer, near, near + rng.normal() / 5, rng.normal()))
    return table(path, ("model", "layer", "one", "two", "three"), rows)


def found(page):
    return {(one.first, one.second): one for one in page.content.found}


def measured(scores, **more):
    """Results of encoders on tasks: encoder, task -> share right."""
    return [
        saying(result(share, encoder=encoder, task=task, **more), kind="trained")
        for (encoder, task), share in scores.items()
    ]


def test_a_table_of_scores_is_related(tmp_path):
    page = lingprobe.relate(with_=wide(tmp_path / "scores.csv"))
    pairs = found(page)
    scores = page.content.table.scores
    assert pairs["one", "two"].correlation == pytest.approx(
        spearmanr(scores[:, 0], scores[:, 1]).statistic
    )
    assert pairs["one", "two"].is_significant
    assert not pairs["one", "three"].is_significant
    assert pairs["one", "two"].n == 12
    assert pairs["one", "two"].low < pairs["one", "two"].correlation < pairs["one", "two"].high
    assert "12 encoders" in str(page)
    assert "families" not in str(page)


def test_variants_count_as_one(tmp_path):
    page = lingprobe.relate(with_=wide(tmp_path / "scores.csv", models=12, variants=5))
    pairs = found(page)
    assert {(one.n, one.encoders) for one in pairs.values()} == {(12, 60)}
    means = page.content.table.scores.reshape(12, 5, 3).mean(1)
    assert pairs["one", "three"].correlation == pytest.approx(
        spearmanr(means[:, 0], means[:, 2]).statistic
    )
    assert "60 encoders of 12 families" in str(page)
    assert "the effective number of encoders is 12" in str(page)


def test_with_two_families_no_p_value_is_given(tmp_path):
    page = lingprobe.relate(with_=wide(tmp_path / "scores.csv", models=2, variants=20))
    assert all(math.isnan(one.p) and math.isnan(one.low) for one in page.content.found)
    assert "With two families there are no p values" in str(page)
    assert {one.n for one in page.content.found} == {40}


def test_few_encoders_are_warned_of_and_what_they_cannot_show_is_said(tmp_path):
    page = lingprobe.relate(with_=wide(tmp_path / "scores.csv", models=4))
    assert "Warning: 4 encoders are few" in str(page)
    assert "none of 3 pairs can be significant (Holm): measure 5 encoders" in str(page)
    assert not any(one.is_significant for one in page.content.found)
    assert "can be significant" not in str(
        lingprobe.relate(with_=wide(tmp_path / "scores.csv", models=6))
    )


def test_families_by_a_pattern_and_by_a_file(tmp_path):
    scores = wide(tmp_path / "scores.csv", models=12)
    by_pattern = lingprobe.relate(with_=scores, family=r"^m\d")  # m1, m10 and m11 are one
    assert len(by_pattern.content.table.families) == 10
    names = [row.name for row in by_pattern.content.table.rows]
    given = table(tmp_path / "f.csv", ("encoder", "family"), [(names[0], "x"), (names[1], "x")])
    assert len(lingprobe.relate(with_=scores, families=given).content.table.families) == 11
    with pytest.raises(lingprobe.UsageProblem, match="give only one of them"):
        lingprobe.relate(with_=scores, families=given, family="m")


def test_rows_and_columns_are_fewer_tests(tmp_path):
    scores = wide(tmp_path / "scores.csv")
    page = lingprobe.relate(with_=scores, rows="three", columns=["one", "two"])
    assert set(found(page)) == {("one", "three"), ("two", "three")}
    assert "2 pairs (Holm)" in str(page)
    with pytest.raises(lingprobe.UsageProblem, match="no column for rows four: there are one, two"):
        lingprobe.relate(with_=scores, rows="four")


def test_results_are_related_and_what_is_no_embedding_is_left_out():
    shares = np.random.default_rng(0).uniform(0.5, 1, (10, 2))
    scores = {
        (f"st:model-{i}", task): shares[i, t]
        for i in range(10)
        for t, task in enumerate(("ud/tense:EWT-bank", "ud/passive:EWT-bank"))
    }
    results = [
        *measured(scores),
        *measured({("length", "ud/tense:EWT-bank"): 0.6}),
        saying(result(1.0, encoder="gold:clause", task="ud/tense:EWT-bank"), kind="oracle"),
        result(0.5, encoder="st:model-1", task="ud/tense:EWT-bank", control="shuffled"),
    ]
    page = lingprobe.relate(results)
    assert [row.name for row in page.content.table.rows] == [f"st:model-{i}" for i in range(10)]
    assert [column.name for column in page.content.table.columns] == ["tense", "passive"]
    assert found(page)["tense", "passive"].correlation == pytest.approx(
        spearmanr(100 * shares).statistic
    )
    assert any("length" in remark for remark in page.remarks)


def test_layers_and_options_of_a_model_are_one_family_and_seeds_one_row():
    tasks = ("ud/tense:EWT-bank", "ud/passive:EWT-bank")
    rng = np.random.default_rng(1)
    results = [
        saying(result(rng.uniform(0.5, 1), encoder=e, task=t, read=read, seed=seed), kind="trained")
        for e in (
            *("hf:a/one,pool=mean", "hf:a/one,pool=max", "st:a/one", "hf:two", "bow:random"),
            *("hf:two,weights=random,seed=1", "hf:two,weights=random,seed=2"),
        )
        for t in tasks
        for read in ("0", "1")
        for seed in (0, 1, 2)
    ]
    relation = lingprobe.relate(results).content
    assert len(relation.table.rows) == 14
    families = {"a/one", "two", "bow:random", "hf:two,weights=random"}
    assert set(relation.table.families) == families
    assert 0 <= relation.table.reliability(0) <= 1


def mteb_results(folder, revisions):
    """Results of mteb of four models, in some revisions."""
    for i in range(4):
        for revision in revisions:
            path = folder / f"me__m{i}" / revision / f"STS1{len(revision)}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            entry = {"main_score": 0.5 + i / 10, "languages": ["eng-Latn"], "hf_subset": "default"}
            path.write_text(
                json.dumps({"task_name": path.stem, "scores": {"test": [entry]}}), "utf-8"
            )
    return f"mteb:{folder}"


@pytest.mark.parametrize("revisions", [["abc"], ["abc", "abcd"]])
def test_a_model_is_that_of_mteb_in_however_many_revisions(tmp_path, revisions):
    results = measured({(f"hf:m{i},prompt=q", "ud/tense:EWT-bank"): 0.6 + i / 20 for i in range(4)})
    source = mteb_results(tmp_path, revisions)
    page = lingprobe.relate(results, with_=source, rows="STS*", columns="lingprobe")
    (one, *_) = lingprobe.relate(
        results, with_=source, rows="STS*", columns="lingprobe"
    ).content.found
    assert not any("not there" in remark for remark in page.remarks)
    assert one.n == 4


def test_models_that_no_source_shares_are_an_error(tmp_path):
    results = measured({(f"hf:n{i}", "ud/tense:EWT-bank"): 0.6 + i / 20 for i in range(4)})
    with pytest.raises(lingprobe.DataProblem, match="nothing to correlate"):
        lingprobe.relate(results, with_=mteb_results(tmp_path, ["abc"]), rows="STS*")


def test_columns_and_rows_are_chosen_by_the_names_that_tables_show():
    tasks = ("ud/tense:EWT-bank", "ud/passive:EWT-bank", "ud/sent-len:EWT-bank")
    results = measured(
        {
            (f"{kind}:m{i}", t): 0.6 + i / 20
            for i in range(4)
            for t in tasks
            for kind in ("st", "hf")
        }
    )
    for chosen in (["tense", "sent-len"], ["ud/tense", "ud/s*"]):
        relation = lingprobe.relate(results, tasks=chosen, encoders="hf").content
        assert [c.name for c in relation.table.columns] == ["tense", "sent-len"]
        assert [row.name for row in relation.table.rows] == [f"hf:m{i}" for i in range(4)]
    with pytest.raises(
        lingprobe.UsageProblem, match="no column for -t mood: there are tense, passive"
    ):
        lingprobe.relate(results, tasks="mood")
    with pytest.raises(lingprobe.UsageProblem, match="no encoder is called gpt: there are st:m0"):
        lingprobe.relate(results, encoders="gpt")


def test_results_in_two_languages_are_set_beside_each_other():
    banks = {"en_ewt": "UD_English-EWT", "pl_pdb": "UD_Polish-PDB"}
    rng = np.random.default_rng(0)
    results = []
    for i in range(12):
        skill = rng.uniform(0.6, 0.9)
        for code, bank in banks.items():
            files = {"source": {"files": [f"{bank}/{code}-ud-train.conllu"], "skipped": 0}}
            for question in ("tense", "passive", "sent-len", "top-deps", "subj-num"):
                share = skill + rng.uniform(0, 0.1)
                each = result(share, encoder=f"st:m{i}", task=f"ud/{question}:{bank}")
                results.append(saying(each, kind="trained", notes=files))
    found = lingprobe.relate(results, languages=["en", "Polish"]).content
    assert [each.task for each in found.tasks][:2] == ["ud/tense", "ud/passive"]
    assert {each.found.n for each in found.tasks} == {12}
    assert all(each.found.is_significant for each in found.tasks)
    assert {each.n for each in found.profiles} == {5}
    names = {column.name for column in lingprobe.relate(results).content.table.columns}
    assert {"tense (eng)", "tense (pol)", "passive (eng)", "passive (pol)"} <= names


def test_an_encoder_that_answers_always_the_same_is_left_out():
    tasks = ("ud/tense:EWT-bank", "ud/passive:EWT-bank")
    scores = {(f"st:m{i}", t): 0.6 + i / 20 for i in range(5) for t in tasks}
    flat = [
        replace(r, predicted=Classes(np.zeros(200, np.int64), r.gold.names))
        for r in measured({("st:flat", t): 0.5 for t in tasks})
    ]
    page = lingprobe.relate([*measured(scores), *flat])
    assert len(page.content.table.rows) == 5
    assert any("st:flat: excluded" in remark for remark in page.remarks)


def test_scores_over_other_test_examples_are_left_out():
    tasks = ("ud/tense:EWT-bank", "ud/passive:EWT-bank")
    scores = {(f"st:m{i}", t): 0.6 + i / 20 for i in range(5) for t in tasks}
    other = saying(result(0.9, n=100, encoder="st:m9", task=tasks[0]), kind="trained")
    page = lingprobe.relate([*measured(scores), other])
    assert "st:m9" not in [row.name for row in page.content.table.rows]
    assert any("1 scores over different test examples" in remark for remark in page.remarks)


def test_scores_from_elsewhere_are_columns_of_their_own(tmp_path):
    tasks = ("ud/tense:EWT-bank", "ud/passive:EWT-bank")
    scores = {(f"st:org/m{i}", t): 0.6 + i / 20 for i in range(5) for t in tasks}
    rows = [(f"m{i}", 50 + i, i) for i in range(4)] + [("stranger", 10, 9)]
    page = lingprobe.relate(
        measured(scores), with_=table(tmp_path / "s.csv", ("encoder", "tense", "MR"), rows)
    )
    relation = page.content
    names = [column.name for column in relation.table.columns]
    assert names == ["tense (lingprobe)", "passive", "tense (s.csv)", "MR"]
    assert [row.name for row in relation.table.rows] == [
        *[f"st:org/m{i}" for i in range(5)],
        "stranger",
    ]
    assert found(page)["tense (lingprobe)", "tense (s.csv)"].n == 4
    assert "were measured in different ways" in str(page)


def test_a_score_a_line(tmp_path):
    rows = [
        (f"m{i}", task, language, 10 * i + k)
        for i in range(4)
        for k, (task, language) in enumerate([("tense", "en"), ("tense", "pl"), ("mood", "en")])
    ]
    path = table(tmp_path / "s.csv", ("encoder", "task", "language", "score"), rows)
    relation = lingprobe.relate(with_=path).content
    assert [c.name for c in relation.table.columns] == ["tense (eng)", "tense (pol)", "mood"]
    table(path, ("encoder", "task", "score"), [("m", "t", 1), ("m", "t", 2)])
    with pytest.raises(lingprobe.DataProblem, match=r"s\.csv:3: a second score of m on t"):
        lingprobe.relate(with_=path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,score\nx,1\n", "no column names the encoder"),
        ("encoder,a\n", "no row below the header"),
        ("encoder,a,b\nx,1\n", r"s\.csv:2: the number of cells differs from the header's \(3\)"),
        ("encoder,a\nx,1\ny,zwei\n", r"s\.csv:3: 'zwei' in column a is not a number"),
        ("encoder,a,b\nx,1,2\ny,2,3\n", "nothing to correlate"),
    ],
)
def test_a_broken_table_is_one_sentence(tmp_path, text, message):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(lingprobe.DataProblem, match=message):
        lingprobe.relate(with_=tmp_path / "s.csv")


def test_columns_that_do_not_vary_are_left_out_and_named(tmp_path):
    rows = [(f"m{i}", i, -i, 50, "" if i else 3) for i in range(5)]
    path = table(tmp_path / "s.csv", ("encoder", "a", "b", "flat", "rare"), rows)
    page = lingprobe.relate(with_=path)
    assert set(found(page)) == {("a", "b")}
    assert "flat: excluded, all encoders have the same score" in page.remarks
    assert "rare: excluded, fewer than three encoders have a score" in page.remarks


def test_mteb_s_results_are_what_mteb_reads(tmp_path):
    """Main scores by language, of the split test, as `TaskResult` itself says."""
    import mteb

    rng = np.random.default_rng(0)
    for model in ("org__a", "org__b", "org__c_(embed_dim=64)", "org__c"):
        folder = tmp_path / "results" / model / "0123456789abcdef"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text("{}")
        for task in ("STS17", "STS12"):
            subsets = [("en-en", ["eng-Latn"]), ("en-de", ["eng-Latn", "deu-Latn"])]
            scores = [
                {"main_score": rng.random(), "hf_subset": name, "languages": languages}
                for name, languages in subsets[: 2 if task == "STS17" else 1]
            ]
            mteb.results.TaskResult(
                dataset_revision="1",
                task_name=task,
                mteb_version="2.0.0",
                scores={"test": scores, "validation": scores[:1]},
                evaluation_time=1.0,
            ).to_disk(folder / f"{task}.json")
    relation = lingprobe.relate(with_=f"mteb:{tmp_path}").content
    assert [c.name for c in relation.table.columns] == ["STS12", "STS17 (eng)", "STS17 (eng-deu)"]
    assert relation.table.families == ("org/a", "org/b", "org/c")
    for place, row in enumerate(relation.table.rows):
        file = next(tmp_path.rglob(f"{row.name.replace('/', '__')}/*/STS17.json"))
        theirs = mteb.results.TaskResult.from_disk(file)
        for column, subset in ((1, "en-en"), (2, "en-de")):
            (score,) = [s["main_score"] for s in theirs.scores["test"] if s["hf_subset"] == subset]
            assert relation.table.scores[place, column] == pytest.approx(100 * score)
        sts12 = mteb.results.TaskResult.from_disk(file.with_name("STS12.json"))
        assert relation.table.scores[place, 0] == pytest.approx(
            100 * sts12.get_score(splits=["test"])
        )


def test_a_folder_without_results_of_mteb_and_files_that_are_none(tmp_path):
    with pytest.raises(
        lingprobe.DataProblem, match=r"there are no results of mteb in it, which are files MODEL"
    ):
        lingprobe.relate(with_=f"mteb:{tmp_path}")
    place = tmp_path / "m" / "r" / "T.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"mteb_dataset_name": "T", "test": {}}))
    with pytest.raises(lingprobe.DataProblem, match=r"versions of mteb before 1\.11"):
        lingprobe.relate(with_=f"mteb:{tmp_path}")
    place.write_text("{")
    with pytest.raises(lingprobe.DataProblem, match=r"T\.json: not valid JSON"):
        lingprobe.relate(with_=f"mteb:{tmp_path}")


@pytest.mark.parametrize("figure", ["heat", "dots"])
@pytest.mark.parametrize("variants", [1, 4])
def test_figures(tmp_path, figure, variants):
    page = lingprobe.relate(with_=wide(tmp_path / "s.csv", variants=variants), figure=figure)
    page.write(tmp_path / "f.svg")
    drawn = (tmp_path / "f.svg").read_text()
    # a cell of a heat map tells it, and so does the number on it
    assert drawn.count("<title>one, two: ") == (2 if figure == "heat" else 1)
    assert "#d8dde1" in drawn or figure == "dots"  # one and three have nothing to do with another
    assert "<svg" in page.text("html")


def test_within_families_cells_are_grey_where_these_do_not_agree(tmp_path):
    up, down = [1, 2, 3, 4], [4, 3, 2, 1]
    lines = ["encoder,layer,a,b,c,family"]
    for name, other in (("one", up), ("two", up), ("three", down)):
        rows = zip(up, up, other, strict=True)
        lines += [f"{name},{i},{a},{b},{c},{name}" for i, (a, b, c) in enumerate(rows)]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    page = lingprobe.relate(with_=tmp_path / "s.csv", figure="within")
    page.write(tmp_path / "f.svg")
    drawn = (tmp_path / "f.svg").read_text()
    assert "a, b: 1.00 within 3 families, positive in 3 and negative in 0" in drawn
    assert "a, c: 0.33 within 3 families, positive in 2 and negative in 1" in drawn
    assert drawn.count("fill: #d8dde1") == 2  # a and c, b and c
    with pytest.raises(lingprobe.tables.drawing.PlotProblem, match="no family has three variants"):
        lingprobe.relate(with_=wide(tmp_path / "t.csv"), figure="within").write(tmp_path / "g.svg")


def test_latex_has_its_signs(tmp_path):
    page = lingprobe.relate(with_=wide(tmp_path / "s.csv"))
    assert r"Spearman's $\rho$ over 12 encoders" in page.text("latex")


def test_the_command_line_shows_it_and_writes_it(tmp_path):
    path = wide(tmp_path / "scores.csv")
    done = CliRunner().invoke(app, ["relate", "--with", str(path), "--format", "csv"])
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [line["first"] for line in lines] == ["one", "one", "two"]
    assert lines[0]["how"] == "permutation"
    for name in ("a.md", "a.tex", "a.html", "a.svg"):
        done = CliRunner().invoke(app, ["relate", "--with", str(path), "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert (tmp_path / name).stat().st_size > 100


needs_bert = pytest.mark.skipif(
    not BERT.exists(), reason="LINGPROBE_DATA has no senteval-bert-layers"
)


@needs_bert
def test_bert_s_layers_over_all_rows():
    pairs = found(lingprobe.relate(with_=BERT, method="pearson", constant=True, tasks=SIX))
    assert {one.n for one in pairs.values()} == {152}
    three = pairs["TREC", "TopConst"], pairs["SUBJ", "Tense"], pairs["STS B p", "BShift"]
    assert [round(one.correlation, 3) for one in three] == [0.869, 0.937, 0.100]


@needs_bert
def test_bert_s_layers_without_constant_vectors_and_within_families():
    page = lingprobe.relate(with_=BERT, method="pearson", tasks=SIX, within="^[^,]+, [^,]+")
    pairs = found(page)
    three = pairs["TREC", "TopConst"], pairs["SUBJ", "Tense"], pairs["STS B p", "BShift"]
    assert [round(one.correlation, 3) for one in three] == [0.821, 0.911, -0.018]
    assert (three[2].positive, three[2].negative) == (1, 7)
    assert all(math.isnan(one.p) for one in pairs.values())
    assert "bert-base-uncased, first, layer 0, bert-large-uncased, first, layer 0: excluded" in (
        " ".join(page.remarks)
    )
    assert "the effective number of encoders is 2" in str(page)


@needs_bert
def test_constant_vectors_score_what_a_majority_vote_scores():
    """So that of the doubted figures in Conneau et al.'s Table 2, 20.0 and 0.5, neither holds."""
    relation = lingprobe.relate(
        with_=BERT, constant=True, tasks=["SentLen", "WC", "TreeDepth"]
    ).content
    names = [row.name for row in relation.table.rows]
    for model in ("bert-base-uncased", "bert-large-uncased"):
        scores = relation.table.scores[names.index(f"{model}, first, layer 0")]
        assert scores.tolist() == [16.67, 0.10, 17.88]


def foreign(folder, columns, models):
    lines = [
        f"model-{i}," + ",".join(str((7 * i + 3 * j) % 11) for j in range(columns))
        for i in range(models)
    ]
    path = folder / "theirs.csv"
    path.write_text("\n".join([",".join(["encoder", *(f"t{j}" for j in range(columns))]), *lines]))
    return path


def test_many_columns_of_others_are_related_where_few_are_chosen(tmp_path):
    theirs = foreign(tmp_path, 150, 12)
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "encoder,tense\nelsewhere,1\n" + "\n".join(f"model-{i},{i * i % 7}" for i in range(8))
    )
    with pytest.raises(lingprobe.LingprobeError, match="--rows and --columns"):
        lingprobe.relate(with_=[mine, theirs])
    page = lingprobe.relate(with_=[mine, theirs], rows="t1?", columns="mine.csv")
    assert len(page.content.found) == 10
    assert len(page.content.table.rows) == 8  # of the others, none has a score of tense
    assert page.remarks[-1] == (
        "8 of 9 models of mine.csv have scores in theirs.csv; not there: elsewhere"
    )
