"""Tables, figures and pages as such: layout for terminals, Markdown, LaTeX, HTML, SVG and PDF.

`table` is what all formats share. `formats` writes it for terminals, `markup` for Markdown and
LaTeX, `web` for browsers; `drawing`, `panels` and `style` are for figures of matplotlib. What
stands in them is the business of `pages`.
"""
