"""`lingprobe train`: encoders learn, go on after a stop, and are encoders."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.data.core import Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.train.options import TrainingSettings
from lingprobe_extensions.train.sentences import train_sentence_encoder
from lingprobe_extensions.train.settings import TrainingRequest

NAMES = ("Anna", "Bea", "Carl", "Dora", "Emil", "Fred", "Gina", "Hans", "Ida", "Jan")
VERBS = {"sees": "sieht", "hears": "hört", "knows": "kennt"}
SMALL = {"hidden": 16, "layers": 1, "dim": 16, "decoder": 32, "pieces": 300, "batch": 256}


FEW, ENOUGH = 500, 1500  # enough is what something can be learnt from


def aligned(folder: Path, n: int) -> tuple[Path, Path]:
    """Two aligned files in which each word has one translation."""
    draws = random.Random(0)
    pairs = [
        (draws.choice(NAMES), draws.choice(sorted(VERBS)), draws.choice(NAMES)) for _ in range(n)
    ]
    english = "".join(f"{a} {v} {b} .\n" for a, v, b in pairs)
    german = "".join(f"{a} {VERBS[v]} {b} .\n" for a, v, b in pairs)
    (folder / "a.en").write_text(english, "utf-8")
    (folder / "a.de").write_text(german, "utf-8")
    return folder / "a.en", folder / "a.de"


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    """Few lines of them."""
    return aligned(tmp_path, FEW)


@pytest.fixture
def pairs(tmp_path) -> Path:
    """Few of the pairs."""
    return labelled(tmp_path, FEW)


def labelled(folder: Path, n: int) -> Path:
    """Pairs whose label is whether the second sentence names who acts in the first."""
    draws = random.Random(1)
    rows = ["source\tpremise\thypothesis\tlabel"]
    for _ in range(n):
        one, other = draws.sample(NAMES, 2)
        who = draws.choice((one, other))
        label = "entailment" if who == one else "contradiction"
        rows.append(f"made\t{one} sees {other} .\t{who} sees .\t{label}")
    (folder / "nli.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder / "nli.tsv"


def weights(folder: Path, epoch: int) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(folder / f"epoch-{epoch}.safetensors")


LEARNING = {**SMALL, "batch": 128, "patience": 0, "rate": 0.01}


def test_translation_is_learnt_beyond_what_is_trivial(tmp_path):
    files = aligned(tmp_path, ENOUGH)
    made = lingprobe.train("bilstm-max", "translate", files, tmp_path / "m", epochs=15, **LEARNING)
    best = made.epochs[made.best - 1]
    assert best["dev perplexity"] < made.trivial["perplexity of bigrams"] / 2
    assert best["dev bleu"] > 20
    assert max(made.trivial["bleu of copying"], made.trivial["bleu of the commonest text"]) < 10


@pytest.mark.parametrize(
    "architecture",
    ["bilstm-last", "lstm-last", "bigru-max", "gru-last", "gru-backward", "gated-convnet", "mean"],
)
def test_every_architecture_learns_and_is_an_encoder(files, tmp_path, architecture):
    how = {**LEARNING, "hidden": 12, "layers": 2, "embedding": 10}
    made = lingprobe.train(architecture, "next", files[0], tmp_path / "m", epochs=2, **how)
    first, second = (epoch["loss"] for epoch in made.epochs)
    assert second < 0.95 * first  # by chance it is a little less where no step is taken
    encoder = ENCODERS.make(f"trained:{tmp_path / 'm'}")
    assert encoder.encode([Sentence.of(["Anna", "sees"])]).layers[0].shape == (1, 10)
    with pytest.raises(lingprobe.DataProblem, match="no vector for each word"):
        ENCODERS.make(f"trained:{tmp_path / 'm'},pool=none").encode([Sentence.of(["Anna"])])


def test_vectors_of_words_are_learnt_and_kept(files, tmp_path):
    how = {**LEARNING, "learned": True, "least": 3}
    made = lingprobe.train("mean", "translate", files, tmp_path / "m", epochs=3, **how)
    first, *_, last = (epoch["dev perplexity"] for epoch in made.epochs)
    assert last < first
    words = (tmp_path / "m" / "words.txt").read_text("utf-8").split("\n")
    assert set(words) == {"<unk>", *NAMES, *VERBS, "."}
    encoder = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=3")
    vectors = encoder.encode([Sentence.of([w]) for w in ("Anna", "Quux", "<unk>")]).layers[0]
    np.testing.assert_array_equal(vectors[1], vectors[2])
    table = weights(tmp_path / "m", 3)["words"].numpy()
    np.testing.assert_allclose(vectors[0], table[words.index("Anna")], atol=1e-6)
    other = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=1").encode([Sentence.of(["Anna"])])
    assert not np.allclose(other.layers[0], vectors[0])


def test_trees_are_judged_by_their_constituents(tmp_path):
    draws = random.Random(2)
    lines = []
    for _ in range(200):
        subject = "(NP (DT the) (NN dog))" if draws.random() < 0.5 else "(NP (PRP she))"
        rest = "(VP (VBZ barks))" if draws.random() < 0.5 else "(VP (VBZ sees) (NP (PRP him)))"
        lines.append(f"(ROOT (S {subject} {rest} (. .)))")
    (tmp_path / "a.ptb").write_text("\n".join(dict.fromkeys(lines)) + "\n" + "\n".join(lines))
    how = {**LEARNING, "longest": 9}
    dev = tmp_path / "dev.ptb"
    dev.write_text("(ROOT (S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (PRP him))) (. .)))\n")
    made = lingprobe.train(
        "bilstm-max", "parse", tmp_path / "a.ptb", tmp_path / "m", dev=dev, epochs=4, **how
    )
    assert made.figure == "accuracy"
    assert {"dev f1", "dev accuracy", "dev perplexity"} <= set(made.epochs[0])
    assert 0 <= made.trivial["f1 of the commonest tree of the length"] <= 100


def test_a_recipe_gives_way_to_what_is_said():
    how = TrainingSettings.of({"hidden": "8"}, "small")
    assert (how.hidden, how.decoder, how.layers) == (8, 256, 1)
    with pytest.raises(lingprobe.UsageProblem, match="no recipe 'big': choose one of small, paper"):
        TrainingSettings.of({}, "big")


TINY = {"hidden": 8, "layers": 1, "dim": 8, "decoder": 8, "pieces": 300, "batch": 128}
TOGETHER = f"""
import sys, torch, lingprobe
torch.set_num_threads(1)
lingprobe.train("bilstm-max", "translate", sys.argv[1:3], "two", epochs=2, patience=0, **{TINY})
"""


def test_processes_that_torchrun_started_train_one_encoder(files, tmp_path):
    (tmp_path / "go.py").write_text(TOGETHER)
    many = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    asked = [*many, "go.py", *map(str, files)]
    done = subprocess.run(
        asked, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lingprobe.train(
        "bilstm-max", "translate", files, tmp_path / "one", epochs=2, patience=0, **TINY
    )
    one, two = (json.loads((tmp_path / f / "model.json").read_text()) for f in ("one", "two"))
    assert [e["words"] for e in two["epochs"]] == [e["words"] for e in one["epochs"]]
    assert two["epochs"][1]["loss"] < two["epochs"][0]["loss"]
    assert two["epochs"][0]["loss"] == pytest.approx(one["epochs"][0]["loss"], rel=0.1)


def test_inference_is_learnt_beyond_the_second_sentence(tmp_path):
    pairs = labelled(tmp_path, ENOUGH)
    made = lingprobe.train("bilstm-last", "infer", pairs, tmp_path / "m", epochs=12, **LEARNING)
    assert made.epochs[made.best - 1]["dev accuracy"] > 85
    assert made.trivial["accuracy of the second sentence alone"] < 70
    assert "best: epoch" in str(made)


def test_a_training_that_was_stopped_ends_as_one_that_was_not(files, tmp_path):
    how = {**SMALL, "patience": 0}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    lingprobe.train("bilstm-max", "denoise", files[0], whole, epochs=3, **how)
    for epochs in (1, 2, 3):
        lingprobe.train("bilstm-max", "denoise", files[0], parts, epochs=epochs, **how)
    for epoch in (1, 2, 3):
        one, other = weights(whole, epoch), weights(parts, epoch)
        assert one.keys() == other.keys()
        assert all(torch.equal(one[key], other[key]) for key in one)
    figures = [
        [{k: v for k, v in epoch.items() if k != "seconds"} for epoch in facts["epochs"]]
        for facts in (json.loads((f / "model.json").read_text("utf-8")) for f in (whole, parts))
    ]
    assert figures[0] == figures[1]


@pytest.mark.parametrize("learned", [False, True])
def test_other_files_are_judged_as_dev_is_and_nothing_else_changes(pairs, tmp_path, learned):
    head, *rows = pairs.read_text("utf-8").splitlines()
    dev, strange = tmp_path / "dev.tsv", tmp_path / "strange.tsv"
    dev.write_text("\n".join([head, *rows[:200]]) + "\n", "utf-8")
    pairs.write_text("\n".join([head, *rows[200:]]) + "\n", "utf-8")
    strange.write_text(head + "\nx\tQuux sees Anna .\tQuux sees .\tentailment\n" * 3, "utf-8")
    how = {**LEARNING, "epochs": 2, "dev": dev, "learned": learned}
    alone = lingprobe.train("bilstm-max", "infer", pairs, tmp_path / "alone", **how)
    both = lingprobe.train(
        "bilstm-max", "infer", pairs, tmp_path / "both", evaluate=[strange, dev], **how
    )
    for one, other in zip(alone.epochs, both.epochs, strict=True):
        assert other["accuracy on dev.tsv"] == other["dev accuracy"] == one["dev accuracy"]
        assert other["accuracy on strange.tsv"] in (0.0, 100.0)
    for epoch in (1, 2):
        one, other = (weights(tmp_path / name, epoch) for name in ("alone", "both"))
        assert all(torch.equal(one[key], other[key]) for key in one)
    for name, value in alone.trivial.items():
        assert both.trivial[name] == value
        assert both.trivial[f"{name} on dev.tsv"] == pytest.approx(value, abs=2)
    words = [(tmp_path / name / "words.txt").read_text("utf-8") for name in ("alone", "both")]
    assert words[0] == words[1]
    # asked for later, it is judged after the last epoch
    again = lingprobe.train("bilstm-max", "infer", pairs, tmp_path / "alone", evaluate=dev, **how)
    assert "accuracy on dev.tsv" not in again.epochs[0]
    assert again.epochs[1]["accuracy on dev.tsv"] == again.epochs[1]["dev accuracy"]
    assert "–" in str(again)


def test_texts_of_other_files_are_written_as_those_of_dev(files, tmp_path):
    table = tmp_path / "dev.tsv"
    table.write_text("Anna sees Bea .\tAnna sieht Bea .\nQuux hears Jan .\tX hört Y .\n", "utf-8")
    how = {**SMALL, "epochs": 1, "dev": table}
    both = [tmp_path / "both.tsv"]
    lines = zip(*(path.read_text("utf-8").splitlines() for path in files), strict=True)
    both[0].write_text("".join(f"{a}\t{b}\n" for a, b in lines), "utf-8")
    made = lingprobe.train("bilstm-max", "translate", both, tmp_path / "m", evaluate=table, **how)
    [epoch] = made.epochs
    for figure in ("bleu", "perplexity", "accuracy"):
        assert epoch[f"{figure} on dev.tsv"] == pytest.approx(epoch[f"dev {figure}"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no example to judge by"),
        ("Anna .\tBea .\tmaybe\n", "no pair to learn from has the label 'maybe'"),
    ],
)
def test_other_files_that_cannot_be_judged_are_named(pairs, text, said, tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text("premise\thypothesis\tlabel\n" + text, "utf-8")
    with pytest.raises(lingprobe.DataProblem, match=said):
        lingprobe.train("mean", "infer", pairs, tmp_path / "m", evaluate=other, **SMALL)
    with pytest.raises(lingprobe.UsageProblem, match="leave --evaluate out"):
        lingprobe.train("bow", "cbow", pairs, tmp_path / "m", evaluate=other)


def test_a_first_epoch_that_was_stopped_goes_on(files, tmp_path, monkeypatch):
    how = {**SMALL, "epochs": 1, "batch": 50, "most": 300}
    lingprobe.train("bilstm-max", "autoencode", files[0], tmp_path / "whole", **how)
    monkeypatch.setattr("lingprobe_extensions.train.loop.CHECKPOINT_INTERVAL_SECONDS", -1.0)
    monkeypatch.setattr("lingprobe_extensions.train.loop.PROGRESS_INTERVAL_SECONDS", -1.0)
    heard = []

    class Stopped(Exception):
        pass

    def told(epoch, done, of, loss):
        heard.append(done)
        if len(heard) == 4:
            raise Stopped

    parts = tmp_path / "parts"
    with pytest.raises(Stopped):
        lingprobe.train("bilstm-max", "autoencode", files[0], parts, told=told, **how)
    with pytest.raises(lingprobe.DataProblem, match="has no epoch None"):
        ENCODERS.make(f"trained:{parts}").encode([Sentence.of(["Anna"])])
    with pytest.raises(lingprobe.UsageProblem, match="holds another training"):
        lingprobe.train("bilstm-max", "autoencode", files[0], parts, **{**how, "seed": 1})
    lingprobe.train("bilstm-max", "autoencode", files[0], parts, told=told, **how)
    assert heard[4] > heard[2] > 0  # not from the beginning
    one, other = weights(tmp_path / "whole", 1), weights(parts, 1)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[key], other[key]) for key in one)


def test_what_was_said_last_is_said_again_where_a_kill_came_before_it(files, tmp_path):
    made = lingprobe.train("bilstm-max", "next", files[0], tmp_path / "m", epochs=2, **SMALL)
    said = (tmp_path / "m" / "model.json").read_text("utf-8")
    (tmp_path / "m" / "model.json").unlink()
    again = lingprobe.train("bilstm-max", "next", files[0], tmp_path / "m", epochs=2, **SMALL)
    assert again.epochs == made.epochs
    assert (tmp_path / "m" / "model.json").read_text("utf-8") == said


def test_a_folder_that_holds_another_training_is_refused(files, tmp_path):
    lingprobe.train("bilstm-max", "autoencode", files[0], tmp_path / "m", epochs=1, **SMALL)
    with pytest.raises(lingprobe.UsageProblem, match="holds another training"):
        lingprobe.train("bilstm-max", "autoencode", files[1], tmp_path / "m", epochs=1, **SMALL)


def test_a_trained_folder_is_an_encoder_of_each_epoch(files, tmp_path):
    made = lingprobe.train("bilstm-max", "translate", files, tmp_path / "m", epochs=2, **SMALL)
    sentences = [Sentence.of(t.split()) for t in ("Anna sees Bea .", "Emil", "Quux hears Dora .")]
    first = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=1").encode(sentences)
    second = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=2").encode(sentences)
    best = ENCODERS.make(f"trained:{tmp_path / 'm'}").encode(sentences)
    assert first.layers[0].shape == (3, 32)
    assert not np.allclose(first.layers[0], second.layers[0])
    np.testing.assert_array_equal(best.layers[0], (first, second)[made.best - 1].layers[0])
    alone = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=1").encode(sentences[:1])
    np.testing.assert_allclose(alone.layers[0][0], first.layers[0][0], atol=1e-6)
    words = ENCODERS.make(f"trained:{tmp_path / 'm'},pool=none,epoch=1").encode(sentences)
    np.testing.assert_allclose(words.layers[0][:4].max(0), first.layers[0][0], atol=1e-6)
    with pytest.raises(lingprobe.DataProblem, match="no epoch 7: write best, a number from 1 to 2"):
        _ = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=7").fingerprint


def test_an_encoder_knows_whether_its_word_vectors_are_still_there(files, tmp_path):
    lines = [f"{word} {' '.join(['0.1'] * 4)}" for word in (*NAMES, *VERBS, ".")]
    (tmp_path / "a.vec").write_text("\n".join(lines) + "\n", "utf-8")
    options = {**SMALL, "vectors": tmp_path / "a.vec", "epochs": 1}
    made = lingprobe.train("gated-convnet", "autoencode", files[0], tmp_path / "m", **options)
    assert not made.counts.get("words without a vector")
    encoder = ENCODERS.make(f"trained:{tmp_path / 'm'}")
    assert encoder.encode([Sentence.of(["Anna"])]).layers[0].shape == (1, 16)
    (tmp_path / "a.vec").rename(tmp_path / "b.vec")
    with pytest.raises(
        lingprobe.DataProblem, match=r"trained with the word vectors .*write vectors="
    ):
        encoder.encode([Sentence.of(["Anna"])])
    moved = ENCODERS.make(f"trained:{tmp_path / 'm'},vectors={tmp_path / 'b.vec'}")
    assert moved.encode([Sentence.of(["Anna"])]).layers[0].shape == (1, 16)


def test_sentences_that_will_be_probed_are_left_out(files, tmp_path):
    probed = [Sentence.of(["anna", "Sees", "Bea", "!"])]
    how = TrainingSettings.of({**SMALL, "epochs": 1})
    made = train_sentence_encoder(
        TrainingRequest("mean", "autoencode", [files[0]], exclude=probed), tmp_path / "m", how
    )
    many = files[0].read_text("utf-8").count("Anna sees Bea .")
    assert many > 0
    assert made.counts["to be probed"] == many
    assert made.counts["read"] == FEW - many


def test_a_folder_keeps_hashes_of_train_and_dev(files, tmp_path):
    (tmp_path / "dev.tsv").write_text("Zoe sees Bea .\tZoe sieht Bea .\n", "utf-8")
    lingprobe.train(
        "mean", "translate", files, tmp_path / "m", dev=tmp_path / "dev.tsv", epochs=1, **SMALL
    )
    texts = {t.strip() for f in files for t in f.read_text("utf-8").splitlines()}
    seen = ENCODERS.make(f"trained:{tmp_path / 'm'}").saw()
    assert len(seen) == len(texts) + 2
    assert f"of the {len(seen):,} distinct texts that it was trained or evaluated on" in (
        tmp_path / "m/README.md"
    ).read_text("utf-8")


def test_examples_that_are_not_drawn_were_not_seen(files, tmp_path):
    lingprobe.train("mean", "autoencode", files[0], tmp_path / "m", epochs=1, most=40, **SMALL)
    assert 20 < len(ENCODERS.make(f"trained:{tmp_path / 'm'}").saw()) <= 40


def test_an_encoder_is_probed_on_none_of_its_sentences(files, tmp_path):
    rows: list[str] = []
    draws = random.Random(2)
    for split in ("tr", "va", "te"):
        for _ in range(30):
            name = draws.choice(NAMES)
            rows.append(f"{split}\t{name < 'E'}\t{name} runs {draws.random()} .")
    (tmp_path / "a.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "b.tsv").write_text("\n".join([*rows, "te\tTrue\tAnna sees Bea."]), "utf-8")
    folder = tmp_path / "m"
    lingprobe.train("mean", "translate", files, folder, epochs=1, **SMALL)
    tables = [f"table:{tmp_path / name}" for name in ("a.tsv", "b.tsv")]
    settings = {"probes": ["logreg"], "seeds": 1, "baselines": "none", "output": tmp_path / "r"}
    done = lingprobe.evaluate(f"trained:{folder}", tables, **settings)
    assert len(done.results) == 1
    assert done.failures == {
        f"trained:{folder} on {tables[1]}": "1 of 91 examples (1 of test) have sentences that this"
        " encoder was trained on, such as 'Anna sees Bea.'; train it without them (`lingprobe train"
        " --exclude CORPUS`, or `-t TASK`), or probe other sentences"
    }
    (folder / "seen.npy").unlink()
    done = lingprobe.evaluate([f"trained:{folder}", "length"], tables[0], **settings)
    assert len(done.results) == 1
    assert "seen.npy: the hashes of the" in next(iter(done.failures.values()))
    facts = json.loads((folder / "model.json").read_text("utf-8"))
    del facts["seen"]
    (folder / "model.json").write_text(json.dumps(facts), "utf-8")
    done = lingprobe.evaluate(f"trained:{folder}", tables, **settings)
    assert len(done.results) == 2
    assert done.remarks[0].startswith(f"trained:{folder}")
    assert "trained by a version that did not record" in done.remarks[0]


def test_on_the_command_line(files, tmp_path):
    """The command in the card makes the same encoder, without the sentences that were left out."""
    (tmp_path / "probed.txt").write_text("Anna sees Bea .\n", "utf-8")
    settings = [f"{name}={value}" for name, value in SMALL.items() if name != "hidden"]
    said = CliRunner().invoke(
        app,
        [
            *(
                "train",
                "encoder",
                "bilstm-max",
                "--objective",
                "translate",
                "--data",
                *map(str, files),
            ),
            *("-o", str(tmp_path / "m"), "--epochs", "1", "--hidden", "16", "-q"),
            *("--exclude", str(tmp_path / "probed.txt"), "-t", "ud/sent-len:embedded"),
            *("--set", *settings),
        ],
        catch_exceptions=False,
    )
    assert " to be probed" in said.output
    assert "translate, " in said.output
    assert "weights of the encoder" in said.output
    card = (tmp_path / "m" / "README.md").read_text("utf-8")
    assert card.startswith("# m\n")
    command = shlex.split(
        next(line for line in card.splitlines() if line.startswith("lingprobe train"))
    )
    output = tmp_path / "again"
    said = CliRunner().invoke(app, [*command[1:-1], str(output), "-q"], catch_exceptions=False)
    assert said.exit_code == 0
    weights = "epoch-1.safetensors"
    assert (output / weights).read_bytes() == (tmp_path / "m" / weights).read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"architecture": "transformer"},
            "no architecture 'transformer': choose one of bilstm-max",
        ),
        ({"objective": "guess"}, "no objective called 'guess'"),
        ({"objective": ""}, "an objective is missing: choose one of annotate, autoencode"),
        ({"objective": "cbow"}, "bow is trained for cbow, and for nothing else"),
        ({"size": 3}, "train takes no argument 'size'"),
        ({"hidden": "many"}, "hidden='many': give a whole number"),
        ({"optimizer": "rmsprop"}, "no optimizer 'rmsprop'"),
        ({"english": "maybe"}, "english='maybe': give True or False"),
        ({"epochs": 0}, "epochs=0: write a number from 1 on"),
    ],
)
def test_mistakes_are_said_before_anything_is_read(options, said, tmp_path):
    asked = {"architecture": "bilstm-max", "objective": "translate", **options}
    with pytest.raises(lingprobe.LingprobeError, match=said):
        lingprobe.train(data=tmp_path / "nothing", output=tmp_path / "m", **asked)


def test_a_rate_that_breaks_the_loss_is_said(files, tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="the loss is no number any more; take a lower"):
        lingprobe.train(
            "bilstm-max", "translate", files, tmp_path / "m",
            **SMALL, optimizer="sgd", rate=1e30, clip=0,
        )  # fmt: skip


def test_epochs_of_a_folder_are_encoders_of_their_own(files, tmp_path):
    folder = tmp_path / "m"
    made = lingprobe.train("bilstm-max", "translate", files, folder, epochs=3, patience=0, **SMALL)

    def epochs(text: str) -> list[str]:
        each = ENCODERS.expand(f"trained:{folder},epoch={text},pool=auto")
        return [dict(one.options)["epoch"] for one in each]

    assert epochs("*") == ["1", "2", "3"]
    assert epochs("0+*") == ["0", "1", "2", "3"]
    assert epochs("2-3+best") == ["2", "3", "best"]
    assert epochs("best") == ["best"]
    best = ENCODERS.make(f"trained:{folder}").point_of_training
    assert (best.at, best.best, best.of, best.figure) == (made.best, made.best, 3, made.figure)
    assert made.figure == "perplexity"  # three epochs write nothing right
    assert best.figures["bleu"] == made.epochs[made.best - 1]["dev bleu"]
    assert best.figures["loss"] == made.epochs[made.best - 1]["loss"]
    assert best.trivial == made.trivial
    (folder / "epoch-2.safetensors").unlink()
    assert epochs("*") == ["1", "3"]
    with pytest.raises(lingprobe.DataProblem, match=r"epoch-2\.safetensors is not there: copy it"):
        _ = ENCODERS.make(f"trained:{folder},epoch=2").fingerprint
    for file in folder.glob("epoch-*"):
        file.unlink()
    with pytest.raises(lingprobe.DataProblem, match="no epoch is kept there"):
        epochs("*")
    (folder / "model.json").write_text("{}")
    with pytest.raises(
        lingprobe.DataProblem, match="does not contain an encoder made by `lingprobe train`"
    ):
        epochs("*")
    (folder / "model.json").write_text('{"format": 1}')
    with pytest.raises(
        lingprobe.DataProblem, match=r"by another version of lingprobe.*train it again"
    ):
        epochs("*")


def test_before_training_the_weights_are_those_that_training_began_with(files, tmp_path):
    folder, how = tmp_path / "m", {**SMALL, "embedding": 6}
    lingprobe.train("bilstm-max", "next", files[0], folder, epochs=1, rate=1e-12, **how)
    sentences = [Sentence.of(t.split()) for t in ("Anna sees Bea .", "Emil", "Quux hears Dora .")]
    before, after = (
        ENCODERS.make(f"trained:{folder},epoch={epoch}").encode(sentences).layers[0]
        for epoch in (0, 1)
    )
    np.testing.assert_allclose(before, after, atol=1e-6)
    assert np.ptp(before, axis=0).min() > 1e-3
    encoder = ENCODERS.make(f"trained:{folder},epoch=0")
    assert (encoder.kind, encoder.point_of_training.at) == ("baseline", 0)
    assert encoder.point_of_training.figures == {}
    assert encoder.fingerprint != ENCODERS.make(f"trained:{folder},epoch=1").fingerprint
    lingprobe.train("bilstm-max", "autoencode", files[0], tmp_path / "other", epochs=1, **how)
    other = ENCODERS.make(f"trained:{tmp_path / 'other'},epoch=0")
    np.testing.assert_array_equal(other.encode(sentences).layers[0], before)
    assert other.fingerprint != encoder.fingerprint, "each training has its own beginning"


WRONG = {
    "clip": -1, "rate": float("nan"), "seed": -1, "layers": -1, "most": -5, "embedding": -1,
    "patience": -3, "dropout": 1, "drop": 2, "swap": -0.1, "subsample": -1, "lost": -1,
    "ngrams": 5, "least": 0, "vocabulary": 0, "device": "cudda",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_out_of_its_range_is_refused(name):
    with pytest.raises(lingprobe.UsageProblem, match=name):
        TrainingSettings.of({name: WRONG[name]})


def test_rows_are_chosen_of_tables_with_named_columns_alone(files, pairs, tmp_path):
    with pytest.raises(lingprobe.UsageProblem, match="autoencode reads no table"):
        lingprobe.train("bilstm-max", "autoencode", files[0], tmp_path / "m", where={"a": "b"})
    with pytest.raises(lingprobe.DataProblem, match="no column 'sorce'; there are source, premise"):
        lingprobe.train("mean", "infer", pairs, tmp_path / "m", where={"sorce": "made"}, **SMALL)


def test_what_is_not_said_is_missing(tmp_path):
    with pytest.raises(lingprobe.UsageProblem, match="an objective is missing: choose one of"):
        lingprobe.train("bilstm-max", "", tmp_path / "a", tmp_path / "m")
    with pytest.raises(lingprobe.UsageProblem, match="no file to learn to next from: name --data"):
        lingprobe.train("bilstm-max", "next", [], tmp_path / "m")


def test_weights_that_were_altered_are_damaged(files, tmp_path):
    lingprobe.train("bilstm-max", "next", files[0], tmp_path / "m", epochs=2, **SMALL)
    file = tmp_path / "m" / "epoch-1.safetensors"
    assert file.stat().st_mode == (tmp_path / "m" / "model.json").stat().st_mode
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(content)
    with pytest.raises(lingprobe.DataProblem, match=r"epoch-1\.safetensors is damaged"):
        _ = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=1").fingerprint
    assert ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=2").fingerprint


def test_the_command_of_a_parser_repeats_its_training(tmp_path):
    from lingprobe_extensions.train.folder import format_train_command

    settings = TrainingSettings.of(
        {"epochs": 8, "longest": 60, "patience": 3, "hidden": 512}, "parser"
    )
    said = format_train_command(TrainingRequest("parser", "annotate", [Path("a.conllu")]), settings)
    options = dict(word.split("=") for word in said.split("--set ")[1].split())
    assert TrainingSettings.of(options, "parser") == settings


@pytest.mark.parametrize("objective", ["autoencode", "denoise"])
def test_copying_is_no_baseline_of_what_is_to_be_copied(objective, files, tmp_path):
    made = lingprobe.train("bilstm-max", objective, files[0], tmp_path / "m", epochs=1, **SMALL)
    assert "bleu of copying" not in made.trivial
    assert "bleu of the commonest text" in made.trivial


def test_a_vector_that_is_no_number_is_named(files, tmp_path):
    rows = "".join(f"{name} {'nan' if name == 'Bea' else 1} 2\n" for name in (*NAMES, *VERBS))
    (tmp_path / "words.vec").write_text(rows, "utf-8")
    with pytest.raises(
        lingprobe.DataProblem, match=r"words\.vec: the vector of 'Bea' contains NaN"
    ):
        lingprobe.train(
            "bilstm-max", "next", files[0], tmp_path / "m", vectors=tmp_path / "words.vec", **SMALL
        )
