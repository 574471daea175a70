"""What an encoder can be trained for: the list of objectives."""

from lingprobe.extend import Contents

OBJECTIVES = Contents(
    "objective",
    "lingprobe.objectives",
    {
        "translate": "lingprobe_extensions.train.objectives:translate",
        "autoencode": "lingprobe_extensions.train.objectives:autoencode",
        "denoise": "lingprobe_extensions.train.objectives:denoise",
        "next": "lingprobe_extensions.train.objectives:following",
        "skip": "lingprobe_extensions.train.objectives:skip",
        "parse": "lingprobe_extensions.train.objectives:parse",
        "infer": "lingprobe_extensions.train.objectives:infer",
        "cbow": "lingprobe_extensions.train.objectives:cbow",
        "annotate": "lingprobe_extensions.train.objectives:annotate",
    },
    gives="lingprobe_extensions.train.objectives:TrainingObjective",
)
