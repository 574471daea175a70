"""Which language results are about: what tasks, files and folders say."""

from __future__ import annotations

import pytest

from fixtures.results import result, saying
from lingprobe.tasks.languages import UNKNOWN_LANGUAGE, list_languages


def read(task, *files):
    """A result of a task over some files."""
    return saying(result(task=task), notes={"source": {"files": list(files)}} if files else {})


@pytest.mark.parametrize(
    ("task", "files", "found"),
    [
        ("ud/tense:bank", ["/x/pl_pdb-ud-train.conllu", "/x/pl_pdb-ud-dev.conllu"], ["pol-Latn"]),
        ("ud/tense:bank", ["a/en_ewt-ud-test.conllu", "b/ru_gsd-ud-test.conllu"],
         ["eng-Latn", "rus-Cyrl"]),
        ("ud/tense:bank", ["a/mine.conllu", "xx-ud.txt"], [UNKNOWN_LANGUAGE]),
        ("ud/tense:bank", ["UD_Polish-PDB/dev.conllu"], ["pol-Latn"]),
        ("ud/tense:bank", ["a/qtd_sagt-ud-train.conllu"], [UNKNOWN_LANGUAGE]),  # German and Turkish
        ("ud/tense:bank", [], [UNKNOWN_LANGUAGE]),
        ("ud/tense:embedded", [], ["eng-Latn"]),
        ("comp/negation,language=english", [], ["eng-Latn"]),
        ("comp/negation,language=polish", [], ["pol-Latn"]),
        ("comp/negation,language=mine.py@esperanto", [], [UNKNOWN_LANGUAGE]),
        ("xprobe/tense:/data/ru", [], ["rus-Cyrl"]),
        ("xprobe/tense:/data/de", ["/x/pl_pdb-ud-train.conllu"], ["deu-Latn"]),
        ("senteval/tense:/data", [], ["eng-Latn"]),
        ("no reference, at all", [], [UNKNOWN_LANGUAGE]),
    ],
)  # fmt: skip
def test_a_language_is_that_of_the_files_or_of_the_task(task, files, found):
    assert list_languages([read(task, *files)]) == found


def test_languages_of_several_results_are_told_once_in_order():
    some = [read("xprobe/tense:/data/ru"), read("ud/tense:embedded"), read("xprobe/len:/data/ru")]
    assert list_languages(some) == ["rus-Cyrl", "eng-Latn"]
    assert list_languages([some[0], read("ud/tense:bank")]) == ["rus-Cyrl"]
    assert list_languages([]) == [UNKNOWN_LANGUAGE]
