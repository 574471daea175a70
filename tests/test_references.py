import inspect
import os
from dataclasses import KW_ONLY, dataclass, is_dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data import references
from lingprobe.data.options import Help
from lingprobe.data.references import (
    Contents,
    Reference,
    ReferenceProblem,
    allow_code,
    shorten_reference,
)
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

value = st.text(max_size=12)
name = st.text("abz/-._09", min_size=1, max_size=8)


@dataclass(frozen=True)
class Thing:
    """A thing with every kind of option."""

    path: str
    _: KW_ONLY
    layers: tuple[str, ...] = ()
    pool: Literal["mean", "max"] = "mean"
    size: int | None = None
    rate: float = 0.5
    on: bool = False
    lambda_: int = 1
    file: Path | None = None
    fold: Literal["dev"] | float = "dev"
    word: str | None = None


def plain():
    """A thing without options."""
    return "plain"


def needing(
    *,
    size: int,
    word: str = "a",
    seed: Annotated[int, Help("the random seed", "0")] = 0,
    dim: Annotated[int, Help("the width", "1")] = 3,
):
    """A thing with a required option."""
    return size, word


THINGS = Contents(
    "thing", "lingprobe.things", {n: f"{__name__}:{n}" for n in ("Thing", "plain", "needing")}
)


@given(name, st.none() | value, st.lists(st.tuples(name, value), max_size=3).map(tuple))
def test_a_reference_comes_back_from_its_text(name, argument, options):
    reference = Reference(name, argument, options)
    assert Reference.parse(str(reference)) == reference


@given(st.text(max_size=20))
def test_any_text_is_a_reference_or_a_told_problem(text):
    try:
        parsed = Reference.parse(text)
    except ReferenceProblem:
        return
    assert Reference.parse(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("length", Reference("length")),
        (
            "hf:bert-base-uncased,layers=all,pool=mean",
            Reference("hf", "bert-base-uncased", (("layers", "all"), ("pool", "mean"))),
        ),
        (
            "ud/feat:PATH,feature=Case,of=subj",
            Reference("ud/feat", "PATH", (("feature", "Case"), ("of", "subj"))),
        ),
        ("npz:a%2Cb%3A%3D%40%25", Reference("npz", "a,b:=@%")),
        ("table:C:\\data\\a.tsv", Reference("table", "C:\\data\\a.tsv")),
        ("static:", Reference("static", "")),
        ("ud/tense:A,with=B,with=C", Reference("ud/tense", "A", (("with", "B"), ("with", "C")))),
        ("x,prompt=a=b", Reference("x", None, (("prompt", "a=b"),))),
        ("mine.py@thing:arg", Reference("mine.py@thing", "arg")),
        ("hf:café 北京", Reference("hf", "café 北京")),
    ],
)
def test_references_are_read_as_written(text, parsed):
    assert Reference.parse(text) == parsed
    assert Reference.parse(str(parsed)) == parsed


@pytest.mark.parametrize("text", ["", ":x", ",a=b", "x,", "x,a", "x,=b", "x,a=1,,b=2"])
def test_what_is_no_reference_is_told(text):
    with pytest.raises(ReferenceProblem):
        Reference.parse(text)


def test_options_are_converted_by_annotation():
    made = THINGS.make(
        "Thing:p,layers=1,layers=2,pool=max,size=3,rate=1e-3,on=yes,lambda=4,file=/a/b,fold=0.5,word=none"
    )
    assert made == Thing(
        "p",
        layers=("1", "2"),
        pool="max",
        size=3,
        rate=0.001,
        on=True,
        lambda_=4,
        file=Path("/a/b"),
        fold=0.5,
        word=None,
    )
    assert THINGS.make("Thing:p,size=none") == Thing("p")
    assert THINGS.make("Thing:p,fold=dev").fold == "dev"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thing", "needs a path: write Thing:PATH"),
        ("Thing:p,size=big", "size=big: not a whole number"),
        ("Thing:p,rate=fast", "rate=fast: not a number"),
        ("Thing:p,rate=nan", "rate=nan: write a finite number"),
        ("Thing:p,rate=-inf", "rate=-inf: write a finite number"),
        ("needing,size=3,seed=-1", "seed=-1: write a whole number from 0 on"),
        ("needing,size=3,dim=0", "dim=0: write a whole number from 1 on"),
        ("Thing:p,pool=min", "pool=min: choose one of mean, max"),
        ("Thing:p,on=maybe", "write true or false"),
        ("Thing:p,colour=red", r"no option 'colour' \(it has: .*pool"),
        ("Thing:p,path=q", "no option 'path'"),
        ("Thing,path=p,path=q", "needs a path"),
        ("plain:p", "takes no argument after the colon"),
        ("plain,a=b", r"no option 'a' \(it has: none\)"),
        ("needing", "needs size=..."),
        ("needng,size=1", "no thing called 'needng'; did you mean 'needing'"),
        ("zzzz", r"no thing called 'zzzz' \(`lingprobe list things` lists them\)"),
    ],
)
def test_problems_say_what_to_write(text, said):
    with pytest.raises(ReferenceProblem, match=said):
        THINGS.make(text)


def test_the_argument_may_be_written_as_an_option():
    assert THINGS.make("Thing,path=p,size=3") == THINGS.make("Thing:p,size=3")
    assert THINGS.canonical("Thing,size=3,path=p") == THINGS.canonical("Thing:p,size=3")


def test_an_option_given_twice_is_refused_unless_it_repeats():
    with pytest.raises(ReferenceProblem, match="has pool= twice"):
        THINGS.make("Thing:p,pool=max,pool=mean")


@given(st.permutations(["pool=max", "size=3", "layers=1", "on=true"]))
def test_the_canonical_reference_does_not_depend_on_order_or_spelling(options):
    assert THINGS.canonical(",".join(["Thing:p", *options])) == THINGS.canonical(
        "Thing:p,on=1,size=03,pool=max,layers=1,rate=0.50"
    )


@given(value, value, st.none() | st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_the_canonical_reference_makes_the_same_thing(path, layer, size, rate):
    thing = Thing(path, layers=(layer, "x"), size=size, rate=rate)
    reference = Reference(
        "Thing",
        path,
        (("layers", layer), ("layers", "x"), ("size", str(size).lower()), ("rate", repr(rate))),
    )
    assert THINGS.make(reference) == thing
    canonical = THINGS.canonical(reference)
    assert THINGS.make(canonical) == thing
    assert THINGS.canonical(canonical) == canonical


def test_a_brief_reference_has_what_is_needed_and_what_is_unusual():
    assert (
        shorten_reference(THINGS, THINGS.canonical("Thing:p,pool=max,layers=1"))
        == "Thing:p,layers=1,pool=max"
    )
    assert shorten_reference(THINGS, THINGS.canonical("needing,size=3")) == "needing,size=3"
    assert shorten_reference(THINGS, "gone:p,size=3") == "gone:p,size=3"


def test_a_folder_of_results_names_each_thing_once(monkeypatch):
    shortened, shorten = [], references._brief
    monkeypatch.setattr(
        references, "_brief", lambda *each: shortened.append(each) or shorten(*each)
    )
    assert {shorten_reference(THINGS, "needing,seed=7,size=3") for _ in range(1000)} == {
        shorten(THINGS, Reference.parse("needing,seed=7,size=3"))
    }
    assert len(shortened) == 1


def test_options_are_never_evaluated():
    assert THINGS.make("Thing:__import__('os').system('false'),word=1+1").word == "1+1"


def test_plugins_come_through_the_same_door_and_never_shadow(monkeypatch):
    points = [
        EntryPoint("mine", f"{__name__}:plain", "lingprobe.things"),
        EntryPoint("plain", f"{__name__}:needing", "lingprobe.things"),
    ]
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda: points,
    )
    assert list(THINGS) == ["Thing", "mine", "needing", "plain"]
    assert THINGS.make("mine") == THINGS.make("plain") == "plain"


def test_a_thing_from_a_file_of_ones_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def thing(path='x', *, size: int = 1):\n    return path, size\n")
    allow_code(f"{file}@thing", f"{tmp_path / 'none.py'}@thing")
    assert THINGS.make(f"{file}@thing:a,size=2") == ("a", 2)
    assert THINGS.find(f"{file}@thing") is THINGS.find(f"{file}@thing")
    assert THINGS.canonical(f"{file}@thing").endswith("mine.py@thing:x")
    assert THINGS.canonical(f"{file}@thing:x,size=1").endswith("mine.py@thing:x")
    assert THINGS.canonical(f"{file}@thing:x,size=2").endswith("mine.py@thing:x,size=2")
    with pytest.raises(ReferenceProblem, match="does not define 'other'"):
        THINGS.make(f"{file}@other")
    with pytest.raises(ReferenceProblem, match="no file"):
        THINGS.make(f"{tmp_path / 'none.py'}@thing")


def test_two_files_of_one_name_are_two_modules(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"def thing(): return {folder!r}\n")
    allow_code(*(f"{tmp_path / folder / 'mine.py'}@thing" for folder in ("a", "b")))
    assert [THINGS.make(f"{tmp_path / folder / 'mine.py'}@thing") for folder in ("a", "b")] == [
        "a",
        "b",
    ]


def test_a_file_that_fails_is_tried_again_after_it_is_mended(tmp_path):
    file = tmp_path / "broken.py"
    allow_code(f"{file}@thing")
    file.write_text("1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        THINGS.find(f"{file}@thing")
    file.write_text("def thing(): return 'mended and longer'\n")
    assert THINGS.make(f"{file}@thing") == "mended and longer"


def test_patterns_stand_for_names():
    assert [str(r) for r in THINGS.expand("*:p,a=b")] == ["Thing:p,a=b", "plain:p,a=b"]
    assert {r.name for r in THINGS.expand("*n*")} == {"Thing", "plain"}
    assert [str(r) for r in THINGS.expand("plain")] == ["plain"]
    assert [str(r) for r in THINGS.expand("/data[1]/m.py@thing")] == ["/data[1]/m.py@thing"]
    with pytest.raises(ReferenceProblem, match="no thing matches 'q\\*'"):
        THINGS.expand("q*")


def test_the_star_of_a_pattern_with_slashes_ends_at_the_next_one():
    table = Contents(
        "thing",
        "lingprobe.things",
        dict.fromkeys(
            ("comp/order", "comp/released/order", "ud/order"), "lingprobe.data.references:Reference"
        ),
    )
    assert [r.name for r in table.expand("comp/*")] == ["comp/order"]
    assert [r.name for r in table.expand("comp/*/order")] == ["comp/released/order"]
    assert [r.name for r in table.expand("*/order")] == ["comp/order", "ud/order"]
    assert len(table.expand("*order")) == 3


def test_patterns_leave_out_what_needs_an_option_that_they_do_not_give():
    assert THINGS.needs("needing") == {"size"}
    assert [str(r) for r in THINGS.expand("*,size=1")] == [
        "Thing,size=1",
        "plain,size=1",
        "needing,size=1",
    ]


def test_a_list_shows_also_what_needs_options():
    assert THINGS.matching("*") == ["Thing", "plain", "needing"]
    assert THINGS.matching("needing") == ["needing"]
    with pytest.raises(ReferenceProblem, match="no thing matches"):
        THINGS.matching("q*")


def test_listing_imports_nothing():
    contents = Contents("thing", "lingprobe.things", {"a": "no.such.module:thing"})
    assert list(contents) == ["a"]
    with pytest.raises(ModuleNotFoundError):
        contents.find("a")


def test_options_can_be_added_where_they_are_not_set():
    assert str(Reference.parse("a:b,c=1").plus(c="2", d="x,y")) == "a:b,c=1,d=x%2Cy"


def test_what_is_installed_is_read_once_until_something_is_installed(monkeypatch, tmp_path):
    asked = []

    def points():
        asked.append("all")
        return []

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(3):
        with pytest.raises(ReferenceProblem):
            THINGS.find("nothing")
    once = len(asked)
    assert once == 1
    (tmp_path / "new.dist-info").mkdir()
    os.utime(tmp_path, (1, 1))
    THINGS.places()
    assert len(asked) == 2 * once


def test_a_plugin_that_does_not_import_is_left_out_of_a_pattern(monkeypatch, caplog):
    broken = EntryPoint("ud/mine", "no_such_module:task", "lingprobe.tasks")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda: [broken])
    names = {reference.name for reference in TASKS.expand("ud/*:bank")}
    assert "ud/tense" in names
    assert "ud/mine" not in names
    assert "task ud/mine is skipped: ModuleNotFoundError" in caplog.text
    with pytest.raises(ModuleNotFoundError):
        TASKS.make("ud/mine:bank")


@pytest.mark.parametrize(
    ("contents", "name", "meant"),
    [
        (PROBES, "logistic", "logreg"),
        (TASKS, "ud/voice", "ud/passive"),
        (TASKS, "ud/tens", "ud/tense"),
    ],
)
def test_a_name_that_there_is_not_is_looked_for_in_what_things_say(contents, name, meant):
    with pytest.raises(ReferenceProblem, match=f"did you mean '{meant}'"):
        contents.find(name)


SUBCLASSES = """
import dataclasses, importlib
base = getattr(importlib.import_module({module!r}), {name!r})
Plain = type("Plain", (base,), {{"__module__": __name__}})
class Handing(base):
    def __init__(self, *arguments, own: int = 1, **options):
        super().__init__(*arguments, **options)
if dataclasses.is_dataclass(base):
    frozen = base.__dataclass_params__.frozen
    Again = dataclasses.dataclass(frozen=frozen)(type("Again", (base,), {{"__module__": __name__}}))
"""


def built_in_classes() -> list[tuple[Contents, str]]:
    every = (TASKS, ENCODERS, PROBES, CONTROLS, METRICS)
    return [(c, name) for c in every for name in c.table if inspect.isclass(c.find(name))]


def test_there_are_built_in_classes_of_many_kinds():
    assert len({contents.kind for contents, _ in built_in_classes()}) >= 4


@pytest.mark.parametrize(
    ("contents", "name"), built_in_classes(), ids=[name for _, name in built_in_classes()]
)
def test_what_is_derived_from_a_built_in_class_has_its_options(contents, name, tmp_path):
    """Their annotations are names of the module that they are written in."""
    base = contents.find(name)
    path = tmp_path / "mine.py"
    path.write_text(SUBCLASSES.format(module=base.__module__, name=base.__qualname__))
    again = ["Again"] if is_dataclass(base) else []
    for kind in ("Plain", "Handing", *again):
        allow_code(reference := f"{path}@{kind}")
        assert contents.options(reference) - {"own"} >= contents.options(name) - {"arguments"}
        assert contents.needs(reference) == contents.needs(name)
        if kind != "Handing":
            assert contents.places_of(Reference(reference)) == contents.places_of(Reference(name))
        assert "own" not in contents.options(reference) or kind == "Handing"


def test_an_option_that_is_handed_on_is_converted_as_in_the_class_that_has_it(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "class Base:\n"
        "    def __init__(self, *, dim: int = 300):\n        self.dim = dim\n"
        "class Mine(Base):\n    def __init__(self, own: int = 1, **options):\n"
        "        super().__init__(**options)\n        self.own = own\n"
    )
    allow_code(f"{path}@Mine")
    things = Contents("thing", "lingprobe.things", {})
    made = things.make(f"{path}@Mine:3,dim=8")
    assert (made.own, made.dim) == (3, 8)
    with pytest.raises(ReferenceProblem, match="it has: dim"):
        things.make(f"{path}@Mine:3,din=8")
