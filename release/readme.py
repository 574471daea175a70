"""The README as an index of packages shows it: links and pictures lead to the repository, since an
index has no other files. The build calls this; without a repository in pyproject.toml the README
stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)]+)\)")


def link_to_repository(text: str, repository: str, version: str) -> str:
    """The README with relative links as addresses of a version; pictures as files, not pages."""
    base = repository.rstrip("/")

    def address(link: re.Match[str]) -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}{link[2]}({base}/{kind}/v{version}/{link[3]})"

    return LINK.sub(address, text)


class ReadmeHook(MetadataHookInterface):
    """Sets the field `readme` of the package's metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the README into the metadata."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        if repository := metadata.get("urls", {}).get("Repository"):
            text = link_to_repository(text, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
