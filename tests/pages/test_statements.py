"""Verdicts in words: the sentence about an encoder, what it rests on, what to do next; and that it
stands above every table.
"""

import re
from dataclasses import replace

import pytest

import lingprobe
from fixtures.results import TASKS, result, results, saying
from fixtures.scored import to_scores
from lingprobe.api.evaluation import Evaluation
from lingprobe.pages.verdicts import make_statement, round_up


def of_one_task(**right):
    return [r for r in results(**right) if r.trial.task == TASKS[0]]


def of_encoder(name, found):
    return [r for r in found if r.trial.encoder in (name, "length")]


def test_of_one_task_it_gives_both_answers_with_differences_intervals_and_n():
    found = of_encoder("mine", of_one_task())
    said = {
        one.question: f"{one.difference:.1f} [{one.low:.1f}, {one.high:.1f}] points over"
        for one in lingprobe.compare(found).found
    }
    expected = (
        f"mine: tense is decodable (by {said['decodable']} one constant answer); beyond the surface"
        f" (by {said['beyond the surface']} length), n = 200."
    )
    assert make_statement(to_scores(found)).sentences == (expected,)


def test_of_several_tasks_it_counts_and_gives_the_range():
    found = of_encoder("mine", results())
    (sentence,) = make_statement(to_scores(found)).sentences
    assert re.fullmatch(
        r"mine: both tasks are decodable \(by 40\.0 \[\S+, \S+\] points over one constant answer\);"
        r" both are beyond the surface \(by 35\.0 \[\S+, \S+\] points over length\)\.",
        sentence,
    )


def test_what_is_open_says_the_upper_limit_and_which_differences_so_much_data_detect():
    found = of_encoder("mine", results(mine=0.57))
    said = make_statement(to_scores(found))
    (sentence,) = said.sentences
    limit = max(
        answer.limit for task in said.verdicts.encoders[0].tasks for answer in task.answers[1:]
    )
    assert re.search(
        r"none of 2 is beyond the surface, no significant difference on tense, passive from length"
        rf" \(any advantage is below {limit:.1f} points\)\.$",
        sentence,
    )
    assert re.search(
        r"There is 80 % power for a difference of [\d.]+ to [\d.]+ points \(1 point would need [\d,]+"
        r" to [\d,]+ test examples",
        said.basis,
    )
    (one,) = make_statement(to_scores(of_encoder("mine", of_one_task(mine=0.57)))).sentences
    assert "not shown to be beyond the surface, no significant difference from " in one


def test_few_tasks_are_named():
    found = [
        saying(result(share, task=f"ud/{task}:EWT-bank", encoder=name), kind=kind)
        for task, mine in (("tense", 0.9), ("passive", 0.56))
        for name, share, kind in (("mine", mine, "trained"), ("length", 0.55, "baseline"))
    ]
    (sentence,) = make_statement(to_scores(found)).sentences
    assert "1 of 2 tasks is decodable (tense: by " in sentence
    assert "1 of 2 is beyond the surface (tense: by " in sentence
    assert "no significant difference on passive from " in sentence


def test_worse_is_said_with_its_size():
    (sentence,) = make_statement(
        to_scores(of_encoder("mine", of_one_task(mine=0.6, length=0.8)))
    ).sentences
    assert "not shown to be beyond the surface, worse than length (by 20.0 [" in sentence


def test_a_task_that_a_baseline_answers_is_named_apart():
    answered = [
        saying(result(share, encoder=name, task="ud/sent-len:EWT-bank"), kind=kind)
        for name, share, kind in (("mine", 0.7, "trained"), ("length", 1.0, "baseline"))
    ]
    said = make_statement(to_scores([*of_encoder("mine", results()), *answered]))
    assert "all 3 tasks are decodable" in said.sentences[0]
    assert "both are beyond the surface" in said.sentences[0]
    assert "Not counted: sent-len, which length solves." in said.basis
    (sentence,) = make_statement(to_scores(answered)).sentences
    assert sentence.startswith("mine: sent-len is decodable (by ")
    assert "surface" not in sentence
    solved = [
        *answered[1:],
        saying(result(0.7, encoder="bow:random", task="ud/sent-len:EWT-bank"), kind="baseline"),
    ]
    oracle = saying(result(0.7, encoder="gold:clause", task="ud/sent-len:EWT-bank"), kind="oracle")
    (sentence,) = make_statement(to_scores([*answered[:1], *solved, oracle])).sentences
    assert sentence.startswith("mine is not judged here: sent-len, which")


def test_it_says_which_layer_and_how_it_was_chosen():
    layers = [
        saying(result(share, encoder="mine", read=read), kind="trained", choice={"dev": dev})
        for share, read, dev in ((0.8, "1", 0.5), (0.9, "2", 0.9))
    ]
    floor = saying(result(0.55), kind="baseline")
    assert "at the layer that is best on dev" in make_statement(to_scores([*layers, floor])).basis
    assert "mine at layer 2: tense is decodable" in str(make_statement(to_scores([*layers, floor])))
    unknown = [saying(each, choice={}) for each in layers]
    said = str(make_statement(to_scores([*unknown, floor])))
    assert "mine at layer 2, the best of 2 layers: tense is decodable" in said
    assert "2 comparisons" in said


COPY = "hf:bert,weights=random"
BLOCKS = "hf:bert,lexical=trained,weights=random"
INPUTS = "hf:bert,layers=0"
OWN = {COPY: "decodable", BLOCKS: "beyond the surface", INPUTS: "beyond the surface"}


def beside_own(mine, **shares):
    """A model with baselines of its own, which have such shares right."""
    names = {"copy": COPY, "blocks": BLOCKS, "inputs": INPUTS}
    own = {**OWN, **{f"{COPY},seed={k}": "decodable" for k in range(1, 5)}}
    model = saying(result(mine, encoder="hf:bert"), kind="trained", own_baselines=own)
    beside = [
        saying(result(share, encoder=names.get(key, key)), kind="baseline", opposes=())
        for key, share in shares.items()
    ]
    return [model, *beside]


def test_its_own_baselines_stand_in_the_way_by_what_they_are():
    (sentence,) = make_statement(
        to_scores(beside_own(0.8, copy=0.78, blocks=0.6, inputs=0.79))
    ).sentences
    assert re.search(r"not shown to be decodable, no .* from its untrained copy \(", sentence)
    assert re.search(r"beyond the surface, no .* from its input embeddings \(", sentence)
    said = make_statement(to_scores(beside_own(0.8, copy=0.5, blocks=0.6)))
    assert "beyond the surface (by " in said.sentences[0]
    assert "points over its copy with untrained blocks)" in said.sentences[0]
    assert "decodable: above one constant answer, its untrained copy; beyond the" in said.basis
    assert "surface" not in str(
        make_statement(to_scores(beside_own(0.8, copy=0.5)))
    )  # nothing opposes it


def test_copies_by_seed_are_one_opponent():
    seeds = {f"{COPY},seed={k}": 0.6 + k / 100 for k in range(1, 5)}
    (sentence,) = make_statement(to_scores(beside_own(0.9, copy=0.6, **seeds))).sentences
    assert "points over its 5 untrained copies)" in sentence
    basis = make_statement(to_scores(beside_own(0.9, copy=0.6, **seeds))).basis
    assert "its 5 untrained copies (with the spread between them)" in basis


def test_a_difference_is_from_the_opponent_that_is_named():
    """Copies that differ a lot are the least sure, and a bag is the strongest."""
    seeds = {f"{COPY},seed={k}": share for k, share in enumerate((0.5, 0.7, 0.5, 0.7), 1)}
    found = beside_own(0.9, copy=0.6, **seeds)
    found.append(saying(result(0.65, encoder="bow:random"), kind="baseline"))
    said = make_statement(to_scores(found))
    (sentence,) = said.sentences
    assert re.search(r"is decodable \(by 25\.0 \[\S+, \S+\] points over bow:random\)", sentence)
    assert said.verdicts.encoders[0].tasks[0].answers[0].blocking.encoder == COPY


def test_without_a_copy_it_says_how_to_add_one():
    (line,) = make_statement(to_scores(beside_own(0.9))).copies
    assert line == (
        "Without an untrained copy of bert, part of this may come from the architecture alone;"
        " `-e hf:bert,weights=random` adds one."
    )
    assert make_statement(to_scores(beside_own(0.9, copy=0.6))).copies == ()
    (line,) = make_statement(to_scores(of_encoder("mine", results()))).copies
    assert line == (
        "Without an untrained copy of mine, part of this may come from the architecture alone."
    )


def test_many_encoders_have_no_sentence_each():
    found = [saying(result(0.9, encoder=f"e-{i}"), kind="trained") for i in range(12)] + [
        saying(result(0.55), kind="baseline")
    ]
    sentences = make_statement(to_scores(found)).sentences
    assert len(sentences) == 9
    assert sentences[-1] == "`lingprobe compare` has the verdicts on 4 more."


def limited(found):
    return [replace(r, trial=replace(r.trial, task=f"{r.trial.task},limit=600")) for r in found]


def test_a_limited_run_is_a_first_look():
    said = str(make_statement(to_scores(limited(results()))))
    assert "At most 600 examples per task: a preview, not for publication." in said
    assert "first look" not in str(make_statement(to_scores(results())))


def as_hf(found, options=""):
    names = {"mine": f"hf:bert-base-cased{options}"}
    return [
        replace(r, trial=replace(r.trial, encoder=names.get(r.trial.encoder, r.trial.encoder)))
        for r in found
    ]


@pytest.mark.parametrize(
    ("found", "step"),
    [
        (of_encoder("length", results()), "`lingprobe run -m MODEL` measures a model"),
        (limited(results(mine=0.57)), "the same run without `--limit`"),
        (results(mine=0.57), "`lingprobe compare`"),
        (results(), "`lingprobe compare --pairs`"),
        (as_hf(of_encoder("mine", results())), "`-e hf:bert-base-cased,layers=all`"),
        (as_hf(of_encoder("mine", results()), ",layers=3"), "`lingprobe report --html`"),
        (of_encoder("mine", results()), "`lingprobe report --html`"),
    ],
)
def test_the_next_step_is_the_one_that_would_tell_more(found, step):
    assert f"Next: {step}" in make_statement(to_scores(found)).next_step


def test_commands_name_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        "`lingprobe compare out --pairs`"
        in make_statement(to_scores(results()), tmp_path / "out").next_step
    )


def test_names_are_those_of_models():
    assert (
        make_statement(to_scores(as_hf(results())))
        .sentences[0]
        .startswith("bert-base-cased: both tasks are")
    )


def test_it_stands_above_tables_in_every_format(tmp_path):
    found = results()
    said = make_statement(to_scores(found)).sentences[0]
    for page in (lingprobe.report(found), lingprobe.report(found, each=True)):
        assert page.text("terminal").startswith(said)
        assert page.text("markdown").startswith(said.replace("[", r"\[").replace("]", r"\]"))
        assert page.text("latex").startswith(f"% {said}")
        assert said in page._repr_html_()
    assert said in lingprobe.card(found).text("markdown").replace("\\", "")


def test_an_evaluation_has_its_verdicts():
    done = Evaluation(tuple(results()))
    assert str(done.verdicts) == str(make_statement(to_scores(results())))
    assert [one.encoder for one in done.verdicts] == ["mine", "yours"]
    assert "<p>mine: both tasks are decodable" in done.verdicts._repr_html_()
    assert repr(done.verdicts).startswith("Statement(2 encoders, 4 comparisons")


def test_numbers_arerounded_up_to_two_digits():
    assert [round_up(n) for n in (7, 42, 421, 4_201, 99_100)] == [7, 42, 430, 4_300, 100_000]


def test_no_sample_size_is_named_for_what_the_data_detect():
    def said(*sizes):
        return make_statement(
            to_scores(
                [
                    saying(result(0.55, n, encoder=name, task=f"ud/{task}:EWT-bank"), kind=kind)
                    for task, n in zip(("tense", "passive"), sizes, strict=False)
                    for name, kind in (("mine", "trained"), ("length", "baseline"))
                ]
            )
        )

    small, mixed = said(20_000), said(20_000, 200)
    assert re.search(r"There is 80 % power for a difference of 0\.\d points\.$", small.basis)
    assert re.search(
        r"80 % power for a difference of 0\.\d to [\d.]+ points \(1 point would need .* test"
        r" examples.*\)\.",
        mixed.basis,
    )
