"""Problems of a data set: sizes, balance, scores without an encoder, repeats, rows to read.

`inspect(dataset)` works for all families and label columns and returns an `Audit`, which `pages`
renders. No encoder is evaluated here: an encoder could reach these scores without knowing any
language.
"""

from lingprobe.audit.findings import Audit, Floor, Repeat, Row, Shared
from lingprobe.audit.floors import correlation, words_read
from lingprobe.audit.inspection import inspect

__all__ = ["Audit", "Floor", "Repeat", "Row", "Shared", "correlation", "inspect", "words_read"]
