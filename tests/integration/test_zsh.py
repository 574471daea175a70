"""The Tab key, pressed in zsh."""

import os

import pytest

from cli.test_completing import CASES, read_until, shell_of
from integration.conftest import command

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_tab_completes_in_zsh(tmp_path, typed, completed):
    command("zsh")
    with shell_of("zsh", tmp_path) as shell:
        os.write(shell, f"{typed}\t".encode())
        read_until(shell, completed)
