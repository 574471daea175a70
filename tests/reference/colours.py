"""How far apart colours look, to people with any vision: the simulation of Machado, Oliveira and Fernandes
(2009) at full severity, and the distance CIEDE2000 (Sharma, Wu and Dalal 2005). Imports nothing of the library.
"""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

# in linear RGB, from the paper's page, severity 1.0
SEEN = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)


def linear(colour):
    """Linear RGB of '#rrggbb'."""
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def seen(colour, vision):
    """Linear RGB as somebody sees it."""
    return [min(max(value, 0.0), 1.0) for value in times(SEEN[vision], linear(colour))]


def luminance(colour):
    """Relative luminance, from 0 to 1."""
    return times(XYZ, linear(colour))[1]


def lab(rgb):
    """CIELAB of linear RGB."""

    def curve(t):
        return t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29

    x, y, z = (curve(v / w) for v, w in zip(times(XYZ, rgb), WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(first, second):
    """The distance of two colours in CIELAB, as Sharma et al. write it down."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    g = 0.5 * (1 - sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = (degrees(atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0
    if c1 * c2:
        turn = h2 - h1
        turn += -360 * (turn > 180) + 360 * (turn < -180)
    light, chroma = l2 - l1, c2 - c1
    hue = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    mid, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2
    if c1 * c2:
        if abs(h1 - h2) > 180:
            h += 360 if h < 360 else -360
        h /= 2
    t = (
        1
        - 0.17 * cos(radians(h - 30))
        + 0.24 * cos(radians(2 * h))
        + 0.32 * cos(radians(3 * h + 6))
        - 0.20 * cos(radians(4 * h - 63))
    )
    sl = 1 + 0.015 * (mid - 50) ** 2 / sqrt(20 + (mid - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * sqrt(c**7 / (c**7 + 25**7)) * sin(radians(60 * exp(-(((h - 275) / 25) ** 2))))
    return sqrt(
        (light / sl) ** 2 + (chroma / sc) ** 2 + (hue / sh) ** 2 + rt * chroma / sc * hue / sh
    )


def distance(one, other, vision):
    """How far apart two colours look to somebody."""
    return ciede2000(lab(seen(one, vision)), lab(seen(other, vision)))
