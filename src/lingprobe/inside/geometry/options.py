"""The options of `geometry`, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from lingprobe.api.options import ProgressOptions, StoredVectors
from lingprobe.data.options import Help, declare_argument, flag


@dataclass(frozen=True, kw_only=True)
class GeometryOptions(ProgressOptions, StoredVectors):
    """What is compared."""

    corpora: Annotated[
        Sequence[str | Path] | str | Path,
        Help(
            "one text (a treebank, or a file of sentences) for layers and encoders, several for"
            " languages: translations of each other, sentence by sentence"
        ),
        declare_argument("TEXT", kind=list[str]),
    ]
    encoders: Annotated[
        Any,
        Help("encoders, as of `run`, such as `hf:bert-base-cased,layers=all`"),
        flag("--encoder", "-e", metavar="ENCODER", complete="encoders"),
    ] = None
    untrained: Annotated[bool, Help("measure the same networks before training, too")] = True
