"""What people type in Python and mean something else: each is answered by one exact sentence."""

import re

import numpy as np
import pandas
import polars
import pytest

import lingprobe

TASK = "ud/sent-len:embedded,limit=60"
NOT_A_TASK = (
    "is not a task: give (texts, labels), a DataFrame, a file of a table, or a reference"
    " ('ud/tense:PATH')"
)
ROWS = (["A dog.", "A cat."], ["x", "y"])
FRAME = pandas.DataFrame({"text": ROWS[0], "label": ROWS[1]})
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
    "a keyword of another name": (
        lambda: lingprobe.evaluate("length", TASK, n_jobs=2),
        "evaluate takes no argument 'n_jobs': did you mean jobs?",
    ),
    "a keyword in the singular": (
        lambda: lingprobe.evaluate("length", TASK, classifier="mlp"),
        "evaluate takes no argument 'classifier': did you mean probes?",
    ),
    "a device for all": (
        lambda: lingprobe.evaluate("length", TASK, device="gpu"),
        "evaluate takes no argument 'device': a device belongs to the encoder, as in"
        " hf:NAME,device=cuda",
    ),
    "options of a probe": (
        lambda: lingprobe.evaluate("length", TASK, epochs=3),
        "evaluate takes no argument 'epochs': options of a probe stand behind its name, as in"
        " mlp,hidden=100",
    ),
    "a number as a task": (
        lambda: lingprobe.evaluate("length", 5),
        f"5 {NOT_A_TASK}",
    ),
    "seeds as a list": (
        lambda: lingprobe.evaluate("length", TASK, seeds=[1, 2]),
        "seeds=[1, 2]: give a whole number, how often each probe is trained (default: 5)",
    ),
    "a limit that is not a number": (
        lambda: lingprobe.evaluate("length", TASK, limit="all"),
        "limit='all': give a whole number, at most this many examples of each task, for a preview;"
        " tables mark such tasks",
    ),
    "a number as a limit that is none": (
        lambda: lingprobe.evaluate("length", TASK, limit=2.5),
        "limit=2.5: give a whole number, at most this many examples of each task, for a preview;"
        " tables mark such tasks",
    ),
    "a word for True or False": (
        lambda: lingprobe.evaluate("length", TASK, copies="no"),
        "copies='no': give True or False",
    ),
    "no seed": (
        lambda: lingprobe.evaluate("length", TASK, seeds=0),
        "seeds=0: write a number from 1 on",
    ),
    "tasks as pairs": (
        lambda: lingprobe.evaluate("length", [("a b", "x"), ("c d", "y")]),
        "('a b', 'x') is not a task: of pairs of text and label make (texts, labels), as"
        " zip(*pairs)",
    ),
    "texts without labels": (
        lambda: lingprobe.evaluate("length", ROWS[0]),
        "'A dog.' is a text and no task: texts need labels, as (texts, labels) in Python, or in a"
        " file, 'table:FILE'",
    ),
    "a text with a comma": (
        lambda: lingprobe.evaluate("length", "Well, a dog"),
        "'Well, a dog' is a text and no task: texts need labels, as (texts, labels) in Python, or"
        " in a file, 'table:FILE'",
    ),
    "texts and labels in a list": (
        lambda: lingprobe.evaluate("length", [*ROWS]),
        f"['A dog.', 'A cat.'] {NOT_A_TASK}",
    ),
    "fewer labels than texts": (
        lambda: lingprobe.evaluate("length", (ROWS[0], ["x"])),
        "2 texts and 1 labels: give a label for each text, as (texts, labels)",
    ),
    "two lists of texts": (
        lambda: lingprobe.evaluate("length", (ROWS[0], ROWS[0], ROWS[1])),
        "3 lists are not a task: give (texts, labels); of two texts ([*zip(first, second)],"
        " labels)",
    ),
    "train and test in a tuple": (
        lambda: lingprobe.evaluate("length", ((["a b"] * 3, ["x"] * 3), (["a c"] * 3, ["x"] * 3))),
        "2 pairs of (texts, labels) in a tuple: {'train': (texts, labels), 'test': (texts, labels)}"
        " is one data set with its splits, and a list has several",
    ),
    "labels beside data": (
        lambda: lingprobe.evaluate("length", ROWS, labels=ROWS[1]),
        "evaluate takes no argument 'labels': labels belong to the data, as evaluate(encoder,"
        " (texts, labels))",
    ),
    "classes or scores of pairs": (
        lambda: lingprobe.evaluate("length", ([tuple(ROWS[0])] * 6, [*range(6)])),
        "data: whole numbers about two texts may be classes or graded scores: add labels=classes or"
        " labels=scores to the task (in lingprobe.table(data, labels=...))",
    ),
    "some pairs, some texts": (
        lambda: lingprobe.evaluate("length", (["A dog.", ("A cat.", "A dog.")], ["x", "y"])),
        "some texts are pairs, and others are not: give two texts everywhere",
    ),
    "numbers as names of layers": (
        lambda: lingprobe.evaluate("length", TASK, layers=[1, 2]),
        "layers=[1, 2]: write text: which layers the probe sees: one by name, `top`, `layers`,"
        " `cat:lex+top`, `first64:6` (or `random64:6`), `mix`, `mix:0-3` or `cumulative` (default:"
        " each layer alone)",
    ),
    "a control as True": (
        lambda: lingprobe.evaluate("length", TASK, controls=True),
        "controls=True: write text: controls to measure beside the scores, such as `shuffled`",
    ),
    "no baselines as a list": (
        lambda: lingprobe.evaluate("length", TASK, baselines=[]),
        "baselines=[]: choose one of 'default', 'strong', 'none'",
    ),
    "vectors without their texts": (
        lambda: lingprobe.evaluate(np.zeros((2, 4)), ROWS),
        "an array is not an encoder: give its texts beside it, (texts, vectors)",
    ),
    "an array as a task": (
        lambda: lingprobe.evaluate("length", np.zeros((3, 4))),
        f"an object of type ndarray {NOT_A_TASK}",
    ),
    "a series as a task": (
        lambda: lingprobe.evaluate("length", pandas.Series(ROWS[0])),
        f"an object of type Series {NOT_A_TASK}",
    ),
    "a frame that is not computed": (
        lambda: lingprobe.evaluate("length", polars.LazyFrame({"text": ROWS[0]})),
        f"an object of type LazyFrame {NOT_A_TASK}",
    ),
    "columns of other lengths": (
        lambda: lingprobe.evaluate("length", {"text": ROWS[0], "label": ROWS[1][:1]}),
        "'text' names a list, and a mapping names data: give {'text': (texts, labels)} or"
        " {'text': frame}",
    ),
    "a name for a file": (
        lambda: lingprobe.evaluate("length", {"mine": "mine.csv"}),
        "'mine.csv' needs no name; 'mine' can name a DataFrame or (texts, labels)",
    ),
    "a name with a comma": (
        lambda: lingprobe.evaluate("length", {"a,b": ROWS}),
        "'a,b' cannot be the name of data: leave out colons, commas, stars and @, and take no name"
        " of a task",
    ),
    "a name of a task": (
        lambda: lingprobe.table(ROWS, name="ud/tense"),
        "'ud/tense' cannot be the name of data: leave out colons, commas, stars and @, and take no"
        " name of a task",
    ),
    "two data sets of one name": (
        lambda: lingprobe.evaluate("length", [{"a": ROWS}, {"a": (ROWS[0], ["y", "x"])}]),
        "two data sets are called 'a': give each its own name, as {'first': data, 'second': more}",
    ),
    "a split that is none": (
        lambda: lingprobe.evaluate("length", {"train": FRAME, "unsupervised": FRAME}),
        "'unsupervised' beside 'train' is not a split (train, validation, test): leave it out",
    ),
    "a frame without labels": (
        lambda: lingprobe.evaluate("length", FRAME[["text"]]),
        "data: no column has a usual name of a label, as 'label': name it, as label=NAME; its"
        " columns: 'text' (in lingprobe.table(data, label=...))",
    ),
    "a column of several types": (
        lambda: lingprobe.evaluate("length", FRAME.assign(label=[1, "a"])),
        "a DataFrame that cannot be converted to an Arrow table ((\"Could not convert 'a' with type"
        " str: tried to"
        " convert to int64\", 'Conversion failed for column label with type object')): fix that"
        " column, or give (texts, labels)",
    ),
    "a file with named columns": (
        lambda: lingprobe.table("mine.csv", text="review"),
        "a file is a task by its reference: write 'table:mine.csv,text=review'",
    ),
    "two data sets for one": (
        lambda: lingprobe.inspect([ROWS, {"b": ROWS}]),
        "one task is expected here, and 2 were given",
    ),
    "a class as a task": (
        lambda: lingprobe.evaluate("length", Model),
        f"{Model!r} {NOT_A_TASK}",
    ),
    "a class as an encoder": (
        lambda: lingprobe.evaluate(Model, FRAME),
        f"{Model!r} is a class and no encoder: make one, as Model()",
    ),
    "data as an encoder": (
        lambda: lingprobe.evaluate(FRAME, "length"),
        "a DataFrame is data, and an encoder is expected here: run takes the tasks first, evaluate"
        " the encoder",
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
        "no control called 'shufled'; did you mean 'shuffled'? (`lingprobe list controls` lists"
        " them)",
    ),
    "a layer of an encoder without layers": (
        lambda: lingprobe.evaluate("length", TASK, probes="logreg", layers="9"),
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
        "no on_error 'ignore': choose one of raise, skip",
    ),
    "a column by another keyword": (
        lambda: lingprobe.table(FRAME, text_column="text"),
        "table takes no argument 'text_column': did you mean text?",
    ),
    "a target": (
        lambda: lingprobe.table(FRAME, target="label"),
        "table takes no argument 'target': did you mean label?",
    ),
    "an encoder in the place of data": (
        lambda: lingprobe.run(Model(), FRAME),
        "an object of type Model is an encoder, not a task: run takes the tasks first, evaluate the"
        " encoder",
    ),
    "one seed": (
        lambda: lingprobe.run(FRAME, "length", seed=3),
        "run takes no argument 'seed': a run trains each probe with several seeds, seeds=5; a"
        " reference has one of its own, as bow:random,seed=1",
    ),
    "verbose": (
        lambda: lingprobe.run(FRAME, "length", verbose=True),
        "run takes no argument 'verbose': progress=True draws bars; errors have their traceback"
        " with --debug on the command line",
    ),
    "a name and a frame": (
        lambda: lingprobe.run([("mine", FRAME)], "length"),
        "('mine', text label 0 A dog. x 1 A cat. y) is not a task: a mapping names data, as {'mine':"
        " data}",
    ),
    "weights of another format": (
        lambda: lingprobe.run(FRAME, "model.gguf"),
        "'model.gguf' has weights in .gguf, which lingprobe does not run: name the folder of the"
        " model with its safetensors, or serve it and name the server, api:URL",
    ),
    "a report of scores": (
        lambda: lingprobe.report(FRAME),
        "a DataFrame is no results: give an evaluation, a folder of results, or some of the"
        " results of an evaluation",
    ),
    "two evaluations": (
        lambda: lingprobe.compare([], FRAME),
        "against names one encoder: compare([first, second]) compares what two evaluations have",
    ),
    "vectors of a frame": (
        lambda: lingprobe.embed(FRAME, "length"),
        "a DataFrame is not a list of texts: give those of its column, or what lingprobe.sentences"
        " returns",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_python_is_answered_by_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed, sentence = MISTAKES[name]
    with pytest.raises(lingprobe.LingprobeError) as problem:
        typed()
    assert str(problem.value) == sentence.replace("{here}", str(tmp_path))


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("mine.npz", "'mine.npz' is a file of vectors, as it seems: write npz:mine.npz"),
        ("mine.npy", "'mine.npy' is a file of vectors, as it seems: write npy:mine.npy"),
        ("mine.vec", "'mine.vec' is a file of vectors, as it seems: write static:mine.vec"),
        ("mine.parquet", "evaluate the encoder (vectors are read by parquet:mine.parquet)"),
        ("mine.jsonl", "evaluate the encoder (vectors are read by npz:, npy: and parquet:FILE)"),
        ("mine.pkl", "'mine.pkl' is a pickle, which could run code and is not read: write vectors"),
    ],
)
def test_a_file_as_an_encoder_is_told_what_reads_it(file, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_bytes(b"")
    with pytest.raises(lingprobe.UsageProblem, match=re.escape(said)):
        lingprobe.evaluate(file, TASK)


def test_strings_are_taken_where_lists_are():
    made = lingprobe.evaluate("length", TASK, probes="logreg", controls="shuffled", seeds=1)
    assert {r.trial.control for r in made.results} == {"none", "shuffled,seed=0"}


def test_an_encoder_that_raises_is_named_in_what_is_printed():
    def broken(sentences):
        raise RuntimeError("boom")

    made = lingprobe.evaluate(broken, TASK, probes="logreg", baselines="none", seeds=1)
    assert not made.results
    assert "failed: broken: broken failed on every sentence tried (RuntimeError: boom)" in str(made)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("load_results", "results() reads a folder, load_evaluation() a whole evaluation"),
        ("probe", "run() probes encoders on tasks"),
        ("plot", "evaluation.plot()"),
        ("load_dataset", "table() makes a task of data in memory"),
        ("evaluat", "did you mean evaluate?"),
    ],
)
def test_a_function_of_another_name_is_pointed_to(name, hint):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': ") as problem:
        getattr(lingprobe, name)
    assert hint in str(problem.value)
    assert not hasattr(lingprobe, "zzzz")
