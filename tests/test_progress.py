"""How far a fit is reaches who listens, and nobody else."""

from lingprobe.data.progress import listen_to_progress, report_progress


def test_what_is_told_reaches_the_innermost_listener_while_it_listens():
    outer, inner = [], []
    report_progress(1)
    with listen_to_progress(lambda *told: outer.append(told)):
        report_progress(2, 9)
        with listen_to_progress(lambda *told: inner.append(told)):
            report_progress(3)
        report_progress(4, 9)
    report_progress(5)
    assert outer == [(2, 9), (4, 9)]
    assert inner == [(3, None)]
