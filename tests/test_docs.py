"""What the README and the pages show is run: commands and Python blocks, in a folder that has what
they name.

A command that names a model of the hub is parsed and planned with that encoder named but not made;
all others are run. Numbers may differ in the last digits between machines; what else a block shows
must be there word by word."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lingprobe
from fixtures.build_data import WHOLE
from fixtures.forked import python
from fixtures.models import chat_model, sentence_transformer
from fixtures.plugin import PLUGIN
from lingprobe.cli import COMMANDS
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data import core
from lingprobe.data.abilities import TunedProbe
from lingprobe.data.identity import HasFingerprint
from lingprobe.data.references import Reference
from lingprobe.datasets.controls import ChanceControl, SameProbe
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS
from tasks.publications import compeval, pair_sets, senteval, text_sets, xprobe

ROOT = Path(__file__).parent.parent
FINDINGS = sorted((ROOT / "docs" / "results").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *FINDINGS]
PLAIN = [page for page in PAGES if not page.with_suffix(".ipynb").exists()]  # no guides
NOTES = [*(ROOT / "docs" / "design").glob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")
HUB = ("hf", "st", "api", "lm")
CHAT = "Qwen/Qwen3-0.6B"  # in whose place a tiny model of ours is run
PROBED = re.compile(r"""(probes=(?:"logreg"|\["logreg"\])(?:, seeds=1)?)\)""")
CLOSE = 4.0  # points of score between machines


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(kind: str, pages: Sequence[Path] = PAGES) -> Iterator[Block]:
    for page in pages:
        text = page.read_text("utf-8")
        for found in FENCE.finditer(text):
            if found[1] == kind:
                yield Block(page.name, text.count("\n", 0, found.start()) + 1, kind, found[2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory, environment) -> Path:
    """A working folder in which everything that the pages name is there, small and written by
    us.
    """
    place = tmp_path_factory.mktemp("docs")
    sentences = "\n".join(generate_treebank(1500)).split("\n\n")
    for bank, code in (
        ("UD_English-EWT", "en_ewt"),
        ("UD_English-GUM", "en_gum"),
        ("UD_Polish-PDB", "pl_pdb"),
    ):
        (place / bank).mkdir()
        for split, part in (
            ("train", sentences[:1200]),
            ("dev", sentences[1200:1350]),
            ("test", sentences[1350:]),
        ):
            (place / bank / f"{code}-ud-{split}.conllu").write_text(
                "\n\n".join(part).strip() + "\n\n", "utf-8"
            )
    texts = [
        line.removeprefix("# text = ")
        for s in sentences
        for line in s.splitlines()
        if line.startswith("# text = ")
    ]
    for name in ("sentences.txt", "novels.txt"):
        (place / name).write_text("\n".join(texts) + "\n", "utf-8")
    for name in ("train.en", "train.de"):  # of other sentences than the treebank
        lines = (f"the dog of {a} sees {b} .\n" for a in ("Ida", "Jan", "Eva") for b in range(30))
        (place / name).write_text("".join(lines), "utf-8")
    rng = np.random.default_rng(0)
    np.savez(
        place / "my_vectors.npz",
        sentences=np.array(texts),
        vectors=rng.normal(size=(len(texts), 8)).astype(np.float32),
    )
    words = sorted({word for text in texts for word in text.split()})
    (place / "novels.vec").write_text(
        f"{len(words)} 2\n" + "".join(f"{word} {i}.0 1.0\n" for i, word in enumerate(words)),
        "utf-8",
    )
    labelled_rows(place)
    senteval(place / "senteval")
    text_sets(place / "downstream")
    pair_sets(place / "downstream")
    minimal_pairs(place / "blimp")
    compeval(place / "task_datasets")
    xprobe(place / "xprobe" / "en")
    (place / "request.json").write_text(
        next(b.text for b in blocks("json") if b.page == "generate.md"), "utf-8"
    )
    for file in (*PLUGIN.glob("*.py"), *(PLUGIN / "src" / "lingprobe_example").glob("[!_]*.py")):
        shutil.copy(file, place)
    sentence_transformer(place / "tiny")
    chat_model(place / "tiny" / "chat")
    talks(place)
    encoders = ("-e", "length", "-e", "bow:random")
    measured = (
        "run",
        "-t",
        "ud/tense:UD_English-EWT",
        *encoders,
        "--probe",
        "logreg",
        "--seeds",
        "1",
        "-o",
        "results/",
    )
    # blocks run in any order, and some report
    done = python("-m", "lingprobe", *measured, folder=place, environment=environment)
    assert done.returncode == 0, done.stderr
    return place


def labelled_rows(place: Path) -> None:
    """Tables of labelled sentences as anybody has them: one file, and a folder of the hub."""
    rows = [(f"the dog {'saw' if i % 2 else 'sees'} cat {i}", i % 2) for i in range(120)]
    lines = [f"{text},{label}" for text, label in rows]
    (place / "reviews.csv").write_text("\n".join(["text,label", *lines]) + "\n")
    graded = [f"{text},{label},{i // 4}" for i, (text, label) in enumerate(rows)]
    (place / "graded.csv").write_text("\n".join(["review,stars,author", *graded]) + "\n")
    spans = [f'{{"text": "{text}", "mention": "dog", "label": "{label}"}}' for text, label in rows]
    (place / "mentions.jsonl").write_text("\n".join(spans) + "\n")
    (place / "hub").mkdir()
    for split in ("train", "validation", "test"):
        columns = {"sentence": [text for text, _ in rows], "label": [label for _, label in rows]}
        pq.write_table(pa.table(columns), place / "hub" / f"{split}-00000-of-00001.parquet")


def talks(place: Path) -> None:
    """Prompts and responses with a label, and some without."""
    rows = [
        (f"Is question {i} so?", ("Yes, it is so.", "No, it is not so.")[i % 2], "yn"[i % 2])
        for i in range(400)
    ]
    lines = [f'{asked},"{said}",{label}' for asked, said, label in rows]
    (place / "talks.csv").write_text("\n".join(["prompt,response,label", *lines]) + "\n")
    lines = [line.rpartition(",")[0] for line in lines[:20]]
    (place / "new.csv").write_text("\n".join(["prompt,response", *lines]) + "\n")


def minimal_pairs(place: Path) -> None:
    """Paradigms in BLiMP's layout."""
    place.mkdir()
    for number, verb in enumerate(("run", "sing", "wait", "fall")):
        rows = (
            f'{{"sentence_good": "The dog {verb}s {i}.", "sentence_bad": "The dog {verb} {i}."}}'
            for i in range(20)
        )
        (place / f"paradigm{number}.jsonl").write_text("\n".join(rows) + "\n")


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """One cache for all blocks, so that none repeats what another did, with the beginning of the
    embedded treebank, which is enough where a page shows no figures.
    """
    place = tmp_path_factory.mktemp("docs") / "cache"
    return {**os.environ, "LINGPROBE_CACHE": str(place), "COLUMNS": "200"}


@pytest.fixture(scope="module")
def whole(environment, tmp_path_factory, _test_data) -> dict[str, str]:
    """The same with all of the embedded treebank, for blocks that show figures."""
    return {
        **environment,
        "LINGPROBE_CACHE": str(tmp_path_factory.mktemp("docs-whole")),
        "LINGPROBE_SHARED_CACHE": str(_test_data / WHOLE),
    }


def commands(block: Block) -> Iterator[tuple[list[str], str]]:
    """Each command of a block with the output that the page shows for it."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        line, _, output = part.partition("\n")
        yield shlex.split(line), output


@pytest.mark.parametrize("block", list(blocks("console", PLAIN)), ids=str)
def test_commands(block, folder, environment, whole):
    for arguments, shown in commands(block):
        assert arguments[0] == "lingprobe", (
            f"{block}: only lingprobe's own commands are shown in console blocks"
        )
        done = python(
            "-m",
            "lingprobe",
            *affordable(without_hub(arguments[1:]), shown),
            folder=folder,
            environment=whole if shown.strip() else environment,
        )
        assert done.returncode == 0, f"{block}: {shlex.join(arguments)}\n{done.stderr}"
        if shown.strip():
            assert_same(shown, done.stdout, block)


def without_hub(arguments: list[str]) -> list[str]:
    """The same command with models of the hub checked by name and options, and the floor `length`
    in their place.
    """
    if "-m" in arguments:
        at = arguments.index("-m")
        return without_hub([*arguments[:at], "-e", f"st:{arguments[at + 1]}", *arguments[at + 2 :]])
    arguments = [each.replace(CHAT, "tiny/chat") for each in arguments]
    hub = [a for a in arguments if ":" in a and a.partition(":")[0] in HUB and "tiny/" not in a]
    for reference in hub:
        ENCODERS.find(Reference.parse(reference).name)
        ENCODERS.canonical(reference)
    return ["length" if a in hub else a for a in arguments]


def affordable(arguments: list[str], shown: str) -> list[str]:
    """The same command with one seed, a quick probe, few examples and no bounds, where the page shows
    no figures that would have to come out.
    """
    free = arguments[0] == "run" and not shown.strip() and len(arguments) > 1
    given = "--probe" in arguments or "--suite" in arguments  # a suite brings its probes
    quick = (
        "--seeds",
        "1",
        *(() if "--baselines" in arguments else ("--baselines", "none")),
        *(() if given else ("--probe", "logreg")),
        *(() if {"--limit", "--dry-run", "--suite"} & {*arguments} else ("--limit", "400")),
    )
    return [*arguments, *(quick if free else ())]


def assert_same(shown: str, printed: str, block: Block) -> None:
    """The same words, and numbers that are close."""
    assert NUMBER.sub("N", shown).split() == NUMBER.sub("N", printed).split(), (
        f"{block}: the page shows something else:\n{printed}"
    )
    numbers = [
        (a[0], b[0]) for a, b in zip(NUMBER.finditer(shown), NUMBER.finditer(printed), strict=True)
    ]
    far = [
        pair
        for pair in numbers
        if abs(float(pair[0].replace(",", "")) - float(pair[1].replace(",", ""))) > CLOSE
    ]
    assert not far, f"{block}: the page shows other numbers: {far}\n{printed}"


@pytest.mark.parametrize("block", list(blocks("python")), ids=str)
def test_python(block, folder, environment):
    hub = '"hf:all-MiniLM-L6-v2,layers=all", tasks'  # a small model, a quick probe
    text = block.text.replace(hub, '"hf:tiny/words,layers=all", tasks, probes="logreg", seeds=1')
    text = PROBED.sub(r"\1, limit=400)", text).replace(CHAT, "tiny/chat")
    done = python("-c", text, folder=folder, environment=environment)
    assert done.returncode == 0, f"{block}:\n{done.stderr}"


def test_extensions_are_shown_as_they_are_tested():
    page = "".join(
        (ROOT / "docs" / name).read_text("utf-8") for name in ("extend.md", "extend-more.md")
    )
    named = re.findall(
        r"^\[`(tests/plugin/[^`]+)`\]\([^)]*\):\n\n```\w+\n(.*?)^```$", page, re.M | re.S
    )
    assert len(named) == 4
    for path, shown in named:
        assert (ROOT / path).read_text("utf-8") == shown, f"docs/extend.md shows another {path}"
    linked = set(re.findall(r"\]\(\.\./(tests/plugin/[^)]+)\)", page))
    files = [*PLUGIN.glob("*.*"), *(PLUGIN / "src" / "lingprobe_example").glob("[!_]*.py")]
    assert {file.relative_to(ROOT).as_posix() for file in files} <= linked


def test_every_ability_is_in_the_table_of_what_things_may_offer():
    page = (ROOT / "docs" / "abilities.md").read_text("utf-8")
    table = "\n".join(line for line in page.splitlines() if line.startswith("| "))
    protocols = [p for p in vars(core).values() if getattr(p, "_is_protocol", False)]
    members = {
        name
        for p in [*protocols, HasFingerprint, ChanceControl, SameProbe, TunedProbe]
        for name in vars(p)
        if name[0] != "_"
    }
    assert {"needs", "prepare", "sampling", "choice", "fingerprint"} <= members
    missing = {name for name in members if not re.search(rf"`{name}\b", table)}
    assert not missing, f"docs/abilities.md does not say what these are: {missing}"


def test_the_chooser_names_tasks_and_options_that_there_are():
    page = (ROOT / "docs" / "tasks.md").read_text("utf-8")
    table = page.partition(": by phenomenon\n")[2].partition("```")[0]
    cells = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")]
    named = [name for cell in cells for name in re.findall(r"`(\w+/[^`]+)`", cell)]
    assert len(named) >= 40
    for reference in named:
        TASKS.canonical(reference)
    assert {name.partition("/")[0] for name in named} >= {
        "ud",
        "tree",
        "comp",
        "edge",
        "text",
        "pair",
    }


@pytest.mark.parametrize("family", ["ud", "tree", "comp", "edge"])
def test_every_task_of_a_family_and_its_options_are_on_its_page(family):
    page = (ROOT / "docs" / f"tasks-{family}.md").read_text("utf-8")
    names = [name for name in TASKS if re.fullmatch(rf"{family}/[\w-]+", name)]
    assert not [name for name in names if not re.search(rf"`{name}\b", page)]
    options = {
        option.rstrip("_")
        for name in names
        for option in inspect.signature(TASKS.find(name)).parameters
    }
    missing = {o for o in options - {"path"} if not re.search(rf"`{o}`|\b{o}=", page)}
    assert not missing, f"docs/tasks-{family}.md does not say what these are: {missing}"


def oracles_of_class(name: str) -> dict[str, str]:
    """The oracles of a task that does not make them depend on its options."""
    known = getattr(TASKS.find(name), "oracles", {})
    return {} if isinstance(known, property) else dict(known)


def test_every_oracle_is_described_where_it_is_looked_for():
    page = (ROOT / "docs" / "design" / "oracles.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `gold:(\S+)` \| (.*) \| (.*) \|$", page, re.M))
    of = {(oracle, holds): [] for name in TASKS for oracle, holds in oracles_of_class(name).items()}
    for name in sorted(TASKS):
        for oracle, holds in oracles_of_class(name).items():
            of[oracle, holds].append(f"`{name}`")
    assert listed == {(oracle, ", ".join(names), holds) for (oracle, holds), names in of.items()}


_WORDS = r"([a-z][a-z-]*(?: [a-z][a-z-]*)?)"
COMMAND = {
    ".md": re.compile(rf"(?:`|^(?: {{4,}}|\$ )(?:\$ )?)lingprobe {_WORDS}", re.M),
    ".tsv": re.compile(rf"[`\t]lingprobe {_WORDS}"),
    ".sh": re.compile(rf"(?:`|^ *)lingprobe {_WORDS}", re.M),
    ".py": re.compile(rf"`lingprobe {_WORDS}"),
}


def test_every_command_that_is_named_is_there():
    """In pages, data files, scripts, docstrings and messages; the changelog and the page for
    those who come from earlier versions name old ones.
    """
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    rooms = ("docs", "src", "examples", "benchmarks")
    files += [file for name in rooms for file in (ROOT / name).rglob("*.*")]
    named = {
        (found, file.relative_to(ROOT))
        for file in files
        if file.suffix in COMMAND and file.name != "coming-from.md"
        for found in COMMAND[file.suffix].findall(file.read_text("utf-8"))
    }
    assert {file.suffix for _, file in named} == set(COMMAND)
    known = {*COMMANDS, *(name.split()[0] for name in COMMANDS)}  # groups by their name alone, too
    groups = {name.split()[0] for name in known if " " in name}
    assert not sorted(
        (name, str(file))
        for name, file in named
        if name not in known and (" " not in name or name.split()[0] not in known - groups)
    )


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """The program that writes figures from files of results."""
    return runpy.run_path(str(ROOT / "docs" / "write_results.py"))


def test_pages_of_results_show_what_their_files_hold(results):
    """Tables are written from CSV files, of which some are written from the notes of the runs."""
    writer = results
    pages = "".join(path.read_text("utf-8") for path in writer["prose_pages"]())
    assert writer["page"](pages) == pages, "run `make docs`"
    shown = re.findall(r"<!-- table (\w+) -->\n((?:\|.*\n)+)", pages)
    assert sorted(name for name, _ in shown) == sorted(
        {*writer["tables"](), *writer["published_tables"]()}
    )
    for _, table in shown:
        _, _, *lines = (line.split("|")[2:-1] for line in table.splitlines())
        assert all(any(map(str.strip, cells)) for cells in (*lines, *zip(*lines, strict=True)))
    for note in writer["NOTES"]:
        written = (ROOT / "docs" / "results" / f"{note.stem}.csv").read_text("utf-8")
        assert written == writer["text"](note.read_text("utf-8")), "run `make docs`"
    files = {path.name for path in (ROOT / "docs" / "results").glob("*.csv")}
    linked = {
        name
        for path in (*PAGES, *NOTES)
        for name in re.findall(r"results/([\w-]+\.csv)\)", path.read_text("utf-8"))
    }
    assert files <= linked


def test_figures_in_prose_are_those_of_their_files(results):
    text = "".join(page.read_text("utf-8") for page in results["prose_pages"]())
    assert results["fill_values"](text) == text, "run `make docs`"
    shown = {(file, name) for _, file, name, _, _ in results["MARKED"].findall(text)}
    assert len(results["MARKED"].findall(text)) == text.count("<!-- value ")
    assert text.count("<!-- value ") == text.count("<!-- /value -->")
    cells = {(file, name) for file, each in results["values"]().items() for name in each}
    quoted = results["_read"](results["QUOTED"].name)
    stated = {
        (file.name, line["name"])
        for file in (results["QUOTED"], results["PUBLISHED"])
        for line in results["_read"](file.name)
    }
    assert shown == cells | stated
    for line in quoted:
        folder = ROOT if "/" in line["note"] else ROOT / "benchmarks" / "results"
        note = (folder / line["note"]).read_text("utf-8")
        assert line["quote"] in re.sub(r"\s+", " ", note), line
        numbers = re.findall(r"[\d.]*\d", line["value"])
        assert [*numbers, *re.findall(r"[a-z]{3,}", line["value"])], line
        assert {*numbers} <= {*re.findall(r"[\d.]*\d", line["quote"])}, line


def test_what_a_page_alone_published_has_its_page_and_commit(results):
    """Or a note in which its numbers stand."""
    files = (results["PUBLISHED"], results["PUBLISHED_TABLES"])
    for line in (line for file in files for line in results["_read"](file.name)):
        page, _, commit = line["source"].partition(" ")
        if commit:
            assert re.fullmatch(r"[0-9a-f]{8}", commit), line
            assert page == "README.md" or (ROOT / page).is_file(), line
        else:
            known = re.findall(r"[\d.,]*\d", (ROOT / page).read_text("utf-8"))
            assert {*re.findall(r"[\d.,]*\d", line["value"])} <= {*known}, line


def test_a_published_table_that_differs_from_its_file_is_written_anew(results):
    (name, *_) = sorted(results["published_tables"]())
    table = results["format_published_table"](name)
    page = f"before\n<!-- table {name} -->\n| old |\n|---|\n\nafter"
    assert results["page"](page) == f"before\n<!-- table {name} -->\n{table}\nafter"
    with pytest.raises(KeyError):
        results["page"]("<!-- table no_such_table -->\n| old |\n")


NO_PROSE = [  # commands and outputs, what comes from files, code, targets of links, addresses
    *(r"^```.*?^```", r"<!-- value .*?<!-- /value -->"),
    *(r"<!-- (?:table|claims) \w+ -->\n(?:\|[^\n]*\n)*", r"^ {4,}\S[^\n]*"),
    *(r"`[^`\n]*`", r"\]\([^)\n]*\)", r"<[a-z/][^>\n]*>"),
]
TYPED = {  # versions, licences, settings, counts of data, examples, and figures of papers
    "README.md": "2.0",
    "findings.md": "70.6 73.3",
    "measures.md": "0.4 0.6 3.6",
    "mteb.md": "1.11",
    "cli.md": "139.7 0.01",
    "cluster.md": "22.05 2.60",
    "compare.md": "82.64 82.53",
    "heads.md": "0.05",
    "layers.md": "0.05",
    "paper.md": "2.17 99.8 139.7",
    "probes.md": "0.04",
    "protocols.md": "0.2 0.1 0.01 0.3 0.05",
    "publish.md": "2.26 0.4",
    "published-encoders.md": "2.21 4.0 2.0 3.0",
    "speed.md": "6.5",
    "start.md": "3.11",
    "structure.md": "0.05 0.001",
    "tasks-edge.md": "6.6 1.0 2.2",
    "tasks-tree.md": "1.65 98.0 81.2 85.0",
    "tasks-ud.md": "2.17 0.05",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_measured_figure_in_prose_is_not_typed(page):
    text = page.read_text("utf-8")
    for pattern in NO_PROSE:
        text = re.sub(pattern, "", text, flags=re.S | re.M)
    typed = {*re.findall(r"(?<![\d.])\d+\.\d+", text)}
    assert typed == {*TYPED.get(page.name, "").split()}, "put it in docs/results, with a marker"


@pytest.mark.parametrize(
    ("figure", "problem"),
    [
        ("edge.csv no-such-figure", KeyError),
        ("published.tsv no-such-figure", KeyError),
        ("no-such-file.csv dep-lex", KeyError),
        ("quoted.tsv no-such-figure", KeyError),
    ],
)
def test_a_figure_without_an_entry_is_an_error(results, figure, problem):
    with pytest.raises(problem):
        results["fill_values"](f"<!-- value {figure} -->1<!-- /value -->")


@pytest.mark.parametrize(
    ("file", "cell", "problem"),
    [
        ("no-such-file.csv", {}, FileNotFoundError),
        ("edge.csv", {"no-such-column": "3"}, KeyError),
        ("edge.csv", {"row": "no such row", "text": "{value}"}, ValueError),
        ("edge.csv", {"table": "1", "text": "{value}"}, ValueError),
    ],
)
def test_a_figure_that_no_line_or_several_have_is_an_error(results, file, cell, problem):
    with pytest.raises(problem):
        results["format_value"](file, cell)


def test_a_figure_that_differs_from_its_file_is_written_anew(results):
    page = "has <!-- value edge.csv dep-lex -->12.3<!-- /value --> points"
    assert results["fill_values"](page) == page.replace("12.3", "79.0")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ({"text": "{count} of {words}"}, "4 of four"),
        ({"task": "a", "encoder": "m*"}, "80.0"),
        (
            {"task": "a", "encoder": "m*", "less": {"encoder": "bag"}, "text": "{less:+.1f}"},
            "+30.0",
        ),
        ({"task": "b", "text": "{min:.0f} to {max:.3g}"}, "20 to 60.5"),
        ({"score": ">=50", "text": "{count}"}, "3"),
        ({"encoder": "!m*", "task": ["a", "b"], "text": "{count}"}, "2"),
        ({"task": "a", "encoder": "m*", "text": "{low:.0f} to {high:.0f}"}, "75 to 85"),
        (
            {"task": "a", "encoder": "m*", "fall": True, "text": "{score:.0f}, {low:.0f}"},
            "-80, -85",
        ),
        (
            {"task": "a", "bound": {"encoder": "m*"}, "none": "none of {count}", "all": "all"},
            "none of 2",
        ),
        (
            {
                "task": "b",
                "bound": {"task": "b", "encoder": "bag"},
                "none": "none",
                "all": "all",
                "text": "{above} of {count}",
            },
            "1 of 2",
        ),
    ],
)
def test_figures_are_cells_and_what_is_counted_over_them(results, tmp_path, cell, shown):
    lines = ["task,encoder,score,low,high", "a,mini,80,75,85", "a,bag,50,40,60"]
    lines += ["b,mini,60.5,50,70", "b,bag,20,10,30"]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines), "utf-8")
    assert results["format_value"](str(file), cell) == shown


@pytest.fixture
def measure(tmp_path) -> dict[str, Any]:
    """The program that measures figures, with a folder of results of its own."""
    program = runpy.run_path(str(ROOT / "docs" / "measure.py"))
    names: dict[str, Any] = program["measure"].__globals__
    write = names["write_manifest"]
    names |= {"RESULTS": tmp_path, "_git": lambda *_: "0a"}
    names["write_manifest"] = lambda lines: write(lines, tmp_path / "m.tsv")
    return names


def test_every_file_of_results_is_in_the_manifest(results):
    lines = runpy.run_path(str(ROOT / "docs" / "measure.py"))["read_manifest"]()
    files = sorted(path.name for path in results["DATA"].glob("*.csv"))
    assert [line["file"] for line in lines] == files
    for line in lines:
        assert line["command"], f"{line['file']}: name its command, or after a # why there is none"
        assert re.fullmatch(r"[0-9a-f]{8}", line["commit"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", line["date"])


def test_what_is_measured_is_stamped_and_what_has_no_command_is_named(measure, tmp_path):
    command = "echo a >> $RESULTS/a.csv; echo b >> $RESULTS/b.csv"
    old = {"commit": "00000000", "date": "2026-01-01"}
    lines = [{"file": name, "command": command, **old} for name in ("a.csv", "b.csv")]
    lines.append({"file": "c.csv", "command": "# a page says how", **old})
    said = list(measure["measure"](lines, (), tmp_path))
    assert said == [
        "a.csv: measured",
        "b.csv: measured",
        "c.csv: not measured: a page says how",
    ]
    assert (tmp_path / "a.csv").read_text() == "a\n"  # one command for both ran once
    assert [line["commit"] for line in measure["read_manifest"](tmp_path / "m.tsv")][:2] == [
        "0a"
    ] * 2
    assert lines[2]["date"] == "2026-01-01"


def test_a_command_that_fails_or_writes_nothing_stamps_nothing(measure, tmp_path):
    old = {"commit": "00000000", "date": "2026-01-01"}
    for command, problem in (("false", subprocess.CalledProcessError), ("true", FileNotFoundError)):
        lines = [{"file": "a.csv", "command": command, **old}]
        with pytest.raises(problem):
            list(measure["measure"](lines, (), tmp_path))
        assert lines[0]["commit"] == "00000000"


def test_the_note_on_five_languages_shows_what_its_files_hold():
    script = runpy.run_path(str(ROOT / "benchmarks" / "multilingual.py"))
    note = (ROOT / "benchmarks" / "results" / "multilingual.md").read_text("utf-8")
    missing = [name for name, table in script["tables"]().items() if table not in note]
    assert not missing, "run `python benchmarks/multilingual.py`"


def test_the_readme_counts_no_more_tasks_and_languages_than_there_are():
    tasks, languages = (
        int(re.search(rf"ore than (\d+) \[?{what}", (ROOT / "README.md").read_text("utf-8"))[1])
        for what in ("tasks", "languages")
    )
    codes = {each.name.removeprefix("ud/") for each in lingprobe.collections("ud/*")}
    assert tasks < len(lingprobe.available("tasks")) < tasks + 20
    assert languages < len({code.partition("_")[0] for code in codes}) < languages + 20


def test_links_lead_somewhere():
    for page in (*PAGES, *NOTES):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), (
                f"{page.name} links to {target}, which is not there"
            )
