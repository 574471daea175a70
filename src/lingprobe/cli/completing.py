"""What the Tab key offers: names of tasks, encoders and the like, from their tables of contents;
nothing of it imports what is named.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

_PLAIN = 12  # folders that are offered after a task's colon, at most


def complete_kinds(incomplete: str) -> list[str]:
    """Completes a kind of thing ('tasks')."""
    from lingprobe.api.listing import CONTENTS_PLACES

    return [kind for kind in (*CONTENTS_PLACES, "plugins") if kind.startswith(incomplete)]


def make_completer(kind: str) -> Callable[..., list[str]]:
    """Completes the `kinds`, or what is `listed` of one that was typed, or names of a kind."""
    if kind == "kinds":
        return complete_kinds
    return complete_listed if kind == "listed" else complete_names(kind)


def complete_names(kind: str) -> Callable[[str], list[str]]:
    """Completes tasks, encoders and the like: the name of a reference, and after the colon of a
    task a treebank of the working folder, or a code such as en_ewt.
    """

    def complete(incomplete: str) -> list[str]:
        from lingprobe.api.listing import get_contents

        contents = get_contents(kind)
        name, colon, argument = incomplete.partition(":")
        if not colon:
            return [each for each in contents if each.startswith(name)]
        if kind != "tasks" or name not in contents:
            return []
        from lingprobe.corpora.places import find_treebank_folders
        from lingprobe.corpora.universal import list_treebanks

        every = [*map(str, find_treebank_folders(Path())), *(list_treebanks() if argument else ())]
        banks = [bank for bank in every if bank.startswith(argument)]
        return [f"{name}:{bank}" for bank in banks[:_PLAIN]]

    return complete


def complete_listed(ctx: typer.Context, incomplete: str) -> list[str]:
    """Completes a reference of the kind that was typed before it, or after which the command is
    called.
    """
    kind = ctx.params.get("kind") or ctx.info_name or ""
    known = kind != "plugins" and kind in complete_kinds("")
    return complete_names(kind)(incomplete) if known else []
