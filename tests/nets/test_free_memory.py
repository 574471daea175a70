"""How much memory a process can still take."""

import os
import sys

import pytest

from lingprobe.nets.device import free_memory


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says")
def test_free_memory_is_a_part_of_what_there_is():
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = free_memory()
    assert free is not None
    assert 2**20 < free < total
