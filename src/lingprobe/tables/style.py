"""How figures look: colours, sizes and fonts, all in one place. The first six colours are those of
Okabe and Ito (2008), which the colour-blind tell from each other; the last two are far from all of
these, however one sees colours. Marks and lines of two encoders differ in their shape as well.
"""

from __future__ import annotations

INK_COLOUR = "#1c2328"  # on a page, the colour of the text around
INK_ON_PALE_CELLS = "#11181d"  # a number in a pale cell, on dark pages as well
DARK_GREY, PALE_GREY = "#7d8a94", "#c9d3db"
LINE_COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#772200", "#000088"),
)
CHART_BLUE, BEST_COLOUR = LINE_COLOURS[:2]
LINE_MARKERS = "os^DvPX*"
FIGURE_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": DARK_GREY,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": DARK_GREY,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": f"cycler(color={LINE_COLOURS})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "figure.facecolor": "none",
    "font.sans-serif": "DejaVu Sans, Verdana, sans-serif",
    "font.size": 9,
    "grid.color": PALE_GREY,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.labelcolor": INK_COLOUR,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "lingprobe",
    "text.color": INK_COLOUR,
    "text.parse_math": False,
    "xtick.color": DARK_GREY,
    "xtick.labelsize": 8,
    "xtick.major.size": 0,
    "ytick.color": DARK_GREY,
    "ytick.labelcolor": INK_COLOUR,
    "ytick.labelsize": 8,
    "ytick.major.size": 0,
}
