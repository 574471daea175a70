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
        "linear": "lingprobe.probes.linear.probe:LinearProbe",
        "mlp": "lingprobe.probes.mlp.probe:mlp",
        "span": "lingprobe.probes.span.probe:SpanProbe",
        "logreg": "lingprobe.probes.logreg:LogReg",
        "means": "lingprobe.probes.means:ClassMeans",
        "online": "lingprobe.probes.online:online",
        "relatedness": "lingprobe.probes.relatedness.probe:relatedness",
        "cosine": "lingprobe.probes.cosine:CosineProbe",
        "majority": "lingprobe.probes.floors:MajorityProbe",
        "majority-feature": "lingprobe.probes.floors:MajorityFeature",
        "nb-uni-tfidf": "lingprobe.probes.bayes:uni",
        "nb-bi-tfidf": "lingprobe.probes.bayes:bi",
        "attention": "lingprobe.inside.units.attention:AttentionProbe",
        "chain": "lingprobe.inside.structure.floors:ChainProbe",
        "pointer": "lingprobe.inside.heads.pointer:PointerProbe",
        "preference": "lingprobe.inside.minimal.preference:PreferenceProbe",
        "sparse": "lingprobe.inside.units.sparse:SparseProbe",
        "structural": "lingprobe.inside.structure.probe:StructuralProbe",
    },
    gives="lingprobe.data.core:Probe",
)
