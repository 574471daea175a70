"""Files of weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.extend import open_draft


def save_tensors(
    tensors: Mapping[str, Any], path: Path, metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays or tensors of torch as safetensors: whole or not at all, and readable by whoever
    may read other files. FileProblem for a full disk and the like.
    """
    import safetensors.numpy
    import safetensors.torch

    plain = all(isinstance(value, np.ndarray) for value in tensors.values())
    write: Any = (safetensors.numpy if plain else safetensors.torch).save_file
    with open_draft(path) as part:
        part.touch()
        mode = part.stat().st_mode
        try:
            write(dict(tensors), part, None if metadata is None else dict(metadata))
        except safetensors.SafetensorError as error:
            raise OSError(str(error)) from error
        part.chmod(mode)
