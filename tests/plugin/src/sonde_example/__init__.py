"""An extension of sonde: what it adds is named in its pyproject.toml, and sonde finds it there."""
