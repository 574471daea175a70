"""Foreign code, such as an encoder in a user's file, run so that a failure does no harm."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from lingprobe.data.digests import checksum_bytes
from lingprobe.data.errors import LingprobeError, describe_missing
from lingprobe.data.printing import strip_unprintable

_FROM_FILE = "lingprobe_file_"


class ExitingCode(LingprobeError, RuntimeError):
    """Code that called sys.exit, which would have ended the run without a word."""


@contextmanager
def foreign_code(name: str) -> Iterator[None]:
    """Run code called `name`: sys.exit in it is an error of its own, and the working folder is
    restored afterwards.
    """
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        folder = ""
    try:
        yield
    except SystemExit as end:
        raise ExitingCode(
            f"{name} called sys.exit({'' if end.code is None else end.code!r}): let it return or"
            " raise"
        ) from end
    finally:
        with suppress(OSError):
            if folder and os.getcwd() != folder:
                os.chdir(folder)


def module_name(file: Path) -> str:
    """What the module of a user's file is called."""
    return f"{_FROM_FILE}{checksum_bytes(os.fsencode(file.expanduser().resolve())).hex()[:12]}"


class _FromSource(SourceFileLoader):
    """Reads the source and no bytecode beside it, which Python takes for that of another source of
    the same size and second; none is written there either.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def import_file(file: Path) -> ModuleType:
    """A user's Python file as a module, imported once a process; the user asks for this code to
    run.
    """
    name = module_name(file)
    if name in sys.modules:
        return sys.modules[name]
    loader = _FromSource(name, str(file))
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        with foreign_code(str(file)):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def imported_files() -> list[Path]:
    """The users' files that were imported so far, which another process has to import to read what
    they made.
    """
    return [
        Path(str(module.__file__))
        for name, module in list(sys.modules.items())
        if name.startswith(_FROM_FILE)
    ]


def one_line(error: BaseException) -> str:
    """The kind of an exception, the first line of its message, and where it left a user's file; of
    a package that is missing, how to install it.
    """
    if isinstance(error, ImportError) and (missing := describe_missing(error)):
        return missing
    first = strip_unprintable((str(error).strip().splitlines() or [""])[0])
    said = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return said + locate_error(error)


def locate_error(error: BaseException) -> str:
    """Where an exception left the last user's file that it went through, as ', at FILE:LINE'; ''
    for none.
    """
    places = [
        f"{Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith(_FROM_FILE)
    ]
    return f", at {places[-1]}" if places else ""
