import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.corpora.moses import detokenised

CASES = [
    ("I don 't know .", "I don't know."),
    ("It wasn 't there , she 'd said .", "It wasn't there, she'd said."),
    ('" Do you see it ? "', '"Do you see it?"'),
    ('" It was late , but she stayed .', '"It was late, but she stayed.'),
    ('Are they still here ? "', 'Are they still here?"'),
    ("We 're going to Anna 's house .", "We're going to Anna's house."),
    ("It cost $ 7 ( more or less ) .", "It cost $7 (more or less)."),
    ("Well ... maybe !", "Well... maybe!"),
    ("couldn ´ t", "couldn ´ t"),  # what the files have lost is not guessed
    ("' t is", "'t is"),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_text_is_written_as_a_reader_would_see_it(text, wanted):
    assert detokenised(text.split()) == wanted


@given(
    st.lists(
        st.sampled_from(
            [
                "don",
                "'t",
                "'s",
                '"',
                "'",
                ",",
                ".",
                "?",
                "word",
                "(",
                ")",
                "$",
                "´",
                "’",
                "“",
                "-",
                "n't",
                "...",
            ]
        ),
        min_size=1,
    )
)
def test_only_spaces_are_left_out(words):
    assert detokenised(words).replace(" ", "") == "".join(words)
