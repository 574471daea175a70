"""`python -m sonde` is `sonde`."""

from sonde.cli import main

if __name__ == "__main__":
    main()
