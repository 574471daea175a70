"""Problems of a data set: sizes, balance, scores without an encoder, repeats, rows to read.

`inspect(dataset)` works for all families and label columns and returns an `Audit`, which `pages`
renders. No encoder is evaluated here: an encoder could reach these scores without knowing any
language. This is the list of the checks, in the order in which they are told.
"""

from lingprobe.data.references import Contents

CHECKS = Contents(
    "check",
    "lingprobe.checks",
    {
        name: f"lingprobe.audit.checks:{name}"
        for name in (
            *("malformed", "remarks", "splits", "repeats", "forms", "leaks", "confounds"),
            *("sources", "cues", "mixed", "sizes"),
        )
    },
    made=False,
)
