"""Whether two checkouts of lingprobe find the same: both run one list of requests, and what they leave
is compared bit by bit.

    python benchmarks/recording.py OLD NEW [--only NAME ...] [--data FOLDER] [--output FOLDER]
    [--all] python benchmarks/recording.py --list

OLD and NEW are checkouts; what their package, command and variables are called is read off the one
folder in src. Each runs the requests of recording_requests.py beside the other, in a process of its own, from an empty cache for each
request, with one thread and in float32; --only runs some of them. --data is the folder of treebanks
and other data ($LINGPROBE_DATA without). With --output what was left is kept, and its `old` or `new`
can stand in place of a checkout later, to be compared again and not measured again, on the same
machine.

Compared are, of every result, score, interval, constants, gold, predictions, choice, strata,
clusters and counts; probabilities; data sets row by row; numbers in tables and audits; vectors bit
for bit. Not compared are identities, dates, seconds, versions and wording. Nothing is asked of
lingprobe but its command line (in the words that the checkout knows: `EARLIER`), and nothing is read but the files that it writes: `Left` says how, and
is the one place to change where a format or a name of a field does. Trials are told apart by the
names of their parts without options, and among equal ones by their order, so an option may come or
go.

Exits with 1 at a difference, and where a request failed or left nothing: what does not run was not
compared.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import os
import re
import resource
import runpy
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from recording_requests import INPUTS, OWN, RECORDED, REQUESTS

PREAMBLE = struct.Struct("<5s3sQ16s")
# of a result's provenance; of its notes, all numbers
KEPT = ("choice", "counts", "constants", "seeds")
PASSING = {
    "date",
    "fit_seconds",
    "seconds",
    "lingprobe",
    "sonde",
    "version",
    "versions",
    "format",
    "commit",
    "computed",
    "tested",
    "identity",
    "files",
}
EARLIER = {
    "--layers": "--read",
    "--baselines": "--bounds",
    "--no-baselines": "--no-bounds",
    "--dtype": "--store",
    "--keep-scores": "--keep scores",
    "--page": "--to",
}
"""What requests say, and what it was called before: a checkout that does not know the new name is
asked by the old one.
"""
GROUPED = {
    "train encoder": "train",
    "train parser": "train parser",
    **{
        f"{group} {name}": name
        for group, names in {
            "inside": "intervene geometry morphology",
            "cluster": "status slurm",
            "results": "curve predictions claims",
            "publish": "card submit board",
            "data": "languages audit-parser generate annotate tag",
            "train": "vectors export",
        }.items()
        for name in names.split()
    },
}
"""Commands of groups, and how they were called before there were groups."""
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?![\w.]*\w)")
SHOWN = 5  # differences of one request, unless all are asked for
Fields = dict[str, Any]


# ---- running


def prepared(place: Path, data: Path | None, requests: list[str]) -> None:
    """Make the inputs that the requests name, where they are not there yet."""
    place.mkdir(parents=True, exist_ok=True)
    for name in sorted(
        {
            n
            for request in requests
            for step in REQUESTS[request]
            for n in re.findall(r"(?<![\w/])data/([\w.-]+)", step)
        }
    ):
        if (place / name).exists():
            continue
        if data is None and name not in OWN:
            raise SystemExit(
                f"{name} is made from data: name their folder with --data, or set LINGPROBE_DATA"
            )
        shutil.rmtree(part := place / "part", ignore_errors=True)
        INPUTS[name](data or place, part)
        part.rename(place / name)


def started(checkout: Path, root: Path, requests: list[str]) -> subprocess.Popen[bytes]:
    """A process that records a checkout, from a copy, so that it may be edited meanwhile."""
    package = package_of(checkout)
    prefix = f"{package.upper()}_"
    source = root / "sources"
    for stale in (source, *(root / name for name in requests)):
        shutil.rmtree(stale, ignore_errors=True)
    shutil.copytree(checkout / "src", source)  # what was compiled holds for files of the same time
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    about = source / f"{package}-{project['version']}.dist-info"  # as if it were installed
    about.mkdir()
    (about / "METADATA").write_text(f"Name: {package}\nVersion: {project['version']}\n", "utf-8")
    (about / "entry_points.txt").write_text(entry_points(project), "utf-8")
    settings = {
        "PYTHONPATH": str(source),
        "OMP_NUM_THREADS": "1",
        f"{prefix}REPRODUCIBLE": "1",
        RECORDED: package,
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "200",
    }
    kept = f"{prefix}SHARED_CACHE"  # is only read, and decides no number
    handed_on = {k: v for k, v in os.environ.items() if not k.startswith(prefix) or k == kept}
    environment = handed_on | settings
    return subprocess.Popen(
        [sys.executable, __file__, "--work", str(root), str(source), *requests], env=environment
    )


def entry_points(project: dict[str, Any]) -> str:
    """The entry points of a project, as an installation writes them."""
    lines = []
    for group, points in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items()), ""]
    return "\n".join(lines)


def package_of(checkout: Path) -> str:
    """What the package of a checkout is called."""
    return next(path.parent.name for path in sorted((checkout / "src").glob("*/__init__.py")))


def work(root: Path, source: str, requests: list[str]) -> None:
    """Record one checkout: a folder for each request, with what its commands wrote, said and cost.

    Heavy libraries are imported once, and shared by the processes that commands run in.
    """
    place = importlib.import_module(os.environ[RECORDED]).__file__
    assert place is not None
    assert Path(place).is_relative_to(source), f"{place} is not of {source}"
    flags = flags_of(os.environ[RECORDED])
    for name in requests:
        (root / name).mkdir()
        (root / name / "data").symlink_to(root.parent / "inputs")
        codes, before = [], spent()
        for number, step in enumerate(REQUESTS[name]):
            codes.append(forked(root / name, number, spoken(shlex.split(step), flags)))
            if codes[-1]:
                break
        (root / name / "codes").write_text(
            json.dumps({"codes": codes, "seconds": round(spent() - before, 1)})
        )


def flags_of(package: str) -> dict[str, set[str]]:
    """The flags of each command of a checkout."""
    commands = importlib.import_module(f"{package}.cli").COMMANDS
    every = {name: commands[name].command(name).params for name in commands}
    return {
        name: {flag for each in parameters for flag in (*each.opts, *each.secondary_opts)}
        for name, parameters in every.items()
    }


def spoken(arguments: list[str], flags: dict[str, set[str]]) -> list[str]:
    """A command line in the words of a checkout whose commands have these flags."""
    whole, rest = " ".join(arguments[:2]), arguments[2:]
    if whole not in GROUPED:
        whole, rest = arguments[0], arguments[1:]
    elif whole not in flags:
        whole = GROUPED[whole]
    known = flags.get(whole) or flags.get(whole.split()[0], set())
    said = whole.split()
    for each in rest:
        is_new = each in EARLIER and each not in known
        said += EARLIER[each].split() if is_new else [each]
    return said


def spent() -> float:
    """Processor seconds of the processes that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def forked(place: Path, number: int, arguments: list[str]) -> int:
    """The exit code of a command line, run in a process of its own in a folder."""
    sys.stdout.flush()
    if (child := os.fork()) > 0:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code: Any = 70
    try:
        os.chdir(place)
        package = os.environ[RECORDED]
        os.environ[f"{package.upper()}_CACHE"] = str(place / "cache")
        for stream, name in ((1, f"{number}.out"), (2, f"{number}.err")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv = [package, *arguments]
        runpy.run_module(package, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


# ---- reading what was left


class Block:
    """A file of lingprobe's store: facts and named arrays. Read here as its format is documented, so
    that no checkout has a say in it.
    """

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        _, _, length, _ = PREAMBLE.unpack_from(content)
        header = json.loads(content[PREAMBLE.size : PREAMBLE.size + length])
        self.facts: dict[str, Any] = header["facts"]
        self._held, self._arrays = memoryview(content)[PREAMBLE.size + length :], header["arrays"]

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def array(self, name: str) -> np.ndarray:
        about = self._arrays[name]
        count = int(np.prod(about["shape"], dtype=np.int64))
        return np.frombuffer(
            self._held[about["start"] : about["stop"]], about["dtype"], count
        ).reshape(about["shape"])

    def plain(self, number: int) -> np.ndarray:
        """An array of a result, in the type that it had."""
        return self.array(f"{number}:plain").astype(self.facts["plain"][number])

    def labels(self, number: int) -> list[Any]:
        """A column of labels, one an example, by name: a class, a number, or the labels of a set
        with their weights.
        """
        about = self.facts["columns"][number]
        names, arrays = (
            about["names"],
            {key: self.array(f"{number}:{key}") for key in about["dtypes"]},
        )
        if about["loss"] == "softmax":
            return [names[i] for i in arrays["ids"]]
        if about["loss"] == "squared":
            return list(arrays["values"].tolist())
        cells = [
            [names[i], w] for i, w in zip(arrays["ids"], arrays["weights"].tolist(), strict=True)
        ]
        return [
            cells[a:b] for a, b in zip(arrays["offsets"][:-1], arrays["offsets"][1:], strict=True)
        ]


class Left:
    """What a request left in a folder, as items of comparable fields; the one place that knows
    names, formats and what passes.
    """

    def __init__(self, place: Path) -> None:
        self.place = place

    def items(self) -> Iterator[tuple[str, Fields]]:
        yield from self._results()
        yield from self._files()
        yield from self._vectors()

    def _found(self, pattern: str) -> list[Path]:
        return sorted(
            path
            for path in self.place.rglob(pattern)
            if path.relative_to(self.place).parts[0] != "data"
        )

    def _results(self) -> Iterator[tuple[str, Fields]]:
        """Results, each with its scores where they were kept, under the parts of their trials."""
        found: dict[str, list[tuple[str, Fields]]] = defaultdict(list)
        for path in self._found("*.result"):
            block = Block(path)
            scores = (
                Block(path.with_suffix(".scores")) if path.with_suffix(".scores").exists() else None
            )
            kept = {row["id"]: row for row in scores.facts["scores"]} if scores else {}
            for row in block.facts["results"]:
                trial = {key: str(value) for key, value in row["trial"].items()}
                fields = self._result(block, row)
                if scores and "arrays" in kept[row["id"]]:
                    fields |= {
                        f"probabilities {key}": scores.plain(n)
                        for key, n in kept[row["id"]]["arrays"].items()
                    }
                name = " ".join(
                    [
                        str(path.parent.relative_to(self.place)),
                        *(value.partition(",")[0] for value in trial.values()),
                    ]
                )
                found[name].append((json.dumps(trial), fields))
        for name, alike in found.items():
            for number, (_, fields) in enumerate(sorted(alike, key=lambda pair: pair[0])):
                yield f"{name} #{number}", fields

    @staticmethod
    def _result(block: Block, row: dict[str, Any]) -> Fields:
        numbers = {key: row[key] for key in ("metric", "score", "low", "high", "majority")}
        labels = {key: block.labels(row[key]) for key in ("gold", "predicted")}
        strata = {f"stratum {key}": block.labels(number) for key, number in row["strata"].items()}
        clusters = {
            f"clusters {key}": block.plain(number) for key, number in row["clusters"].items()
        }
        made = {key: passed(row["provenance"].get(key)) for key in KEPT}
        notes = row["provenance"].get("notes") or "{}"
        return {
            **numbers,
            **labels,
            **strata,
            **clusters,
            **made,
            "notes": counted(json.loads(notes) if isinstance(notes, str) else notes),
        }

    def _files(self) -> Iterator[tuple[str, Fields]]:
        """Files that were asked for, and what was printed: rows of data as they are, of texts the
        numbers.
        """
        for path in self._found("*.*"):
            inside = path.relative_to(self.place)
            if inside.parts[0] == "cache" or path.is_dir():
                continue
            # what a run writes to be opened says again what the store says
            if (path.parent.parent / "results.parquet").exists():
                continue
            if path.suffix in (".jsonl", ".json"):
                rows = [
                    json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()
                ]
                yield (
                    f"file {inside}",
                    {"rows": [counted(row) if "sonde" in row else passed(row) for row in rows]},
                )
            elif path.suffix in (".txt", ".tsv", ".vec", ".tagged"):
                yield f"file {inside}", {"lines": path.read_text("utf-8").split("\n")}
            elif path.suffix in (".out", ".md") and path.stat().st_size:
                yield f"numbers in {inside}", {"lines": numbers_in(path.read_text("utf-8"))}

    def _vectors(self) -> Iterator[tuple[str, Fields]]:
        """Vectors of each encoder by slot, sentences in the order of their keys; encoders of the
        same slots in that of their bytes.
        """
        found: dict[str, list[tuple[bytes, Fields]]] = defaultdict(list)
        for folder in sorted({path.parent for path in self._found("*.vectors")}):
            fields = vectors_in(folder)
            size = max(int(array.shape[0]) for array in fields.values())
            digest = b"".join(array.tobytes()[:4096] for array in fields.values())
            found[
                f"vectors {'+'.join(name for name in fields if ' ' not in name)} [{size}]"
            ].append((digest, fields))
        for name, alike in found.items():
            for number, (_, fields) in enumerate(sorted(alike, key=lambda pair: pair[0])):
                yield f"{name} #{number}", fields


def vectors_in(folder: Path) -> Fields:
    """Slot -> vectors of all sentences that have an entry, and how many units each has, and which
    units are of which word.
    """
    rows: dict[str, dict[bytes, tuple[np.ndarray, np.ndarray | None]]] = defaultdict(dict)
    for path in sorted(folder.glob("*.vectors"), key=lambda p: p.stat().st_mtime_ns):
        block = Block(path)
        keys = block.array("keys")
        spans = (
            block.array("spans:sentences")
            if "spans:sentences" in block
            else np.arange(len(keys) + 1)
        )
        words, first = (
            (block.array("spans:words"), block.array("spans:first_word"))
            if "spans:words" in block
            else (None, None)
        )
        for slot in block.facts["slots"]:
            layer = block.array(f"layer:{slot}")
            for i, key in enumerate(keys):
                inside = (
                    None
                    if words is None or first is None
                    else words[first[i] : first[i + 1]] - spans[i]
                )
                rows[slot].setdefault(key.tobytes(), (layer[spans[i] : spans[i + 1]], inside))
    fields: Fields = {}
    for slot, held in sorted(rows.items()):
        ordered = [held[key] for key in sorted(held)]
        fields[slot] = np.concatenate([layer for layer, _ in ordered])
        fields[f"{slot} keys"] = np.frombuffer(b"".join(sorted(held)), "<u8").reshape(-1, 2)
        fields[f"{slot} units"] = np.array([len(layer) for layer, _ in ordered])
        if all(inside is not None for _, inside in ordered):
            fields[f"{slot} words"] = np.concatenate(
                [inside for _, inside in ordered if inside is not None]
            )
    return fields


def passed(value: Any) -> Any:
    """A value without what may differ between any two runs."""
    if isinstance(value, dict):
        return {key: passed(inner) for key, inner in value.items() if key not in PASSING}
    return [passed(inner) for inner in value] if isinstance(value, list) else value


def counted(value: Any, path: str = "") -> dict[str, Any]:
    """All numbers in a value by their paths."""
    if isinstance(value, dict):
        inner = [(f"{path}/{key}", v) for key, v in value.items() if key not in PASSING]
    elif isinstance(value, list):
        inner = [(f"{path}/{i}", v) for i, v in enumerate(value)]
    else:
        return {path: value} if isinstance(value, int | float) else {}
    return {key: number for part, v in inner for key, number in counted(v, part).items()}


def numbers_in(text: str) -> list[list[str]]:
    """The numbers of each line of a text; of CSV without the columns that may differ between any
    two runs.
    """
    lines = text.splitlines()
    if lines and lines[0].count(",") > 5 and not NUMBER.search(lines[0]):
        table = list(csv.DictReader(lines))
        lines = [
            " | ".join(str(value) for key, value in row.items() if key not in PASSING)
            for row in table
        ]
    return [NUMBER.findall(line) for line in lines if NUMBER.search(line)]


# ---- comparing


def difference(old: Any, new: Any) -> str | None:
    """Where two values differ first, and how; None where they are the same to the bit."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        return arrays_differ(old, new)
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [
            key
            for key in [*old, *(k for k in new if k not in old)]
            if key not in old or key not in new or difference(old[key], new[key])
        ]
        if not keys:
            return None
        key = keys[0]
        inner = (
            difference(old[key], new[key])
            if key in old and key in new
            else f"only {'old' if key in old else 'new'}"
        )
        return f"{key}: {inner}" + (
            f" ({len(keys)} of {len(old.keys() | new.keys())} entries differ)"
            if len(keys) > 1
            else ""
        )
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{len(old)} != {len(new)} rows"
        rows = [
            i
            for i, pair in enumerate(zip(old, new, strict=True))
            if pair[0] != pair[1] and difference(*pair)
        ]
        return (
            f"row {rows[0]}: {difference(old[rows[0]], new[rows[0]])} ({len(rows)} of {len(old)}"
            " rows differ)"
            if rows
            else None
        )
    same = type(old) is type(new) and (old == new or (old != old and new != new))
    return None if same else f"{old!r:.200} != {new!r:.200}"


def arrays_differ(old: np.ndarray, new: np.ndarray) -> str | None:
    """The same of arrays, bit by bit."""
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        return f"{old.dtype} {old.shape} != {new.dtype} {new.shape}"
    if old.tobytes() == new.tobytes():
        return None
    a, b = (np.ascontiguousarray(x).reshape(-1).view(f"u{x.itemsize}") for x in (old, new))
    changed = np.flatnonzero(a != b)
    where = tuple(int(i) for i in np.unravel_index(changed[0], old.shape))
    return (
        f"at {where}: {old[where]!r} != {new[where]!r} ({len(changed)} of {len(a)} numbers differ)"
    )


def compared(old: Path, new: Path) -> tuple[int, list[str]]:
    """How many fields were compared, and what differs."""
    one, other = dict(Left(old).items()), dict(Left(new).items())
    lines = [
        f"{item}: only in {'old' if item in one else 'new'}"
        for item in sorted(one.keys() ^ other.keys())
    ]
    many = 0
    for item in sorted(one.keys() & other.keys()):
        for field in [*one[item], *(f for f in other[item] if f not in one[item])]:
            many += 1
            if (found := difference(one[item].get(field), other[item].get(field))) is not None:
                lines.append(f"{item}: {field}: {found}")
    return many, lines


def failure(place: Path) -> str | None:
    """Why a request did not end well; None where it did."""
    codes = json.loads((place / "codes").read_text())["codes"] if (place / "codes").exists() else []
    if not codes:
        return "it was not recorded"
    said = (place / f"{len(codes) - 1}.err").read_text("utf-8", "replace").strip().splitlines()[-3:]
    return (
        f"command {len(codes) - 1} ended with {codes[-1]}: {' / '.join(said)}"
        if codes[-1]
        else None
    )


def told(root: dict[str, Path], requests: list[str], everything: bool) -> int:
    """Compare request by request, and say what differs; how many differ, failed or left nothing."""
    fields = differing = failed = 0
    for name in requests:
        places = {side: folder / name for side, folder in root.items()}
        reasons = {side: why for side, place in places.items() if (why := failure(place))}
        many, lines = (0, []) if reasons else compared(places["old"], places["new"])
        fields, differing, failed = (
            fields + many,
            differing + bool(lines),
            failed + bool(reasons or not many),
        )
        print(
            f"{name:20} {many:7,} fields, {len(lines)} differ"
            + ("" if many or reasons else ": nothing was left"),
            flush=True,
        )
        for side, why in reasons.items():
            print(f"  FAILED in {side}: {why}")
        for line in lines if everything else lines[:SHOWN]:
            print(f"  DIFFERS {line}")
        if len(lines) > SHOWN and not everything:
            print(f"  ... and {len(lines) - SHOWN} more; --all shows them")
    print(
        f"recording requests={len(requests)} fields={fields} differing={differing} failed={failed}"
        " target=0"
    )
    return differing + failed


def main() -> None:
    """Record what has to be recorded, and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", nargs="?", type=Path)
    parser.add_argument("new", nargs="?", type=Path)
    parser.add_argument(
        "--only",
        nargs="+",
        default=["*"],
        metavar="NAME",
        help="these requests; patterns such as ud* will do",
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("--output", type=Path, help="keep what was recorded in this folder")
    parser.add_argument("--all", action="store_true", help="show every difference")
    parser.add_argument("--list", action="store_true", help="show the requests")
    if sys.argv[1:2] == ["--work"]:
        return work(Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
    chosen = parser.parse_args()
    requests = [name for name in REQUESTS if any(fnmatch(name, pattern) for pattern in chosen.only)]
    if chosen.list:
        return print(
            "\n".join(
                f"{name}\n" + "\n".join(f"    lingprobe {step}" for step in REQUESTS[name])
                for name in requests
            )
        )
    if chosen.new is None or not requests:
        parser.error(
            "name two checkouts" if requests else "no request has such a name; --list shows them"
        )
    folder = (chosen.output or Path(tempfile.mkdtemp(prefix="lingprobe-recording-"))).resolve()
    try:
        wrong = recorded(
            folder, {"old": chosen.old, "new": chosen.new}, chosen.data, requests, chosen.all
        )
    finally:
        if chosen.output is None:
            shutil.rmtree(folder, ignore_errors=True)
    raise SystemExit(1 if wrong else 0)


def recorded(
    folder: Path, sides: dict[str, Path], data: Path | None, requests: list[str], everything: bool
) -> int:
    """Record the checkouts side by side, take recordings as they are, and compare; how many
    requests are not the same.
    """
    checkouts = {side: place for side, place in sides.items() if (place / "src").is_dir()}
    roots = {
        side: folder / side if side in checkouts else place.resolve()
        for side, place in sides.items()
    }
    prepared(folder / "inputs", Path(data).resolve() if data else None, requests)
    workers = {side: started(place, roots[side], requests) for side, place in checkouts.items()}
    for side, worker in workers.items():
        if worker.wait() != 0:
            print(f"recording {sides[side]} ended with {worker.returncode}")
    return told(roots, requests, everything)


if __name__ == "__main__":
    main()
