"""A paper's table: its tasks, its protocol, its published numbers. One module per paper; this table says where each is."""

from sonde.naming import Contents

SUITES = Contents(
    "suite",
    "sonde.suites",
    {
        "conneau2018": "sonde.suites.conneau2018:conneau2018",
        "ettinger2018": "sonde.suites.ettinger2018:ettinger2018",
        "tenney2019": "sonde.suites.tenney2019:tenney2019",
        "ud2019": "sonde.suites.ud2019:ud2019",
    },
)
