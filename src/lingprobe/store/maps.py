"""Files in memory as the system maps them, without one that stays open: a process may have few open
files, and a store has many.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
import weakref
from collections.abc import Callable
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
_LOOKS = 3  # at a file whose handle is stale
_READ, _SHARED = 1, 1  # PROT_READ and MAP_SHARED, the same on Linux and macOS
_FAILED = ctypes.c_void_p(-1).value


def map_file(file: IO[bytes]) -> NDArray[np.uint8]:
    """The bytes of a file, read-only, for as long as the array or a part of it lives. OSError where
    it cannot be mapped.
    """
    size = os.fstat(file.fileno()).st_size
    calls = _calls()
    if calls is None or not size:  # Python's own keeps the file open
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return np.frombuffer(whole, np.uint8)
    map_bytes, unmap = calls
    start = map_bytes(None, size, _READ, _SHARED, file.fileno(), 0)
    if start is None or start == _FAILED:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    held = (ctypes.c_uint8 * size).from_address(start)
    weakref.finalize(held, unmap, start, size).atexit = False
    array = np.frombuffer(memoryview(held), np.uint8)
    array.flags.writeable = False
    return array


@functools.cache
def _calls() -> tuple[Any, Any] | None:
    """The system's calls to map and to unmap; None where they are other ones."""
    if os.name != "posix":
        return None
    system = ctypes.CDLL(None, use_errno=True)
    system.mmap.restype = ctypes.c_void_p
    integer, size, offset = ctypes.c_int, ctypes.c_size_t, ctypes.c_long
    system.mmap.argtypes = (ctypes.c_void_p, size, integer, integer, integer, offset)
    system.munmap.argtypes = (ctypes.c_void_p, size)
    return system.mmap, system.munmap


def try_anew(look: Callable[[], T]) -> T:
    """What a look at a file gives. A handle that is stale, as on a network file system where
    another machine replaced or removed the file, is got anew; then the file is taken to be gone.
    """
    for _ in range(_LOOKS):
        try:
            return look()
        except OSError as error:
            if error.errno != errno.ESTALE:
                raise
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
