"""LASER of 2018, LASER2 and LASER3 against plain loops, and what they read of a text."""

import numpy as np
import pytest
import torch

from extensions.archive.plain import bilstm, mixed
from fixtures.models import SENTENCES
from fixtures.published import laser, laser2, laser3
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.bpe import read_codes
from lingprobe_extensions.archive.files import recurrent_shapes
from lingprobe_extensions.archive.laser_text import MosesTokenizer, replace_unprintable

sacremoses = pytest.importorskip("sacremoses")
sentencepiece = pytest.importorskip("sentencepiece")
TEXTS = [*SENTENCES[:8], Sentence((), ""), Sentence.of("The cat isn't Ω".split())]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("laser")
    return {
        "laser": laser(folder / "1"),
        "laser2": laser2(folder / "2"),
        "laser3": laser3(folder / "3"),
        "laser3-max": laser3(folder / "4", criterion="maxpool", first=False),
    }


def pieces_plainly(folder, text):
    """The pieces of a text, by the libraries themselves."""
    normalised = sacremoses.MosesPunctNormalizer("en").normalize(text)
    models = list(folder.glob("*.spm"))
    if models:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(models[0]))
        return processor.encode(normalised.lower(), out_type=str)
    codes = read_codes(folder / "93langs.fcodes", folder / "93langs.fvocab")
    words = sacremoses.MosesTokenizer("en").tokenize(normalised, escape=False)
    return [piece for word in words for piece in codes.pieces(word.lower())]


def states_plainly(folder, pieces):
    """The states of pieces and of the marks around them."""
    held = torch.load(next(folder.glob("*.pt")), weights_only=False)
    if "params" in held:
        numbers = held["dictionary"]
        ids = [*(numbers.get(piece, 3) for piece in pieces), 2]
        words = held["model"]["embed_tokens.weight"].double().numpy()[ids]
        return bilstm(words, held["model"], held["params"]["num_layers"], "lstm.")[-1]
    lines = next(folder.glob("*.cvocab")).read_text("utf-8").splitlines()
    numbers = {line.split(" ")[0]: i for i, line in enumerate(lines, 4)}
    return transformed(held, [0, *(numbers.get(piece, 3) for piece in pieces), 2])


def transformed(held, ids):
    """A transformer of fairseq's over one sentence, head by head."""
    state = {k.removeprefix("encoder."): v.double().numpy() for k, v in held["model"].items()}
    cfg = held["cfg"]["model"]
    width, heads = cfg.encoder_embed_dim, cfg.encoder_attention_heads
    rows = state["embed_tokens.weight"][ids] * np.sqrt(width)
    steps = [np.exp(-j * np.log(10000) / (width // 2 - 1)) for j in range(width // 2)]
    for i, row in enumerate(rows, 2):
        row += [*(np.sin(i * step) for step in steps), *(np.cos(i * step) for step in steps)]

    def norm(name, x):
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return x * state[f"{name}.weight"] + state[f"{name}.bias"]

    def linear(name, x):
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    def attention(name, x):
        q, k, v = (linear(f"{name}self_attn.{part}_proj", x) for part in "qkv")
        made = []
        for each in np.split(np.arange(width), heads):
            scores = q[:, each] @ k[:, each].T / np.sqrt(len(each))
            weights = np.exp(scores - scores.max(1, keepdims=True))
            made.append(weights / weights.sum(1, keepdims=True) @ v[:, each])
        return linear(f"{name}self_attn.out_proj", np.concatenate(made, 1))

    def forward(name, x):
        return linear(f"{name}fc2", np.maximum(linear(f"{name}fc1", x), 0))

    parts = ((attention, "self_attn_layer_norm"), (forward, "final_layer_norm"))
    for name in (f"layers.{layer}." for layer in range(cfg.encoder_layers)):
        for part, which in parts:
            if cfg.encoder_normalize_before:
                rows = rows + part(name, norm(name + which, rows))
            else:
                rows = norm(name + which, rows + part(name, rows))
    return norm("layer_norm", rows) if "layer_norm.weight" in state else rows


@pytest.mark.parametrize("kind", ["laser", "laser2", "laser3", "laser3-max"])
def test_vectors_are_those_of_a_plain_loop_in_any_batch_and_order(folders, kind):
    folder = folders[kind]
    states = [states_plainly(folder, pieces_plainly(folder, s.text)) for s in TEXTS]
    wanted = np.array([each[0] if kind == "laser3" else each.max(0) for each in states])
    encoder = ENCODERS.make(f"laser:{folder}")
    assert np.abs(encoder.encode(TEXTS).layers[0] - wanted).max() < 1e-5
    turned, order = mixed(TEXTS)
    assert np.abs(encoder.encode(turned).layers[0] - wanted[order]).max() < 1e-5
    alone = np.concatenate([encoder.encode([s]).layers[0] for s in TEXTS])
    assert np.abs(alone - wanted).max() < 1e-5


@pytest.mark.parametrize("kind", ["laser", "laser2", "laser3"])
def test_words_have_the_states_of_their_pieces(folders, kind):
    folder = folders[kind]
    vectors = ENCODERS.make(f"laser:{folder},pool=none").encode(TEXTS)
    spans, marked = vectors.spans, int(kind == "laser3")
    for i, sentence in enumerate(TEXTS):
        cut = [pieces_plainly(folder, word) for word in sentence.words]
        states = states_plainly(folder, [piece for part in cut for piece in part])
        first, last = spans.sentences[i], spans.sentences[i + 1]
        found = vectors.layers[0][first:last]
        assert np.abs(found - states[marked:-1]).max(initial=0) < 1e-5
        words = spans.words[spans.first_word[i] : spans.first_word[i + 1]]
        assert [b - a for a, b in words] == [len(part) for part in cut]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Mr. O'Neill doesn't pay $3.50.", "mr. o 'neill doesn 't pay $ 3.50 ."),
        ("en", 'He said "no", then "yes".', 'he said " no , " then " yes . "'),
        ("fr", "L'école n'est pas « ouverte ».", "l' école n' est pas \" ouverte \" ."),
        ("fr", "L’été, dit-il, « j’écris. »", 'l " été , dit-il , " j " écris . "'),
        ("de", "Das ist z.B. die „Schule“.", 'das ist z.b. die " schule " .'),
        ("de", "Er sagte: „Nein, am 3. Mai.“", 'er sagte : " nein , am 3. mai " .'),
        ("it", "Dell'amico è qui, all'una.", "dell' amico è qui , all' una ."),
        ("it", "«Perché no?», disse il dott. Bo.", '" perché no ? " , disse il dott. bo .'),
        ("pl", "Ala, prof. Nowak i 2,5 kota.", "ala , prof. nowak i 2,5 kota ."),
        ("pl", "Powiedział: „Nie wiem.”", 'powiedział : " nie wiem " .'),
        ("es", "¿Y el Sr. Ruiz? «1.000 veces.»", '¿ y el sr. ruiz ? " 1.000 veces " .'),
        ("cs", "Řekl: „Ne, tj. 5 %.“", 'řekl : " ne , tj. 5 % . "'),
        ("de", "Er sagte: ‚Nein‘, und ging.", 'er sagte : " nein " , und ging .'),
        ("fr", "Il a dit ‘oui’, n’est-ce pas ?", 'il a dit " oui " , n\' est-ce pas ?'),
        ("en", "The ‘best’ one wasn’t ‚low’.", 'the " best " one wasn \'t " low . "'),
    ],
)
def test_texts_are_cut_into_words_by_the_rules_of_their_language(language, text, words):
    # what normalize-punctuation.perl and tokenizer.perl of Moses 4.0 print, made lower case
    assert MosesTokenizer(sacremoses, language).words(text) == words.split()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Er sagte: ‚Nein‘, und ging.", 'er sagte: "nein," und ging.'),
        ("Il a dit ‘oui’, n’est-ce pas ?", 'il a dit "oui," n\'est-ce pas ?'),
        ("« Oui », dit-il…", '" oui ," dit-il...'),
    ],
)
def test_laser2_reads_every_language_with_english_punctuation(text, read, folders):
    """As normalize-punctuation.perl -l en of Moses 4.0 prints it, which `laser_encoders` follows."""
    encoder = ENCODERS.make(f"laser:{folders['laser2']},lang=fr")
    pieces, _ = encoder._read()
    model = next(folders["laser2"].glob("*.spm"))
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    assert pieces.of(text) == processor.encode(read, out_type=str)


def test_what_cannot_be_printed_is_a_space():
    assert replace_unprintable("a\u200bb\x1fc") == "a b c"
    assert replace_unprintable("żółć, 猫") == "żółć, 猫"


def test_the_published_network_has_five_layers_of_512_units_a_direction():
    lower = 2 * 4 * 512 * (320 + 512 + 2)
    upper = 2 * 4 * 512 * (1024 + 512 + 2)
    shapes = recurrent_shapes(320, 512, 5)
    assert sum(np.prod(shape) for shape in shapes.values()) == lower + 4 * upper


def test_unknown_words_are_told(folders):
    assert ENCODERS.make(f"laser:{folders['laser']}").unknown(["the", "Ω"]).tolist() == [
        False,
        True,
    ]


def test_longer_texts_than_positions_are_cut_and_flagged(folders):
    vectors = ENCODERS.make(f"laser:{folders['laser3']}").encode(
        [Sentence.of(("the",) * 3000), Sentence.of(("the",))]
    )
    assert vectors.cut.tolist() == [True, False]


def test_wrong_files_are_told_in_one_sentence(tmp_path):
    def told(name, change, make=laser, options=""):
        folder = make(tmp_path / name)
        change(folder)
        with pytest.raises(DataProblem) as problem:
            ENCODERS.make(f"laser:{folder}{options}").encode(TEXTS)
        assert "\n" not in str(problem.value)
        return str(problem.value)

    def model(folder):
        return next(folder.glob("*.pt"))

    def smaller(folder):
        held = torch.load(model(folder), weights_only=True)
        held["params"]["hidden_size"] = 9
        torch.save(held, model(folder))

    def without(folder):
        held = torch.load(model(folder), weights_only=True)
        torch.save(held | {"dictionary": {"a": 1}}, model(folder))

    def pickled(folder):
        torch.save(torch.nn.Linear(2, 2), model(folder))

    assert "*.pt" in told("missing", lambda f: model(f).unlink())
    assert "*.fcodes or *.spm" in told("codes", lambda f: (f / "93langs.fcodes").unlink())
    cut = model(laser(tmp_path / "whole")).read_bytes()[:500]
    assert "complete" in told("cut", lambda f: model(f).write_bytes(cut))
    assert "expected [36, 6]" in told("sizes", smaller)
    assert "no dictionary" in told("dictionary", without)
    assert "run code" in told("pickle", pickled)
    assert "jieba" in told("zh", lambda f: None, options=",lang=zh")
    assert "has both" in told("twice", lambda f: (f / "b.pt").write_bytes(cut))
    assert ".cvocab" in told("3", lambda f: (f / "laser3.cvocab").unlink(), laser3)
    page = "<html><body>404</body></html>\n"
    assert "is a web page" in told("page", lambda f: model(f).write_text(page))
    assert ":1: '<html>" in told("page codes", lambda f: (f / "93langs.fcodes").write_text(page))
    assert "*.fvocab" in told("pieces", lambda f: (f / "93langs.fvocab").unlink())
    assert "is not a subword" in told("empty", lambda f: (f / "93langs.fvocab").write_text(""))
    assert "UTF-8" in told("bytes", lambda f: (f / "laser3.cvocab").write_bytes(b"\xcf"), laser3)
    assert "1 subwords" in told("few", lambda f: (f / "laser3.cvocab").write_text("a 1\n"), laser3)
    assert "sentencepiece" in told("spm", lambda f: (f / "laser2.spm").write_bytes(b"x"), laser2)
