"""Arrays that are made without pandas are those that pyarrow makes."""

import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from lingprobe.data.arrow import make_array

CELLS = {
    "texts": (["a", "", "ü", None], None),
    "no text": ([], pa.string()),
    "nothing": ([], None),
    "unknown": ([None, None], None),
    "unknown text": ([None], pa.string()),
    "unknown number": ([None], pa.float64()),
    "numbers": ([1.0, math.nan, None, -0.0], None),
    "whole numbers": ([3, None, 2**60], None),
    "numpy's": ([np.float64(2), 1], pa.float64()),
    "numpy's whole ones": ([np.int64(2), 1], pa.int64()),
    "whole numbers as others": ([1, 2, None], pa.float64()),
    "truths": ([True, None, False], None),
    "lists": ([["a", "b"], [], ["c"]], None),
    "empty lists": ([[], []], None),
    "lists of numbers": ([[1.5], [2.5, None]], None),
}
OTHERS = {
    "mixed": ([1, 2.5], None),
    "lists and nothing": ([["a"], None], None),
    "records": ([{"a": 1}, {"a": 2}], None),
    "numbers as whole ones": ([1.5], pa.int64()),
    "single precision": ([1.5, None], pa.float32()),
}


@pytest.mark.parametrize(("cells", "kind"), (CELLS | OTHERS).values(), ids=CELLS | OTHERS)
def test_an_array_is_what_pyarrow_makes(cells, kind):
    made, wanted = make_array(cells, kind), pa.array(cells, kind)
    made.validate(full=True)
    assert made.type == wanted.type
    assert str(made.to_pylist()) == str(wanted.to_pylist())  # NaN is not equal to itself


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(["a", 1], None), ([True], pa.int64()), ([1], pa.string())],
)
def test_what_pyarrow_refuses_is_refused(cells, kind):
    with pytest.raises(pa.ArrowException) as wanted:
        pa.array(cells, kind)
    with pytest.raises(wanted.type):
        make_array(cells, kind)


def test_pandas_is_not_imported_for_it():
    code = """
import sys
import numpy as np
import pyarrow as pa
from lingprobe.data.arrow import make_array
for cells in (["a", None], [1.5, None], [1], [True], [None], [], [["a"], []]):
    make_array(cells)
make_array([np.int64(2), 1], pa.int64())
make_array([1, None], pa.float64())
assert "pandas" not in sys.modules
pa.array([1])  # or pyarrow does not need this any more
assert "pandas" in sys.modules
"""
    pytest.importorskip("pandas")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
