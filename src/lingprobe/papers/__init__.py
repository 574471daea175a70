"""Tables of papers: tasks, protocols and numbers. One module per paper; this lists them."""

from lingprobe.references import Contents

SUITES = Contents(
    "suite",
    "lingprobe.papers",
    {
        "conneau2018": "lingprobe.papers.conneau2018:conneau2018",
        "ettinger2018": "lingprobe.papers.ettinger2018:ettinger2018",
        "senteval-downstream": "lingprobe.papers.downstream:senteval_downstream",
        "tenney2019": "lingprobe.papers.tenney2019:tenney2019",
        "ud2019": "lingprobe.papers.ud2019:ud2019",
    },
)
