"""One line of a table of results, as values: what was measured, its score, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lingprobe.analysis.questions import NOTHING, Posed
from lingprobe.data.oracles import Kind

ORDER: Sequence[Kind] = ("baseline", "trained", "oracle")
"""How rows stand in a table: what is trivial, what is judged, what is possible."""
PERCENT = 100.0
PASSED = 95.0  # of a hundred, from which on an oracle, or a baseline, passes its task
LEFT = 0.1  # of the errors of the constant answer: what it may leave where one class is rare
NO_CONTROL = "none"
# what stands in place of an encoder where every example gets the same answer
CONSTANT = "(constant)"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One line of a table. Scores, interval and majority are percent: the metric's value times a
    hundred.

    kind           trained: an encoder that is judged; baseline, oracle: there for others to be
                   compared with
    seeds, folds   how many the score is averaged over
    is_seeded      whether fits vary with a seed, as from a random start
    train, n       examples fitted on (in one fold), and examples the score is over (in all folds)
    unusable, cut  examples without a vector, and sentences that were read only in part
    unseen         examples of n whose class train lacks: wrong whatever the probe says
    samples        of the training data that were drawn; they are averaged over as seeds are, and
                   seeds counts both
    draws          of a control, over which the score is averaged as over seeds
    selectivity    of a control that can be remembered: how much better the task itself is answered
                   on the same examples, and how
    selective_low  sure that is (95 %, paired); what its labels are drawn for, what share of the
                   test examples has a key that train
    selective_high has, and the scores of the control on these and on the others; NaN where there is
    none keyed keys_seen on_seen on_unseen
    stratum        what the examples have in common, where they are but some; '' for all
    expected       what all test examples score with labels weighted to be as frequent as in the
                   stratum, how much higher the score of the
    over           stratum is than that, and the interval of this difference; NaN where there is
                   none
    over_low
    over_high
    beyond         examples left out because their words lie behind the place where a sentence was
                   cut
    unaligned      examples left out because the encoder has nothing for their words
    partial        examples of which some words were read and others, for which it has nothing, were
                   not
    average_precision  beside AUROC, which does not tell how many of those that score highest are
                   right; NaN beside other metrics
    recall_at_1    beside AUROC of two classes: the share of the rarer class that is found where a
    achieved_1     threshold, set on dev, lets 1 % of the other pass, and the share that it lets
    recall_at_5    pass on test; the same at 5 %; NaN where fewer than ten false positives are
    achieved_5     expected
    tied           by how much folds that share training examples err together: what n times the
                   variance of accuracy is larger by; NaN where the probe does not say
    bits           length of a code for the training labels (`online:` probes), and by how much it
                   is shorter than a code
    compression    under equal chances (Voita & Titov 2020), and than one that learns how frequent
                   labels are but reads no
    over_prior     vectors; NaN where there is none
    malformed      sentences that could not be read from the data and were left out, and the first
                   of them with the reason
    problem
    beyond_are     of which split and class those are that were left out so
    unaligned_are
    rule, ruled    the rule of thumb that is right most often, where the task has some, and what it
                   scores
    clusters       what the test examples were drawn together by, which the interval knows, as
                   'sentence, words'; '' for nothing known
    constant_token which token that every sentence has holds most of the norm of what was averaged
    model          which of its models the probe chose, and the log losses that it compared, as text
    compared
    words, unknown the words of the task's sentences, and those of them that the encoder does not
    know; 0 where it cannot tell
    held           examples left out as something in the encoder was fitted on their sentences
    posed          what is asked: classes, what they consist of, the best rule of one word, remarks
                   on the sources
    tested         a digest of the test examples; scores with other digests are not to be compared
    missing        folds that were not measured, as 'fold 3 of 3'; '' where all were
    left_out       fits over other test examples than the score is over, such as seeds that lack a
                   fold
    computed       the processor, and the precisions of encoder and probe where they have a choice
    version        of lingprobe that measured it
    format         of the store that it was kept in, where that is an earlier one; 0 for today's
    holds          what the vectors of an oracle hold
    """

    task: str
    encoder: str
    layer: str
    probe: str
    control: str
    metric: str
    score: float
    low: float
    high: float
    majority: float
    n: int
    seeds: int
    folds: int
    train: int
    unusable: int
    cut: int
    unseen: int
    kind: Kind = "trained"
    samples: int = 1
    stratum: str = ""
    expected: float = math.nan
    over: float = math.nan
    over_low: float = math.nan
    over_high: float = math.nan
    average_precision: float = math.nan
    recall_at_1: float = math.nan
    achieved_1: float = math.nan
    recall_at_5: float = math.nan
    achieved_5: float = math.nan
    tied: float = math.nan
    bits: float = math.nan
    compression: float = math.nan
    over_prior: float = math.nan
    draws: int = 1
    selectivity: float = math.nan
    selective_low: float = math.nan
    selective_high: float = math.nan
    keyed: str = ""
    keys_seen: float = math.nan
    on_seen: float = math.nan
    on_unseen: float = math.nan
    beyond: int = 0
    unaligned: int = 0
    partial: int = 0
    rule: str = ""
    ruled: float = math.nan
    malformed: int = 0
    problem: str = ""
    beyond_are: str = ""
    unaligned_are: str = ""
    clusters: str = ""
    constant_token: str = ""
    model: str = ""
    compared: str = ""
    words: int = 0
    unknown: int = 0
    held: int = 0
    posed: Posed = NOTHING
    tested: str = ""
    missing: str = ""
    left_out: int = 0
    computed: str = ""
    version: str = ""
    format: int = 0
    holds: str = ""
    is_seeded: bool = True

    @property
    def read(self) -> str:
        """What was read of the encoder, in words: `, layer 3`, `, mix`; '' where there is nothing
        to choose.
        """
        return said_of(self.layer)

    @property
    def passes(self) -> bool:
        """Whether the score answers the task; that of a constant answer does not, however rare all
        other classes are.
        """
        return self.score >= max(PASSED, PERCENT - LEFT * (PERCENT - self.majority))

    @property
    def place(self) -> int:
        """Where the row stands among those of its task: baselines first, oracles last."""
        return ORDER.index(self.kind)


def said_of(read: str) -> str:
    """What was read, as it follows the name of an encoder."""
    return "" if read == "-" else f", layer {read}" if read.isdecimal() else f", {read}"
