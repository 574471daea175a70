"""What nothing in lingprobe needs, each a package of its own that can be taken out.

`compose` generates sentences with known meaning, `train` trains encoders and parsers, `papers`
tests what papers claim, `archive` reads encoders that papers published, `board` compares models.
They use what any plugin may use: the public names of `lingprobe`, those of `lingprobe.extend`, and
entry points; none uses another.
"""
