"""A running model with other states: small models with a planted direction of number."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe import DataProblem, UsageProblem
from lingprobe.cli import app
from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import ENCODERS
from lingprobe.encoders.current_batch import current_batch
from lingprobe.inside.erase.distances import SiteStates
from lingprobe.inside.erase.division import divide_for_erasure
from lingprobe.inside.erase.effect_cells import decide_use
from lingprobe.inside.erase.exchanges import (
    EXCHANGED_CHANGE,
    WHOLE_EXCHANGE_CHANGE,
    ExchangePartners,
    make_exchanges,
)
from lingprobe.inside.erase.fitting import EraserData
from lingprobe.inside.erase.interventions import (
    ERASED_CHANGE,
    SCRUBBED_CHANGE,
    ChangeName,
    FloorDraws,
    StateChange,
    changes_of,
)
from lingprobe.inside.erase.target import LayerInterventions, ProbedModel, StateReadings

N, NOUNS, DIM = 200, 10, 16
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
    """A GPT-2 whose nouns have their number in dimension 1, which the MLP of its second block copies
    to dimension 0, as its verbs ask for it, or do not. Fillers are followed by themselves.
    """
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
        table[:, :2] = 0
        head.normal_(0, 0.05)
        mlp = model.transformer.h[1].mlp
        mlp.c_fc.weight[2:, 2:].normal_(0, 0.3)
        mlp.c_proj.weight[2:, 2:].normal_(0, 0.3)
        # gelu(z) - gelu(-z) is z
        mlp.c_fc.weight[1, :2] = torch.tensor([1.0, -1.0])
        mlp.c_proj.weight[:2, 0] = torch.tensor([2.0, -2.0])
        for word, i in words.items():
            if word[0] == "w":
                head[i] = table[i] / 2
            if word[0] == "n":
                table[i, 1] = -1.5 if word.endswith("s") else 1.5
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
    return lingprobe.intervene(  # the reference decides the random directions
        f"table:{place}/task.jsonl,probe=mlp", f"lm:{place}/{model}",
        **{"layer": 1, "pairs": f"minimal/pairs:{place}/pairs.jsonl", "draws": 2,
           "cache": place / "cache", "doses": (1.0,), "probe": "logreg,c=1", **more},
    )  # fmt: skip


def cells(page):
    return {(cell.measured, cell.change): cell for cell in page.content}


@pytest.fixture(scope="module")
def page(place):
    return cache(lambda model, layer: intervene(place, model, layer=layer))


@pytest.fixture(params=[1, "mlp:2"])
def both(request, page):
    """What is done at a layer, or at the MLP that number goes through: to a model that uses it, and
    to one that does not.
    """
    return page("uses", request.param), page("has", request.param)


@pytest.fixture
def used(page):
    return page("uses", 1)


def test_what_the_model_uses_is_told_from_what_it_has(both, request):
    uses, has = map(cells, both)
    # what an MLP gives has nearly all of its variance in the direction of number, so that a random
    # subspace of that variance, a floor of the other changes, nearly holds it
    is_alone = request.node.callspec.params["both"] != 1
    for change in (
        ERASED_CHANGE,
        SCRUBBED_CHANGE,
        "moved 1",
        EXCHANGED_CHANGE,
        WHOLE_EXCHANGE_CHANGE,
    ):
        choice, margin = uses["choice", change], uses["margin", change]
        assert choice.before > 95
        assert choice.after < 75
        if not is_alone or change in ("moved 1", WHOLE_EXCHANGE_CHANGE):
            assert margin.verdict == "falls"
        assert has["margin", change].verdict != "falls"
        assert has["choice", change].verdict != "falls"
        if change not in (ERASED_CHANGE, SCRUBBED_CHANGE):
            assert choice.after < 10
            assert choice.own > 95
            assert margin.is_of_label
            assert not has["margin", change].is_of_label
    assert [decide_use(page.content)[0] for page in both] == ["used", "not detected"]
    assert "The model uses" in str(both[0])
    assert "No use of" in str(both[1])
    assert decide_use(both[1].content)[1].detectable < uses["margin", "moved 1"].label / 4


def test_it_is_there_in_both(both):
    for page in both:
        found = cells(page)
        for change in ("moved 1", EXCHANGED_CHANGE):
            cell = found["layer 2", change]
            assert cell.before > 95
            assert cell.own > 95
            if found["choice", change].layer == "1":
                assert cell.after < 10


def test_probes_of_later_layers_lose_what_is_erased_and_follow_what_is_moved(both):
    found = cells(both[0])
    if both[0].content[0].layer != "1":
        return  # behind the MLP it is there once more
    for layer in ("layer 2", "layer 3"):
        for change in (ERASED_CHANGE, SCRUBBED_CHANGE):
            assert found[layer, change].after < 75
            assert found[layer, change].beyond > 15
        assert found[layer, "moved 1"].after < 10
        assert found[layer, "moved 1"].own > 95


def test_used_is_said_of_the_margin_and_of_real_states(both):
    cells = both[0].content

    def other(measured, change, **values):
        new = [
            replace(c, **values) if (c.measured, c.change) == (measured, change) else c
            for c in cells
        ]
        return decide_use(new)[0]

    for change in ("moved 1", EXCHANGED_CHANGE, WHOLE_EXCHANGE_CHANGE):
        assert other("margin", change, label_p=0.2) == "not detected"
        assert other("margin", change, label=-1.0) == "not detected"
    nothing = "no significant difference"
    assert other("margin", "moved 1", verdict=nothing) == "not detected"
    assert other("choice", "moved 1", verdict=nothing) == "used"
    assert decide_use([c for c in cells if not c.change.startswith("exch")])[0] == "used"
    assert decide_use([c for c in cells if not c.change.startswith("moved")])[0] == "not asked"
    unread = [replace(c, constant_p=0.3, label_p=1.0) for c in cells]
    assert decide_use(unread)[0] == "absent"
    assert decide_use([replace(c, constant_p=0.3) for c in cells])[0] == "used"


def test_exchanged_states_are_as_real_as_real_ones(used):
    found = cells(used)
    whole, moved = found["choice", WHOLE_EXCHANGE_CHANGE], found["choice", "moved 1"]
    assert 0.8 < whole.distance < 1.2
    assert moved.distance > 2
    assert whole.size > found["choice", EXCHANGED_CHANGE].size > 0


def test_a_dose_of_nothing_and_the_state_of_the_sentence_itself_change_nothing(place):
    model = f"lm:{place}/uses"
    encoder = ENCODERS.make(f"hf:{place}/uses,layers=all,pool=none")
    sentences = [Sentence.of(good) for good, _, _ in written()][:40]
    everything = np.arange(len(sentences))
    rng = np.random.default_rng(0)
    partners = ExchangePartners(rng.normal(size=(40, DIM)), everything % 2, everything)
    itself = StateChange(ChangeName(WHOLE_EXCHANGE_CHANGE), shifts=partners.differences(everything))
    nothing = StateChange(ChangeName("moved 0"), shift=np.zeros(DIM))
    before = encoder.encode(sentences).layers
    for change in (nothing, itself):
        for spans in (np.full((40, 2), -1), np.tile([3, 4], (40, 1))):
            with encoder.replace_states(change.edits("1", everything, spans)):
                within = encoder.encode(sentences).layers
            assert [x.tobytes() for x in within] == [x.tobytes() for x in before]
    scorer = ENCODERS.make(model)
    plain = scorer.encode(sentences).layers[0]
    with scorer.replace_states(nothing.edits("1", everything, spans)):
        assert scorer.encode(sentences).layers[0].tobytes() == plain.tobytes()

    class Same:  # the same rows are read, and nothing is done
        by_sentence = True

        def __call__(self, x):
            return x

    with scorer.replace_states({"1": Same()}):
        plain = scorer.encode(sentences).layers[0]
    with scorer.replace_states(itself.edits("1", everything, spans)):
        assert scorer.encode(sentences).layers[0].tobytes() == plain.tobytes()


def test_the_state_of_a_word_is_replaced_by_the_other_one_and_no_other_is(place):
    encoder = ENCODERS.make(f"hf:{place}/uses,layers=all,pool=none")
    sentences = [Sentence.of(good) for good, _, _ in written()][:30]
    states = encoder.encode(sentences).layer("1").reshape(30, 5, DIM)
    everything, spans = np.arange(30), np.tile([3, 4], (30, 1))
    partners = ExchangePartners(states[:, 3].astype(float), everything % 2, everything)
    drawn = partners.of("other", np.random.default_rng(0))
    change = StateChange(ChangeName(WHOLE_EXCHANGE_CHANGE), shifts=partners.differences(drawn))
    (edit,) = change.edits("1", everything, spans).values()
    seen = {}

    class Kept:
        by_sentence = True

        def __call__(self, x):
            new = edit(x)
            for row, sentence in enumerate(current_batch(len(x)).sentences.tolist()):
                seen[sentence] = new[row].numpy()
            return new

    with encoder.replace_states({"1": Kept()}):
        encoder.encode(sentences)
    for sentence in range(30):
        np.testing.assert_array_equal(
            np.delete(seen[sentence], 3, 0), np.delete(states[sentence], 3, 0)
        )
        np.testing.assert_allclose(seen[sentence][3], states[drawn[sentence], 3], atol=1e-6)


def test_partners_are_other_examples_of_the_label_that_is_asked_for():
    rng = np.random.default_rng(0)
    codes = np.array([0, 0, 0, 1, 1, 2, 0])
    partners = ExchangePartners(rng.normal(size=(7, 3)), codes, np.array([0, 1, 3, 5]))
    for _ in range(20):
        other, own, anybody = (partners.of(way, rng) for way in ("other", "own", ""))
        assert (codes[other] != codes).all()
        assert own[5] == -1  # nobody else of its class gives its state
        assert (codes[own] == codes)[own >= 0].all()
        for found in (other, own[own >= 0], anybody):
            assert set(found) <= {0, 1, 3, 5}
        assert not (anybody == np.arange(7)).any()
    apart = partners.differences(own)
    np.testing.assert_array_equal(apart[5], 0)
    np.testing.assert_allclose(apart[0], partners.states[own[0]] - partners.states[0])


def test_floors_of_an_exchange_are_as_long_and_do_not_follow_the_label():
    from lingprobe.data.labels import column_from_codes

    rng = np.random.default_rng(0)
    codes = np.arange(400) % 2
    x = rng.normal(size=(400, 6)) + 3 * codes[:, None] * np.eye(6)[0]
    source = EraserData([x[:200]], column_from_codes(codes[:200], ("a", "b")))
    floors = FloorDraws("leace", 3, "seed")
    eraser = floors.fit(source)
    partners = ExchangePartners(x, codes, np.arange(200, 400))
    made = list(make_exchanges(partners, source, eraser, floors))
    own = {change.key: change.shifts for change in made if not change.key.floor}
    beside = [change for change in made if change.key.floor]
    assert len(own) == 4
    assert len(beside) == 3 * (3 + 2)
    for what in (EXCHANGED_CHANGE, WHOLE_EXCHANGE_CHANGE):
        wanted = np.linalg.norm(own[ChangeName(what, "other")], axis=1)
        for change in beside:
            if change.key.what == what:
                np.testing.assert_allclose(np.linalg.norm(change.shifts, axis=1), wanted)
                means = [change.shifts[codes == k].mean(0)[0] for k in (0, 1)]
                assert means[0] - means[1] < 0.7 * 6  # whole steps from class to class are 6 apart
    inside = own[ChangeName(EXCHANGED_CHANGE, "other")]
    assert np.linalg.matrix_rank(inside, tol=1e-6) == 1
    # no more is left in the subspace of the own state, and all of the other one is there
    moved = x + inside
    drawn = x + own[ChangeName(WHOLE_EXCHANGE_CHANGE, "other")]
    np.testing.assert_allclose(moved @ eraser.right.T, drawn @ eraser.right.T, atol=1e-9)
    np.testing.assert_allclose(eraser(moved), eraser(x), atol=1e-9)


def test_distances_are_those_to_the_nearest_state():
    rng = np.random.default_rng(0)
    x, shifts = rng.normal(size=(9, 3)), rng.normal(size=(9, 3))
    rows, real = np.array([0, 1, 2]), np.array([4, 5, 6, 7])
    size = SiteStates("1", x, rows, real).of(
        StateChange(ChangeName(WHOLE_EXCHANGE_CHANGE), shifts=shifts)
    )

    def far(points):
        return sum(min(np.sqrt(((p - x[k]) ** 2).sum()) for k in real) for p in points) / 3

    assert size.distance == pytest.approx(far(x[:3] + shifts[:3]) / far(x[:3]))
    lengths = [np.sqrt((each[:3] ** 2).sum(1)).mean() for each in (shifts, x)]
    assert size.length == pytest.approx(lengths[0] / lengths[1])


def test_nothing_linear_is_left_at_any_layer_that_is_scrubbed(place):
    """Of the sentences that erasers were fitted on, as the model's own library runs them."""
    from transformers import AutoModel, AutoTokenizer

    target = ProbedModel.of(f"table:{place}/task.jsonl", f"lm:{place}/uses", None)
    at = target.place("0")
    assert at.scrubbed == ("0", "1", "2")
    readings = target.readings(at.layers)
    (parts,) = divide_for_erasure([readings.dataset])
    how = LayerInterventions("0", (), "leace", 2, "logreg")
    made = {c.key: c for c in StateReadings(target, at, readings, parts).changes(how)}
    model = AutoModel.from_pretrained(place / "uses").eval()
    tokenizer = AutoTokenizer.from_pretrained(place / "uses")
    rows = parts.eraser
    texts = [readings.dataset.sentences[k].text for k in readings.dataset.sites[rows, 0, 0]]
    ids = torch.tensor([[0, *each] for each in tokenizer(texts)["input_ids"]])
    codes = readings.labels.classes[rows] - readings.labels.classes[rows].mean()

    def left(erasers):
        found = {}

        def edit(number):
            def run(module, given):
                x = given[0].double()
                if (one := erasers.get(str(number))) is not None:
                    x = x - ((x - torch.tensor(one.mean)) @ torch.tensor(one.right).T) @ (
                        torch.tensor(one.left).T
                    )
                noun = x[:, 4].numpy()
                found[number] = abs(codes @ (noun - noun.mean(0)) / len(codes)).max()
                return (x.float(), *given[1:])

            return run

        hooks = [block.register_forward_pre_hook(edit(k)) for k, block in enumerate(model.h)]
        with torch.no_grad():
            model(ids)
        for hook in hooks:
            hook.remove()
        return found

    once = left(made[ChangeName(ERASED_CHANGE)].erasers)
    scrubbed = left(made[ChangeName(SCRUBBED_CHANGE)].erasers)
    assert once[0] < 1e-6
    assert max(once[1], once[2]) > 1e-3
    assert max(scrubbed.values()) < 1e-5
    floor = made[ChangeName(SCRUBBED_CHANGE, "", "rank")]
    assert [one.rank for one in floor.erasers.values()] == [1, 1, 1]
    assert left(floor.erasers)[2] > 0.1


@pytest.mark.parametrize("site", ["mlp:2", "attn:2", "head:2.2"])
def test_a_part_without_a_say_is_the_model_without_its_weights(site, tmp_path):
    from transformers import BertModel

    folder = transformer(tmp_path, layers=3)
    encoder = ENCODERS.make(f"hf:{folder},layers=all,dtype=float32,pool=none")
    sentences = [Sentence.of(["a", "cat"]), Sentence.of(["some", "other", "words"])]
    before = encoder.encode(sentences)
    with encoder.replace_states({site: torch.zeros_like}):
        within = encoder.encode(sentences)
    again = encoder.encode(sentences)
    model = BertModel.from_pretrained(folder)
    block = model.encoder.layer[1]
    with torch.no_grad():
        part = block.output.dense if site == "mlp:2" else block.attention.output.dense
        if site == "head:2.2":
            wide = part.weight.shape[1] // model.config.num_attention_heads
            part.weight[:, wide : 2 * wide] = 0
        else:
            part.weight.zero_()
            part.bias.zero_()
    model.save_pretrained(tmp_path / "without")
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "without")
    other = ENCODERS.make(f"hf:{tmp_path}/without,layers=all,dtype=float32,pool=none")
    wanted = other.encode(sentences)
    for layer in before.names:
        np.testing.assert_allclose(within.layer(layer), wanted.layer(layer), atol=1e-5)
        assert again.layer(layer).tobytes() == before.layer(layer).tobytes()
    assert not np.allclose(within.layer("2"), before.layer("2"), atol=1e-3)


def test_words_and_loss_are_those_of_the_model_itself(place, used):
    from transformers import AutoModelForCausalLM

    loss, word = cells(used)["loss", ERASED_CHANGE], cells(used)["words", ERASED_CHANGE]
    model = AutoModelForCausalLM.from_pretrained(place / "uses").eval()
    tokenizer = AutoTokenizer.from_pretrained(place / "uses")
    lines = [json.loads(line) for line in (place / "task.jsonl").read_text().splitlines()]
    total, many, right = 0.0, 0, 0
    for line in lines:
        if line["split"] == "test":
            ids = torch.tensor([[0, *tokenizer(line["text"])["input_ids"]]])
            with torch.no_grad():
                said = model(ids).logits[0].log_softmax(-1)
            total -= float(said[torch.arange(ids.shape[1] - 1), ids[0, 1:]].sum())
            right += int((said[:-1].argmax(-1) == ids[0, 1:]).sum())
            many += ids.shape[1] - 1
    assert loss.before == pytest.approx(total / many, rel=1e-4)
    assert loss.n == sum(line["split"] == "test" for line in lines)
    assert word.before == pytest.approx(100 * right / many)
    assert 0 < right < many
    assert word.n == many


def test_no_pair_has_a_word_that_the_eraser_saw(used):
    cell = cells(used)["choice", ERASED_CHANGE]
    left_out = int(str(used).split(" pairs; ")[1].split()[0])
    fitted = int(str(used).split("fitted on ")[1].split()[0])
    assert left_out == fitted
    assert cell.n == N - left_out


def test_pairs_of_other_sentences_are_read_under_changes_that_need_no_label(place, page):
    """The same pairs without their first words, of which the task has none: what was erased is
    lost in them as well, in the model that uses it alone, and nobody claims that it is used.
    """
    rows = [json.loads(line) for line in (place / "pairs.jsonl").read_text().splitlines()]
    shorter = [
        {**row, **{side: row[side].split(maxsplit=1)[1] for side in ("good", "bad")}}
        for row in rows
    ]
    (place / "others.jsonl").write_text("\n".join(map(json.dumps, shorter)))
    made = {
        model: intervene(place, model, pairs=f"minimal/pairs:{place}/others.jsonl")
        for model in ("uses", "has")
    }
    for measured in ("choice", "margin"):
        of = {model: cells(each) for model, each in made.items()}
        assert {w for m, w in of["uses"] if m == measured} == {ERASED_CHANGE, SCRUBBED_CHANGE}
        for change in (ERASED_CHANGE, SCRUBBED_CHANGE):
            own = cells(page("uses", 1))[measured, change]
            assert of["uses"][measured, change].n == own.n
            assert of["uses"][measured, change].verdict == "falls"
            assert of["has"][measured, change].verdict != "falls"
    assert of["uses"]["choice", ERASED_CHANGE].before > 95
    assert decide_use(made["uses"].content)[0] == "not asked"
    assert "has no label for these sentences" in str(made["uses"])


@pytest.mark.parametrize("kind", ["hf", "lm"])
def test_the_identity_changes_no_bit(kind, place):
    encoder = ENCODERS.make(f"{kind}:{place}/uses" + (",layers=all" if kind == "hf" else ""))
    sentences = [Sentence.of(good) for good, _, _ in written()][:40]
    before = encoder.encode(sentences).layers
    seen = []

    def keep(x):
        seen.append(x.shape)
        return x

    with encoder.replace_states({"1": keep}):
        within = encoder.encode(sentences).layers
    assert seen
    assert [x.tobytes() for x in within] == [x.tobytes() for x in before]
    with encoder.replace_states({"1": lambda x: x + 1e-2 * torch.randn(x.shape[-1])}):
        assert not np.array_equal(encoder.encode(sentences).layers[-1], before[-1])
    again = encoder.encode(sentences).layers
    assert [x.tobytes() for x in again] == [x.tobytes() for x in before]


def test_states_below_are_as_they_were_and_those_above_follow(tmp_path):
    encoder = ENCODERS.make(f"hf:{transformer(tmp_path, layers=3)},layers=all,dtype=float32")
    sentences = [Sentence.of(["a", "cat"]), Sentence.of(["some", "other", "words"])]
    before = encoder.encode(sentences)
    with encoder.replace_states({"1": torch.zeros_like}):
        within = encoder.encode(sentences)
    for below in ("0", "1"):  # what block 1 gave is still what it gave
        assert np.array_equal(within.layer(below), before.layer(below))
    with encoder.replace_states({"1": torch.zeros_like, "2": torch.zeros_like}):
        twice = encoder.encode(sentences)
    assert not np.allclose(within.layer("2"), before.layer("2"))
    assert np.array_equal(within.layer("2"), twice.layer("2"))
    # with states of nothing all words are alike, but for their number
    with encoder.replace_states({"1": torch.zeros_like}):
        texts = [Sentence.of(text.split()) for text in ("a b c", "c a a")]
        one, other = (encoder.encode([each]).layer("3") for each in texts)
    np.testing.assert_array_equal(one, other)


def test_a_last_state_is_refused_and_what_its_block_gives_is_not(place):
    encoder = ENCODERS.make(f"hf:{place}/uses,layers=all,dtype=float32,pool=none")
    sentences = [Sentence.of(good) for good, _, _ in written()][:4]
    with (
        pytest.raises(EncoderStop, match=r"reads state 3: take one from 0 to 2, or post:3"),
        encoder.replace_states({"3": abs}),
    ):
        pass
    before = encoder.encode(sentences)
    with encoder.replace_states({"post:3": torch.zeros_like}):
        within = encoder.encode(sentences)
    for below in ("0", "1", "2"):
        assert np.array_equal(within.layer(below), before.layer(below))
    last = within.layer("3")  # the norm of nothing is its bias
    assert np.array_equal(last, np.broadcast_to(last[:1], last.shape))
    assert not np.allclose(last, before.layer("3"))


def test_a_state_reads_as_it_was_whichever_layers_are_read(place):
    """A pass that reads layer 1 alone could end there, and know what was put in its place."""
    sentences = [Sentence.of(good) for good, _, _ in written()][:4]
    for layers in ("1", "all", "pre:2"):
        encoder = ENCODERS.make(f"hf:{place}/uses,layers={layers},dtype=float32")
        name = layers.replace("all", "1")
        before = encoder.encode(sentences).layer(name)
        with encoder.replace_states({"1": torch.zeros_like}):
            assert np.array_equal(encoder.encode(sentences).layer(name), before)


def test_several_heads_and_a_state_are_changed_at_once(place):
    encoder = ENCODERS.make(f"hf:{place}/uses,layers=3,dtype=float32,pool=none")
    sentences = [Sentence.of(good) for good, _, _ in written()][:4]
    both = {f"head:2.{head}": torch.zeros_like for head in (1, 2)}
    bias = {"attn:2": encoder.load().model.h[1].attn.c_proj.bias.expand_as}
    found = []
    for edits in (both, bias, {**both, "1": lambda x: 2 * x}):
        with encoder.replace_states(edits):
            found.append(encoder.encode(sentences).layers[0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)  # without heads there is the bias
    assert not np.allclose(found[0], found[2])


def test_changes_are_affine_maps_of_every_state():
    from lingprobe.data.labels import column_from_codes

    rng = np.random.default_rng(0)
    codes = np.arange(200) % 2
    x = (rng.normal(size=(200, 6)) + 2 * codes[:, None] * np.eye(6)[0]).astype(np.float32)
    source = EraserData([x], column_from_codes(codes, ("a", "b")))
    floors = FloorDraws("leace", 2, "name")
    eraser = floors.fit(source)
    apart = (x[codes == 1].mean(0) - x[codes == 0].mean(0)).astype(np.float64)
    lengths = {dose: dose * np.linalg.norm(apart) for dose in (0.5, 2.0)}
    made = list(changes_of("1", source, eraser, lengths, floors))
    states = torch.from_numpy(x).reshape(2, 100, 6)
    for change in made:
        (edit,) = change.edits("1", np.arange(2), np.full((2, 2), -1)).values()
        moved = edit(states).reshape(200, 6).numpy() - x
        assert moved.dtype == np.float32
        np.testing.assert_allclose(moved + x, change.apply("1", x), atol=1e-5)
        if change.key.what.startswith("moved"):
            dose = float(change.key.what.split()[1])
            length = np.linalg.norm(moved, axis=1)
            np.testing.assert_allclose(length, dose * np.linalg.norm(apart), rtol=1e-4)
            if not change.key.floor:
                sign = {"second": 1, "first": -1}[change.key.way]
                np.testing.assert_allclose(moved - moved[0], 0, atol=1e-5)
                np.testing.assert_allclose(moved[0], sign * dose * apart, atol=1e-4)
            else:
                assert abs(moved[0] @ apart) < 1e-4 * np.linalg.norm(apart)
        elif not change.key.floor:
            np.testing.assert_allclose(moved + x, eraser(x), atol=1e-6)
    assert len(made) == 1 + 3 * 2 + 2 * (2 + 2 * 2 * 2)  # floors go either way, too


def test_the_command_is_the_function(place):
    arguments = [
        "inside", "intervene", "-t", f"table:{place}/task.jsonl", "-e", f"hf:{place}/uses,pool=none",
        "--layer", "attn:3", "--draws", "1", "--dose", "1",
        "--probe", "logreg,c=1", "--cache", str(place / "cache"), "--format", "csv", "-q",
    ]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    page = lingprobe.intervene(
        f"table:{place}/task.jsonl", f"hf:{place}/uses,pool=none", layer="attn:3", draws=1,
        doses=(1.0,), probe="logreg,c=1", cache=place / "cache",
    )  # fmt: skip
    assert done.stdout == page.text("csv")
    assert {c.change for c in page.content} == {
        ERASED_CHANGE,
        "moved 1",
        EXCHANGED_CHANGE,
        WHOLE_EXCHANGE_CHANGE,
    }


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"encoder": "bow:random"}, UsageProblem, "in hf:MODEL, lm:MODEL, and"),
        ({"encoder": "hf:{}/uses,pool=none", "pairs": "minimal/pairs:{}/pairs.jsonl"}, DataProblem,
         "takes minimal pairs for lm:MODEL"),
        ({"layer": 3}, UsageProblem, "take one from 0 to 2, or post:3"),
        ({"layer": "mlp:*"}, UsageProblem, "take one, as mlp:1"),
        ({"layer": "head:2.7"}, DataProblem, "numbered from 1 to 2"),
        ({"layer": "map:2.1"}, EncoderStop, "cannot be replaced"),
        ({"pairs": "table:{}/task.jsonl"}, DataProblem, "needs a task of minimal pairs"),
        ({"draws": 0}, UsageProblem, "draws=0: write a number from 1 on"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(more, error, said, place):
    more = {k: v.format(place) if isinstance(v, str) else v for k, v in more.items()}
    asked = {"encoder": f"lm:{place}/uses", "layer": 1, "cache": place / "cache", **more}
    with pytest.raises(error, match=said):
        lingprobe.intervene(
            f"table:{place}/task.jsonl", probe="logreg,c=1", **{"draws": 1, **asked}
        )
