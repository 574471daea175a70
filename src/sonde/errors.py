"""The root of all exceptions that sonde raises."""


class SondeError(Exception):
    """Something that sonde cannot do as asked; the message says what is wrong, where, and what to
    do.

    Every exception of sonde derives from it; most also derive from `ValueError`.
    """


class UsageProblem(SondeError, ValueError):
    """Arguments that conflict, or that name nothing."""
