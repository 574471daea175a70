"""Pages for browsers: structure that a keyboard and a screen reader use, nothing that asks anybody
for anything, and names shown as they are.
"""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from matplotlib.figure import Figure

from lingprobe.tables.table import Table, TableSection
from lingprobe.tables.web import (
    CodeBlock,
    FoldedBlock,
    PageChapter,
    ProseBlock,
    SvgPicture,
    TableFacet,
    TableSheet,
    TableVariants,
    TermBlock,
    WebDocument,
    render_notebook,
    tables_document,
)

EVIL = "</script><script>alert(1)</script>\u2028\"'><img src=x onerror=alert(1)>{{ 7 * 7 }}"
VOID = {"meta", "input", "br", "img"}


class Outline(HTMLParser):
    """The elements of a page with their attributes, and its text; each closed where it has to be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.open = "", list[str]()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text += f"{data} "

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def table(name: str = "mine", rows: int = 3) -> Table:
    body = tuple((f"{name}{i}", f"{90 - i}.0 ±1.0", "80.0") for i in range(rows))
    return Table(
        ("encoder", "tense", "passive"),
        (TableSection("", body, strong=frozenset({(0, 1)}), rules=frozenset({1})),),
        frozenset({"encoder"}),
        groups=("", "ud", "ud"),
    )


def page(name: str) -> str:
    sheet = TableSheet(table(name), name, {(0, 0, 1): "h3"})
    blocks = (
        ProseBlock((name,), "note"),
        TermBlock(((name, name),)),
        CodeBlock(f"first {name}\nsecond", name),
        SvgPicture("<svg></svg>", name),
        sheet,
        FoldedBlock(name, (sheet,)),
    )
    return WebDocument(
        name, name, (PageChapter("one", name, blocks), PageChapter("two", "x", ()))
    ).text()


def test_whatever_a_name_contains_is_shown_as_it_is():
    outline = Outline(page(EVIL))
    assert len(outline.named("script")) == 1
    assert not outline.named("img")
    assert outline.text.count(EVIL) >= 10
    shown = Outline(
        tables_document([Table((EVIL,), (TableSection(EVIL, ((EVIL,),), EVIL),), notes=(EVIL,))])
    )
    assert len(shown.named("script")) == 1
    assert shown.text.count(EVIL) == 5
    assert EVIL in Outline(render_notebook([table(EVIL)])).text


def test_control_characters_and_halves_of_characters_do_not_reach_the_page():
    assert "\x1b" not in page("\x1b[31m \ud800")


def test_a_page_may_run_its_own_script_and_ask_nobody():
    text = page("mine")
    outline = Outline(text)
    policy = next(m["content"] for m in outline.named("meta") if m.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert not re.search(r"https?://|innerHTML|@import|url\(", re.sub(r"<svg.*?</svg>", "", text))
    assert not any(key in each for _, each in outline.elements for key in ("src", "onclick"))


def test_tables_have_what_a_screen_reader_reads():
    outline = Outline(page("mine"))
    assert outline.named("html")[0] == {"lang": "en"}
    for landmark in ("main", "nav", "header", "h1", "caption"):
        assert outline.named(landmark), landmark
    assert {h["scope"] for h in outline.named("th")} == {"col", "row", "colgroup"}
    scrolled = [each for each in outline.named("div") if each.get("role") == "group"]
    assert scrolled
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in scrolled)
    targets = {f"#{each['id']}" for _, each in outline.elements if each.get("id")}
    assert {link["href"] for link in outline.named("a")} <= targets


def test_rules_part_bodies_and_cells_keep_their_looks():
    text = page("mine")
    assert text.count("<tbody>") == 2 * 2
    assert '<td class="h3"><b>90.0 ±1.0</b></td>' in text


def test_lines_of_code_stay_lines():
    assert "<code>first mine\nsecond\n</code>" in page("mine")


def test_long_and_wide_tables_can_be_filtered_and_short_ones_are_left_alone():
    assert "data-rows" not in tables_document([table(rows=3)])
    assert "data-rows" in tables_document([table(rows=12)])
    names = tuple(f"task {i}" for i in range(12))
    wide = Table(("encoder", *names), (TableSection("", (("x", *names),)),), frozenset({"encoder"}))
    assert "data-columns" in tables_document([wide])


def test_a_notebook_gets_no_script_and_no_colours_of_our_own():
    text = render_notebook([table()], lambda: Figure(label="what it shows"))
    assert "<script" not in text
    assert "<body" not in text
    assert "<title>what it shows</title>" in text
    assert all(line.startswith(".lingprobe") for line in text.splitlines() if "{" in line)


def test_what_rows_and_columns_are_chosen_by_is_in_the_table():
    sheet = TableSheet(
        table(EVIL),
        links={(0, 1, 0): "models/one.html"},
        facets=(TableFacet("Language", "columns", ("", EVIL, "Polish")),),
        variants=TableVariants("Layer", "best", ("0", "1"), {0: {1: ("1.0", "")}}),
    )
    chapter = PageChapter("one", "One", (sheet,))
    outline = Outline(WebDocument("title", "", (chapter,)).text())
    (link,) = (a for a in outline.named("a") if a["href"] == "models/one.html")
    assert link == {"href": "models/one.html"}
    (said,) = (a["data-choices"] for a in outline.named("div") if "data-choices" in a)
    assert json.loads(said)["facets"] == [
        {"label": "Language", "of": "columns", "values": ["", EVIL, "Polish"]}
    ]
    assert json.loads(said)["variants"] == {"label": "Layer", "usual": "best", "names": ["0", "1"]}
    variants = [a.get("data-variants") for a in outline.named("tr")]
    assert variants == [None, None, "1;1.0;", None, None]
    assert not outline.named("img")
