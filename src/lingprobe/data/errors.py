"""The root of all exceptions that lingprobe raises, and how to install what is missing."""

_CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
"""Where torch is without CUDA, which has gigabytes."""


class LingprobeError(Exception):
    """Something that lingprobe cannot do as asked; the message says what is wrong, where, and what
    to do.

    Every exception of lingprobe derives from it; most also derive from `ValueError`.
    """


def describe_install(*extras: str) -> str:
    """The command that adds an extra, which an error says where one is missing; from where this
    copy of lingprobe came: a checkout, a file, or an index of packages.
    """
    import json
    import shlex
    from importlib import metadata
    from urllib.parse import unquote, urlsplit

    wanted = f"[{','.join(extras)}]" if extras else ""
    try:
        origin = metadata.distribution("lingprobe").read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # run from its source, which was never installed
        origin = None
    place = json.loads(origin).get("url", "") if origin else ""
    if place.startswith("file:") and not place.endswith((".whl", ".gz")):
        return f"pip install {shlex.quote(unquote(urlsplit(place).path) + wanted)}"
    return f"pip install {shlex.quote(f'lingprobe{wanted}' + (f' @ {place}' if place else ''))}"


def describe_missing(error: ImportError) -> str:
    """How to install torch, where an import lacks it; '' for other packages."""
    return describe_torch() if (error.name or "").partition(".")[0] == "torch" else ""


def describe_torch() -> str:
    """That torch is not installed, and how it is."""
    return (
        f"torch is not installed: {describe_install('torch')} (without a GPU, first"
        f" `pip install torch --index-url {_CPU_WHEELS}`)"
    )


def has_torch() -> bool:
    """Whether torch is installed; it is not imported."""
    from importlib.util import find_spec

    try:
        return find_spec("torch") is not None
    except (ImportError, ValueError):
        return False


class UsageProblem(LingprobeError, ValueError):
    """Arguments that conflict, or that name nothing."""


class DataProblem(LingprobeError, ValueError):
    """Something is wrong with data; the message says what, where (file:line) and what to do."""


class ReadingProblem(LingprobeError, ValueError):
    """Vectors that cannot be read as the task requires; the message says what to change."""


class ReferenceProblem(LingprobeError, ValueError):
    """A reference that names nothing, or is malformed; the message says what to write instead."""
