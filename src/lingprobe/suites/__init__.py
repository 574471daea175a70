"""Tables of papers: tasks, protocols and numbers. One module per paper; this lists them."""

from lingprobe.data.references import Contents

SUITES = Contents(
    "suite",
    "lingprobe.suites",
    {
        "conneau2018": "lingprobe.suites.conneau2018:conneau2018",
        "ettinger2018": "lingprobe.suites.ettinger2018:ettinger2018",
        "senteval-downstream": "lingprobe.suites.downstream:senteval_downstream",
        "tenney2019": "lingprobe.suites.tenney2019:tenney2019",
        "ud2019": "lingprobe.suites.ud2019:ud2019",
    },
)
