import re

import pytest

from lingprobe.corpora.universal import (
    DEFAULT_UD_RELEASE,
    find_treebank,
    list_treebanks,
    suggest_treebanks,
)


@pytest.mark.parametrize(
    "asked",
    ["en_ewt", "EN_EWT", "ud/en_ewt", "UD_English-EWT", "ud/UD_English-EWT", "English-EWT"],
)
def test_a_treebank_has_a_code_and_a_name(asked):
    bank = find_treebank(asked)
    assert (bank.code, bank.name, bank.licence) == ("en_ewt", "UD_English-EWT", "CC BY-SA 4.0")
    assert (bank.release, bank.fetched_release) == ("", DEFAULT_UD_RELEASE)
    assert find_treebank(f"{asked}@2.16") == find_treebank(f"{asked}@r2.16")
    assert (
        find_treebank(f"{asked}@2.16").release
        == find_treebank(f"{asked}@2.16").fetched_release
        == "2.16"
    )


def test_a_newer_treebank_is_known_by_its_repository_alone():
    bank = find_treebank("UD_New_Language-Corpus@2.18")
    assert (bank.code, bank.name, bank.fetched_release) == ("", "UD_New_Language-Corpus", "2.18")
    assert bank.language == "New Language"


@pytest.mark.parametrize(
    "other",
    ["", "en", "en_nothing", "my_data", "data/en_ewt", "en_ewt@new", "../UD_A-B", "UD_English"],
)
def test_other_texts_name_none(other):
    assert find_treebank(other) is None


def test_a_slip_is_near_a_code_and_a_file_is_not():
    assert suggest_treebanks("en_ewtt") == suggest_treebanks("ud/en_etw@2.17") == ["en_ewt"]
    assert suggest_treebanks("pl_pdbb") == ["pl_pdb"]
    assert set(suggest_treebanks("pl_pbd")) >= {"pl_pdb", "pl_pud"}
    assert suggest_treebanks("pl_xyz") == ["pl_lfg", "pl_mpdt", "pl_pdb", "pl_pud"]
    assert (
        suggest_treebanks("my_data")
        == suggest_treebanks("results")
        == suggest_treebanks("train.conllu")
        == []
    )


def test_every_code_is_a_language_and_the_corpus_in_small_letters():
    banks = list_treebanks()
    assert len(banks) == 339  # as the list of release 2.17 has
    assert len({bank.language for bank in banks.values()}) == 186
    for code, bank in banks.items():
        assert re.fullmatch(r"[a-z]{2,3}_[a-z0-9]+", code)
        assert code.partition("_")[2] == bank.name.rpartition("-")[2].lower()
        assert bank.licence.startswith(("CC", "LGPL", "GNU", "PD", "C-UDA"))
    codes = {bank.language: code.partition("_")[0] for code, bank in banks.items()}
    assert len(set(codes.values())) == len(codes)  # one code a language
