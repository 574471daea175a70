"""A table, and what it looks like: terminal, Markdown, LaTeX, HTML."""
