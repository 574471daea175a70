"""The root of all exceptions that lingprobe raises."""


class LingprobeError(Exception):
    """Something that lingprobe cannot do as asked; the message says what is wrong, where, and what
    to do.

    Every exception of lingprobe derives from it; most also derive from `ValueError`.
    """


class UsageProblem(LingprobeError, ValueError):
    """Arguments that conflict, or that name nothing."""
