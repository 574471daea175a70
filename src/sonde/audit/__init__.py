"""What is wrong with a data set: sizes, balance, what needs no encoder, repeats, forms in several
splits, rows to read.

`inspect(dataset)` looks at any family and any label column and returns an `Audit`, which `pages`
renders. Nothing here is a judgement of an encoder: what these numbers show, an encoder could show
without knowing any language.
"""

from sonde.audit.findings import Audit, Floor, Repeat, Row, Shared
from sonde.audit.floors import correlation, words_read
from sonde.audit.inspection import inspect

__all__ = ["Audit", "Floor", "Repeat", "Row", "Shared", "correlation", "inspect", "words_read"]
