"""Files by which other programs run sets of a folder of the hub without lingprobe: mteb sentences
with classes, lm-evaluation-harness minimal pairs. What fits neither gets none.

The programs are fixed texts beside this module, and what they read of the sets is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lingprobe.audit.data_card import HubSet
from lingprobe.data.core import Dataset
from lingprobe.data.digests import checksum_bytes, checksum_file
from lingprobe.tasks.languages import with_scripts
from lingprobe.tasks.terms import DataSource

_PROGRAMS = {"mteb": "mteb_tasks.py.txt", "lm-eval": "lm_eval_data.py.txt"}
"""Their files; .txt, as they are none of lingprobe's own modules."""
_MTEB, _LM_EVAL = (Path(file).stem.removesuffix(".py") for file in _PROGRAMS.values())
Tool = Literal["mteb", "lm-eval", ""]


def tool_for(dataset: Dataset, metric: str) -> Tool:
    """Which tool, mteb or lm-eval, can score a data set; '' for none.

    mteb classifies whole sentences (`AbsTaskClassification`), and lm-evaluation-harness compares
    the probabilities of whole texts (`multiple_choice`).
    """
    if metric == "preference":
        return "lm-eval"
    has_classes = dataset.labels.classes is not None and metric == "accuracy"
    return "mteb" if has_classes and dataset.of_sentences and not dataset.asked.shape[1] else ""


def largest_class(dataset: Dataset) -> int:
    """How many training examples the commonest class has; 0 without classes."""
    classes, rows = dataset.labels.classes, dataset.rows("train")
    return 0 if classes is None or not len(rows) else int(np.bincount(classes[rows]).max())


def tool_files(folder: Path, sets: Iterable[HubSet]) -> dict[str, str]:
    """The files for the sets whose data lie in a folder: name -> text."""
    of_mteb = [_mteb_set(folder, each) for each in sets if each.tool == "mteb"]
    of_lm_eval = [each for each in sets if each.tool == "lm-eval"]
    files = {
        f"{_name_hub_task(folder, each)}.yaml": _format_pair_task(folder, each)
        for each in of_lm_eval
    }
    if of_lm_eval:
        files[f"{_LM_EVAL}.py"] = _program("lm-eval")
    if of_mteb:
        files[f"{_MTEB}.py"] = _program("mteb")
        files[f"{_MTEB}.json"] = json.dumps(of_mteb, ensure_ascii=False, indent=1) + "\n"
    return files


def _program(tool: str) -> str:
    return Path(__file__).with_name(_PROGRAMS[tool]).read_text("utf-8")


def _name_hub_task(folder: Path, each: HubSet) -> str:
    return folder.name if each.is_alone else each.config


def _mteb_set(folder: Path, each: HubSet) -> dict[str, Any]:
    """What the tasks of mteb read of a set. The revision stands for the content of its files."""
    sums = (checksum_file(folder / each.place / name) for name in sorted(each.files))
    return {
        "name": _name_hub_task(folder, each),
        "description": each.question,
        "folder": each.place,
        "revision": checksum_bytes("".join(sums).encode()).hex(),
        "languages": _languages(each.sources),
        "largest_class": each.largest_class,
    }


def _languages(sources: Sequence[DataSource]) -> list[str]:
    """Languages as mteb writes them (ISO 639-3 and 15924), as pol-Latn."""
    return with_scripts(code for source in sources for code in source.languages)


def _format_pair_task(folder: Path, each: HubSet) -> str:
    """Which of two texts is more probable, as a task of lm-evaluation-harness; strings are quoted
    as JSON has them, which YAML reads. Nothing stands before the texts, a space neither.
    """
    return f"""task: {json.dumps(_name_hub_task(folder, each))}
tag: lingprobe
custom_dataset: !function {_LM_EVAL}.load
dataset_kwargs:
  folder: {json.dumps(each.place)}
output_type: multiple_choice
test_split: test
doc_to_text: ""
doc_to_choice: "{{{{[text, text2]}}}}"
doc_to_target: label
target_delimiter: ""
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1
"""
