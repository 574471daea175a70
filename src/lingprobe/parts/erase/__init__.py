"""What is left when a property is erased from vectors, and what goes with it: erasers, floors of
random ones, and the matrix of tasks that are erased and tasks that are measured.
"""

TABLES: dict[str, dict[str, str]] = {}
COMMANDS: dict[str, str] = {}
_PLACES: dict[str, str] = {}
