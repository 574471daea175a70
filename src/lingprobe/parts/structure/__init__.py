"""Is the tree in the vectors? The structural probe (Hewitt & Manning 2019), with its tasks, its
metrics and its floors.

`family` has the tasks, `trees` distances, depths and spanning trees, `metrics` what predicted ones
are judged by, `probe` the probe, which `fits` trains, and `floors` what needs no training.
"""

TABLES = {
    "tasks": {
        "structure/distance": "family:distance",
        "structure/depth": "family:depth",
    },
    "about": {"structure/*": "about:KNOWN"},
    "probes": {"structural": "probe:Structural", "chain": "floors:Chain"},
    "encoders": {"tags": "floors:Tags"},
    "metrics": {
        "uuas": "metrics:uuas",
        "dspr": "metrics:dspr",
        "root-accuracy": "metrics:root_accuracy",
        "nspr": "metrics:nspr",
    },
}
COMMANDS: dict[str, str] = {}
_PLACES: dict[str, str] = {}
