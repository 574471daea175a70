"""Which words a model's tokeniser has nothing for but its token for the unknown. Needs no torch,
and no transformers.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = "tokenizer.json"


def unknown(folder: Path, words: Sequence[str]) -> NDArray[np.bool_] | None:
    """Of which words [n] some piece is unknown to the tokeniser of a model's folder, each word
    alone; None where it cannot be told.

    Fast tokenisers keep themselves in tokenizer.json, beside the model or in the folder of its
    first module.
    """
    found = _tokeniser(folder)
    if found is None:
        return None
    tokeniser, number = found
    if number is None:
        return np.zeros(len(words), bool)
    return np.array(
        [
            number in made.ids
            for made in tokeniser.encode_batch(list(words), add_special_tokens=False)
        ],
        bool,
    )


@functools.lru_cache(maxsize=4)
def _tokeniser(folder: Path) -> tuple[Any, int | None] | None:
    """A tokeniser, and the number of its token for the unknown, None where it has none (bytes stand
    in).
    """
    file = next(
        (path for path in (folder / FILE, *sorted(folder.glob(f"0_*/{FILE}"))) if path.is_file()),
        None,
    )
    if file is None:
        return None
    try:
        from tokenizers import Tokenizer

        text = file.read_text("utf-8")
        tokeniser, model = Tokenizer.from_str(text), json.loads(text)["model"]
    except Exception:
        # tokenizers raises its own bare Exception; what loads the model says what is wrong with it
        return None
    tokeniser.no_truncation()
    tokeniser.no_padding()
    if model.get("byte_fallback"):
        return tokeniser, None
    number = (
        tokeniser.token_to_id(model["unk_token"]) if model.get("unk_token") else model.get("unk_id")
    )
    return tokeniser, number
