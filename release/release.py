"""Make a release of this commit, but for the upload: `make release`. It checks, builds, tags and
says what is left to do.

A commit before states the version in pyproject.toml, the changelog and CITATION.cff. With STEPS
some of the checks of release/check.py are run instead of all.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import about
import check
from check import ROOT, Unfit, ran

DIST = ROOT / "dist"


def prepared() -> str:
    """The version; Unfit where something is not stated that a release needs."""
    project = check.project()
    version = project["version"]
    if re.search(r"\.dev\d+$", version):
        raise Unfit(f"{version} is a development version: state that of the release and commit it")
    if missing := [name for name in about.WANTED if name not in project.get("urls", {})]:
        raise Unfit(f"pyproject.toml states no {' and no '.join(missing)} in [project.urls]")
    for name, derived in about.FILES.items():
        text = (ROOT / name).read_text("utf-8")
        if derived(text, project) != text:
            raise Unfit(f"{name} differs from pyproject.toml: run `python release/about.py`")
    return version


def tag(version: str) -> None:
    """The commit as a tag, which is taken back where version, changelog and citation differ."""
    name = f"v{version}"
    if name not in ran("git", "tag", "--points-at", "HEAD").split():
        ran("git", "tag", "--annotate", name, "--message", f"lingprobe {version}")
    try:
        check.version()
    except Unfit:
        ran("git", "tag", "--delete", name)
        raise


def main(steps: Sequence[str]) -> None:
    """Check, build into dist/, tag; nothing leaves this machine."""
    version = prepared()
    check.main(steps or ("build", "install", "lowest", "types"))
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        files = check.build(Path(folder))
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        for file in files:
            shutil.copy(file, DIST)
    tag(version)
    print(
        f"v{version} is tagged here and built in dist/. Left to do, by somebody with the rights:\n"
        f"  git push origin v{version}\n"
        "  python -m twine upload dist/*\n"
        "  recipe/recipe.yaml: the address of the sdist and its sha256 in place of `path`"
    )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Unfit as reason:
        sys.exit(f"release: {reason}")
