"""Which notes are printed: single sentences, six of them, all on request and on HTML pages."""

import pytest

from lingprobe.tables.notes import (
    _MAX_PRINTED_NOTES,
    list_sentences,
    printing_all_notes,
    select_notes,
)
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection

NOTES = tuple(f"Note {i} is here." for i in range(9))


def table(*notes: str) -> Table:
    return Table(("a",), (TableSection("", (("1",),)),), notes=notes)


@pytest.mark.parametrize(
    ("note", "sentences"),
    [
        ("One. Two is here.", ("One.", "Two is here.")),
        ("By Tenney et al. (2019), e.g. here.", ("By Tenney et al. (2019), e.g. here.",)),
        ("See it (as A. Smith does. Or so) there.", ("See it (as A. Smith does. Or so) there.",)),
        (
            "auroc: how often. avg. precision: the mean.",
            ("auroc: how often.", "avg. precision: the mean."),
        ),
        ("Is 95.5 % of n. *: significant.", ("Is 95.5 % of n.", "*: significant.")),
        ("Bold is best. n: test examples.", ("Bold is best.", "n: test examples.")),
    ],
)
def test_a_note_is_told_apart_into_sentences(note, sentences):
    assert list_sentences([note, note]) == sentences


def test_six_sentences_are_printed_and_how_many_more_there_are():
    shown = select_notes(table(*NOTES)).notes
    assert shown[:_MAX_PRINTED_NOTES] == NOTES[:_MAX_PRINTED_NOTES]
    assert shown[_MAX_PRINTED_NOTES:] == ("3 more notes: add --notes, or see the HTML page.",)
    assert select_notes(table(*NOTES[:6])).notes == NOTES[:6]


def test_all_are_printed_on_request():
    assert select_notes(table(*NOTES), all_notes=True).notes == NOTES
    with printing_all_notes():
        assert select_notes(table(*NOTES)).notes == NOTES
    assert len(select_notes(table(*NOTES)).notes) == _MAX_PRINTED_NOTES + 1


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_a_page_of_text_has_six_notes_below_each_table(form):
    page = Page((), lambda: [table(*NOTES), table(*NOTES)])
    text = page.text(form)
    assert text.count("Note 5 is here.") == 2
    assert "Note 6" not in text
    assert text.count("3 more notes") == 2
    assert page.with_all_notes().text(form).count("Note 8 is here.") == 2


def test_a_page_for_browsers_has_all_notes():
    assert "Note 8 is here." in Page((), lambda: [table(*NOTES)]).text("html")
