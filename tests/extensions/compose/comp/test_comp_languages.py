"""A language in a file is as good as a built-in one: sentences, a reader that checks them, tasks of
comp/ with baselines and oracles, and what it lacks is refused in a sentence.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.plugin import PLUGIN
from lingprobe.cli import app
from lingprobe.data.core import DataProblem
from lingprobe.data.identity import compute_identity
from lingprobe.data.references import (
    ReferenceProblem,
    UntrustedCode,
    allow_code,
)
from lingprobe.tasks import TASKS, list_task_names
from lingprobe.tasks.about import find_task_description
from lingprobe_extensions.compose.comp.designs import DESIGNS_BY_LANGUAGE
from lingprobe_extensions.compose.comp.shallow import shallow_examples
from lingprobe_extensions.compose.events.languages import LANGUAGES, load_language
from lingprobe_extensions.compose.readings.gold import find_disagreements

FEW = "size=400,dev=40,test=80"
NOUNS = "jan mije meli sama soweli waso kala akesi pipi kasi".split()
ADJECTIVES = "suli lili pona ike wawa sin".split()


@pytest.fixture
def own(tmp_path) -> str:
    """The small language, in a file that nothing has run yet."""
    shutil.copy(PLUGIN / "tokipona.py", tmp_path)
    return f"{tmp_path / 'tokipona.py'}@tokipona"


def described(words: tuple[str, ...]) -> set[tuple[str, str]]:
    """Adjectives with their nouns: those that stand behind it, one after the other."""
    pairs, noun = set(), ""
    for word in words:
        noun = word if word in NOUNS else noun if word in ADJECTIVES else ""
        if word in ADJECTIVES:
            pairs.add((word, noun))
    return pairs


SAYS = {
    "order": lambda words, asked: words.index(asked[0]) < words.index(asked[1]),
    "content1": lambda words, asked: asked[0] in words,
    "adjective": lambda words, asked: asked in described(words),
}


@pytest.mark.parametrize("name", SAYS)
def test_tasks_of_a_language_in_a_file_ask_what_their_words_answer(name, own):
    allow_code(own)
    task = TASKS.make(f"comp/{name},{FEW},language={own}")
    data = task.load()
    assert len(data) == 520
    assert not data.notes["unclear"]["pairs"]
    for item in data.examples():
        words = item.sites[0].sentence.words
        assert SAYS[name](words, item.asked) is (item.label == "yes"), item
    assert shallow_examples(data) is not None


def test_its_sentences_are_read_as_they_were_meant(own, tmp_path):
    reads = CliRunner().invoke(
        app,
        [
            "data",
            "generate",
            "-n",
            "200",
            "-q",
            "-o",
            str(tmp_path / "s.jsonl"),
            *asked(tmp_path, own),
        ],
    )
    assert reads.exit_code == 0, reads.output
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert len({line["text"] for line in lines}) == 200
    grammar = load_language(own).reader
    assert [find_disagreements(line, grammar) for line in lines] == [[]] * 200
    turned = [{**line, "words": line["words"][::-1]} for line in lines]
    assert all(find_disagreements(line, grammar) for line in turned)


def asked(folder: Path, own: str) -> list[str]:
    (folder / "request.json").write_text('{"voices": ["active"], "at_most": {"adjectives": 1}}')
    return [str(folder / "request.json"), "--language", own]


def test_a_run_has_the_baselines_that_know_its_words(own):
    run = lingprobe.run(f"comp/order,{FEW},language={own}", "length", probes="logreg", seeds=1)
    assert not run.problems
    rows = csv.DictReader(io.StringIO(lingprobe.report(run).text("csv")))
    scores = {row["encoder"]: float(row["score"]) for row in rows}
    # which noun stands before "li" is all that is asked
    assert scores["window:2"] == scores["ngrams:3"] == 100 > scores["length"]
    assert "gold:relations" in scores


def test_another_english_has_the_tasks_and_the_reader_of_english(tmp_path):
    shutil.copy(PLUGIN / "whose.py", tmp_path)
    own = f"{tmp_path / 'whose.py'}@whose"
    allow_code(own)
    data = TASKS.make(f"comp/sem-role,{FEW},language={own}").load()
    words = {word for sentence in data.sentences for word in sentence.words}
    assert "who" in words
    assert "that" not in words
    assert not data.notes["unclear"]["pairs"]


def test_what_a_language_lacks_is_refused_in_a_sentence(own, tmp_path):
    allow_code(own)
    for name, says in (
        ("agreement", "comp/agreement is not there in Toki Pona: no verb shows the number"),
        ("sem-role", "comp/sem-role is not there in Toki Pona: its descriptor has no design"),
    ):
        with pytest.raises(DataProblem, match=says):
            TASKS.make(f"comp/{name},language={own}").load()
    mute = tmp_path / "mute.py"
    text = (tmp_path / "tokipona.py").read_text("utf-8")
    mute.write_text(text.replace("reader=ReadingGrammar(cut", 'reader="" and (cut'), "utf-8")
    allow_code(f"{mute}@tokipona")
    with pytest.raises(DataProblem, match=r"Toki Pona has no reader .*: write readings=none"):
        TASKS.make(f"comp/order,{FEW},language={mute}@tokipona").load()
    unread = TASKS.make(f"comp/order,{FEW},readings=none,language={mute}@tokipona").load()
    assert len(unread) == 520


def test_a_name_that_no_language_has_is_refused():
    with pytest.raises(ReferenceProblem, match=r"no language called 'englisch'; .*'english'"):
        TASKS.make("comp/order,language=englisch").load()


def test_a_file_that_nobody_named_is_not_run(own):
    with pytest.raises(UntrustedCode, match="was named by a file, not by you"):
        TASKS.make(f"comp/order,language={own}").load()


def test_another_code_of_its_language_is_another_task(own, tmp_path):
    def same(name: str) -> str:
        reference = f"comp/order,language={name}"
        return compute_identity(TASKS, reference, TASKS.make(reference)).facts[-1]

    allow_code(own)
    before = same(own)
    assert before != same("polish") != same("english")
    (tmp_path / "more").mkdir()
    file = tmp_path / "more" / "tokipona.py"
    file.write_text(
        (PLUGIN / "tokipona.py").read_text("utf-8").replace("wawa sin", "wawa namako"), "utf-8"
    )
    allow_code(f"{file}@tokipona")
    assert same(f"{file}@tokipona") != before


def test_lists_of_tasks_know_the_languages_of_each():
    every = {name: load_language(name) for name in LANGUAGES}
    for task in list_task_names("comp"):
        has = {
            one.code
            for name, one in every.items()
            if not isinstance(DESIGNS_BY_LANGUAGE[name][task], str)
        }
        assert set(find_task_description(f"comp/{task}").languages) == has, task
