"""Untrained copies and input embeddings as baselines: which stand in a plan, and what they say of models whose truth is known: random weights, and a label that was planted into vectors."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import lingprobe
from fixtures import models
from lingprobe.api.measure import _make_plan
from lingprobe.api.options import RunOptions
from lingprobe.data.core import Sentence
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders import own_baselines as copies
from lingprobe.encoders.hf import HuggingFace
from lingprobe.experiment import own_baselines
from lingprobe.experiment.own_baselines import choose_own_baselines, name_own_baselines

torch = pytest.importorskip("torch")
WORDS = [word for word in models.vocabulary() if word.isalpha()]
LINES = {"probes": ["logreg"], "seeds": 1}


def untrained(folder, seed):
    """A small BERT whose stored weights are random."""
    from transformers import AutoConfig, AutoModel

    models.transformer(folder)
    with torch.random.fork_rng():
        torch.manual_seed(1000 + seed)
        AutoModel.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)
    return folder


def first_words(seed, n=400):
    """Texts of seven words, labelled by the class of the first, which is anybody's guess."""
    rng = np.random.default_rng(seed)
    chosen = set(rng.choice(WORDS, len(WORDS) // 2, replace=False))
    texts = [list(rng.choice(WORDS, 7)) for _ in range(n)]
    return [" ".join(text) for text in texts], ["yn"[text[0] in chosen] for text in texts]


@dataclass(frozen=True)
class Planted(HuggingFace):
    """A model whose vectors have the label of some texts added, which no copy has."""

    positive: frozenset[str] = field(default=frozenset(), kw_only=True)

    @property
    def name(self) -> str:
        return "planted"

    def read(self, sentences, asked):
        """The model's vectors with a step in all dimensions."""
        found = super().read(sentences, asked)
        step = np.array([[sentence.text in self.positive] for sentence in sentences], np.float32)
        return replace(found, layers=tuple(layer + 0.3 * step for layer in found.layers))


@pytest.fixture
def three_seeds(monkeypatch):
    """Three copies of a kind, the fewest with a spread."""
    monkeypatch.setattr(copies, "_COPIES", 3)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("untrained")
    return [untrained(place / f"model-{seed}", seed) for seed in range(2)]


def test_no_untrained_model_is_better_than_its_copies(folders, tmp_path, three_seeds):
    """Two models on two tasks that they predict above chance: no answer is yes."""
    tasks = {"one": first_words(1), "other": first_words(2)}
    found = lingprobe.run(
        tasks,
        [f"hf:{folder}" for folder in folders],
        output=tmp_path / "out",
        cache=tmp_path / "cache",
        **LINES,
    )
    answers = [a for one in found.verdicts for task in one.tasks for a in task.answers]
    assert len(answers) == 8
    assert max(answer.row.score for answer in answers) > 58
    assert [answer.verdict for answer in answers if answer.verdict == "better"] == []
    assert {one.copies for one in found.verdicts} == {3}
    table = str(found)
    assert "seed=1" not in table
    assert table.count("weights=random") == 4  # two kinds of copies of two models
    known = lingprobe.compare(tmp_path / "out").found
    assert [one.verdict for one in known] == [answer.verdict for answer in answers]
    assert {one.question for one in known} == {"decodable", "beyond the surface"}


def test_what_was_planted_is_decodable(folders, tmp_path, three_seeds):
    texts, labels = first_words(3)
    rng = np.random.default_rng(0)
    labels = ["yn"[k] for k in rng.permutation(len(texts)) % 2]
    positive = frozenset(text for text, label in zip(texts, labels, strict=True) if label == "n")
    found = lingprobe.run(
        {"one": (texts, labels)},
        Planted(str(folders[0]), positive=positive),
        output=tmp_path / "out",
        cache=tmp_path / "cache",
        **LINES,
    )
    ((task,),) = [one.tasks for one in found.verdicts]
    assert task.decodable.verdict == task.surface.verdict == "better"
    assert task.decodable.copies == 3


def short(names):
    from lingprobe.data.references import shorten_reference

    return [shorten_reference(ENCODERS, name).partition(",")[2] for name in names]


def test_seeds_are_as_many_as_are_cheap(folders, monkeypatch):
    model = make_encoder(f"hf:{folders[0]},pool=cls")
    cheap = short(choose_own_baselines(model, 400))
    assert len(cheap) == 11
    assert cheap[:2] == ["pool=cls,weights=random", "pool=cls,seed=1,weights=random"]
    assert short(choose_own_baselines(model, 10**9)) == [
        "pool=cls,weights=random",
        "lexical=trained,pool=cls,weights=random",
        "layers=0",
    ]
    with_inputs = make_encoder(f"hf:{folders[0]},layers=all")
    assert len(choose_own_baselines(with_inputs, 400)) == 10  # layer 0 is measured
    monkeypatch.setattr(own_baselines, "_LARGEST_COPY", 1_000)
    assert choose_own_baselines(model, 400) == {}
    assert len(name_own_baselines(model)) == 11  # and on request all of them


@pytest.mark.parametrize("reference", ["length", "untrained", "bow:random"])
def test_what_has_no_configuration_has_no_copies(reference):
    assert choose_own_baselines(make_encoder(reference), 400) == {}


def test_an_untrained_model_has_no_copy_of_itself(folders):
    copy = make_encoder(f"hf:{folders[0]},weights=random")
    assert choose_own_baselines(copy, 400) == {}
    assert copy.kind == "baseline"


def test_copies_are_left_out_where_nobody_wants_them(folders, tmp_path):
    def encoders(**settings):
        kept = {"output": tmp_path / "out", "cache": tmp_path / "cache"}
        planned, *_ = _make_plan(
            {"one": first_words(1)}, f"hf:{folders[0]}", RunOptions(**LINES, **kept, **settings)
        )
        return {trial.encoder for trial in planned.trials}

    every = encoders()
    own = set(choose_own_baselines(make_encoder(f"hf:{folders[0]}"), 400))
    assert own < every
    assert encoders(copies=False) == every - own
    assert not encoders(baselines="none") & own


def test_controls_are_fitted_to_the_encoder_and_its_baselines_and_to_no_copy(folders, tmp_path):
    asked = RunOptions(
        **LINES, controls=["shuffled"], output=tmp_path / "out", cache=tmp_path / "cache"
    )
    planned, *_ = _make_plan({"one": first_words(1)}, f"hf:{folders[0]}", asked)
    own = set(choose_own_baselines(make_encoder(f"hf:{folders[0]}"), 400))
    by_control = {
        control: {trial.encoder for trial in planned.trials if trial.control == control}
        for control in {trial.control for trial in planned.trials}
    }
    plain = by_control.pop("none")
    assert own < plain
    assert by_control
    for encoders in by_control.values():
        assert encoders == plain - own


def test_a_model_of_sentence_transformers_has_copies_of_all_its_modules(tmp_path):
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    inner = modules.Transformer(str(untrained(tmp_path / "words", 5)))
    dense = modules.Dense(32, 16, activation_function=torch.nn.Identity())
    whole = SentenceTransformer(modules=[inner, modules.Pooling(32), dense], device="cpu")
    whole.save(str(tmp_path / "model"))
    model = make_encoder(f"st:{tmp_path / 'model'}")
    sentences = [Sentence.of(text.split()) for text in first_words(1, 20)[0]]
    own = {ENCODERS.canonical(name): name for name in model.own_baselines}
    drawn = [make_encoder(name).encode(sentences).layers[0] for name in list(own)[:2]]
    again = make_encoder(next(iter(own))).encode(sentences).layers[0]
    vectors = model.encode(sentences).layers[0]
    assert vectors.shape == drawn[0].shape == (20, 16)
    np.testing.assert_array_equal(drawn[0], again)
    for one, other in ((vectors, drawn[0]), (vectors, drawn[1]), (drawn[0], drawn[1])):
        assert np.abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.5
    assert make_encoder(next(iter(own))).fingerprint != model.fingerprint


def test_trained_embeddings_stay_under_random_blocks_of_sentence_models(tmp_path):
    from transformers import AutoModel

    from lingprobe.encoders.random_weights import below_layers, redraw_modules

    folder = untrained(tmp_path / "words", 6)
    whole = torch.nn.Sequential(AutoModel.from_pretrained(folder), torch.nn.Linear(32, 4))
    before = {name: value.clone() for name, value in whole.state_dict().items()}
    redraw_modules(whole, 3, keeps_lexical=True)
    kept = {f"0.{name}" for name in below_layers(whole[0])}
    same = {name for name, value in whole.state_dict().items() if torch.equal(value, before[name])}
    changed = set(before) - same
    assert kept <= same
    assert {"1.weight", "1.bias"} <= changed
    assert any(name.startswith("0.encoder.layer.1.") for name in changed)
