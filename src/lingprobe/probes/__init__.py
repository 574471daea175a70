"""Readings -> predictor. One module or folder for each kind of probe; this is their list.

`logreg` are linear probes, `means` compares class means, `mlp` the networks with hidden layers,
`span` the edge probe of Tenney et al.; `plain` makes a probe of any classifier like those of
scikit-learn. `features` is what probes train on, `losses` are the losses of each kind of label.
`floors`, `bayes` and `grams` are baselines that read words.
"""

from lingprobe.data.references import Contents

PROBES = Contents(
    "probe",
    "lingprobe.probes",
    {
        "linear": "lingprobe.probes.linear.probe:Linear",
        "mlp": "lingprobe.probes.mlp.probe:mlp",
        "span": "lingprobe.probes.span.probe:Span",
        "logreg": "lingprobe.probes.logreg:LogReg",
        "means": "lingprobe.probes.means:ClassMeans",
        "online": "lingprobe.probes.online:online",
        "relatedness": "lingprobe.probes.relatedness.probe:relatedness",
        "cosine": "lingprobe.probes.cosine:Cosine",
        "majority": "lingprobe.probes.floors:Majority",
        "majority-feature": "lingprobe.probes.floors:MajorityFeature",
        "nb-uni-tfidf": "lingprobe.probes.bayes:uni",
        "nb-bi-tfidf": "lingprobe.probes.bayes:bi",
        "attention": "lingprobe.inside.units.attention:Attention",
        "chain": "lingprobe.inside.structure.floors:Chain",
        "pointer": "lingprobe.inside.heads.pointer:Pointer",
        "preference": "lingprobe.inside.minimal.preference:Preference",
        "sparse": "lingprobe.inside.units.sparse:Sparse",
        "structural": "lingprobe.inside.structure.probe:Structural",
    },
    gives="lingprobe.data.core:Probe",
)
