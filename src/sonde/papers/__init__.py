"""Tables of papers: tasks, protocols and numbers. One module per paper; this lists them."""

from sonde.references import Contents

SUITES = Contents(
    "suite",
    "sonde.papers",
    {
        "conneau2018": "sonde.papers.conneau2018:conneau2018",
        "ettinger2018": "sonde.papers.ettinger2018:ettinger2018",
        "senteval-downstream": "sonde.papers.downstream:senteval_downstream",
        "tenney2019": "sonde.papers.tenney2019:tenney2019",
        "ud2019": "sonde.papers.ud2019:ud2019",
    },
)
