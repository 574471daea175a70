"""Problems of a data set: sizes, balance, scores without an encoder, repeats, rows to read.

`inspect(dataset)` of `inspection` works for all families and label columns and returns an `Audit`,
which `page` renders. `floors` and `repeats` have what is found, `checks` the sentences on what
has a warning; this is the list of the checks, in the order in which they are told. No encoder is
evaluated here: an encoder could reach these scores without knowing any language.
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
