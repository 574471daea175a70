"""What an encoder can be trained for: the list of objectives."""

from lingprobe.data.references import Contents

OBJECTIVES = Contents(
    "objective",
    "lingprobe.objectives",
    {
        "translate": "lingprobe.parts.training.objectives:translate",
        "autoencode": "lingprobe.parts.training.objectives:autoencode",
        "denoise": "lingprobe.parts.training.objectives:denoise",
        "next": "lingprobe.parts.training.objectives:following",
        "skip": "lingprobe.parts.training.objectives:skip",
        "parse": "lingprobe.parts.training.objectives:parse",
        "infer": "lingprobe.parts.training.objectives:infer",
        "cbow": "lingprobe.parts.training.objectives:cbow",
        "annotate": "lingprobe.parts.training.objectives:annotate",
    },
    gives="lingprobe.parts.training.objectives:Objective",
)
