"""An extension of lingprobe: what it adds is named in its pyproject.toml, and lingprobe finds it there."""
