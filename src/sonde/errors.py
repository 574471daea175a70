"""The root of all exceptions that sonde raises."""


class SondeError(Exception):
    """Something that sonde cannot do as asked; the message says what is wrong, where, and what to
    do.

    Every exception of sonde derives from it, most from `ValueError` as well.
    """


class UsageProblem(SondeError, ValueError):
    """Arguments that do not go together, or name nothing."""
