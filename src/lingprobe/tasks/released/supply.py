"""Treebanks that tasks name and that are not here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from lingprobe.corpora.places import MissingTreebank
from lingprobe.corpora.universal import Treebank
from lingprobe.data.cache import OFFLINE_VARIABLE, is_on
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference
from lingprobe.tasks import TASKS
from lingprobe.tasks.task import DefinedTask


def supply_treebanks(references: Iterable[Any]) -> None:
    """Download the treebanks that tasks name by code and that are not here, unless
    LINGPROBE_OFFLINE or HF_HUB_OFFLINE forbids it; each is announced. Raises DataProblem.
    """
    for reference in references:
        while (bank := _find_lacking_treebank(reference)) is not None:
            if forbidden := find_offline_variable():
                raise DataProblem(
                    f"{MissingTreebank(bank)} ({forbidden} is set, so nothing is fetched)"
                )
            from lingprobe.tasks.released.universal import fetch_treebank  # loads the network

            fetch_treebank(bank)


def find_offline_variable() -> str:
    """The variable that forbids to fetch anything unasked, '' where none does."""
    named = {
        OFFLINE_VARIABLE: os.environ.get(OFFLINE_VARIABLE),
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE"),
    }
    return next((name for name, value in named.items() if is_on(value)), "")


def _find_lacking_treebank(reference: Any) -> Treebank | None:
    """The first treebank that a task lacks; what else is wrong with it is told by whoever reads
    it.
    """
    if not isinstance(reference, Reference):
        return None
    try:
        made = TASKS.make(reference)
        if isinstance(made, DefinedTask):
            made.parts()
    except MissingTreebank as absent:
        return absent.bank
    except Exception:  # whatever it is, also in a file of the user's
        return None
    return None
