"""What papers claim of their tables, and whether it holds there and in results of one's own."""

TABLES: dict[str, dict[str, str]] = {}
COMMANDS = {"Results": "commands:claims"}
_PLACES = {"api": "claims", "claim_tests": "TestedClaim"}
