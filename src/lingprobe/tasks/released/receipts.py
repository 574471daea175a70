"""Where fetched files came from, and whether files are the published ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lingprobe.corpora.files import uncompressed_path
from lingprobe.tasks.released.catalogue import Collection, KnownFile, read_collections
from lingprobe.tasks.released.content import FileContent, examine_file

RECEIPT_FILE = "fetched.json"


def read_receipts(folder: Path) -> dict[str, Any]:
    """What is known of where the files of a folder came from."""
    try:
        receipts = json.loads((folder / RECEIPT_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return receipts if isinstance(receipts, dict) else {}


def is_published(path: str | Path) -> bool | None:
    """Whether a file is the published one: by checksum where one is known, else by the receipt of a
    fetch from its publishers.

    False where rows or checksum contradict what is known, None where nothing decides.
    """
    file = Path(path).expanduser()
    parts = uncompressed_path(file).parts
    owners = [
        (c, name)
        for c in read_collections().values()
        for name in (*c.files, *c.inside)
        if parts[-len(Path(name).parts) :] == Path(name).parts
    ]
    if not owners:
        return None
    content = examine_file(file)
    answers = [_answer(file, owner, name, content) for owner, name in owners]
    return True if True in answers else False if False in answers else None


def _answer(file: Path, owner: Collection, name: str, content: FileContent) -> bool | None:
    known = owner.known_files().get(name, KnownFile())
    if known.sha256 is not None:
        return known.sha256 == content.sha256
    receipt = read_receipts(file.parents[len(Path(name).parts) - 1]).get(name, {})
    if receipt.get("url") == owner.base + name and receipt.get("sha256") == content.sha256:
        return True
    return False if known.rows not in (None, content.rows) else None


def all_published(paths: Sequence[Path]) -> bool | None:
    """Whether all of some files are the published ones; False where one is not, None where nothing
    decides.
    """
    answers = [is_published(path) for path in paths]
    return True if all(answers) else False if False in answers else None
