"""A running model with other states: small models with a planted direction of number."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe import DataProblem, UsageProblem
from lingprobe.cli import app
from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import ENCODERS
from lingprobe.parts.erase.effect_cells import is_used
from lingprobe.parts.erase.interventions import ERASED, changes_of

N, NOUNS, DIM = 600, 10, 32
FILL = [f"w{i}" for i in range(6)]


def written():
    """Sentences, each with a verb of its own: its place, noun, better and worse verb, label."""
    rng = np.random.default_rng(0)
    for k in range(N):
        plural = k % 2
        noun = f"n{rng.integers(NOUNS)}{'s' * plural}"
        before = rng.choice(FILL, 3).tolist()
        forms = [f"v{k}s", f"v{k}"]
        good, bad = forms[plural], forms[1 - plural]
        yield [*before, noun, good], [*before, noun, bad], ("sing", "plur")[plural]


def language_model(folder, is_used):
    """A GPT-2 whose nouns have their number in dimension 0, as its verbs ask for it, or do not."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = {w: i for i, w in enumerate(["<s>", "<u>", *FILL])}
    for good, bad, _ in written():
        for word in (good[3], good[4], bad[4]):
            words.setdefault(word, len(words))
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<u>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<u>", pad_token="<u>",
        model_max_length=32,
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(0)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(words), n_positions=32, n_embd=DIM, n_layer=3, n_head=2,
            tie_word_embeddings=False, bos_token_id=0, eos_token_id=0,
        )
    ).eval()  # fmt: skip
    with torch.no_grad():
        table, head = model.transformer.wte.weight, model.lm_head.weight
        table.normal_(0, 1)
        table[:, 0] = 0
        head.normal_(0, 0.05)
        for word, i in words.items():
            if word[0] == "n":
                table[i, 0] = -1.5 if word.endswith("s") else 1.5
            if word[0] == "v" and is_used:
                head[i, 0] = 3.0 if word.endswith("s") else -3.0
    model.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A task about nouns, minimal pairs of the same sentences, and two models."""
    folder = tmp_path_factory.mktemp("interventions")
    rows, pairs = [], []
    for k, (good, bad, label) in enumerate(written()):
        split = ("train", "train", "train", "dev", "test")[k // 2 % 5]
        rows.append({"text": " ".join(good), "span": [3, 4], "label": label, "split": split})
        pairs.append({"good": " ".join(good), "bad": " ".join(bad), "group": str(k % 7)})
    (folder / "task.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    language_model(folder / "uses", True)
    language_model(folder / "has", False)
    return folder


def intervene(place, model, **more):
    return lingprobe.intervene(
        f"table:{place}/task.jsonl", f"lm:{place}/{model}",
        **{"layer": 1, "pairs": f"minimal/pairs:{place}/pairs.jsonl", "draws": 6,
           "cache": place / "cache", "doses": (0.0, 1.0), "probe": "logreg,c=1", **more},
    )  # fmt: skip


def cells(page):
    return {(cell.measured, cell.change): cell for cell in page.content}


@pytest.fixture(scope="module")
def used(place):
    return intervene(place, "uses")


def test_the_intervention_flips_the_choice_and_the_floors_do_not(used):
    found = cells(used)
    moved, erased = found["choice", "moved 1"], found["choice", ERASED]
    assert moved.before > 95
    assert moved.after < 10
    assert moved.own > 95
    assert erased.after < 75
    for cell in (moved, erased):
        assert cell.verdict == "falls"
        assert min(cell.rank_floor, cell.shuffled_floor) > 70
    assert is_used(used.content)
    assert "The model uses" in str(used)


def test_a_model_that_has_number_and_asks_for_none_does_not_use_it(place):
    page = intervene(place, "has")
    found = cells(page)
    assert found["layer 2", "moved 1"].verdict == "falls"  # it is there
    assert found["choice", "moved 1"].verdict == "cannot be told"
    assert not is_used(page.content)
    assert "It cannot be told whether the model uses" in str(page)


def test_probes_of_later_layers_lose_what_is_erased_and_follow_what_is_moved(used):
    found = cells(used)
    for layer in ("layer 2", "layer 3"):
        erased, moved = found[layer, ERASED], found[layer, "moved 1"]
        assert erased.before > 95
        assert erased.after < 70
        assert moved.after < 10
        assert moved.own > 95
        assert erased.beyond > 20
        assert moved.verdict == "falls"


def test_a_dose_of_nothing_changes_nothing(used):
    for measured in ("layer 2", "layer 3", "choice", "loss"):
        cell = cells(used)[measured, "moved 0"]
        assert cell.after == cell.before
        assert cell.size == 0
        assert cell.verdict in ("cannot be told", "")


def test_the_loss_is_that_of_the_model_itself(place, used):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    cell = cells(used)["loss", ERASED]
    model = AutoModelForCausalLM.from_pretrained(place / "uses").eval()
    tokenizer = AutoTokenizer.from_pretrained(place / "uses")
    lines = [json.loads(line) for line in (place / "task.jsonl").read_text().splitlines()]
    total, many = 0.0, 0
    for line in lines:
        if line["split"] == "test":
            ids = torch.tensor([[0, *tokenizer(line["text"])["input_ids"]]])
            with torch.no_grad():
                said = model(ids).logits[0].log_softmax(-1)
            total -= float(said[torch.arange(ids.shape[1] - 1), ids[0, 1:]].sum())
            many += ids.shape[1] - 1
    assert cell.before == pytest.approx(total / many, rel=1e-4)
    assert cell.n == sum(line["split"] == "test" for line in lines)


def test_no_pair_has_a_word_that_the_eraser_saw(used):
    cell = cells(used)["choice", ERASED]
    left_out = int(str(used).split(" pairs; ")[1].split()[0])
    fitted = int(str(used).split("fitted on ")[1].split()[0])
    assert left_out == fitted
    assert cell.n == N - left_out


@pytest.mark.parametrize("kind", ["hf", "lm"])
def test_the_identity_changes_no_bit(kind, place):
    encoder = ENCODERS.make(f"{kind}:{place}/uses" + (",layers=all" if kind == "hf" else ""))
    sentences = [Sentence.of(good) for good, _, _ in written()][:40]
    before = encoder.encode(sentences).layers
    seen = []

    def keep(x):
        seen.append(x.shape)
        return x

    with encoder.replace_states({1: keep}):
        within = encoder.encode(sentences).layers
    assert seen
    assert [x.tobytes() for x in within] == [x.tobytes() for x in before]
    with encoder.replace_states({1: lambda x: x + 1e-2 * torch.randn(x.shape[-1])}):
        assert not np.array_equal(encoder.encode(sentences).layers[-1], before[-1])
    again = encoder.encode(sentences).layers
    assert [x.tobytes() for x in again] == [x.tobytes() for x in before]


def test_states_below_are_as_they_were_and_those_above_follow(tmp_path):
    encoder = ENCODERS.make(f"hf:{transformer(tmp_path, layers=3)},layers=all,dtype=float32")
    sentences = [Sentence.of(["a", "cat"]), Sentence.of(["some", "other", "words"])]
    before = encoder.encode(sentences)
    with encoder.replace_states({1: torch.zeros_like}):
        within = encoder.encode(sentences)
    for below in ("0", "1"):  # what block 1 gave is still what it gave
        assert np.array_equal(within.layer(below), before.layer(below))
    with encoder.replace_states({1: torch.zeros_like, 2: torch.zeros_like}):
        twice = encoder.encode(sentences)
    assert not np.allclose(within.layer("2"), before.layer("2"))
    assert np.array_equal(within.layer("2"), twice.layer("2"))
    # with states of nothing all words are alike, but for their number
    with encoder.replace_states({1: torch.zeros_like}):
        texts = [Sentence.of(text.split()) for text in ("a b c", "c a a")]
        one, other = (encoder.encode([each]).layer("3") for each in texts)
    np.testing.assert_array_equal(one, other)


def test_a_model_of_one_block_and_a_last_state_are_refused(tmp_path):
    from transformers import AlbertConfig, AlbertModel, AutoTokenizer

    folder = transformer(tmp_path)
    encoder = ENCODERS.make(f"hf:{folder}")
    with (
        pytest.raises(EncoderStop, match="nothing of the model reads state 2: take one from 0"),
        encoder.replace_states({2: abs}),
    ):
        pass
    other = tmp_path / "albert"
    many = len(AutoTokenizer.from_pretrained(folder))
    config = AlbertConfig(
        vocab_size=many, embedding_size=8, hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=16, max_position_embeddings=64,
    )  # fmt: skip
    AutoTokenizer.from_pretrained(folder).save_pretrained(other)
    AlbertModel(config).save_pretrained(other)
    with (
        pytest.raises(EncoderStop, match="no block of its own for each layer"),
        ENCODERS.make(f"hf:{other}").replace_states({0: abs}),
    ):
        pass


def test_changes_are_affine_maps_of_every_state():
    from lingprobe.data.labels import column_from_codes
    from lingprobe.parts.erase.fitting import Source

    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    x = (rng.normal(size=(200, 6)) + 2 * codes[:, None] * np.eye(6)[0]).astype(np.float32)
    source = Source([x], column_from_codes(codes, ("a", "b")))
    made = list(changes_of(source, "leace", (0.5, 2.0), 2, "name"))
    apart = x[codes == 1].mean(0) - x[codes == 0].mean(0)
    states = torch.from_numpy(x).reshape(2, 100, 6)
    for change in made:
        moved = change.edit(states).reshape(200, 6).numpy() - x
        assert moved.dtype == np.float32
        if change.what.startswith("moved"):
            dose = float(change.what.split()[1])
            length = np.linalg.norm(moved, axis=1)
            np.testing.assert_allclose(length, dose * np.linalg.norm(apart), rtol=1e-4)
            if not change.floor:
                np.testing.assert_allclose(moved - moved[0], 0, atol=1e-5)
                np.testing.assert_allclose(moved[0], change.sign * dose * apart, atol=1e-4)
        elif not change.floor:
            np.testing.assert_allclose(moved + x, change.eraser(x), atol=1e-6)
    assert len(made) == 1 + 3 * 2 + 2 * (2 + 2 * 2)


def test_the_command_is_the_function(place, used):
    arguments = [
        "intervene", "-t", f"table:{place}/task.jsonl", "-e", f"lm:{place}/uses", "--layer", "1",
        "--pairs", f"minimal/pairs:{place}/pairs.jsonl", "--draws", "6", "--dose", "0", "1",
        "--probe", "logreg,c=1", "--cache", str(place / "cache"), "--format", "csv", "-q",
    ]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == used.text("csv")


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"encoder": "bow:random"}, UsageProblem, "hf:MODEL and lm:MODEL"),
        ({"encoder": "hf:{}/uses,pool=none", "pairs": "minimal/pairs:{}/pairs.jsonl"}, UsageProblem,
         "is for a language model"),
        ({"layer": 3}, UsageProblem, "take one from 0 to 2"),
        ({"pairs": "table:{}/task.jsonl"}, DataProblem, "takes a task of minimal pairs"),
        ({"draws": 0}, UsageProblem, "draws of at least 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(more, error, said, place):
    more = {k: v.format(place) if isinstance(v, str) else v for k, v in more.items()}
    asked = {"encoder": f"lm:{place}/uses", "layer": 1, "cache": place / "cache", **more}
    with pytest.raises(error, match=said):
        lingprobe.intervene(
            f"table:{place}/task.jsonl", probe="logreg,c=1", **{"draws": 1, **asked}
        )
