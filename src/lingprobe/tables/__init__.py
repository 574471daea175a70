"""Tables and their layout: terminal, Markdown, LaTeX, HTML."""
