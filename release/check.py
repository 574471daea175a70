"""Whether this checkout can be released: `make release-check`, or some of its steps by name.

    python release/check.py [version] [build] [install] [lowest] [types]

version  tag, version and the newest heading of the changelog say the same
build    sdist and wheel, twice, bit for bit equal; what is in them; their metadata
install  wheel and sdist in a clean environment of each Python that is found here, and a small run
lowest   the tests, but for a few files, with the lowest versions of all packages that are allowed
types    mypy for three systems and four Pythons

Nothing is published. Packages come from the index that uv is configured for; `install` and
`lowest` load torch, which takes some gigabytes where the index has it for GPUs only. Exits with 1
and one sentence at the first thing that does not hold.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = ("linux", "darwin", "win32")
EXTRAS = ("hf", "st", "static")
TESTERS = ("pytest", "pytest-randomly", "pytest-xdist", "hypothesis", "conllu", "pandas")
# They ask about the repository, or about packages that are not among the lowest.
NEWEST = (
    *("docs", "house", "identity", "plugin", "public_api", "recording", "release", "site"),
    *("tutorials", "pages/test_mteb", "encoders/test_sentence_models"),
)
RUN = ("run", "-t", "ud/passive:embedded", "-e", "length", "--limit", "200", "--seeds", "1")


class Unfit(Exception):
    """What does not hold; the message says where and what to do."""


def ran(*command: str | Path, quiet: bool = True, **variables: str) -> str:
    """The output of a command in the checkout, which has to end well."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**_environment(), **variables},
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.PIPE if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        shown = " ".join(str(part) for part in command)
        raise Unfit(
            f"`{shown}` ends with {done.returncode}\n{done.stdout or ''}{done.stderr or ''}"
        )
    return done.stdout or ""


def _environment() -> dict[str, str]:
    """The environment without what would let a checkout stand in for an installed package, and with
    the Pythons of pyenv.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LINGPROBE_"))}
    others = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin")
    path = os.pathsep.join([str(BIN), os.environ["PATH"], *map(str, sorted(others))])
    return {**kept, "PATH": path, "OMP_NUM_THREADS": "1"}


def project() -> dict[str, str]:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


# ---- version


def version() -> None:
    """Tag, version and the newest heading agree, and the citation names the newest release."""
    stated = project()["version"]
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    tags = ran("git", "tag", "--points-at", "HEAD").split()
    if re.search(r"\.dev\d+$", stated):
        if headings[0] != "Unreleased" or tags:
            raise Unfit(
                f"{stated} is a development version: the changelog starts with [Unreleased] and"
                f" nothing is tagged, but it starts with [{headings[0]}], tags: {tags or 'none'}"
            )
        print(f"  {stated} is a development version: no tag, changes under [Unreleased]")
        return
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    if headings[0] != stated:
        raise Unfit(f"the version is {stated}, and the changelog starts with [{headings[0]}]")
    if cited is None or cited[1] != stated:
        raise Unfit(f"the version is {stated}, and CITATION.cff says another")
    if f"v{stated}" not in tags:
        raise Unfit(f"this commit has no tag v{stated}: `git tag v{stated}`")
    print(f"  {stated}: pyproject.toml, changelog, citation and tag agree")


# ---- build


def build(place: Path) -> list[Path]:
    """The wheel and the sdist, built twice from what is committed."""
    if ran("git", "status", "--porcelain").strip():
        raise Unfit("there are changes that are not committed: commit or stash them")
    moment = ran("git", "log", "-1", "--format=%ct").strip()
    for name in ("dist", "again"):
        out = place / name
        ran(sys.executable, "-m", "build", "--no-isolation", "-o", out, SOURCE_DATE_EPOCH=moment)
    files = sorted((place / "dist").iterdir(), key=lambda file: file.suffix != ".whl")
    for file in files:
        if _digest(file) != _digest(place / "again" / file.name):
            raise Unfit(f"{file.name} is not the same when it is built again")
        print(f"  {file.name}: {file.stat().st_size:,} bytes, the same when built again")
    _check_contents(*files)
    ran(sys.executable, "-m", "twine", "check", "--strict", *files)
    print("  twine: metadata and README are well-formed")
    return files


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _check_contents(wheel: Path, sdist: Path) -> None:
    """The wheel has the package whole and nothing else; the sdist what is committed."""
    committed = set(ran("git", "ls-files", "-z").split("\0")) - {""}
    package = {name.removeprefix("src/") for name in committed if name.startswith("src/")}
    inside = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n}
    if inside != package or "lingprobe/py.typed" not in inside:
        raise Unfit(f"the wheel differs from src/ by {sorted(inside ^ package)}")
    with tarfile.open(sdist) as tar:
        packed = {member.name.partition("/")[2] for member in tar.getmembers()}
    if packed - {"PKG-INFO"} != committed:
        raise Unfit(f"the sdist differs from the commit by {sorted(packed ^ committed)}")
    print(
        f"  the wheel has the {len(package)} files of src/lingprobe, the sdist all that is in git"
    )


# ---- environments


def install(files: Sequence[Path], place: Path) -> None:
    """Wheel and sdist in a clean environment each, and a small run in it."""
    missing = []
    for wanted in PYTHONS:
        if not _is_here(wanted):
            missing.append(wanted)
            continue
        for file in files:
            home = _fresh(place / f"{wanted}-{file.suffix[1:]}", wanted)
            pins = ("-c", "constraints.txt", "-b", "constraints.txt")
            ran("uv", "pip", "install", "-q", "--python", home, *pins, file)
            said = ran(home / "bin" / "lingprobe", "--version").strip()
            if said != f"lingprobe {project()['version']}":
                raise Unfit(f"{file.name} on Python {wanted} says that it is {said!r}")
            cache = str(home / "cache")
            table = ran(home / "bin" / "lingprobe", *RUN, "-o", home / "out", LINGPROBE_CACHE=cache)
            if "length" not in table:
                raise Unfit(f"{file.name} on Python {wanted} runs, and shows no table:\n{table}")
            shutil.rmtree(home)
            print(f"  Python {wanted}: {file.name} is installed, and `lingprobe run` shows a table")
    if missing:
        print(f"  not tried, because they are not on this machine: Python {', '.join(missing)}")


def _is_here(wanted: str) -> bool:
    look = ["uv", "python", "find", "-q", "--no-managed-python", "--no-python-downloads", wanted]
    done = subprocess.run(look, env=_environment(), capture_output=True, check=False)
    return done.returncode == 0


def _fresh(home: Path, wanted: str) -> Path:
    """An environment with nothing in it, of a Python that is on this machine."""
    ran("uv", "venv", "-q", "--no-managed-python", "--python", wanted, home)
    return home


def lowest(wheel: Path, place: Path) -> None:
    """The tests with the lowest versions that pyproject.toml allows, of extras too."""
    pins, home = place / "lowest.txt", _fresh(place / "lowest", PYTHONS[0])
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    ran(
        *("uv", "pip", "compile", "-q", "--python", home, "--resolution", "lowest-direct"),
        *("--no-header", "--no-annotate", *extras, "pyproject.toml", "-o", pins),
    )
    ran("uv", "pip", "install", "-q", "--python", home, "-r", pins, *TESTERS)
    ran("uv", "pip", "install", "-q", "--python", home, "--no-deps", wheel)
    asked = {re.split(r"[>=\[]", name)[0] for name in project()["dependencies"]}
    names = [line for line in pins.read_text().split() if line.partition("==")[0] in asked]
    print(f"  {', '.join(names)}")
    print(f"  not run: {', '.join(NEWEST)}", flush=True)
    left = [f"--ignore=tests/{name if '/' in name else f'test_{name}'}.py" for name in NEWEST]
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--numprocesses", "2", *left]
    ran(home / "bin" / "python", *command, quiet=False)


# ---- types


def types() -> None:
    """Mypy as each system and Python would see the code."""
    for system in SYSTEMS:
        for wanted in PYTHONS:
            ran(sys.executable, "-m", "mypy", "--platform", system, "--python-version", wanted)
        print(f"  {system}: mypy finds nothing, as Python {', '.join(PYTHONS)}")


def main(steps: Sequence[str]) -> None:
    """Run the steps in their order; those that install build first."""
    known = ("version", "build", "install", "lowest", "types")
    if strange := set(steps) - set(known):
        raise Unfit(f"no step is called {', '.join(sorted(strange))}; there are {', '.join(known)}")
    chosen = set(steps or known)
    if chosen & {"install", "lowest"}:
        chosen.add("build")
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        place, files = Path(folder), []
        for step in (step for step in known if step in chosen):
            print(step, flush=True)
            if step == "version":
                version()
            elif step == "build":
                files = build(place)
            elif step == "install":
                install(files, place)
            elif step == "lowest":
                lowest(files[0], place)
            else:
                types()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Unfit as reason:
        sys.exit(f"release-check: {reason}")
