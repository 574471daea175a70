"""Tests run on a changed module in a fork of this process, which has imported everything before.

A change inside of functions is put into the functions that there are; for any other the tree's own
modules are forgotten and imported anew from the changed file.
"""

from __future__ import annotations

import gc
import io
import os
import resource
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

PLUGINS = ("cacheprovider", "randomly", "unraisableexception", "xdist")
COMPILED = b"import numba"  # in a module of which something is
QUIET = ("-q", "-x", *(f"-pno:{name}" for name in PLUGINS))


def forked(work: Callable[[], int], seconds: float) -> int | None:
    """What a copy of this process returns from some work; None where it dies or uses up so many
    seconds of the processor.
    """
    child = os.fork()
    if not child:
        code = 1
        try:
            limit = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            code = work()
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None


class Failure:
    """Writes which test failed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.path.write_text(report.nodeid, "utf-8")


Codes = Mapping[CodeType, CodeType]


class Trials:
    """A tree of files whose tests have been imported here, and all of its functions."""

    def __init__(self, tree: Path, tests: Sequence[Path]) -> None:
        self.tree = tree
        self.options = (*QUIET, f"--basetemp={tree.parent / 'temporary'}")
        with redirect_stdout(io.StringIO()):
            pytest.main([*self.options, "--collect-only", *map(str, tests)])
        self.functions = [
            each
            for each in gc.get_objects()
            if type(each) is FunctionType and each.__code__.co_filename.startswith(f"{tree}/")
        ]
        gc.freeze()

    def fails(self, tests: Sequence[str], codes: Codes) -> int:
        """Run tests: with some code put in the place of other, or with none, on modules imported
        anew; pytest's exit code.
        """
        for function in self.functions:
            function.__code__ = codes.get(function.__code__, function.__code__)
        if not codes:
            forget(self.tree)
            self._compile_elsewhere()
        failure = Failure(self.tree.parent / "failure")
        return int(pytest.main([*self.options, *tests], plugins=[failure]))

    def _compile_elsewhere(self) -> None:
        """Leave alone what numba has kept of the modules as they are."""
        os.environ["NUMBA_CACHE_DIR"] = place = str(self.tree.parent / "compiled")
        if "numba" in sys.modules:
            sys.modules["numba"].config.CACHE_DIR = place

    def exchange(self, path: Path, old: bytes, new: bytes) -> Codes:
        """The code of the functions that a change of a module changes, before and after; empty
        where it changes anything else, functions that are not there, or a module of which numba
        compiles something, or has compiled it before.
        """
        if COMPILED in old:
            return {}
        try:
            before, after = (compile(text, path, "exec") for text in (old, new))
            pairs = dict(_changed(before, after))
        except (SyntaxError, LookupError):
            return {}
        there = {function.__code__ for function in self.functions}
        fits = all(
            one in there and one.co_freevars == two.co_freevars for one, two in pairs.items()
        )
        return pairs if fits else {}


def forget(tree: Path) -> None:
    """Forget all modules of a tree, so that they are imported anew."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{tree}/"):
            del sys.modules[name]
    for name in ("fixtures", "reference"):  # folders without a file of their own
        sys.modules.pop(name, None)


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions in a module or class that differ; LookupError where more than these does."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    outer = [
        (code.co_code, code.co_names, [c for c in code.co_consts if not isinstance(c, CodeType)])
        for code in (old, new)
    ]
    if outer[0] != outer[1] or len(inner[0]) != len(inner[1]):
        raise LookupError
    for one, two in zip(*inner, strict=True):
        if not one.co_flags & CO_OPTIMIZED:
            yield from _changed(one, two)
        elif one != two:
            yield one, two
