"""`python -m lingprobe` is `lingprobe`."""

from lingprobe.cli import main

if __name__ == "__main__":
    main()
