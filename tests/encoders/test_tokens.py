"""Sentences cut into pieces, and pieces aligned with words."""

import functools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenisers import KINDS, Slow, fast

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.encoders.frames import PromptFrame
from lingprobe.encoders.tokens import (
    SubwordSplitter,
    TokenisedSentences,
    WordSpacing,
    align_pieces,
    locate_words,
    place_pieces,
    with_spaces,
    word_spans,
)


def ranges_of(words: list[str], pieces: list[tuple[int, int]]) -> list[list[int]]:
    found = align_pieces(np.array(pieces, np.int64).reshape(-1, 2), word_spans(words))
    return [list(range(a, b)) for a, b in found.tolist()]


@pytest.mark.parametrize(
    ("words", "pieces", "expected"),
    [
        (["abc", "def"], [(0, 3), (4, 5), (5, 7)], [[0], [1, 2]]),
        # added tokens have no characters
        (["abc", "def"], [(0, 0), (0, 3), (4, 7), (0, 0)], [[1], [2]]),
        (["abc", "def"], [(0, 3), (3, 4), (4, 7)], [[0], [2]]),  # a lone space belongs to no word
        (["abc", "def"], [(0, 3), (3, 7)], [[0], [1]]),  # a piece may begin with the space before
        (["abc", "def"], [(0, 5), (5, 7)], [[0], [0, 1]]),  # or reach over it
        # bytes of one character
        (["日本"], [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (1, 2)], [[0, 1, 2, 3, 4, 5]]),
        (["a", "\u200b", "b"], [(0, 1), (4, 5)], [[0], [], [1]]),  # a word that the tokeniser drops
        (["10 000", "ans"], [(0, 2), (3, 6), (7, 10)], [[0, 1], [2]]),  # a word with a space in it
        (["abc", "", "d"], [(0, 3), (5, 6)], [[0], [], [1]]),
        (["abc", "def"], [(0, 3)], [[0], []]),  # cut off
        (["abc"], [], [[]]),
        ([], [(0, 0)], []),
    ],
)
def test_pieces_belong_to_the_words_they_share_a_character_with(words, pieces, expected):
    assert ranges_of(words, pieces) == expected


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(0, 10**6))
def test_alignment_equals_the_overlap_of_every_pair(lengths, seed):
    rng = np.random.default_rng(seed)
    spans = word_spans(["x" * n for n in lengths])
    edges = np.unique(rng.integers(0, spans[-1, 1] + 1, 6))
    pieces = np.stack([edges[:-1], edges[1:]], 1)
    overlap = (pieces[None, :, 0] < spans[:, None, 1]) & (pieces[None, :, 1] > spans[:, None, 0])
    assert [list(range(a, b)) for a, b in align_pieces(pieces, spans).tolist()] == [
        np.flatnonzero(row).tolist() for row in overlap
    ]


# what the retokenisation of jiant promises of itself, case by case

DOG = "I look at Sarah's dog. It was cute.!"
RULES = "Mr. Immelt chose to focus on the incomprehensibility of accounting rules."
WHAT = "What?"


def laid(text: str, pieces: str) -> list[tuple[int, int]]:
    """Where pieces, written with spaces between them, lie in a text."""
    found, at = [], 0
    for piece in pieces.split():
        at = text.lower().index(piece.lower(), at)
        found.append((at, at + len(piece)))
        at += len(piece)
    return found


def units(
    words: list[str], pieces: list[tuple[int, int]], span: tuple[int, int]
) -> tuple[int, int]:
    """The pieces that a task about a span of words reads."""
    spans = Spans(
        np.array([0, len(pieces)]),
        align_pieces(np.array(pieces, np.int64), word_spans(words)),
        np.array([0, len(words)]),
    )
    dataset = Dataset.of([Example((Site(Sentence.of(words), span),), "A")])
    starts, stops = Readings(
        dataset, Vectors((np.zeros((len(pieces), 1), np.float32),), ("-",), spans)
    ).units(0)
    return int(starts[0]), int(stops[0])


@pytest.mark.parametrize(
    ("text", "pieces", "words", "spans"),
    [
        (
            "abc def ghi jkl",
            "abc d ef ghi jkl",
            {1: [1, 2]},
            {(1, 2): (1, 3), (3, 4): (4, 5), (1, 4): (1, 5)},
        ),
        (
            DOG,
            "I look at Sarah ' s dog . It was cute . !",
            {3: [3, 4, 5], 4: [6, 7], 7: [10, 11, 12]},
            {(0, 1): (0, 1), (3, 5): (3, 8)},
        ),
        (
            DOG,
            "I look at Sarah 's dog . It was cute . !",
            {3: [3, 4], 4: [5, 6], 5: [7], 7: [9, 10, 11]},
            {(3, 5): (3, 7)},
        ),
        (
            RULES,
            "Mr . I mme lt chose to focus on the in com p re hen si bility of accounting rules .",
            {0: [0, 1], 1: [2, 3, 4], 7: [*range(10, 17)], 10: [19, 20]},
            {(0, 2): (0, 5), (6, 11): (9, 21), (6, 8): (9, 17), (7, 11): (10, 21)},
        ),
        (
            RULES,
            "Mr . I m mel t chose to focus on the in comp re hen sib ility of accounting rules .",
            {1: [2, 3, 4, 5], 7: [*range(11, 17)]},
            {},
        ),
        (
            RULES,
            "Mr . Imm elt chose to focus on the incomp rehens ibility of accounting rules .",
            {0: [0, 1], 1: [2, 3], 7: [9, 10, 11]},
            {},
        ),
        (
            RULES,
            "mr. im melt chose to focus on the in compre hensi bility of accounting rules.",
            {1: [1, 2], 7: [8, 9, 10, 11]},
            {},
        ),
        (WHAT, "What ?", {0: [0, 1]}, {(0, 1): (0, 2)}),
        ("ABC DEF", "abc def", {0: [0], 1: [1]}, {}),  # capitals, where the model has none
    ],
)
def test_retokenisation_as_published(text, pieces, words, spans):
    given = text.split()
    where = laid(text, pieces)
    found = ranges_of(given, where)
    assert {word: found[word] for word in words} == words
    assert {span: units(given, where, span) for span in spans} == spans


def test_words_without_pieces_at_the_edge_of_a_span_are_passed_over():
    words = ["a", "b", "c", "d", "e"]
    pieces = [(2, 3), (4, 5), (8, 9)]  # 'a' and 'd' have none
    assert [units(words, pieces, span) for span in ((1, 3), (1, 4), (0, 2), (2, 5))] == [
        (0, 2),
        (0, 2),
        (0, 1),
        (1, 3),
    ]


def test_pieces_without_width_are_where_they_stand():
    words = word_spans(["A", "bc"])
    nowhere = np.array([True, False, False, False])
    spans = place_pieces(np.array([[0, 0], [1, 1], [2, 2], [2, 4]]), nowhere, words)
    assert spans.tolist() == [[0, 0], [0, 1], [2, 3], [2, 4]]
    assert align_pieces(spans, words).tolist() == [[1, 2], [2, 4]]


def test_spaces_right_before_a_word_can_belong_to_it():
    # pieces: [CLS] _ a _ _ b c _
    space = np.array([False, True, False, True, True, False, False, True])
    array = np.array([[2, 3], [0, 0], [5, 6], [6, 7]])
    assert with_spaces(array, space).tolist() == [[1, 3], [0, 0], [3, 6], [6, 7]]
    assert with_spaces(array[:0], space).tolist() == []


def shown(words: str | list[str], text: str) -> list[str]:
    words = words.split() if isinstance(words, str) else words
    return [text[a:b] for a, b in locate_words(words, text).tolist()]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("I do n't know .", "I don't know.", "I do n't know ."),
        ("我 喜歡 貓 。", "我喜歡貓。", "我 喜歡 貓 。"),
        ("猫 が 好き です 。", "猫が好きです。", "猫 が 好き です 。"),
        ("ฉัน ชอบ แมว", "ฉันชอบแมว", "ฉัน ชอบ แมว"),
        ("parle de le chat", "parle du chat", "parle du du chat"),
        ("à le chat", "au chat", "au au chat"),
        ("Er ist in dem Haus", "Er ist im Haus", "Er ist im im Haus"),
        ("viens -tu", "viens -tu", "viens -tu"),
        ("a b a b", "ab  a\tb", "a b a b"),
    ],
)
def test_words_are_found_in_a_text(words, text, expected):
    assert shown(words, text) == expected.split()


def test_white_space_in_words_and_text_plays_no_part():
    assert shown(["10 000", "ans"], " 10\u00a0000 ans\n") == ["10\u00a0000", "ans"]
    assert shown(["10 000"], "10000") == ["10000"]


def test_what_is_not_there_has_no_place():
    assert shown(["he", "left", "early"], "he early") == ["he", "", "early"]
    assert shown(["nothing", "alike"], "") == ["", ""]
    assert shown(["a", "", "b"], "a b") == ["a", "", "b"]
    assert locate_words([], "text").shape == (0, 2)


@given(st.text("ab 日本e\u0301 \u00a0\u200b", max_size=24), st.data())
def test_words_cut_from_a_text_are_where_they_were_cut(text, data):
    squeezed = "".join(text.split())
    cuts = sorted(
        {0, len(squeezed), *data.draw(st.lists(st.integers(0, len(squeezed)), max_size=6))}
    )
    words = [squeezed[a:b] for a, b in pairwise(cuts)]
    places = locate_words(words, text)
    assert ["".join(text[a:b].split()) for a, b in places.tolist()] == words
    assert (places[1:, 0] >= places[:-1, 1]).all()


@given(
    st.permutations(["a", "bb", "ccc", "d", "ee"]),
    st.integers(0, 4),
    st.integers(1, 2),
    st.text("xyz", min_size=1, max_size=4),
)
def test_words_that_are_written_otherwise_are_between_their_neighbours(words, at, many, other):
    written = [*words[:at], other, *words[at + many :]]
    lines = shown(words, " ".join(written))
    assert lines == [*words[:at], *[other] * len(words[at : at + many]), *words[at + many :]]


LETTERS = "abcehtXq.'ążłéœ”日本語€"
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=8)
ODD = [
    "\u00a0",
    "\u200b",
    "\u0007",
    "10 000",
    "c\u0007d",
    "…",
    "½",
    "ﬁ",
    "▁",
    "Ġ",
    "e\u0301",
    "\u3000",
    "日",
    "語",
    "[CLS]",
]


@functools.cache
def trained(kind: str):
    return fast(KINDS[kind]())


@functools.cache
def byte_of() -> dict[str, int]:
    """Which byte each sign of a byte-level vocabulary stands for (the table of GPT-2)."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}


def of(kind: str, words: list[str], **options) -> tuple[TokenisedSentences, list[list[int]]]:
    """The sentence in pieces, and which of them each word has."""
    tokens = SubwordSplitter(trained(kind), 10_000, words=WordSpacing(**options)).of(
        [Sentence.of(words)]
    )
    return tokens, [list(range(a, b)) for a, b in tokens.words[0].tolist()]


def spelt(kind: str, tokens: TokenisedSentences, pieces: list[int]) -> str:
    """The letters of some pieces, without marks of spaces and of ends and middles of words."""
    names = trained(kind).convert_ids_to_tokens([tokens.ids[0][i] for i in pieces])
    if kind.startswith("byte level"):
        return bytes(byte_of()[sign] for name in names for sign in name).decode().strip()
    return "".join(name.replace("##", "").replace("</w>", "").replace("▁", "") for name in names)


@pytest.mark.parametrize("kind", [k for k in KINDS if k.startswith("byte level")])
@settings(max_examples=60)
@given(words=WORDS)
def test_bytes_of_a_word_are_its_pieces(kind, words):
    # the truth needs no offsets: the bytes of all pieces, one after the other, are those of the
    # text
    tokens, found = of(kind, words)
    spelling = [
        bytes(byte_of()[sign] for sign in piece)
        for piece in trained(kind).convert_ids_to_tokens(tokens.ids[0])
    ]
    text = " ".join(words).encode()
    ahead = len(b"".join(spelling)) - len(text)
    ends = np.cumsum([0, *map(len, spelling)]) - ahead
    stops = np.cumsum([len(w.encode()) + 1 for w in words]) - 1
    for word, stop, pieces in zip(words, stops.tolist(), found, strict=True):
        start = stop - len(word.encode())
        expected = [
            i for i, (a, b) in enumerate(pairwise(ends.tolist())) if max(a, start) < min(b, stop)
        ]
        assert pieces == expected, word


@pytest.mark.parametrize(
    "kind", ["word piece", "ends of words", "unigram", "unigram, split", "byte fallback"]
)
@settings(max_examples=60)
@given(words=WORDS)
def test_a_word_has_the_pieces_that_it_has_alone(kind, words):
    tokens, found = of(kind, words)
    vocabulary = trained(kind).convert_ids_to_tokens
    for word, pieces in zip(words, found, strict=True):
        alone = vocabulary(trained(kind)(word, add_special_tokens=False)["input_ids"])
        assert [p for p in vocabulary([tokens.ids[0][i] for i in pieces]) if p != "▁"] == [
            p for p in alone if p != "▁"
        ]
        assert not pieces or vocabulary(tokens.ids[0][pieces[0]]) != "▁"


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=80)
@given(
    words=st.lists(
        st.one_of(st.sampled_from(ODD), st.text(LETTERS, min_size=1, max_size=4)),
        min_size=1,
        max_size=6,
    )
)
def test_odd_words_shift_nothing(kind, words):
    # whatever stands between them, words that can be read keep their own pieces: none is shared,
    # lost or moved
    tokens, found = of(kind, words)
    assert tokens.cut.tolist() == [False]
    owned = [i for pieces in found for i in pieces]
    assert owned == sorted(set(owned))
    special = set(np.flatnonzero(tokens.special[0]).tolist())
    left = [i for i in range(len(tokens.ids[0])) if i not in owned and i not in special]
    names = trained(kind).convert_ids_to_tokens([tokens.ids[0][i] for i in left])
    assert all(set(name) <= set("▁Ġ") for name in names), names
    readable = set(LETTERS) - {"\u0007"}
    assert all(pieces for word, pieces in zip(words, found, strict=True) if set(word) <= readable)


@pytest.mark.parametrize("kind", KINDS)
def test_first_words_have_their_first_letter(kind):
    # RoBERTa's 'Larger' without its L, and a Greek first word that raised (jiant issue 934)
    for words in (["Larger", "than", "life."], ["ξ", "word"], ["A"], ["”", "he"]):
        tokens, pieces = of(kind, words)
        first = len([s for s in tokens.special[0] if s]) // 2
        ahead = trained(kind).convert_ids_to_tokens(tokens.ids[0][first : pieces[0][0]])
        assert pieces[0]
        assert all(name in ("Ġ", "▁") for name in ahead)


@pytest.mark.parametrize("kind", [k for k in KINDS if "byte" in k])
def test_letters_outside_ascii_lose_no_byte(kind):
    words = ["café", "”", "日本", "語", "źdźbło", "I"]
    tokens, found = of(kind, words)
    assert [len(found[2]), len(found[3])] == [6, 3]
    if kind.startswith("byte level"):
        assert [spelt(kind, tokens, pieces) for pieces in found] == words


def test_unknown_words_side_by_side_are_kept_apart():
    tokens, pieces = of("word piece", ["日", "語", "cat"])
    assert pieces[:2] == [[1], [2]]
    assert tokens.ids[0][1] == tokens.ids[0][2] == 1
    assert spelt("word piece", tokens, pieces[2]) == "cat"


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_seen_steals_nothing(kind):
    nothing = ["\u00a0", "\u200b", "\u0007"]
    tokens, pieces = of(kind, ["sat", *nothing, "cats"])
    assert [spelt(kind, tokens, pieces[i]) for i in (0, -1)] == ["sat", "cats"]
    if kind == "word piece":
        assert pieces[1:4] == [[], [], []]


@pytest.mark.parametrize("kind", KINDS)
def test_words_with_spaces_in_them_have_all_their_pieces(kind):
    _, pieces = of(kind, ["Il", "a", "10 000", "ans"])
    assert pieces[2] == list(range(pieces[2][0], pieces[2][-1] + 1))
    assert pieces[1][-1] < pieces[2][0] < pieces[2][-1] < pieces[3][0]


@pytest.mark.parametrize(
    "kind",
    [
        "byte level",
        "byte level, trimmed",
        "byte level, space before, trimmed",
        "unigram",
        "unigram, split",
    ],
)
def test_pieces_that_are_only_a_space_are_in_no_word_unless_asked_for(kind):
    words = ["vernacular", "vernacular"]
    tokens, without = of(kind, ["qq", *words])
    _, with_ = of(kind, ["qq", *words], spaces=True)
    names = trained(kind).convert_ids_to_tokens(tokens.ids[0])
    for a, b in zip(without[1:], with_[1:], strict=True):
        assert names[a[0]] not in ("Ġ", "▁")
        lone = names[a[0] - 1] in ("Ġ", "▁")
        assert b == ([a[0] - 1, *a] if lone else a)
    assert any(a != b for a, b in zip(without, with_, strict=True)) or all(
        name not in ("Ġ", "▁") for name in names
    )


def test_a_mark_that_the_text_has_itself_is_a_letter():
    tokens, pieces = of("unigram", ["cat", "▁", "mat"])
    assert len(pieces[1]) == 1
    assert spelt("unigram", tokens, pieces[2]) == "mat"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [3, 7, 12])
def test_a_word_that_was_cut_in_two_has_no_pieces(kind, limit):
    words = ["Incomprehensibilities", "were", "never", "her", "thing", "incomprehensibility", "of"]
    whole = SubwordSplitter(trained(kind), 10_000).of([Sentence.of(words)]).words[0]
    tokens = SubwordSplitter(trained(kind), limit).of([Sentence.of(words)])
    ends = sum(tokens.special[0]) // 2 if "word" in kind or "unigram" in kind else 0
    assert tokens.cut.tolist() == [True]
    assert len(tokens.ids[0]) == limit
    inside = whole[:, 1] <= limit - ends
    assert np.array_equal(tokens.words[0], np.where(inside[:, None], whole, 0))


@pytest.mark.parametrize("keeps_spaces", [False, True])
def test_a_tokeniser_without_offsets_is_asked_word_by_word(keeps_spaces):
    pieces = SubwordSplitter(Slow(keeps_spaces), 12)
    tokens = pieces.of(
        [Sentence.of(["letters", "q", "and"]), Sentence((), ""), Sentence.of(["abcdef"] * 9)]
    )
    names = [pieces.tokenizer.convert_ids_to_tokens(ids) for ids in tokens.ids]
    between = ["_"] if keeps_spaces else []
    assert names[0] == ["[CLS]", "let", "ter", "s", *between, *between, "and", "[SEP]"]
    shift = 2 * keeps_spaces
    assert tokens.words[0].tolist() == [[1, 4], [0, 0], [4 + shift, 5 + shift]]
    assert names[1] == ["[CLS]", "[SEP]"]
    assert tokens.special[0] == [1, *[0] * (len(names[0]) - 2), 1]
    assert tokens.cut.tolist() == [False, False, True]
    assert len(tokens.ids[2]) == 12
    step = 2 + keeps_spaces
    assert tokens.words[2].tolist() == [
        [1 + step * i, 3 + step * i] if 3 + step * i <= 11 else [0, 0] for i in range(9)
    ]
    if keeps_spaces:
        assert SubwordSplitter(pieces.tokenizer, 12, words=WordSpacing(spaces=True)).of(
            [Sentence.of(["a", "b"])]
        ).words[0].tolist() == [[1, 2], [2, 4]]


def test_a_prompt_belongs_to_no_word():
    for pieces in (
        SubwordSplitter(trained("word piece"), 50, PromptFrame("like cats , ")),
        SubwordSplitter(Slow(), 50, PromptFrame("like")),
    ):
        bare = SubwordSplitter(pieces.tokenizer, 50).of([Sentence.of(["he", "said"])]).words[0]
        assert np.unique(pieces.of([Sentence.of(["he", "said"])]).words[0] - bare).min() > 0


SENTENCES = {  # words, and the text in which they are written
    "Chinese": (["我", "喜歡", "貓", "。"], "我喜歡貓。"),
    "Japanese": (["猫", "が", "好き", "です", "。"], "猫が好きです。"),
    "Thai": (["ฉัน", "ชอบ", "แมว", "มาก"], "ฉันชอบแมวมาก"),
    "English": (
        ["They", "do", "n't", "know", ",", "she", "'s", "sure", "."],
        "They don't know, she's sure.",
    ),
    "French": (
        ["Il", "parle", "de", "le", "chat", "à", "l'", "homme"],
        "Il parle du chat à l'homme",
    ),
    "two": (["日", "本", "cat"], " 日本\u3000cat "),
}


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("kind", KINDS)
def test_raw_text_is_read_as_it_is_and_words_are_found_in_it(kind, language):
    words, text = SENTENCES[language]
    tokens = SubwordSplitter(trained(kind), 10_000, words=WordSpacing(raw=True)).of(
        [Sentence.of(words, text)]
    )
    assert tokens.ids[0] == trained(kind)(text)["input_ids"]
    found = [list(range(a, b)) for a, b in tokens.words[0].tolist()]
    special = set(np.flatnonzero(tokens.special[0]).tolist())
    assert not special & {i for pieces in found for i in pieces}
    assert all(found)
    # the truth needs no offsets: a word's bytes are among those of its pieces, and none is left
    # over
    if kind.startswith("byte level"):
        names = trained(kind).convert_ids_to_tokens(tokens.ids[0])
        for word, pieces in zip(words, found, strict=True):
            spelling = bytes(byte_of()[sign] for i in pieces for sign in names[i])
            assert word.encode() in spelling or word in ("de", "le")
        left = set(range(len(names))) - {i for pieces in found for i in pieces}
        assert all(set(names[i]) <= set("ĠãĢ") for i in left)  # spaces, the ideographic one too


def test_raw_text_needs_a_tokeniser_that_says_where_pieces_come_from():
    from lingprobe.data.examples import EncoderStop

    with pytest.raises(
        EncoderStop, match="text=raw: this tokeniser does not give the character offsets"
    ):
        SubwordSplitter(Slow(), 50, words=WordSpacing(raw=True)).of([Sentence.of(["a"])])


@pytest.mark.parametrize("limit", [4, 6, 9])
def test_in_a_text_that_is_cut_words_behind_have_no_pieces(limit):
    words, text = SENTENCES["English"]
    whole = (
        SubwordSplitter(trained("byte level"), 10_000, words=WordSpacing(raw=True))
        .of([Sentence.of(words, text)])
        .words[0]
    )
    tokens = SubwordSplitter(trained("byte level"), limit, words=WordSpacing(raw=True)).of(
        [Sentence.of(words, text)]
    )
    assert tokens.cut.tolist() == [True]
    assert np.array_equal(tokens.words[0], np.where((whole[:, 1] <= limit)[:, None], whole, 0))
