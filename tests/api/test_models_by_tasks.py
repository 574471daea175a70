"""What a model's bare name stands for, which is what its tasks need."""

import pytest

import lingprobe

WORDS = ["edge/feat:bank,feature=Case", "edge/dep:bank"]


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model of sentence-transformers."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "modules.json").write_text("[]")
    return str(tmp_path)


@pytest.mark.parametrize("tasks", [None, "ud/tense:bank", [*WORDS, "ud/tense:bank"], "reviews.csv"])
def test_a_model_gives_vectors_of_sentences(folder, tasks):
    assert lingprobe.model(folder, tasks) == f"st:{folder}"


@pytest.mark.parametrize("tasks", [WORDS[0], WORDS])
def test_for_tasks_about_words_alone_it_gives_those_of_word_pieces(folder, tasks):
    assert lingprobe.model(folder, tasks) == f"hf:{folder},pool=none"
    assert lingprobe.model(f"{folder},layers=all", tasks) == f"hf:{folder},layers=all,pool=none"
    assert lingprobe.model(f"{folder},pool=none", tasks) == f"hf:{folder},pool=none"


def test_a_reference_stays_as_it_is(folder):
    assert lingprobe.model(f"st:{folder}", WORDS) == f"st:{folder}"
