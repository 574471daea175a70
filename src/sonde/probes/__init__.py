"""Readings -> predictor. One module per kind of probe; this table says where each is."""

from sonde.naming import Contents

PROBES = Contents(
    "probe",
    "sonde.probes",
    {
        "mlp": "sonde.probes.mlp:mlp",
        "span": "sonde.probes.span:Span",
        "logreg": "sonde.probes.logreg:LogReg",
        "online": "sonde.probes.online:online",
        "majority": "sonde.probes.floors:Majority",
        "majority-feature": "sonde.probes.floors:MajorityFeature",
        "nb-uni-tfidf": "sonde.probes.bayes:uni",
        "nb-bi-tfidf": "sonde.probes.bayes:bi",
    },
)
