import pytest

from lingprobe.corpora.languages import (
    get_lineage,
    get_three_letter_code,
    language_codes,
    name_language_of_script,
    script,
)
from lingprobe.corpora.universal import list_treebanks


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        *[(asked, "pl") for asked in ("pl", "pol", "Polish", "polish", "pol-Latn", "pl_PL")],
        *[(asked, "ar") for asked in ("ar", "ara", "arb", "Arabic")],
        *[(asked, "no") for asked in ("no", "nor", "nb", "nob", "nn", "Norwegian")],
        *[(asked, "zh") for asked in ("zh", "zho", "cmn", "Chinese")],
        *[("yue", "yue"), ("tgl", "tl"), ("Old_East_Slavic", "orv"), ("kpv", "kpv")],
    ],
)
def test_languages_go_by_code_or_name(asked, code):
    assert language_codes(asked) == {code}


@pytest.mark.parametrize("asked", ["", "Klingonish", "no such language", "12"])
def test_what_is_no_language_has_no_code(asked):
    assert language_codes(asked) == set()


def test_three_letters_and_a_script():
    assert [get_three_letter_code(code) for code in ("pl_pdb", "ar", "no_bokmaal", "tl_trg")] == [
        *("pol", "ara", "nor", "tgl")
    ]
    assert [script(code) for code in ("pl", "ru", "sr_set", "zh_gsd", "zh_gsdsimp", "ko")] == [
        *("Latn", "Cyrl", "Latn", "Hant", "Hans", "Hang")
    ]
    assert get_three_letter_code("qtd_sagt") == ""  # Turkish and German: a code for private use
    assert script("aqz_tudet") == "Zyyy"
    for code in list_treebanks():
        assert (len(get_three_letter_code(code)), len(script(code))) in ((3, 4), (0, 4)), code


def test_a_lineage_has_the_language_first_and_its_families_up_to_the_widest():
    assert get_lineage("ga_idt")[0] == "iris1253"
    assert "goid1240" in get_lineage("gv")
    assert "goid1240" not in get_lineage("cy_ccg")
    assert get_lineage("pl")[-1] == get_lineage("ur_udtb")[-1] == "indo1319"
    assert get_lineage("hr") == get_lineage("sr_set")  # two standards of one language
    assert get_lineage("eu") == ("basq1248",)
    assert get_lineage("qtd_sagt") == get_lineage("") == ()


def test_scripts_of_one_language_name_it():
    letters = {"ა": "ka", "മ": "ml", "ਹ": "pa", "a": "", "ж": "", "א": "", "ह": "", "?": ""}
    assert {letter: name_language_of_script(letter) for letter in letters} == letters
