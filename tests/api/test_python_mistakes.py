"""What people type in Python and mean something else: each is answered by one exact sentence."""

import numpy as np
import pytest

import lingprobe

TASK = "ud/sent-len:embedded,limit=60"
NOT_A_TASK = (
    "is no task: give a reference ('ud/tense:PATH') or a Task object; sentences with labels of your"
    " own are a table, 'table:FILE'"
)
NOT_AN_ENCODER = (
    "is not an encoder: give a reference such as 'st:all-MiniLM-L6-v2', a model of"
    " sentence-transformers, (model, tokenizer) of transformers, (sentences, vectors), an object"
    " with encode(list[str]), a function list[str] -> array, or a SentEval pair (batcher, prepare)"
)


class Model:
    """A model of somebody's."""

    def encode(self, sentences):
        return np.ones((len(sentences), 3), np.float32)


MISTAKES = {
    "a keyword misspelt": (
        lambda: lingprobe.evaluate("length", TASK, probs="logreg"),
        "evaluate takes no argument 'probs': did you mean probes?",
    ),
    "seeds as a list": (
        lambda: lingprobe.evaluate("length", TASK, seeds=[1, 2]),
        "seeds=[1, 2]: give a whole number, how often each probe is trained",
    ),
    "no seed": (
        lambda: lingprobe.evaluate("length", TASK, seeds=0),
        "seeds=0: a run needs at least one",
    ),
    "tasks as pairs": (
        lambda: lingprobe.evaluate("length", [("a b", "x"), ("c d", "y")]),
        f"('a b', 'x') {NOT_A_TASK}",
    ),
    "a class as a task": (
        lambda: lingprobe.evaluate("length", Model),
        f"{Model!r} {NOT_A_TASK}",
    ),
    "a class as an encoder": (
        lambda: lingprobe.evaluate(Model, TASK),
        f"{Model!r} {NOT_AN_ENCODER}",
    ),
    "a number as an encoder": (
        lambda: lingprobe.evaluate(5, TASK),
        f"5 {NOT_AN_ENCODER}",
    ),
    "encoder and task the wrong way round": (
        lambda: lingprobe.evaluate(TASK, "length"),
        "'ud/sent-len' is a task, but an encoder is expected here",
    ),
    "a folder that is not there": (
        lambda: lingprobe.evaluate("./nothing", TASK),
        "no encoder is called './nothing', and no folder './nothing'; name a folder that holds a"
        " model, or a model of the hub (organisation/name)",
    ),
    "a control misspelt": (
        lambda: lingprobe.evaluate("length", TASK, controls="shufled"),
        "no control called 'shufled'; did you mean 'shuffled'? (`lingprobe list controls` lists them)",
    ),
    "a layer of an encoder without layers": (
        lambda: lingprobe.evaluate("length", TASK, probes="logreg", reads="9"),
        "length: no layer called '9': the encoder has no layers to choose from",
    ),
    "a name for a reference": (
        lambda: lingprobe.evaluate({"mine": "length"}, TASK),
        "'length' is a reference and needs no name; 'mine' can name a model or a function",
    ),
    "a kind misspelt": (
        lambda: lingprobe.available("task"),
        "no kind 'task': choose one of tasks, encoders, probes, controls, metrics, suites, parsers,"
        " checks, views, figures, languages, objectives",
    ),
    "results that are not there": (
        lambda: lingprobe.report("nowhere"),
        "no results in {here}/nowhere: `lingprobe run -o {here}/nowhere` makes some",
    ),
    "a value that is none of an option's": (
        lambda: lingprobe.evaluate("length", TASK, on_error="ignore"),
        "ud/sent-len,on_error=ignore: choose one of raise, skip",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_python_is_answered_by_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed, sentence = MISTAKES[name]
    with pytest.raises(lingprobe.LingprobeError) as problem:
        typed()
    assert str(problem.value) == sentence.format(here=tmp_path)


def test_strings_are_taken_where_lists_are():
    made = lingprobe.evaluate("length", TASK, probes="logreg", controls="shuffled", seeds=1)
    assert {r.trial.control for r in made.results} == {"none", "shuffled,seed=0"}


def test_an_encoder_that_raises_is_named_in_what_is_printed():
    def broken(sentences):
        raise RuntimeError("boom")

    made = lingprobe.evaluate(broken, TASK, probes="logreg", bounds=False, seeds=1)
    assert not made.results
    assert "failed: broken: broken failed on every sentence tried (RuntimeError: boom)" in str(made)
