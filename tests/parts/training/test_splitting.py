"""How a treebank splits its text: what is learnt with a parser, kept beside it, and used."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch

import lingprobe
from lingprobe import annotators
from lingprobe.annotators.segment import Rules
from lingprobe.corpora import conllu
from lingprobe.data.core import DataProblem
from lingprobe.encoders.facts import MODEL
from lingprobe.parts.training import splitting
from lingprobe.parts.training.folder import read_training
from lingprobe.parts.training.nets.splitting import REACH, SplitterShape, logits, numbers_of
from lingprobe.parts.training.parsers.expansions import Change, Expansions
from lingprobe.parts.training.parsers.gold import splits
from lingprobe.parts.training.parsers.layout import Paragraph, paragraphs, written_sentence
from lingprobe.parts.training.parsers.splits import paragraph, segmentation
from lingprobe.parts.training.parsers.splitter import SPLITTER

NOUNS = ["pan", "kot", "mama", "tata", "syn", "dom"]
DU = {"du": ("de", "le"), "au": ("à", "le")}
SMALL = {"hidden": 8, "dim": 8, "letters": 4, "arcs": 8, "epochs": 1, "least": 1}


def row(i: int | str, form: str, misc: str = "_") -> str:
    if isinstance(i, str):
        return f"{i}\t{form}" + "\t_" * 7 + f"\t{misc}"
    head = i - 1
    label = "root" if i == 1 else "dep"
    return f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t{misc}"


def sentence(draws: random.Random, spaced: bool = True) -> str:
    """Such as `kot-em du pan.`: hyphens part tokens, `du` and `au` are multiword ones."""
    rows, i = [], 1
    near = "SpaceAfter=No"
    for _ in range(draws.randint(2, 4)):
        several, noun = draws.choice([*DU]), draws.choice(NOUNS)
        if draws.random() < 0.5:
            rows += [row(f"{i}-{i + 1}", several, "_" if spaced else near)]
            rows += [row(i + k, word) for k, word in enumerate(DU[several])]
            i += 2
        rows += [
            row(i, noun, near),
            row(i + 1, "-", near),
            row(i + 2, "em", "_" if spaced else near),
        ]
        i += 3
    rows[-1] = rows[-1].removesuffix("\t_").removesuffix(f"\t{near}") + f"\t{near}"
    return "\n".join([*rows, row(i, ".", "_" if spaced else near)]) + "\n\n"


def treebank(folder: Path, spaced: bool = True) -> Path:
    for split, seed, many in (("train", 0, 150), ("dev", 1, 15), ("test", 2, 15)):
        draws = random.Random(seed)
        text = "".join(sentence(draws, spaced) for _ in range(many))
        (folder / f"x-{split}.conllu").write_text(text, "utf-8")
    return folder


def read(path: Path) -> list[Paragraph]:
    return list(paragraphs(map(written_sentence, conllu.read(path))))


@pytest.fixture(scope="module")
def bank(tmp_path_factory) -> Path:
    return treebank(tmp_path_factory.mktemp("bank"))


@pytest.fixture(scope="module")
def parser(bank, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "m"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "STEPS", (100, 100))
        lingprobe.train("parser", "", [bank], folder, **SMALL)
    return folder


def test_a_parser_splits_text_as_its_treebank(bank, parser, tmp_path):
    said = json.loads((parser / MODEL).read_text("utf-8"))["splitter"]["dev"]
    assert min(said.values()) > 99
    shown = f"Tokens {said['Tokens']:.1f}, Sentences {said['Sentences']:.1f}"
    assert f"raw text of dev is split as in the treebank (F1): {shown}" in str(
        read_training(parser)
    )
    (tmp_path / "t.txt").write_text("Kot-em du pan-em. Du syn-em.\n", "utf-8")
    done = lingprobe.parse(tmp_path / "t.txt", parser, tmp_path / "parsed")
    assert (done.sentences, done.words) == (2, 15)
    [one, other] = conllu.read(next((tmp_path / "parsed").glob("*.conllu.zst")))
    assert one.words == ("Kot", "-", "em", "de", "le", "pan", "-", "em", ".")
    assert other.words[:2] == ("De", "le")
    assert [(r.form, r.start) for r in (*one.ranges, *other.ranges)] == [("du", 3), ("Du", 0)]
    assert (one.text, other.text) == ("Kot-em du pan-em.", "Du syn-em.")
    lines = lingprobe.parse(tmp_path / "t.txt", parser, tmp_path / "lines", lines=True)
    assert (lines.sentences, lines.words) == (1, 15)
    rules = lingprobe.parse(tmp_path / "t.txt", parser, tmp_path / "rules", tokens="rules")
    assert rules.words == 7


def test_an_audit_shows_how_raw_text_is_split(bank, parser, tmp_path):
    page = lingprobe.audit_parser(bank, parser)
    test = read(bank / "x-test.conllu")
    cutter = annotators.segmenter("", annotators.parser(parser))
    said = [paragraph(each.text, cutter.segment(each.text)) for each in test]
    assert page.content.splits == segmentation(said, test)
    assert min(page.content.splits.values()) > 99
    assert f"Raw text is split as in gold (F1): Tokens {page.content.splits['Tokens']:.1f}" in str(
        page
    )
    (tmp_path / "x.ptb").write_text("(TOP (S (NN kot)))\n", "utf-8")
    assert splits([tmp_path / "x.ptb"], cutter) == {}


def test_a_script_without_spaces_is_split_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "STEPS", (100, 100))
    folder = treebank(tmp_path, spaced=False)
    learnt = splitting.learn(read(folder / "x-train.conllu"), 0)
    assert splitting.score_splitter(learnt, read(folder / "x-test.conllu"))["Words"] > 99


def test_the_same_is_learnt_again_and_nothing_twice(bank, parser, tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "STEPS", (5, 5))
    state = torch.random.get_rng_state()
    parts = [read(bank / f"x-{split}.conllu") for split in ("train", "dev")]
    for name in ("one", "other"):
        splitting.learnt_in(tmp_path / name, *parts, 0)
    assert torch.equal(state, torch.random.get_rng_state())
    files = [(tmp_path / name / SPLITTER).read_bytes() for name in ("one", "other")]
    assert files[0] == files[1]
    before = (parser / SPLITTER).read_bytes()
    assert before != files[0]
    splitting.learnt_in(parser, *parts, 0)
    assert (parser / SPLITTER).read_bytes() == before


def test_a_folder_without_it_is_split_by_rules_and_a_damaged_one_refused(parser, tmp_path):
    for name in ("old", "damaged"):
        (tmp_path / name).mkdir()
        for file in parser.iterdir():
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    facts = json.loads((parser / MODEL).read_text("utf-8"))
    old = {key: value for key, value in facts.items() if key != "splitter"}
    (tmp_path / "old" / MODEL).write_text(json.dumps(old), "utf-8")
    made = annotators.parser(tmp_path / "old")
    assert annotators.segmenter("", made) == Rules()
    with pytest.raises(DataProblem, match="has no tokenizer"):
        annotators.segmenter(str(tmp_path / "old"), made)
    assert annotators.segmenter(str(parser), made).name == "lingprobe m"
    (tmp_path / "damaged" / SPLITTER).write_bytes(b"\0")
    with pytest.raises(DataProblem, match="missing or damaged, by which the parser splits text"):
        annotators.segmenter("", annotators.parser(tmp_path / "damaged"))


def test_text_without_a_near_token_teaches_nothing():
    apart = Paragraph("a b", read_tokens("a b"))
    near = Paragraph("a b.", read_tokens("a b ."))
    assert splitting.learn([apart], 0) is None
    assert splitting._close(near)


def read_tokens(text: str):
    from lingprobe.annotators.segment import Cut

    near = text.replace(" .", ".")
    return paragraph(near, [Cut(tuple(text.split()), near)]).tokens


def test_windows_do_not_show():
    net = SplitterShape(letters=3, pairs=64).network(1)
    text = "".join(random.Random(0).choice("ab c") for _ in range(200))
    numbers = numbers_of(text, {"a": 3, "b": 4})
    whole = logits(net, numbers, 1000, 1)
    assert whole.shape == (200, 3)
    np.testing.assert_allclose(logits(net, numbers, 16, 3), whole, atol=1e-5)
    beyond = numbers_of(text[:100] + "a" * 100, {"a": 3, "b": 4})
    same, other = logits(net, beyond, 1000, 1), whole[: 100 - REACH]
    np.testing.assert_allclose(same[: 100 - REACH - 1], other[:-1], atol=1e-5)
    assert not np.allclose(same[99 - REACH : 100], whole[99 - REACH : 100], atol=1e-3)


def test_steps_follow_the_length_of_the_text():
    small, usual, large, huge = (splitting._steps(n) for n in (10, 100, 900, 10_000))
    assert (small, usual, large, huge) == (250, 1000, 2700, 3000)


def test_words_of_unknown_tokens_follow_their_ends():
    known = [("kenarındaki", ("kenarında", "ki")), ("evdeki", ("evde", "ki")), ("du", ("de", "le"))]
    learnt = Expansions.learnt([*known, ("DU", ("DE", "LE")), ("ev", ("ev",)), ("ev", ("ev",))])
    assert learnt.words("parktaki") == ("parkta", "ki")
    assert learnt.words("Parktaki") == ("Parkta", "ki")
    assert learnt.words("PARKTAKI") == ("PARKTA", "KI")
    assert (learnt.words("Du"), learnt.words("DU")) == (("De", "le"), ("DE", "LE"))
    assert learnt.words("xyz") == ("xyz",)
    assert learnt.several("du", False)  # twice, and always
    assert not learnt.several("ev", True)
    assert learnt.several("evdeki", True)  # once is too little to say
    assert not learnt.several("evdeki", False)
    assert Expansions.read(json.loads(json.dumps(learnt.plain()))) == learnt
    assert Expansions.learnt([("ev", ("ev",))]) == Expansions({}, {}, {})


def test_a_change_is_what_stands_around_the_longest_stem():
    change = Change.of("labayit", ("l", "ha", "bayit"))
    assert change == Change("la", "", ("l", "ha", "\0"), 2)
    assert change.expand_token("lakelev") == ("l", "ha", "kelev")
    assert not change.fits("la")


def test_paragraphs_are_as_the_treebank_writes_them(tmp_path):
    rows = [row("1-2", "du", "SpaceAfter=No"), row(1, "de"), row(2, "le"), row(3, "a b", "_")]
    one = "# newpar\n# text = dua  b\n" + "\n".join(rows) + "\n\n"
    last = row(1, "c", "SpaceAfter=No") + "\n\n"
    (tmp_path / "x.conllu").write_text(one + last + row(1, "d") + "\n\n" + one, "utf-8")
    first, second = read(tmp_path / "x.conllu")
    assert (first.text, second.text) == ("dua b cd", "dua b")
    assert [(token.stop, token.words, token.last) for token in first.tokens] == [
        (2, ("de", "le"), False),
        (5, ("a b",), True),
        (7, ("c",), True),
        (8, ("d",), True),
    ]


def test_what_is_not_of_the_text_is_refused():
    cut = next(iter(Rules().segment("ab c")))
    with pytest.raises(DataProblem, match="other characters than in the text"):
        paragraph("a", [cut])
