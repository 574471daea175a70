"""One reference for many tasks: each feature of a treebank, and each treebank of a shelf."""

from __future__ import annotations

from pathlib import Path

import pytest

import lingprobe
from lingprobe.data.references import ReferenceProblem
from lingprobe.tasks import TASKS
from lingprobe.tasks.find import expand_tasks
from tasks.treebanks import block

ROWS = """
{noun}  NOUN Case={case}|Gender={gender}|Number={number} 2 obj
{verb}  VERB Mood=Ind|Tense={tense} 0 root
"""


def bank(folder: Path, name: str, many: int = 240) -> Path:
    """A treebank: two cases and numbers, two tenses, one mood, and a gender that is rare."""
    place = folder / f"UD_{name}"
    place.mkdir()
    text = "".join(
        block(
            ROWS.format(
                noun=f"n{i % 80}{'ab'[i % 2]}",
                case=("Nom", "Acc")[i % 2],
                gender="Com" if i % 60 else "Neut",
                number=("Sing", "Plur")[i // 2 % 2],
                verb=f"v{i % 90}",
                tense=("Pres", "Past")[i // 4 % 2],
            )
        )
        for i in range(many)
    )
    for split in ("train", "dev", "test"):
        (place / f"{name.lower()}_x-ud-{split}.conllu").write_text(text, "utf-8")
    return place


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    bank(folder, "Qaa-One")
    bank(folder, "Qab-Two")
    return folder


def features(reference: str) -> list[str]:
    return [dict(one.options)["feature"] for one in TASKS.expand(reference)]


def test_each_feature_that_two_values_have_is_a_task(shelf):
    place = shelf / "UD_Qaa-One"
    assert features(f"ud/feat:{place},feature=*,of=obj") == ["Case", "Number"]
    assert features(f"ud/feat:{place},feature=*") == ["Tense"]
    assert features(f"edge/feat:{place},feature=*") == ["Case", "Number", "Tense"]
    assert features(f"edge/feat:{place},feature=*,upos=VERB") == ["Tense"]
    assert features(f"edge/feat:{place},feature=N*") == ["Number"]
    # a lower bound brings in what is rare
    assert "Gender" in features(f"ud/feat:{place},feature=*,of=obj,least=10")


def test_a_pattern_is_put_to_each_treebank_here(shelf, monkeypatch):
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(shelf))
    asked = [str(one) for one in TASKS.expand("ud/feat:*,feature=*,of=obj")]
    assert asked == [
        f"ud/feat:UD_{name},of=obj,feature={feature}"
        for name in ("Qaa-One", "Qab-Two")
        for feature in ("Case", "Number")
    ]
    assert [one.argument for one in TASKS.expand("ud/tense:UD_Qab*")] == ["UD_Qab-Two"]
    with pytest.raises(ReferenceProblem, match="no such treebank"):
        TASKS.expand("ud/tense:UD_Nowhere*")


def test_folds_and_damaged_files_are_left_to_others(shelf, tmp_path):
    place = shelf / "UD_Qaa-One"
    (one,) = TASKS.expand(f"ud/tense:{place},fold=*/5")
    assert dict(one.options)["fold"] == "*/5"
    broken = tmp_path / "x.conllu"
    broken.write_text("1\tonly\n\n", "utf-8")
    (left,) = TASKS.expand(f"edge/feat:{broken},feature=*")
    assert dict(left.options)["feature"] == "*"


def test_files_that_lack_a_sentence_are_skipped_where_that_is_asked(shelf, tmp_path):
    text = next((shelf / "UD_Qaa-One").glob("*train*")).read_text("utf-8")
    mixed = tmp_path / "x.conllu"
    mixed.write_text(text + "1\tonly\n\n", "utf-8")
    skipped = expand_tasks([f"edge/feat:{mixed},feature=*"], "skip")
    assert [dict(one.options)["feature"] for one in skipped] == ["Case", "Number", "Tense"]


def test_a_run_asks_each_of_them(shelf, tmp_path):
    done = lingprobe.run(
        f"ud/feat:{shelf / 'UD_Qaa-One'},feature=*,of=obj", "length", probes=["logreg"],
        seeds=1, baselines="none", output=tmp_path,
    )  # fmt: skip
    tasks = {
        result.trial.task.partition("feature=")[2].partition(",")[0] for result in done.results
    }
    assert tasks == {"Case", "Number"}
