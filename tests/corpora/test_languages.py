import pytest

from lingprobe.corpora.aliases import list_aliases
from lingprobe.corpora.families import classify_language
from lingprobe.corpora.languages import (
    get_language_code,
    get_lineage,
    get_script,
    get_three_letter_code,
    language_codes,
    name_language_of_script,
    name_script,
)
from lingprobe.corpora.universal import find_treebank, list_treebanks


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
    assert [get_script(code) for code in ("pl", "ru", "sr_set", "zh_gsd", "zh_gsdsimp", "ko")] == [
        *("Latn", "Cyrl", "Latn", "Hant", "Hans", "Hang")
    ]
    assert get_three_letter_code("qtd_sagt") == ""  # Turkish and German: a code for private use
    assert get_script("aqz_tudet") == "Zyyy"
    for code in list_treebanks():
        assert (len(get_three_letter_code(code)), len(get_script(code))) in ((3, 4), (0, 4)), code


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


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        ("ku", {"ckb", "kmr", "sdh"}),  # a macrolanguage
        ("kur", {"ckb", "kmr", "sdh"}),
        ("Kurdish", {"ckb", "kmr", "sdh"}),
        ("Kurmanji", {"kmr"}),  # what it was called before
        ("northern kurdish", {"kmr"}),
        ("nort2641", {"kmr"}),
        ("Farsi", {"fa"}),
        ("polski", {"pl"}),
        ("poli1260", {"pl"}),
        ("bokmål", {"no"}),
        ("Biblical Hebrew", {"hbo"}),
        ("hbs", {"bs", "hr", "sr"}),
        ("kom", {"koi", "kpv"}),
    ],
)
def test_languages_go_by_any_name(asked, codes):
    assert language_codes(asked) == codes


def test_other_names_are_of_languages_that_have_treebanks_and_of_no_two():
    known = {get_language_code(code) for code in list_treebanks()} | {"ku"}
    assert set(list_aliases().values()) <= known
    named = {bank.language.casefold() for bank in list_treebanks().values()}
    assert named.isdisjoint(list_aliases())


def test_a_treebank_goes_by_another_name_of_its_language():
    assert find_treebank("UD_Farsi-PerDT").code == "fa_perdt"
    assert find_treebank("UD_Xyz-PerDT").code == ""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ur_udtb", ("urdu1245", "Indo-European", "Indo-Aryan", "Eurasia")),
        ("la", ("lati1261", "Indo-European", "Italic", "Eurasia")),
        ("fr", ("stan1290", "Indo-European", "Romance", "Eurasia")),
        ("am", ("amha1245", "Afro-Asiatic", "Semitic", "Africa")),
        ("mt", ("malt1254", "Afro-Asiatic", "Semitic", "Eurasia")),
        ("ltg", ("east2282", "Indo-European", "Baltic", "Eurasia")),
        ("eu", ("basq1248", "Basque", "", "Eurasia")),
        ("xx", ("", "", "", "")),
    ],
)
def test_languages_have_families_branches_and_areas(code, expected):
    assert classify_language(code) == expected


def test_every_language_with_a_treebank_has_a_family_but_mixtures():
    without = {
        get_language_code(code) for code in list_treebanks() if not classify_language(code).family
    }
    assert all(code.startswith("q") for code in without)


@pytest.mark.parametrize(
    ("forms", "name"),
    [
        ({"kurdî": 3, "ك": 1}, "Latn"),
        ({"ᠮᠣᠩᠭᠣᠯ": 1}, "Mong"),
        ({"ሰው": 2, "a": 1}, "Ethi"),
        ({"123": 5}, "Zyyy"),
        ({}, "Zyyy"),
    ],
)
def test_a_script_is_that_of_most_letters(forms, name):
    assert name_script(forms) == name
