"""The code that finds what differs from what landed, as it landed: an edit of it must not decide by
itself which tests see the edit.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def git(*arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(("git", "-C", str(ROOT), *arguments), capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def landed() -> str:
    """The commit that landed last, as far as this checkout knows; HEAD where it knows none."""
    return git("merge-base", "HEAD", "origin/main").strip()[:12] or "HEAD"


def load_as_landed(name: str) -> ModuleType:
    """A module of lingprobe: as it is where it did not change or is loaded, else as it landed."""
    path = ROOT / "src" / Path(*name.split(".")).with_suffix(".py")
    before = git("show", f"{landed()}:{path.relative_to(ROOT)}")
    now = path.read_text(encoding="utf-8") if path.exists() else ""
    if name in sys.modules or not before or before == now:
        return importlib.import_module(name)
    sys.modules[name] = module = ModuleType(name)
    module.__file__ = str(path)
    exec(compile(before, str(path), "exec"), module.__dict__)
    return module


# what the others import comes first
packages, source, closure = (
    load_as_landed(f"lingprobe.data.{name}") for name in ("_packages", "_source", "_closure")
)
