"""What encoders share whose model lies in files: a folder, the Hugging Face cache, a package or the
hub.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sonde.encoders.hub import Files, Trust, files_of
from sonde.encoders.precision import Dtype, resolved_device, resolved_dtype, versions
from sonde.encoders.vocabulary import unknown

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
