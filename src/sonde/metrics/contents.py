"""The metrics' table of contents."""

from sonde.references import Contents

METRICS = Contents(
    "metric",
    "sonde.metrics",
    {
        "accuracy": "sonde.metrics.compare:accuracy",
        "macro-f1": "sonde.metrics.compare:macro_f1",
        "mcc": "sonde.metrics.compare:mcc",
        "micro-f1": "sonde.metrics.compare:micro_f1",
        "pearson": "sonde.metrics.compare:pearson",
        "spearman": "sonde.metrics.compare:spearman",
    },
)
