"""What encoders share whose model lies in files: a folder, the Hugging Face cache, a package or the
hub.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.encoders.hub import Files, Trust, files_of
from sonde.encoders.precision import Dtype, resolved_device, resolved_dtype, versions

FILE = "tokenizer.json"


def unknown(folder: Path, words: Sequence[str]) -> NDArray[np.bool_] | None:
    """Of which words [n] some piece is unknown to the tokeniser of a model's folder, each word
    alone; None where it cannot be told.

    Fast tokenisers keep themselves in tokenizer.json, beside the model or in the folder of its
    first module.
    """
    loaded = _tokeniser(folder)
    if loaded is None:
        return None
    tokeniser, number = loaded
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


# what sentence-transformers calls models that give a vector of each token
MANY = "MultiVectorEncoder"


class Saved:
    """A saved model by folder or name, the device and precision that it runs with, and whether code
    that comes with it may be run.

    The fields are those of each kind of model, which explains and orders its options.
    """

    model: str
    device: str
    dtype: Dtype
    trust_remote_code: bool
    code_revision: str

    takes = "sentences"

    @property
    def files(self) -> Files:
        """Where the model lies."""
        return files_of(self.model, "sentence-transformers")

    @property
    def trust(self) -> Trust:
        """Whether the model's own code may be run."""
        return Trust(self.trust_remote_code, self.code_revision)

    @property
    def runs(self) -> tuple[str, str]:
        """The device and the precision that it runs with."""
        device = resolved_device(self.device)
        return device, resolved_dtype(self.dtype, device)

    @property
    def fingerprint(self) -> str:
        """The model's files or commit, the version of its tokeniser, device class and precision."""
        device, dtype = self.runs
        return f"{self.revision} {versions('tokenizers')} {device.partition(':')[0]} {dtype}"

    @property
    def revision(self) -> str:
        """The model's commit, or a digest of its files."""
        self.trust.check(self.model, self.files)
        return self.files.fingerprint

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Of which words [n] some piece is unknown to the tokeniser; None where it cannot be
        told.
        """
        return unknown(self.files.folder, words)
