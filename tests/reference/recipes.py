"""The settings of probes, as papers, the code of their authors and docs/protocols.md state them."""

from __future__ import annotations

L2 = (1e-5, 1e-4, 1e-3, 1e-2)

# SentEval, tools/classifier.py: `fit` of PyTorchClassifier, with the settings of its README
SENTEVAL = {
    "batch": 64,
    "tenacity": 5,
    "epoch_size": 4,
    "max_epoch": 200,
    "rate": 0.001,
    "reduction": "mean",
}
# SentEval, tools/relatedness.py: RelatednessPytorch
RELATEDNESS = {**SENTEVAL, "tenacity": 3, "epoch_size": 50, "max_epoch": 1000}
# docs/protocols.md, "mlp"
FAST = {
    "batch": 1024,
    "smallest": 32,
    "epochs": 14,
    "steps": 560,
    "rate": 0.01,
    "decay": 0.3,
    "warm": 0.1,
    "looks": 14,
    "cuts": (),
}
PERCEPTRONS = {  # hidden units, dropout, L2, schedule
    "fast": ((50, 200), (0.0, 0.2), (0.0,), {**FAST, "cuts": ((0.25, 2), (0.5, 1))}),
    "full": ((50, 100, 200), (0.0, 0.1, 0.2), (0.0,), FAST),
    "acl18": ((50, 100, 200), (0.0, 0.1, 0.2), L2, SENTEVAL),
    "senteval": ((50,), (0.0,), L2, SENTEVAL),
    "krasnowska": ((50,), (0.0,), L2, {**SENTEVAL, "batch": 128}),
}
REGRESSIONS = {
    "fast": {**FAST, "epochs": 30, "steps": 600, "decay": 3.0},
    "senteval": RELATEDNESS,
    "krasnowska": RELATEDNESS,
}

# Tenney et al. 2019, section 3.1 and appendix C, and jiant 1, as published with it
TENNEY = {
    "batch": 32,
    "rate": 0.0001,
    "interval": 1000,
    "interval_small": 100,
    "small": 5000,
    "halve": 5,
    "stop": 20,
    "margin": 0.0,
    "least": 0.0,
    "most": 0,
    "judged": 0,
    "amsgrad": False,
}
PUBLISHED = {
    "halve": 6,
    "margin": 0.0001,
    "least": 0.000001,
    "most": 100,
    "judged": 5000,
    "amsgrad": True,
}
NETWORK = {
    "pool": "attention",
    "projection": 256,
    "hidden": 256,
    "context": 0,
    "bag": False,
    "gamma": True,
    "layer_norm": False,
    "drop_input": 0.0,
    "drop": 0.0,
    "norm": False,
}
_OWN = {"batch": 128, "smallest": 16, "epochs": 8, "steps": 400, "rate": 0.005, "decay": 0.05}
EDGES = {  # the network's own settings, schedule, and the rest
    "fast": ({}, {**FAST, **_OWN, "looks": 8}, {"scaled": True, "mix_rate": 10.0}),
    "tenney": ({}, TENNEY, {"scaled": False, "mix_rate": 1.0}),
    "jiant": (
        {"drop_input": 0.2, "drop": 0.3, "norm": True},
        {**TENNEY, **PUBLISHED},
        {"scaled": False, "mix_rate": 1.0},
    ),
}
CLIPPED = 5.0

# Voita & Titov 2020, appendix: percent of train
PORTIONS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.25, 12.5, 25, 50, 100)
# SentEval, tools/validation.py: folds of data without a dev split, their seed, and the share that
# stops the network that was chosen
FOLDS, SEED, STOPPED_BY = 10, 1111, 0.05
# scikit-learn's MLPClassifier as the code of Ettinger et al. 2018 calls it
PASSES = 700
# docs/protocols.md: C of logistic regression; smoothing and penalties of word baselines, in the order
# in which ties are settled; shares of the class prior in a label's chances
STRENGTHS = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)
SMOOTHINGS = (1.0, 0.1, 10.0, 0.3, 3.0, 0.03, 0.01)
PENALTIES = (1.0, 0.1, 10.0, 100.0)
SHARES = (0, 1 / 64, 1 / 16, 1 / 4, 1)

# what probes depend on besides vectors and labels
NEEDS = {
    "mlp": {"seeds", "train"},
    "mlp,protocol=ettinger": {"seeds", "train"},
    "relatedness": {"seeds", "train"},
    "span": {"seeds", "mixes", "train"},
    "logreg": {"train"},
    "online:logreg": {"seeds", "train"},
    "cosine": set(),
    "majority": {"words", "train"},
    "majority-feature": {"words", "stratum", "train"},
    "nb-uni-tfidf": {"words", "train"},
    "nb-bi-tfidf": {"words", "train"},
}

# docs/training.md and lingprobe_extensions.train.options
TRAINING = {
    "vectors": None,
    "dim": 300,
    "learned": False,
    "vocabulary": 50000,
    "least": 2,
    "hidden": 512,
    "layers": 0,
    "embedding": 0,
    "decoder": 512,
    "attention": False,
    "pieces": 8000,
    "epochs": 8,
    "optimizer": "auto",
    "rate": 0.0,
    "clip": 5.0,
    "batch": 4096,
    "patience": 3,
    "ngrams": 2,
    "buckets": 100000,
    "lost": 4,
    "negatives": 10,
    "subsample": 0.0001,
    "divided": True,
    "shuffled": True,
    "dropout": 0.33,
    "falls": True,
    "letters": 64,
    "dilated": False,
    "projected": 100,
    "arcs": 256,
    "drop": 0.1,
    "swap": 0.1,
    "longest": 60,
    "english": False,
    "on_error": "raise",
    "most": 0,
    "device": "auto",
    "precision": "fp32",
    "seed": 0,
}
PARSER = {
    "hidden": 256,
    "layers": 2,
    "dim": 100,
    "epochs": 30,
    "rate": 0.002,
    "batch": 1500,
    "patience": 0,
    "longest": 250,
}
TRAININGS = {
    "small": {
        "hidden": 256,
        "layers": 1,
        "decoder": 256,
        "pieces": 4000,
        "batch": 1024,
        "most": 30000,
    },
    # Conneau et al. 2018, section 3.3
    "paper": {"hidden": 512, "decoder": 512, "pieces": 40000, "epochs": 30},
    "parser": PARSER,
    # Rybak & Wróblewska 2018
    "combo": {**PARSER, "hidden": 512, "dilated": True, "dropout": 0.25, "arcs": 512},
}
# the least value of a setting, and whether it has to be below 1
LEAST = {
    **dict.fromkeys(["hidden", "decoder", "pieces", "epochs", "batch", "longest", "dim"], 1),
    **dict.fromkeys(["vocabulary", "least", "buckets", "negatives", "letters", "projected"], 1),
    **dict.fromkeys(["arcs", "ngrams"], 1),
    **dict.fromkeys(["layers", "embedding", "patience", "most", "seed", "lost", "clip"], 0),
    **dict.fromkeys(["rate", "subsample", "dropout", "drop", "swap"], 0),
}
BELOW = {"dropout": 1, "drop": 1, "swap": 1, "ngrams": 3}
