"""What tasks declare that a run may set is what their references take."""

import inspect
from dataclasses import fields

import pytest

from lingprobe.data.core import SamplingOptions
from lingprobe.data.references import Reference
from lingprobe.tasks import TASKS, make_tolerant


def made(name, tmp_path):
    """A task of that name over a file that nobody reads."""
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "a b", "label": "x"}\n')
    factory = TASKS.find(name)
    first = next(iter(inspect.signature(factory).parameters.values()))
    argument = None if first.kind is first.KEYWORD_ONLY or name.startswith("comp/") else str(file)
    if name.startswith("comp/released"):
        argument = str(file)
    said = {"task": "ud/tense", "test": str(file)}
    options = tuple((k, said.get(k, "Tense")) for k in TASKS.needs(name))
    return TASKS.make(Reference(name, argument, options))


@pytest.mark.parametrize("name", list(TASKS))
def test_declared_is_what_the_reference_takes(name, tmp_path):
    options = set(inspect.signature(TASKS.find(name)).parameters)
    declared = SamplingOptions.of(made(name, tmp_path))
    for field in fields(SamplingOptions):
        assert (field.name in declared) == (field.name in options), field.name


def test_only_who_declares_it_gets_on_error():
    edge, comp = (Reference(n, "nowhere") for n in ("edge/pos", "comp/order"))
    assert str(make_tolerant(edge, "skip")).endswith("on_error=skip")
    assert make_tolerant(edge, "raise") == edge
    assert make_tolerant(comp, "skip") == comp
    assert make_tolerant(Reference("table"), "skip") == Reference("table")  # told when it is made


def test_a_plain_task_declares_nothing():
    class Plain:
        name = question = metric = probe = view = "x"

        def load(self):
            raise AssertionError

    assert SamplingOptions.of(Plain()) == SamplingOptions()
