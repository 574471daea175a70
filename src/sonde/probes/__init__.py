"""Readings -> predictor. One module per kind of probe; this is their list."""

from sonde.references import Contents

PROBES = Contents(
    "probe",
    "sonde.probes",
    {
        "mlp": "sonde.probes.mlp.probe:mlp",
        "span": "sonde.probes.span.probe:Span",
        "logreg": "sonde.probes.logreg.probe:LogReg",
        "online": "sonde.probes.online:online",
        "relatedness": "sonde.probes.relatedness.probe:relatedness",
        "cosine": "sonde.probes.cosine:Cosine",
        "majority": "sonde.probes.floors:Majority",
        "majority-feature": "sonde.probes.floors:MajorityFeature",
        "nb-uni-tfidf": "sonde.probes.bayes:uni",
        "nb-bi-tfidf": "sonde.probes.bayes:bi",
    },
)
