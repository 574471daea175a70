"""What is exported for MTEB is read by the package `mteb` itself, with the same scores and with
what is known filled in.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fixtures.results import result, saying
from fixtures.scored import render, write
from lingprobe.data.core import Result
from lingprobe.tasks.languages import list_languages

COMMIT = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
MINI = "sentence-transformers/all-MiniLM-L6-v2"


EWT = "ud/tense:data/UD_English-EWT"


def made(
    correct: float = 0.75,
    files: tuple[str, ...] = ("en_ewt-ud-test.conllu.xz",),
    said: str = f"commit={COMMIT}",
    **trial,
) -> Result:
    results = result(correct, **{"encoder": "st:all-MiniLM-L6-v2", "task": EWT} | trial)
    known = {results.trial.task: f"the examples of {results.trial.task}"}
    more = {
        "notes": {"source": {"files": list(files)}},
        "revision": said,
        "identities": known,
        "tested": "abc",
    }
    return saying(results, **more)


def loaded(results, to):
    """What MTEB finds in an export, by model and task."""
    import mteb  # takes seconds, which a worker without these tests does not wait for

    write(results, "mteb", to)
    return {
        (m.model_name, m.model_revision, t.task_name): t
        for m in mteb.ResultCache(to).load_results()
        for t in m.task_results
    }


def test_mteb_reads_what_is_exported(tmp_path):
    from mteb.results import TaskResult

    records = loaded([made(0.7), made(0.8, seed=1), made(0.5, control="shuffled")], tmp_path)
    (model, revision, name), task = next(iter(records.items()))
    assert len(records) == 1
    assert (model, revision) == (MINI, COMMIT)
    assert task.get_score() == pytest.approx(0.75)
    assert task.get_score(languages=["eng"]) == pytest.approx(0.75)
    assert task.languages == ["eng"]
    ((score,),) = task.scores.values()
    assert score["shuffled"] == pytest.approx(0.5)
    assert score["low"] < 0.75 < score["high"]
    assert (score["n"], score["seeds"], score["probe"]) == (200, 2, "mlp")
    (file,) = tmp_path.rglob(f"{name}.json")
    assert TaskResult.from_disk(file).get_score() == pytest.approx(0.75)
    assert (
        TaskResult.from_disk(file, load_historic_data=False).dataset_revision
        == task.dataset_revision
    )


def test_an_oracle_is_no_model(tmp_path):
    oracle = made(1.0, encoder="gold:clause,noise=0.0,seed=0,width=384")
    records = loaded([made(0.7), saying(oracle, kind="oracle")], tmp_path)
    assert {model for model, _, _ in records} == {MINI}


def test_models_and_tasks_can_be_asked_for_by_name_and_stand_in_one_frame(tmp_path):
    import mteb

    write(
        [made(0.7), made(0.8, encoder="length", said=""), made(0.9, task="ud/passive:b")],
        "mteb",
        tmp_path,
    )
    cache = mteb.ResultCache(tmp_path)
    assert set(cache.get_models()) == {
        (MINI.replace("/", "__"), COMMIT),
        ("lingprobe__length", "no_revision_available"),
    }
    tasks = set(cache.get_task_names())
    assert tasks == {"ud_tense_data_UD_English-EWT", "ud_passive_b"}
    (one,) = cache.load_results(models=[MINI], tasks=["ud_passive_b"])
    assert [t.get_score() for t in one.task_results] == [pytest.approx(0.9)]
    frame = cache.load_results().to_dataframe()
    assert set(frame.columns) >= {"task_name", MINI, "lingprobe/length"}
    meta = next(tmp_path.rglob("model_meta.json")).read_text()
    assert mteb.models.model_meta.ModelMeta.model_validate_json(meta).revision in (
        COMMIT,
        "no_revision_available",
    )


def test_layers_and_probes_are_models_of_their_own_and_are_never_averaged(tmp_path):
    layers = [
        made(0.6, encoder="hf:org/bert", read="1"),
        made(0.9, encoder="hf:org/bert", read="2"),
    ]
    records = loaded(
        [*layers, made(0.5, encoder="hf:org/bert", read="2", control="shuffled")], tmp_path / "a"
    )
    assert {model: t.get_score() for (model, _, _), t in records.items()} == {
        "hf/org/bert,layer=1": 0.6,
        "hf/org/bert,layer=2": 0.9,
    }
    records = loaded([made(0.6), made(0.9, probe="logreg")], tmp_path / "b")
    assert {model: t.get_score() for (model, _, _), t in records.items()} == {
        f"{MINI},probe=mlp": 0.6,
        f"{MINI},probe=logreg": 0.9,
    }


def test_revisions_are_told_apart_and_filled_truly(tmp_path):
    other = saying(made(0.6), identities={EWT: "other examples"})
    (one,), (two,) = loaded([made()], tmp_path / "a"), loaded([other], tmp_path / "b")
    revisions = [
        {t.dataset_revision for t in loaded([r], tmp_path / str(i)).values()}
        for i, r in enumerate((made(), made(0.5), other))
    ]
    assert one == two
    assert revisions[0] == revisions[1] != revisions[2]
    digest = "files=0123456789abcdef0123456789abcdef"
    for said, expected in ((digest, digest[6:]), ("", "no_revision_available")):
        ((_, revision, _),) = loaded([made(said=said)], tmp_path / f"r{said}")
        assert revision == expected
    ((_, revision, _),) = loaded([made(said="3f 17")], tmp_path / "odd")
    assert len(revision) == 40


def test_a_score_that_cannot_be_computed_and_a_control_alone_are_no_results(tmp_path):
    assert not loaded([replace(made(), score=float("nan"))], tmp_path / "a")
    assert not loaded([made(control="shuffled")], tmp_path / "b")


@pytest.mark.parametrize(
    ("task", "file", "expected"),
    [
        ("ud/tense:UD_Polish-PDB", "pl_pdb-ud-train.conllu", "pol-Latn"),
        ("ud/tense:UD_Chinese-GSDSimp", "zh_gsdsimp-ud-test.conllu", "zho-Hans"),
        ("ud/tense:UD_Chinese-GSD", "zh_gsd-ud-test.conllu", "zho-Hant"),
        ("edge/dep:UD_Hebrew-HTB", "he_htb-ud-test.conllu.xz", "heb-Hebr"),
        ("ud/tense:embedded", "embedded-3877.conllu", "eng-Latn"),
        ("senteval/tense:folder", "past_present.txt", "eng-Latn"),
        ("rusenteval/tense:folder", "x.txt", "rus-Cyrl"),
        ("xprobe/tense:xprobe/fi", "tr.txt", "fin-Latn"),
        ("pair/cdsc-e:folder", "CDS_test_annotated.txt", "pol-Latn"),
        ("text/trec:folder", "TREC_10.label", "eng-Latn"),
        ("table:mine.tsv", "mine.tsv", "und-Zyyy"),
        ("not, a reference", "mine.tsv", "und-Zyyy"),
    ],
)
def test_languages_are_those_of_the_files(task, file, expected, tmp_path):
    assert list_languages([made(task=task, files=(f"/data/{file}",))]) == [expected]
    (found,) = loaded([made(task=task, files=(file,))], tmp_path).values()
    assert found.get_score() == pytest.approx(0.75)
    assert found.scores["test"][0]["languages"] == [expected]


def test_names_of_any_kind_make_files(tmp_path):
    task = "ud/tense:/a path/with spaces & letters/żółć/" + "long/" * 60
    records = loaded(
        [
            made(task=task + "one"),
            made(task=task + "two"),
            made(encoder="<lambda> #2"),
            made(encoder="hf:/models/x"),
        ],
        tmp_path,
    )
    assert len(records) == 4
    assert {key[0] for key in records} == {MINI, "lingprobe/_lambda_#2", "hf/models/x"}


def test_as_lines_it_is_the_same(tmp_path):
    from mteb.results import TaskResult

    (line,) = render([made()], "mteb").splitlines()
    row = json.loads(line)
    assert (row.pop("model_name"), row.pop("model_revision")) == (MINI, COMMIT)
    assert (row["lingprobe_task"], row["lingprobe_encoder"]) == (EWT, "st:all-MiniLM-L6-v2")
    assert TaskResult.from_dict(
        {k: v for k, v in row.items() if not k.startswith("lingprobe")}
    ).get_score() == pytest.approx(0.75)
