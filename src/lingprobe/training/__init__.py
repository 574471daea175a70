"""Corpus + objective -> encoder: sentence encoders, parsers and static word vectors. This is the
list of objectives.
"""

from lingprobe.references import Contents

OBJECTIVES = Contents(
    "objective",
    "lingprobe.objectives",
    {
        "translate": "lingprobe.training.objectives:translate",
        "autoencode": "lingprobe.training.objectives:autoencode",
        "denoise": "lingprobe.training.objectives:denoise",
        "next": "lingprobe.training.objectives:following",
        "skip": "lingprobe.training.objectives:skip",
        "parse": "lingprobe.training.objectives:parse",
        "infer": "lingprobe.training.objectives:infer",
        "cbow": "lingprobe.training.objectives:cbow",
        "annotate": "lingprobe.training.objectives:annotate",
    },
)
