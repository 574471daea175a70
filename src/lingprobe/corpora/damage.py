"""Damaged files, and files that are something else: one sentence that names the file, whatever a
library raises over its bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError

_OBJECTS = ("bject arrays", "Python objects", "pickled data")
"""In what NumPy says of files that it would have to unpickle."""


@contextmanager
def report_damage(path: Path, kind: str) -> Iterator[None]:
    """Read a file: whatever is raised over what is in it, which may be anything, is a DataProblem
    that names the file.

    kind  what the file should be, such as 'JSON' or 'a NumPy .npz file'
    """
    try:
        yield
    except LingprobeError:
        raise
    except Exception as error:
        if path.expanduser().is_file() and _web_page(path):
            raise DataProblem(
                f"{path} is a web page, not {kind}; the address may have moved: download the file"
                " again"
            ) from error
        if isinstance(error, pickle.UnpicklingError) or any(o in str(error) for o in _OBJECTS):
            raise DataProblem(
                f"{path} holds Python objects, and reading those could run code; get the file that"
                " holds numbers alone"
            ) from error
        raise DataProblem(
            f"{path}: not {kind} that can be read ({_take_first_sentence(error)}); is the"
            " download complete?"
        ) from error


def _web_page(path: Path) -> bool:
    """Whether a server sent a page in place of the file."""
    with path.expanduser().open("rb") as file:
        return file.read(1024).lstrip()[:6].lower().startswith((b"<html", b"<!doct"))


def _take_first_sentence(error: Exception) -> str:
    """The first sentence of what a library says; some go on with advice of their own."""
    return one_line(error).split(". ")[0]
