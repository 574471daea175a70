"""How figures look: colours, sizes and fonts, all in one place. The first six colours are those of
Okabe and Ito (2008), which the colour-blind tell from each other; the last two are far from all of
these, however one sees colours. Marks and lines of two encoders differ in their shape as well.
"""

from __future__ import annotations

INK = "#1c2328"  # on a page, the colour of the text around
ON_PALE = "#11181d"  # a number in a pale cell, on dark pages as well
GREY, PALE = "#7d8a94", "#c9d3db"
COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#772200", "#000088"),
)
BLUE, BEST = COLOURS[:2]
MARKERS = "os^DvPX*"
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": GREY,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": f"cycler(color={COLOURS})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "figure.facecolor": "none",
    "font.sans-serif": "DejaVu Sans, Verdana, sans-serif",
    "font.size": 9,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "lingprobe",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": GREY,
    "xtick.labelsize": 8,
    "xtick.major.size": 0,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8,
    "ytick.major.size": 0,
}
