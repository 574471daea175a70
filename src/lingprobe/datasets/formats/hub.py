"""Data sets of the Hugging Face hub, which `datasets` fetches, keeps on this disk and reads from
there: hf://datasets/OWNER/NAME, or with a configuration, as hf://datasets/nyu-mll/glue/sst2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from lingprobe.corpora.files import CorpusPart
from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import describe_install

_START = ("hf:", "datasets")


def is_on_hub(path: Path) -> bool:
    """Whether a path names a data set of the hub."""
    return path.parts[:2] == _START


@lru_cache(maxsize=64)
def hub_files(path: Path) -> tuple[CorpusPart, ...]:
    """The files on this disk that hold a data set of the hub, each under the name of its split;
    fetched if they are not here. DataProblem in one sentence where they cannot be had.
    """
    shown, names = f"hf://{'/'.join(path.parts[1:])}", path.parts[2:]
    if not 1 <= len(names) <= 3:
        raise DataProblem(f"{shown}: write hf://datasets/OWNER/NAME, or .../NAME/CONFIGURATION")
    try:
        splits = _load_hub_splits("/".join(names[:2]), *names[2:])
    except ImportError:
        raise DataProblem(
            f"{shown} needs the package datasets: {describe_install('datasets')}"
        ) from None
    except Exception as error:
        raise DataProblem(
            f"{shown}: {one_line(error)} (what is fetched once with network access is read without"
            " it later)"
        ) from None
    return tuple(
        CorpusPart(split, Path(file["filename"]))
        for split, rows in splits.items()
        for file in rows.cache_files
    )


def _load_hub_splits(name: str, *configuration: str) -> Mapping[str, Any]:
    """The splits of a data set, not in memory."""
    import datasets

    loaded: Mapping[str, Any] = datasets.load_dataset(name, *configuration, keep_in_memory=False)
    return loaded
