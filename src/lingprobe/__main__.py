"""`python -m lingprobe` is `lingprobe`."""

import sys

from lingprobe.cli import main

ENCODING = frozenset({"run", "experiment", "embed"})


def start() -> None:
    """The command line in a process of its own; what runs encoders goes on where one kills it."""
    if next((each for each in sys.argv[1:] if not each.startswith("-")), "") in ENCODING:
        from lingprobe.cli.survival import survive

        survive()
    main()


if __name__ == "__main__":
    start()
