"""How far a fit is reaches who listens, and nobody else."""

from lingprobe.data.progress import listening, tell


def test_what_is_told_reaches_the_innermost_listener_while_it_listens():
    outer, inner = [], []
    tell(1)
    with listening(lambda *told: outer.append(told)):
        tell(2, 9)
        with listening(lambda *told: inner.append(told)):
            tell(3)
        tell(4, 9)
    tell(5)
    assert outer == [(2, 9), (4, 9)]
    assert inner == [(3, None)]
