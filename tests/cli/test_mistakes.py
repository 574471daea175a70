"""What people type who do not know lingprobe yet, and the one sentence that answers each."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tarfile

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.banks import treebank
from lingprobe.cli import app, main

BANK = "UD_Test-A"
TENSE = f"ud/tense:{BANK}"
HELP = "(`lingprobe run --help` shows what there is)"
MINE = """
import numpy as np

def wrong(sentences: list[str]):
    return np.ones((3, 2))

def raising(sentences: list[str]):
    return load(sentences)

def load(sentences):
    raise KeyError("weights")

class Raising:
    name, question, metric, probe, view = "mine/raising", "?", "accuracy", "logreg", "mean"

    def load(self):
        return "abc"[3]

class Bare:
    name, question, probe = "mine/bare", "?", "logreg"

    def load(self):
        pass

def three():
    return 3

def falling():
    return {}["language"]
"""
RETRY = (
    "what was encoded before is kept: fix the encoder, try it on one sentence in Python, and run"
    " the same command again"
)

MISTAKES = {
    "a file of settings for run": (
        "run mine.toml",
        "run takes no file of settings: `lingprobe experiment mine.toml` does",
    ),
    "a kind of thing in place of a command": (
        "probes",
        "no command probes; `lingprobe list probes` lists them",
    ),
    "a task misspelt": (
        f"run -t ud/tens:{BANK} -e length",
        "no task called 'ud/tens'; did you mean 'ud/tense'? (`lingprobe list tasks` lists them)",
    ),
    "a task without its family": (
        "run -t tense -e length",
        "no task called 'tense'; did you mean 'ud/tense'? (`lingprobe list tasks` lists them)",
    ),
    "a task without data": (
        "run -t ud/tense -e length",
        "task 'ud/tense' needs a path: write ud/tense:PATH",
    ),
    "a path that is not there": (
        "run -t ud/tense:nowhere -e length",
        "nothing to measure: ud/tense:nowhere: no file or folder 'nowhere'; give a .conllu file (or"
        " .conllu.gz, .conllu.xz) or a folder of them",
    ),
    "a folder of treebanks": (
        "run -t ud/tense:banks -e length",
        "nothing to measure: ud/tense:banks: no .conllu, .conllup, .cupt files (nor .conllu.gz,"
        " .conllu.xz) in 'banks'; did you mean 'banks/UD_Other-B'?",
    ),
    "an encoder misspelt": (
        f"run -t {TENSE} -e lenght",
        "no encoder called 'lenght'; did you mean 'length'? (`lingprobe list encoders` lists them)",
    ),
    "an option misspelt": (
        f"run -t {TENSE} -e bow:random,dims=3",
        "encoder 'bow' has no option 'dims' (it has: dim, lowercase, pool, seed)",
    ),
    "a value of the wrong kind": (
        f"run -t {TENSE} -e bow:random,dim=x",
        "bow,dim=x: not a whole number",
    ),
    "a probe misspelt": (
        f"run -t {TENSE} -e length --probe logref",
        "no probe called 'logref'; did you mean 'logreg'? (`lingprobe list probes` lists them)",
    ),
    "a protocol misspelt": (
        f"run -t {TENSE} -e length --probe mlp,protocol=conneau",
        "mlp,protocol=conneau: choose one of fast, full, acl18, senteval, krasnowska, ettinger",
    ),
    "a suite misspelt": (
        "run --suite conneau2019 -e length",
        "no suite called 'conneau2019'; did you mean 'conneau2018'? (`lingprobe list suites` lists"
        " them)",
    ),
    "a suite without its data": (
        "run --suite conneau2018 -e length",
        "nothing to measure: senteval/sent-len: no sentence_length in '{cache}/data/senteval';"
        " `lingprobe fetch senteval` gets it, or write senteval/sent-len:FOLDER for a folder that"
        " has"
        " it; senteval/tree-depth: no tree_depth in '{cache}/data/senteval'; `lingprobe fetch"
        " senteval`"
        " gets it, or write senteval/tree-depth:FOLDER for a folder that has it; and 8 more tasks"
        " like these",
    ),
    "a suite with tasks": (
        f"run --suite ud2019:{BANK} -t {TENSE} -e length",
        "a suite brings its own tasks and probes: leave both out",
    ),
    "a treebank misspelt": (
        "run -t ud/tense:en_ewtt -e length",
        "nothing to measure: ud/tense:en_ewtt: no file or folder 'en_ewtt', and no such treebank;"
        " did you mean 'en_ewt'?",
    ),
    "a treebank that is not here, offline": (
        "run -t ud/tense:fi_tdt -e length",
        "UD_Finnish-TDT of release 2.17 is not here: with network access, `lingprobe fetch"
        " ud/fi_tdt` downloads it (CC BY-SA 4.0); or set LINGPROBE_TREEBANKS to a folder that has"
        " UD_Finnish-TDT (HF_HUB_OFFLINE is set, so nothing is fetched)",
    ),
    "data that cannot be fetched": (
        "fetch sentevall",
        "nothing called 'sentevall' can be fetched; there are senteval, xprobe/de, xprobe/en,"
        " xprobe/es, xprobe/fi, xprobe/fr, xprobe/ru, xprobe/tr, rusenteval, ud2019, compeval,"
        " dpr, semeval, spr2, wnut17, sick, cds, and treebanks, as ud/en_ewt",
    ),
    "a layer that is not there": (
        f"run -t {TENSE} -e bow:random --layers 5",
        "bow:random: no layer called '5': the encoder has no layers to choose from",
    ),
    "a read misspelt": (
        f"run -t {TENSE} -e bow:random --layers cumulatve",
        "bow:random: no layer called 'cumulatve': the encoder has no layers to choose from",
    ),
    "a mix without layers": (
        f"run -t {TENSE} -e length --layers mix --probe span",
        "length: 'mix' sums up numbered layers, and the encoder has no layers to choose from; take"
        " hf:NAME,layers=all",
    ),
    "a pooling misspelt": (
        f"run -t {TENSE} -e hf:model,pool=average",
        "hf,pool=average: choose one of mean, rest, max, cls, last, end, none",
    ),
    "a treebank without train": (
        "run -t ud/tense:UD_Test-C,splits=official -e length",
        "nothing to measure: ud/tense:UD_Test-C,splits=official: nothing can go into train and dev:"
        " train 0, dev 0, test 300 examples; target forms of each class: past 150, pres 150; leave"
        " splits=official out to draw splits of all sentences",
    ),
    "a table that is not a table": (
        "run -t table:tiny.tsv -e length",
        "nothing to measure: table:tiny.tsv: tiny.tsv: no column has a usual name of a text, as"
        " 'text': name it, as text=NAME, and the label; no column seems one by its cells; its"
        " columns: '1', '2'",
    ),
    "a malformed treebank": (
        "run -t ud/tense:UD_Broken-A -e length",
        "nothing to measure: ud/tense:UD_Broken-A: UD_Broken-A/en_test-ud-train.conllu:2: 3 columns"
        " instead of 10; columns are separated by single tabs (on_error=skip leaves such sentences"
        " out and counts them)",
    ),
    "a feature that is not annotated": (
        f"run -t ud/feat:{BANK},feature=Definite -e length",
        "nothing to measure: ud/feat:UD_Test-A,feature=Definite: ud/feat cannot be built from"
        " UD_Test-A: the main predicate never has Definite; it has Mood, Tense, VerbForm (excluded:"
        " the word has no Definite: 280)",
    ),
    "a question that the data cannot answer": (
        "run -t ud/tense:UD_Bare-A -e length",
        "nothing to measure: ud/tense:UD_Bare-A: ud/tense cannot be built from UD_Bare-A: no"
        " sentence"
        " is 'pres': it needs main VERBs, or their auxiliaries, with Tense=Pres; no sentence is"
        " 'past': it needs main VERBs, or their auxiliaries, with Tense=Past (excluded: neither the"
        " main verb nor an auxiliary has a tense: 90)",
    ),
    "vectors without vectors": (
        f"run -t {TENSE} -e npz:wrong.npz",
        "wrong.npz: neither 'vectors' nor layer_0, layer_1, ... (it has: a)",
    ),
    "a key that no request has": (
        "data generate request.json",
        "request.json: request: unknown key 'verbz'; there are language, lexicon, more_words,"
        " classes, bands, nouns, verbs, adjectives, adverbs, prepositions, frames, voices, datives,"
        " relatives, tense, modal, aspect, polarity, number, determiner, relativiser, at_most,"
        " require, prohibit, require_words, prohibit_words, matched_number, allow, priors,"
        " even_structures",
    ),
    "a language that is not generated": (
        "data generate empty.json --language klingon",
        "empty.json: request.language: no language called 'klingon' (`lingprobe list languages`"
        " lists them)",
    ),
    "a sheet that nobody filled in": (
        "data annotate --score sheet.tsv",
        "there are no judgements in sheet.tsv: fill in the column 'judgement'",
    ),
    "a folder from a variable that is not set": (
        f"run -t {TENSE} -e length -o ''",
        "-o is empty: is a variable of the shell not set?",
    ),
    "a cache from one": (
        f"run -t {TENSE} -e length --cache=",
        "--cache is empty: is a variable of the shell not set?",
    ),
    "a figure that is drawn nowhere": (
        "report results/ --figure heat",
        "--figure heat: name the file to draw it to, as -o heat.svg",
    ),
    "a figure of correlations that is drawn into a table": (
        "relate results/ --figure radar -o radar.csv",
        "--figure radar: name the file to draw it to, as -o radar.svg",
    ),
    "the folder here in place of a file": (
        f"embed -t {TENSE} --list .",
        "cannot write .: is a directory; choose another place",
    ),
    "a suffix of another program": (
        f"build {TENSE} -o tense.docx",
        "tense.docx: the name should end with .parquet, .jsonl, .tsv, .txt, so that the format is"
        " known",
    ),
    "word vectors that are not there": (
        f"run -t {TENSE} -e static:vectors.vec",
        "cannot open vectors.vec: no such file or directory",
    ),
    "a name that a file does not have": (
        f"run -t {TENSE} -e mine.py@nothing",
        "mine.py does not define 'nothing'",
    ),
    "tagged text without tags": (
        "data tag text.txt --from bad.txt -o out.tagged",
        "bad.txt:1: 'one' is not a word with a tag; write word/TAG, word_TAG, or word, tab, TAG on"
        " a"
        " line",
    ),
    "a flag misspelt": (
        f"run -t {TENSE} --encoders length",
        f"no option --encoders; did you mean --encoder? {HELP}",
    ),
    "a folder that is not a model, as an encoder": (
        f"run -t {TENSE} -e banks",
        "no encoder is called 'banks', and banks is not a model of sentence-transformers (no"
        " modules.json) or of transformers (no config.json)",
    ),
    "a model that is not there": (
        f"run -t {TENSE} -m ./nothing",
        "no folder './nothing'; name a folder that holds a model, or a model of the hub"
        " (organisation/name)",
    ),
    "a folder that is not a model": (
        f"run -t {TENSE} -m banks",
        "banks is not a model of sentence-transformers (no modules.json) or of transformers (no"
        " config.json)",
    ),
    "an archive in place of a text": (
        "data tag text.txt --from files.tar.xz -o out.tagged",
        "files.tar.xz is an archive of files, not a text; unpack it and name one of them, as with"
        " `tar xf files.tar.xz`",
    ),
    "a comma between references": (
        f"run -t {TENSE},ud/passive:{BANK} -e length",
        f"'ud/passive:{BANK}' in '{TENSE},ud/passive:{BANK}' is not key=value (several references"
        " have spaces between them; a comma inside a value is written %2C)",
    ),
    "a device for what has none": (
        f"run -t {TENSE} -e length --device cpu",
        "none of the encoders (length) has the option device",
    ),
    "a batch of sentences": (
        f"run -t {TENSE} -e st:model --batch-size 32",
        "none of the encoders (st) has the option batch_size: hf and st fill batches by"
        " tokens, not sentences: write st:NAME,tokens=2048",
    ),
    "a control misspelt": (
        f"run -t {TENSE} -e length --control suffled",
        "no control called 'suffled'; did you mean 'shuffled'? (`lingprobe list controls` lists"
        " them)",
    ),
    "a file for results": (
        f"run -t {TENSE} -e length -o mine.py",
        "{here}/mine.py is a file: name a folder for the results",
    ),
    "a folder that cannot be written": (
        f"run -t {TENSE} -e length -o /proc/nothing",
        "cannot write into /proc/nothing: No such file or directory; make room, or choose another"
        " folder",
    ),
    "numbers of seeds": (
        f"run -t {TENSE} -e length --seeds 1,2",
        f"invalid value for '--seeds': not a whole number {HELP}",
    ),
    "no seed": (
        f"run -t {TENSE} -e length --seeds 0",
        f"invalid value for '--seeds': the least is 1 {HELP}",
    ),
    "a format misspelt": (
        f"run -t {TENSE} -e length --format htm",
        "invalid value for '--format' / '-f': 'htm' is not one of 'terminal', 'markdown', 'latex',"
        " 'html',"
        f" 'csv', 'parquet', 'mteb' {HELP}",
    ),
    "a format that is a file": (
        f"run -t {TENSE} -e length --format parquet",
        "--format parquet is a file: keep the results with -o FOLDER, then `lingprobe report FOLDER"
        " --format parquet -o FILE`",
    ),
    "a language without treebanks": (
        "run -t ud/tense -l pol -e length",
        "no treebank of pol under .: give path=, or set LINGPROBE_TREEBANKS, to a folder of UD_*"
        " folders; or fetch pl_lfg, pl_mpdt, pl_pdb, as with `lingprobe fetch ud/pl_lfg`",
    ),
    "a task misspelt, with a language": (
        "run -t ud/tens -l eng -e length",
        "no task called 'ud/tens'; did you mean 'ud/tense'? (`lingprobe list tasks` lists them)",
    ),
    "a language and a path": (
        f"run -t {TENSE} -l eng -e length",
        f"-l finds the treebanks itself: write ud/tense for {TENSE}",
    ),
    "a command misspelt": (
        "encodrs",
        "no command encodrs; did you mean encoders? (`lingprobe --help` shows what there is)",
    ),
    "a metric that is none": (
        "run -t table:many.tsv,metric=mine.py@three -e length",
        "the metric 'mine.py@three' is 3: give a Metric",
    ),
    "a probe that is none": (
        f"run -t {TENSE} -e length --probe mine.py@three",
        "the probe 'mine.py@three' is 3: it has no name, fit: a Probe has name and fit()",
    ),
    "a control that is none": (
        f"run -t {TENSE} -e length --control mine.py@three",
        "the control 'mine.py@three' is 3: give a function",
    ),
    "a parser that is none": (
        "parse tiny.tsv --with mine.py@three -o parsed",
        "the parser 'mine.py@three' is 3: it has no name, fingerprint, annotate: a Parser has name,"
        " fingerprint and annotate()",
    ),
    "a task that is none": (
        "run -t mine.py@Bare -e length",
        "nothing to measure: mine.py@Bare: it has no metric, view: a Task has name, question,"
        " metric, probe, view and load()",
    ),
    "a language that is none": (
        "data generate empty.json --language mine.py@three",
        "the language 'mine.py@three' returns 3: give a Language",
    ),
    "results that are not there": (
        "report nowhere/",
        "no results in {here}/nowhere: `lingprobe run -o {here}/nowhere` makes some",
    ),
}

FAILURES = {
    "an encoder that raises": (
        "raising",
        f"mine.py@raising failed on every sentence tried (KeyError: 'weights', at mine.py:11);"
        f" {RETRY}",
    ),
    "vectors of the wrong shape": (
        "wrong",
        "mine.py@wrong returned an array [3, 2], expected one row of numbers for each of 200"
        " sentences, [200, dim]",
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the kind that people begin in."""
    monkeypatch.chdir(tmp_path)
    for split, n in (("train", 200), ("dev", 40), ("test", 40)):
        treebank(tmp_path / BANK, split, n)
        treebank(tmp_path / "UD_Bare-A", split, 30, feats=False)
    treebank(tmp_path / "UD_Test-C", "test", 300)
    treebank(tmp_path / "banks" / "UD_Other-B", "train", 4)
    broken = tmp_path / "UD_Broken-A"
    broken.mkdir()
    (broken / "en_test-ud-train.conllu").write_text("# text = a\n1\ta\ta\n\n")
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "tiny.tsv").write_text("hello you\ta\nbye you\tb\n")
    rows = "".join(f"word{n} word\t{'ab'[n % 2]}\n" for n in range(200))
    (tmp_path / "many.tsv").write_text(f"text\tlabel\n{rows}")
    (tmp_path / "request.json").write_text('{"verbz": ["help"]}')
    (tmp_path / "empty.json").write_text("{}")
    (tmp_path / "bad.txt").write_text("one two\nthree_NN four\n")
    (tmp_path / "text.txt").write_text("one two\n")
    np.savez(tmp_path / "wrong.npz", a=np.ones(3))
    with tarfile.open(tmp_path / "files.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "mine.py", "mine.py")
    return tmp_path


@pytest.fixture
def typed(monkeypatch, capsys):
    """Runs what somebody types; the exit code, and what is said on standard error."""

    def run(line):
        monkeypatch.setattr(sys, "argv", ["lingprobe", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_by_one_sentence(name, here, typed):
    line, sentence = MISTAKES[name]
    if "sheet.tsv" in line:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                sys, "argv", shlex.split(f"lingprobe data annotate {TENSE} -n 5 -o sheet.tsv")
            )
            main()
    code, said = typed(line)
    expected = sentence.format(here=here, cache=os.environ["LINGPROBE_CACHE"])
    assert said.strip().splitlines()[-1:] == [f"lingprobe: {expected}"]
    assert code == 2


@pytest.mark.parametrize("name", FAILURES)
def test_an_encoder_that_fails_is_named(name, here, typed):
    function, sentence = FAILURES[name]
    line = f"run -t {TENSE} -e mine.py@{function} --probe logreg --seeds 1 --baselines none -q"
    assert typed(line) == (
        1,
        f"nothing could be measured:\nfailed: mine.py@{function}: {sentence}\n",
    )


def test_a_task_that_fails_says_where(here, typed):
    assert typed("run -t mine.py@Raising -e length -q") == (
        2,
        "lingprobe: nothing to measure: mine.py@Raising: IndexError: string index out of range, at"
        " mine.py:17 (a bug in the task mine/raising, which should report what is wrong)\n",
    )


def test_what_nobody_foresaw_has_the_line_of_the_users_file(here, typed):
    assert typed("data generate empty.json --language mine.py@falling") == (
        1,
        "lingprobe: KeyError: 'language', at mine.py:29 (unexpected; run again with --debug to see"
        " where)\n",
    )


def test_debug_shows_where_it_failed(here):
    line = f"run -t {TENSE} -e mine.py@raising --probe logreg --seeds 1 --baselines none -q --debug"
    done = subprocess.run(
        [sys.executable, "-m", "lingprobe", *shlex.split(line)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert 'mine.py", line' in done.stderr


def test_an_interrupted_run_says_that_nothing_is_lost(here, typed, monkeypatch):
    def interrupted(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(lingprobe, "run", interrupted)
    assert typed("run") == (
        130,
        "\nlingprobe: interrupted; results so far are saved, and the same command resumes the"
        " run\n",
    )


def test_several_values_may_follow_one_flag(here, monkeypatch):
    asked = []
    monkeypatch.setattr(lingprobe, "run", lambda **s: asked.append(s) or lingprobe.Evaluation(()))
    line = "run -t a b -e length random --seeds 2 --control shuffled word-labels -q --layers top"
    done = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    settings, *more = asked
    assert not more
    assert (settings["tasks"], settings["encoders"]) == (["a", "b"], ["length", "random"])
    assert settings["controls"] == ["shuffled", "word-labels"]
    assert (settings["seeds"], settings["layers"]) == (2, ["top"])


def test_arguments_of_a_command_are_no_values_of_its_flags(here):
    line = f"embed -e length {BANK}/en_test-ud-dev.conllu text.txt"
    done = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    assert "length: 41 sentences encoded" in done.output


def test_an_encoder_behind_another_is_no_corpus(here):
    line = f"embed -e length random,dim=4 {BANK}/en_test-ud-dev.conllu"
    done = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    for name in ("length", "random,dim=4"):
        assert f"{name}: 40 sentences encoded" in done.output, done.output


def test_lingprobe_alone_shows_its_help(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lingprobe"])
    main()
    assert "Usage" in capsys.readouterr().out


def test_a_language_finds_its_treebanks(here, monkeypatch):
    asked = []
    monkeypatch.setattr(
        lingprobe, "run", lambda **s: asked.append(s["tasks"]) or lingprobe.Evaluation(())
    )
    monkeypatch.delenv("LINGPROBE_TREEBANKS", raising=False)
    line = "run -t ud/tense ud/passive -l english -e length -q"
    done = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert f"ud/passive:{BANK}" in asked[0]
    assert {task.partition(":")[0] for task in asked[0]} == {"ud/tense", "ud/passive"}
