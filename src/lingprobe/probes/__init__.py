"""Readings -> predictor. One module per kind of probe; this is their list."""

from lingprobe.data.references import Contents

PROBES = Contents(
    "probe",
    "lingprobe.probes",
    {
        "mlp": "lingprobe.probes.mlp.probe:mlp",
        "span": "lingprobe.probes.span.probe:Span",
        "logreg": "lingprobe.probes.logreg.probe:LogReg",
        "online": "lingprobe.probes.online:online",
        "relatedness": "lingprobe.probes.relatedness.probe:relatedness",
        "cosine": "lingprobe.probes.cosine:Cosine",
        "majority": "lingprobe.probes.floors:Majority",
        "majority-feature": "lingprobe.probes.floors:MajorityFeature",
        "nb-uni-tfidf": "lingprobe.probes.bayes:uni",
        "nb-bi-tfidf": "lingprobe.probes.bayes:bi",
    },
)
