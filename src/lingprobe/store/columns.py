"""What a file of columns of a corpus says of the code that made it; `lingprobe.tasks.shards` has
the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lingprobe.data._closure import digest_code, file_of
from lingprobe.data._packages import CORE_PACKAGE
from lingprobe.data.notes import EARLIER_PACKAGE
from lingprobe.store.blocks import get_version

COLUMNS_FOLDER, COLUMNS_SUFFIX = "columns", ".parquet"
COLUMNS_FORMAT_VERSION = 1
_MADE = b"sonde.made"
_SCRIPT = "__main__"  # another one in each process


@dataclass(frozen=True, slots=True)
class ColumnOrigin:
    """What made a file of columns: a version of lingprobe, where the code of the rules begins,
    and a digest of it.
    """

    lingprobe: str
    roots: tuple[str, ...]
    code: str

    @classmethod
    def now(cls, roots: Sequence[str]) -> ColumnOrigin:
        """What some rules would make now."""
        return cls(get_version(), tuple(roots), digest_code(*roots))

    @classmethod
    def of(cls, path: Path) -> ColumnOrigin | None:
        """What made a file; None where it does not say so, or is damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            plain = json.loads(pq.read_metadata(path).metadata[_MADE])
            return cls(plain["sonde"], tuple(plain["modules"]), plain["code"])
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
            return None

    def metadata(self) -> dict[bytes, str]:
        """The same as metadata of a file."""
        plain = {"sonde": self.lingprobe, "modules": self.roots, "code": self.code}
        return {_MADE: json.dumps(plain)}

    @property
    def current(self) -> bool:
        """Whether rules may read it: their code is the same, or modules of the user's cannot be
        found from here.
        """
        own = (CORE_PACKAGE, EARLIER_PACKAGE)
        modules = {root.partition(":")[0] for root in self.roots}
        others = [name for name in modules if name.partition(".")[0] not in own]
        if any(name == _SCRIPT or file_of(name) is None for name in others):
            return True
        return digest_code(*self.roots) == self.code
