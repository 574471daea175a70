"""Tables of papers: tasks, protocols and numbers. One module for each paper; this is their list.

`suite` says what a suite is, `facts` reads the papers' figures from tables beside the modules,
`page` puts rows of one's own below them.
"""

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
    gives="lingprobe.suites.suite:Suite",
)
