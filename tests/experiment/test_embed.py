import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretend import DIM, Pretend, PretendLayers, exact, sentences_of

import lingprobe
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.progress import listen_to_progress
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.encoders import make_encoder
from lingprobe.experiment.bars import encoding_bar
from lingprobe.experiment.embed import EncoderProblem, embed_sentences, load_vectors
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.claims import claim_file
from lingprobe.store.vectors import VectorStore


def files(root):
    return {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def read(encoder, sentences, root, key="k"):
    return load_vectors(encoder, sentences, VectorStore(root), key)


def encoded(encoder):
    return sum(map(len, encoder.calls))


def test_each_distinct_sentence_is_encoded_once(tmp_path):
    encoder, known, store = Pretend(), sentences_of(5000), VectorStore(tmp_path)
    done = embed_sentences(encoder, [*known, *known[:100]], store, "k")
    assert (done.encoded, done.cached, done.cut) == (5000, 0, 0)
    assert done.usable.all()
    assert len(done.usable) == 5100
    assert encoded(encoder) == 5000
    again = embed_sentences(encoder, known[::-1], store, "k")
    assert (again.encoded, again.cached) == (0, 5000)
    assert encoded(encoder) == 5000
    np.testing.assert_array_equal(
        read(encoder, known, tmp_path).layers[0], [exact(s) for s in known]
    )


def test_batches_are_sorted_by_length_and_do_not_depend_on_the_order_given(tmp_path):
    known = sentences_of(3000)
    one, two = Pretend(batchy=True), Pretend(batchy=True)
    embed_sentences(one, known, VectorStore(tmp_path / "a"), "k")
    embed_sentences(two, known[::-1], VectorStore(tmp_path / "b"), "k")
    lengths = [len(s.words) for call in one.calls for s in call]
    assert lengths == sorted(lengths)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_no_sentences_are_no_trouble(tmp_path):
    done = embed_sentences(Pretend(), [], VectorStore(tmp_path), "k")
    assert done.usable.shape == (0,)
    assert read(Pretend(), [], tmp_path).sentences == 0


def test_an_empty_sentence_and_a_very_long_one(tmp_path):
    known = [Sentence((), ""), Sentence.of(["word"] * 10_000), *sentences_of(10)]
    for encoder in (Pretend(), PretendLayers(slots=("0.none",))):
        assert embed_sentences(encoder, known, VectorStore(tmp_path), "k").usable.all()
    vectors, expected = read(encoder, known, tmp_path), encoder.encode(known)
    np.testing.assert_array_equal(vectors.layers[0], expected.layers[0])
    np.testing.assert_array_equal(vectors.spans.words, expected.spans.words)


def test_float16(tmp_path):
    known, store = sentences_of(100), VectorStore(tmp_path, "float16")
    embed_sentences(Pretend(), known, store, "k")
    expected = np.array([exact(s) for s in known]).astype(np.float16)
    np.testing.assert_array_equal(load_vectors(Pretend(), known, store, "k").layers[0], expected)


def test_a_value_beyond_float16_is_told(tmp_path):
    known, store = sentences_of(10), VectorStore(tmp_path, "float16")
    encoder = Pretend(
        spoil=lambda v: Vectors((np.where(np.arange(len(v.layers[0])) == 3, 1e6, 1.0)[:, None],))
    )
    done = embed_sentences(encoder, known, store, "k")
    assert [reason for _, reason in done.problems] == [
        "a value outside the range of float16; dtype=bfloat16 holds it in as many bytes"
    ]


def test_a_disk_that_is_full_in_the_middle_is_one_line_and_loses_nothing(tmp_path, monkeypatch):
    known, encoder = sentences_of(5000), Pretend(batchy=True)
    flush, calls = os.fsync, count()

    def full(handle):
        if next(calls) >= 6:  # a plan and two blocks are there, each a file and its folder
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreProblem, match="No space left on device") as problem:
            embed_sentences(encoder, known, VectorStore(tmp_path / "a"), "k")
    assert "\n" not in str(problem.value)
    done = embed_sentences(encoder, known, VectorStore(tmp_path / "a"), "k")
    assert 0 < done.cached < 5000 == done.cached + done.encoded
    embed_sentences(encoder, known, VectorStore(tmp_path / "b"), "k")
    np.testing.assert_array_equal(
        read(encoder, known, tmp_path / "a").layers[0],
        read(encoder, known, tmp_path / "b").layers[0],
    )


# several layers


def test_all_missing_slots_are_filled_in_one_pass_and_no_slot_twice(tmp_path):
    known, store = sentences_of(300), VectorStore(tmp_path)
    encoder = PretendLayers()
    embed_sentences(encoder.asking(("1.mean",)), known[:100], store, "k")
    assert len(encoder.calls) == 1
    embed_sentences(encoder, known, store, "k")
    assert sorted(map(len, encoder.calls[1:])) == [100, 200]
    assert embed_sentences(encoder, known, store, "k").cached == 300
    assert len(encoder.calls) == 3
    encoded = load_vectors(encoder.asking(("2.mean", "1.mean")), known, store, "k")
    assert encoded.names == ("2", "1")
    np.testing.assert_array_equal(encoded.layer("1"), [exact(s, "1") for s in known])
    np.testing.assert_array_equal(encoded.layer("2"), [exact(s, "2") for s in known])
    np.testing.assert_array_equal(encoded.cut, [len(s.words) > 18 for s in known])


def test_sentences_that_were_cut_are_counted(tmp_path):
    known = sentences_of(40)
    expected = sum(len(s.words) > 18 for s in known)
    assert embed_sentences(PretendLayers(), known, VectorStore(tmp_path), "k").cut == expected > 0
    assert embed_sentences(PretendLayers(), known, VectorStore(tmp_path), "k").cut == expected


def test_ragged_units_come_back_in_any_order(tmp_path):
    known, store = sentences_of(3000), VectorStore(tmp_path)
    encoder = PretendLayers(slots=("0.none", "2.none"))
    embed_sentences(encoder.asking(("0.none",)), known[:1000], store, "k")
    assert embed_sentences(encoder, known, store, "k").usable.all()
    asked = [known[i] for i in np.random.default_rng(1).permutation(3000)[:500]]
    encoded, expected = load_vectors(encoder, asked, store, "k"), encoder.encode(asked)
    for name in ("0", "2"):
        np.testing.assert_array_equal(encoded.layer(name), expected.layer(name))
    for part in ("sentences", "words", "first_word"):
        np.testing.assert_array_equal(getattr(encoded.spans, part), getattr(expected.spans, part))


def test_ragged_sentences_without_vectors_have_words_without_units(tmp_path):
    known = sentences_of(20)
    bad = PretendLayers(slots=("0.none",))
    good = known[:5] + known[6:]
    embed_sentences(bad, good, VectorStore(tmp_path), "k")
    vectors = read(bad, known, tmp_path)
    assert np.diff(vectors.spans.first_word).tolist() == [len(s.words) for s in known]
    assert np.diff(vectors.spans.sentences)[5] == 0
    kept = np.array([i for i in range(20) if i != 5])
    np.testing.assert_array_equal(vectors.take(kept).layers[0], bad.encode(good).layers[0])
    np.testing.assert_array_equal(vectors.take(kept).spans.words, bad.encode(good).spans.words)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 60), max_size=30),
            st.sampled_from(
                [
                    ("0.mean",),
                    ("1.mean", "0.mean"),
                    ("0.mean", "1.mean", "2.mean"),
                    ("0.none",),
                    ("1.none", "0.none"),
                ]
            ),
        ),
        max_size=8,
    )
)
def test_any_sequence_of_requests_reads_back_what_the_encoder_gives(tmp_path_factory, requests):
    root, known = tmp_path_factory.mktemp("store"), sentences_of(61)
    encoder = PretendLayers()
    for numbers, slots in requests:
        asked, of = [known[i] for i in numbers], encoder.asking(slots)
        store = VectorStore(root)
        done = embed_sentences(of, asked, store, "k")
        assert done.usable.all()
        assert done.encoded + done.cached == len(set(asked))
        encoded = load_vectors(of, asked, store, "k")
        if asked:
            expected = of.encode(asked)
            for name in expected.names:
                np.testing.assert_array_equal(encoded.layer(name), expected.layer(name))
            if expected.spans is not None:
                np.testing.assert_array_equal(encoded.spans.words, expected.spans.words)
            np.testing.assert_array_equal(encoded.cut, expected.cut)


# what goes wrong with sentences


def test_a_sentence_that_raises_is_found_told_and_tried_again(tmp_path):
    known, store = sentences_of(5000), VectorStore(tmp_path)
    encoder = Pretend(fails=lambda s: s in (known[3001], known[7]))
    done = embed_sentences(encoder, known, store, "k")
    assert done.problems == (
        (7, f"RuntimeError: cannot read {known[7].text[:20]!r}"),
        (3001, f"RuntimeError: cannot read {known[3001].text[:20]!r}"),
    )
    assert np.flatnonzero(~done.usable).tolist() == [7, 3001]
    assert done.encoded == 4998
    assert encoded(encoder) < 5 * 5000
    output = load_vectors(encoder, known, store, "k").layers[0]
    assert not output[[7, 3001]].any()
    np.testing.assert_array_equal(
        output[done.usable], [exact(s) for i, s in enumerate(known) if i not in (7, 3001)]
    )
    again = embed_sentences(encoder, known, store, "k")
    assert again.problems == done.problems
    assert again.cached == 4998
    count = len(encoder.calls)
    told = embed_sentences(encoder, known, store, "k", retry=False)
    assert told.problems == done.problems
    assert len(encoder.calls) == count
    mended = embed_sentences(Pretend(), known, store, "k")
    assert mended.usable.all()
    assert mended.encoded == 2


def test_many_sentences_that_raise_are_no_reason_to_give_up(tmp_path):
    known = sentences_of(2000)
    encoder = Pretend(fails=lambda s: len(s.words) > 15)
    done = embed_sentences(encoder, known, VectorStore(tmp_path), "k")
    assert [len(s.words) <= 15 for s in known] == done.usable.tolist()


def test_a_sentence_that_alone_was_left_and_fails_again_is_not_fatal(tmp_path):
    known = sentences_of(50)
    encoder = Pretend(fails=lambda s: s == known[0])
    embed_sentences(encoder, known[1:], VectorStore(tmp_path), "k")
    assert embed_sentences(encoder, known, VectorStore(tmp_path), "k").problems[0][0] == 0
    assert embed_sentences(encoder, known, VectorStore(tmp_path), "k").problems[0][0] == 0


def test_an_encoder_that_never_works_is_given_up_at_once(tmp_path):
    encoder = Pretend(fails=lambda s: True)
    with pytest.raises(
        EncoderProblem,
        match=(
            r"pretend failed on every sentence tried \(RuntimeError: cannot read .*fix the encoder"
        ),
    ) as told:
        embed_sentences(encoder, sentences_of(5000), VectorStore(tmp_path), "k")
    assert "\n" not in str(told.value)
    assert len(encoder.calls) < 12


def test_what_lingprobe_says_of_an_encoder_is_said_alone(tmp_path):
    class Broken(Pretend):
        def encode(self, sentences):
            raise DataProblem("model.bin is cut short")

    with pytest.raises(EncoderProblem, match=r"^model\.bin is cut short$"):
        embed_sentences(Broken(), sentences_of(50), VectorStore(tmp_path), "k")


def test_an_encoder_that_stops_working_is_given_up_and_its_work_kept(tmp_path):
    known = sentences_of(5000)
    encoder = Pretend(fails=lambda s: len(encoder.calls) > 2)
    with pytest.raises(EncoderProblem, match="what was encoded before is kept"):
        embed_sentences(encoder, known, VectorStore(tmp_path), "k")
    assert len(encoder.calls) < 80
    assert embed_sentences(Pretend(), known, VectorStore(tmp_path), "k").cached > 4000


def test_a_missing_package_is_told_at_once(tmp_path):
    class Needy(Pretend):
        takes = "sentences"

        def encode(self, sentences):
            self.calls.append(list(sentences))
            raise ImportError("install lingprobe[hf]")

    encoder = Needy()
    with pytest.raises(
        EncoderProblem,
        match="pretend needs a package that is not installed: ImportError: install lingprobe",
    ):
        embed_sentences(encoder, sentences_of(100), VectorStore(tmp_path), "k")
    assert len(encoder.calls) == 1


def test_an_encoder_can_stop_the_run(tmp_path):
    class Short(Pretend):
        takes = "sentences"

        def encode(self, sentences):
            self.calls.append(list(sentences))
            raise EncoderStop("the file has no vector for 3 of 100 sentences")

    encoder = Short()
    with pytest.raises(EncoderProblem, match=r"^the file has no vector for 3"):
        embed_sentences(encoder, sentences_of(100), VectorStore(tmp_path), "k")
    assert len(encoder.calls) == 1, "no sentence is left out in silence"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_vectors_that_are_not_finite_are_told_and_remembered(tmp_path, value):
    known = sentences_of(100)

    def spoil(v):
        layer = v.layers[0].copy()
        layer[[3, 50], 2] = value
        return Vectors((layer,))

    encoder = Pretend(spoil=spoil)
    for calls in (1, 1):
        done = embed_sentences(encoder, known, VectorStore(tmp_path), "k")
        assert len(done.problems) == 2
        assert {reason for _, reason in done.problems} == {
            "a value that is not finite (NaN or infinite)"
        }
        assert len(encoder.calls) == calls
        vectors = read(encoder, known, tmp_path).layers[0]
        assert not vectors[~done.usable].any()
        np.testing.assert_array_equal(
            vectors[done.usable], [exact(s) for s, u in zip(known, done.usable, strict=True) if u]
        )


def test_one_layer_that_is_not_finite_leaves_the_others_usable(tmp_path):
    @dataclass
    class Spoilt(PretendLayers):
        takes = "sentences"

        def encode(self, sentences):
            vectors = super().encode(sentences)
            layers = [layer.copy() for layer in vectors.layers]
            for name, layer in zip(vectors.names, layers, strict=True):
                layer[0, 0] = np.nan if name == "2" else 1
            return replace(vectors, layers=tuple(layers))

    encoder, known = Spoilt(), sentences_of(10)
    assert len(embed_sentences(encoder, known, VectorStore(tmp_path), "k").problems) == 1
    assert embed_sentences(
        encoder.asking(("0.mean", "1.mean")), known, VectorStore(tmp_path), "k"
    ).usable.all()


def test_of_a_sentence_in_words_those_are_lost_that_are_not_finite(tmp_path):
    @dataclass
    class Spoilt(PretendLayers):
        takes = "sentences"

        def encode(self, sentences):
            vectors = super().encode(sentences)
            layer = vectors.layers[0].copy()
            self.spoilt = vectors.spans.sentences[3] + 1
            layer[self.spoilt, 0] = np.nan
            return replace(vectors, layers=(layer,))

    encoder, known = Spoilt(slots=("0.none",)), sentences_of(10)
    done = embed_sentences(encoder, known, VectorStore(tmp_path), "k")
    assert done.usable.all()
    ((at, why),) = done.problems
    assert why == "some of its tokens: a value that is not finite (NaN or infinite)"
    vectors = read(encoder, known, tmp_path)
    assert np.isfinite(vectors.layers[0]).all()
    assert np.flatnonzero(vectors.lost).tolist() == [vectors.spans.sentences[at] + 1]
    mine = vectors.take(np.array([at]))
    assert mine.lost.tolist() == [False, True, *[False] * (len(mine.lost) - 2)]
    assert not mine.layers[0][1].any()
    assert mine.layers[0][0].any()
    assert read(encoder, [known[i] for i in range(10) if i != at], tmp_path).lost is None


def test_a_unit_that_is_lost_in_one_layer_is_lost_in_what_reads_both(tmp_path):
    @dataclass
    class Spoilt(PretendLayers):
        takes = "sentences"

        def encode(self, sentences):
            encoded = super().encode(sentences)
            layers = [layer.copy() for layer in encoded.layers]
            if "1.none" in self.slots:
                layers[self.slots.index("1.none")][2] = 1e9
            return replace(encoded, layers=tuple(layers))

    known = sentences_of(4)
    for slots in (("0.none",), ("1.none",)):  # each in a pass of its own
        embed_sentences(Spoilt(slots=slots), known, VectorStore(tmp_path, "float16"), "k")
    lost = {
        slots: load_vectors(Spoilt(slots=slots), known, VectorStore(tmp_path, "float16"), "k").lost
        for slots in (("0.none",), ("1.none",), ("0.none", "1.none"))
    }
    assert lost["0.none",] is None
    assert lost["1.none",].sum() == lost["0.none", "1.none"].sum() == 1
    (why,) = {
        why
        for _, why in embed_sentences(
            Spoilt(slots=("1.none",)), known, VectorStore(tmp_path, "float16"), "k"
        ).problems
    }
    reason = "some of its tokens: a value outside the range of float16; dtype=bfloat16"
    assert why.startswith(reason)


# what goes wrong with encoders

WRONG = {
    "a list": (lambda v: [1], "returned a list where Vectors was expected"),
    "an array": (lambda v: v.layers[0], "returned a ndarray where Vectors was expected"),
    "too few rows": (
        lambda v: Vectors((v.layers[0][1:],)),
        r"an array of shape \[9, 8\] where \[10, dim\] for 10 sentences",
    ),
    "one dimension": (
        lambda v: Vectors((v.layers[0][:, 0],)),
        r"an array of shape \[10\] where \[10, dim\]",
    ),
    "a tensor of three": (
        lambda v: Vectors((v.layers[0][None],)),
        r"an array of shape \[1, 10, 8\]",
    ),
    "no numbers": (
        lambda v: Vectors((v.layers[0][:, :0],)),
        "vectors without dimensions where at least one was expected",
    ),
    "objects": (
        lambda v: Vectors((v.layers[0].astype(object),)),
        "a ndarray of object where a numpy array of float32",
    ),
    "a list of rows": (
        lambda v: Vectors((v.layers[0].tolist(),)),
        "a list where a numpy array of float32",
    ),
    "two layers": (
        lambda v: Vectors(v.layers * 2, ("a", "b")),
        r"2 layers where 1 \(-\) was expected",
    ),
    "a short cut": (
        lambda v: replace(v, cut=np.zeros(3, bool)),
        r"`cut` of shape \[3\] where \[10\]",
    ),
    "spans": (
        lambda v: replace(v, spans=Spans(*np.zeros((3, 1), np.int64))),
        "spans of 0 sentences where 10",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_is_one_line(tmp_path, kind):
    spoil, message = WRONG[kind]
    with pytest.raises(EncoderProblem, match=message) as told:
        embed_sentences(Pretend(spoil=spoil), sentences_of(10), VectorStore(tmp_path), "k")
    assert "\n" not in str(told.value)
    assert "pretend" in str(told.value)


def test_a_baseline_may_leave_all_to_probes_of_words(tmp_path):
    known = sentences_of(4)
    assert embed_sentences(make_encoder("words"), known, VectorStore(tmp_path), "k").encoded == 4


def test_vectors_that_change_their_width_are_told_and_what_was_before_is_kept(tmp_path):
    known = sentences_of(5000)
    encoder = Pretend(spoil=lambda v: Vectors((v.layers[0][:, : DIM - (len(encoder.calls) > 1)],)))
    with pytest.raises(
        EncoderProblem, match="returned vectors of 7 dimensions where 8 as for the sentences before"
    ):
        embed_sentences(encoder, known, VectorStore(tmp_path), "k")
    done = embed_sentences(Pretend(), known, VectorStore(tmp_path), "k")
    assert (done.cached, done.encoded) == (2048, 2952)


def test_whole_numbers_and_float64_are_taken(tmp_path):
    known = sentences_of(10)
    encoder = Pretend(spoil=lambda v: Vectors((np.arange(len(v.layers[0]))[:, None],)))
    assert embed_sentences(encoder, known, VectorStore(tmp_path), "k").usable.all()
    assert sorted(read(encoder, known, tmp_path).layers[0][:, 0]) == list(range(10))


def test_an_encoder_that_looks_at_the_corpus_is_prepared_first_and_only_when_needed(tmp_path):
    seen = []

    @dataclass
    class Looks(Pretend):
        ready: bool = False
        takes = "sentences"

        def prepare(self, sentences):
            seen.append(list(sentences))
            return replace(self, ready=True)

        def encode(self, sentences):
            assert self.ready
            return super().encode(sentences)

    known = sentences_of(10)
    for _ in range(2):
        assert embed_sentences(Looks(), known, VectorStore(tmp_path), "k").usable.all()
    assert seen == [known]


def test_what_waits_for_an_encoder_hears_how_far_it_is(tmp_path):
    told = []
    with listen_to_progress(lambda done, of: told.append((done, of))):
        embed_sentences(Pretend(), sentences_of(10), VectorStore(tmp_path), "k")
    assert told == [(0, 10), (10, 10)]


def test_the_progress_bar_is_shown_when_asked(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("lingprobe.data.progress.is_watched", lambda: True)
    for progress, shown in ((True, "encode pretend: 100%"), (False, "")):
        with encoding_bar("pretend", progress):
            embed_sentences(Pretend(), sentences_of(10), VectorStore(tmp_path / str(progress)), "k")
        assert (shown in capsys.readouterr().err) if shown else not capsys.readouterr().err


# what goes wrong with runs


def test_an_interrupted_run_goes_on_with_its_plan(tmp_path):
    known = sentences_of(9000)
    embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path / "a"), "k")

    class Interrupted(Pretend):
        takes = "sentences"

        def encode(self, sentences):
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().encode(sentences)

    with pytest.raises(KeyboardInterrupt):
        embed_sentences(Interrupted(batchy=True), known, VectorStore(tmp_path / "b"), "k")
    done = embed_sentences(Pretend(batchy=True), known[::-1], VectorStore(tmp_path / "b"), "k")
    assert done.cached == 4096
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_another_run_finishes_a_plan_whose_sentences_it_does_not_all_know(tmp_path):
    known = sentences_of(5000)
    embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path / "a"), "k")
    first = Pretend(batchy=True, fails=lambda s: len(first.calls) > 1)
    with pytest.raises(EncoderProblem):
        embed_sentences(first, known, VectorStore(tmp_path / "b"), "k")
    store = VectorStore(tmp_path / "b")
    some = [s for s in known if int(s.words[0][1:]) % 5]
    embed_sentences(Pretend(batchy=True), some, store, "k")
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_a_small_run_does_not_finish_a_large_plan(tmp_path):
    known = sentences_of(9000)
    first = Pretend(fails=lambda s: len(first.calls) > 1)
    with pytest.raises(EncoderProblem):
        embed_sentences(first, known, VectorStore(tmp_path), "k")
    second = Pretend()
    embed_sentences(second, known[::100], VectorStore(tmp_path), "k")
    assert encoded(second) <= 90


def test_a_damaged_block_is_made_again_as_it_was(tmp_path, caplog):
    known = sentences_of(5000)
    embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path), "k")
    before = files(tmp_path)
    for number, path in enumerate(sorted(p for p in before if p.suffix == ".vectors")):
        content = bytearray(before[path])
        content[number * 7777 + 50] ^= 4
        (tmp_path / path).write_bytes(content)
    done = embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path), "k")
    assert done.encoded == 5000
    assert caplog.text.count("is damaged") == 3
    for path in tmp_path.rglob("*.damaged"):
        path.unlink()
    assert files(tmp_path) == before


def test_a_full_disk_keeps_what_was_finished(tmp_path, monkeypatch):
    known = sentences_of(5000)
    real, written = os.fsync, []

    def full(handle):
        written.append(handle)
        if len(written) > 4:  # a plan and its folder, a block and its folder
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        StoreProblem, match="No space left on device; what was finished before is kept"
    ):
        embed_sentences(Pretend(), known, VectorStore(tmp_path), "k")
    monkeypatch.undo()
    assert embed_sentences(Pretend(), known, VectorStore(tmp_path), "k").cached == 2048


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from pretend import Pretend, sentences_of
from lingprobe.experiment.embed import embed_sentences
from lingprobe.store.vectors import VectorStore
print("ready", flush=True)
embed_sentences(Pretend(batchy=True, seconds={seconds}), sentences_of(20_000), VectorStore(Path(sys.argv[1])), "k")
"""


def start(root, seconds):
    code = SCRIPT.format(here=str(Path(__file__).parent), seconds=seconds)
    worker = subprocess.Popen([sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE)
    assert worker.stdout.readline() == b"ready\n"
    return worker


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_run_killed_at_any_moment_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    known = sentences_of(20_000)
    embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path / "whole"), "k")
    chance, killed = np.random.default_rng(3), 0
    for _ in range(6):
        worker = start(tmp_path / "killed", 0.05)
        time.sleep(chance.uniform(0.1, 0.8))
        worker.send_signal(signal.SIGKILL)
        killed += worker.wait() == -signal.SIGKILL
        worker.stdout.close()
    assert killed >= 2
    done = embed_sentences(Pretend(batchy=True), known, VectorStore(tmp_path / "killed"), "k")
    assert done.usable.all()
    # what a killed process leaves is ignored, and removed after a day
    for path in (tmp_path / "killed").rglob("*"):
        if path.suffix in (".part", ".claim"):
            path.unlink()
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_two_runs_at_once_do_not_spoil_each_other(tmp_path):
    embed_sentences(
        Pretend(batchy=True), sentences_of(20_000), VectorStore(tmp_path / "alone"), "k"
    )
    workers = [start(tmp_path / "both", 0.02) for _ in range(2)]
    for worker in workers:
        assert worker.wait() == 0
        worker.stdout.close()
    assert files(tmp_path / "both") == files(tmp_path / "alone")


def test_a_block_that_another_run_is_at_comes_last(tmp_path):
    """It is encoded here once the other has given up, and not where the other has done it."""
    known, order = sentences_of(6000), Pretend()
    embed_sentences(order, known, VectorStore(tmp_path / "a"), "k")
    first, second, *_ = [
        tmp_path / "b" / file.relative_to(tmp_path / "a")
        for file in sorted((tmp_path / "a").rglob("*-0*.vectors"))
    ]
    given_up, done = ExitStack(), ExitStack()
    given_up.enter_context(claim_file(first))
    done.enter_context(claim_file(second))

    def others():
        shutil.copy(tmp_path / "a" / second.relative_to(tmp_path / "b"), second)
        done.close()
        given_up.close()

    threading.Timer(0.5, others).start()
    here = Pretend()
    embed_sentences(here, known, VectorStore(tmp_path / "b"), "k")
    assert len(order.calls) == 3
    assert here.calls == [*order.calls[2:], order.calls[0]]
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_what_embed_returns_has_the_vectors(tmp_path):
    texts = ["She sleeps.", "They sleep well.", "She sleeps."]
    done = lingprobe.embed(texts, ["bow:random", "length"], cache=tmp_path)
    (words,) = done["bow:random"].vectors.layers
    assert words.shape == (3, 300)
    assert np.array_equal(words[0], words[2])
    assert not np.array_equal(words[0], words[1])
    assert done["length"].vectors.layers[0].ravel().tolist() == [3, 4, 3]
    assert lingprobe.embed("She sleeps.", "length")["length"].usable.all()
    with pytest.raises(StoreProblem, match="not kept"):
        embed_sentences(Pretend(), [], VectorStore(tmp_path), "k").vectors  # noqa: B018
