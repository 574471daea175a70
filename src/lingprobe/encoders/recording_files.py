"""Files of hidden states as they are written: a safetensors file a sentence. What they hold is read
without torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from safetensors import SafetensorError, safe_open

from lingprobe.data.core import DataProblem

TOKEN_IDS_ARRAY, HIDDEN_STATES_ARRAY = "token_ids", "hidden_states"


def read_state_shape(file: Path) -> tuple[int, int, int]:
    """Tokens, layers and numbers of the hidden states in a file, of which one layer may be
    written without its own dimension.
    """
    with open_tensors(file) as tensors:
        if lacking := {TOKEN_IDS_ARRAY, HIDDEN_STATES_ARRAY} - set(tensors.keys()):
            raise DataProblem(
                f"{file} has no {' and no '.join(sorted(lacking))} (it has:"
                f" {', '.join(sorted(tensors.keys()))})"
            )
        shape = tensors.get_slice(HIDDEN_STATES_ARRAY).get_shape()
    if len(shape) not in (2, 3) or 0 in shape:
        raise DataProblem(
            f"{file}: {HIDDEN_STATES_ARRAY} of {shape}, expected [tokens, layers, numbers]"
        )
    return shape[0], shape[1] if len(shape) > 2 else 1, shape[-1]


def open_tensors(file: Path, tensors: Literal["np", "pt"] = "np") -> Any:
    """A file to read tensors from, as arrays of numpy or of torch; DataProblem where it is none."""
    try:
        return safe_open(str(file), tensors)
    except (OSError, SafetensorError) as error:
        raise DataProblem(
            f"{file}: not a safetensors file that can be read ({error}); was it written to its end?"
        ) from error
