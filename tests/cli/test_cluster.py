"""`lingprobe cluster slurm` and `lingprobe cluster status`: the script runs under a stub of sbatch that sets what SLURM
sets.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app

RUN = "run -t ud/tense:embedded -e length bow:random --probe logreg --seeds 1 --baselines none"
STUB = """\
#!/usr/bin/env python3
import os, re, subprocess, sys
script = open(sys.argv[1]).read()
first, last = map(int, re.search(r"^#SBATCH --array=(\\d+)-(\\d+)", script, re.M).groups())
cpus = re.search(r"^#SBATCH --cpus-per-task=(\\d+)", script, re.M)[1]
tasks = []
for number in range(first, last + 1):
    variables = {"ID": number, "COUNT": last - first + 1, "MIN": first, "MAX": last, "STEP": 1}
    environment = {f"SLURM_ARRAY_TASK_{name}": str(v) for name, v in variables.items()}
    environment |= {"SLURM_CPUS_PER_TASK": cpus, "SLURM_NTASKS": "1", "SLURM_PROCID": "0"}
    command = ["bash", os.path.abspath(sys.argv[1])]
    tasks.append(subprocess.Popen(command, env=os.environ | environment, cwd="/"))
sys.exit(max(task.wait() for task in tasks))
"""


def said(*arguments):
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_script_does_the_run_in_shares(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "the cache"))
    said(
        "cluster",
        "slurm",
        "--shards",
        "2",
        "-o",
        "job.sh",
        "--",
        *RUN.split(),
        "--limit",
        "60",
        "-o",
        "out",
    )
    Path("sbatch").write_text(STUB)
    done = subprocess.run(
        [sys.executable, "sbatch", "job.sh"],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counts = [int(n) for n in re.findall(r"(\d+) trials measured, \d+ measured be", done.stderr)]
    assert len(counts) == 2
    assert sum(counts) == 2
    assert len(lingprobe.results("out")) == 2
    shown = said("cluster", "status", "out")
    assert "2 of 2 jobs are done, 0 running, 0 failed, 0 waiting" in shown


def test_the_script_asks_for_what_it_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = {"cpus": 4, "gpus": 1, "memory": "16G", "time": "4:00:00", "partition": "gpu"}
    script = lingprobe.slurm(
        ["run", "-t", "a task"], shards=16, at_once=8, sbatch=["--account=mine"], **settings
    )
    assert re.findall(r"^#SBATCH (\S+)$", script, re.M) == [
        "--job-name=lingprobe",
        "--array=1-16%8",
        "--ntasks=1",
        "--cpus-per-task=4",
        "--gpus=1",
        "--mem=16G",
        "--time=4:00:00",
        "--partition=gpu",
        "--output=lingprobe-%A-%a.log",
        "--account=mine",
    ]
    assert f"cd {tmp_path}\n" in script
    assert script.endswith(f"exec {sys.executable} -m lingprobe run -t 'a task' --shard slurm\n")
    plain = said("cluster", "slurm", "--shards", "16", "--", "run", "-t", "a task")
    assert plain.splitlines()[-1] == script.splitlines()[-1]
    assert "gpus" not in plain
    done = subprocess.run(["bash", "-n"], input=plain, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("command", [[], ["report", "out"], ["run", "--shard", "1/2"]])
def test_a_command_that_has_no_shares_is_told(command):
    with pytest.raises(lingprobe.UsageProblem, match="give one of run, experiment, embed"):
        lingprobe.slurm(command, shards=2)


def test_an_array_has_tasks():
    with pytest.raises(lingprobe.UsageProblem, match="shards=0: write a number from 1 on"):
        lingprobe.slurm(["run"], shards=0)


def test_a_share_outside_of_slurm_is_told(monkeypatch):
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    with pytest.raises(
        lingprobe.UsageProblem, match="neither SLURM_ARRAY_TASK_ID nor SLURM_PROCID"
    ):
        lingprobe.run("ud/tense:embedded", "length", shard="slurm")


def test_embedding_goes_in_shares_too(tmp_path):
    sentences = [lingprobe.Sentence.of([f"word{i}"] * (1 + i % 9)) for i in range(50)]
    for shard in ("1/2", "2/2"):
        done = lingprobe.embed(sentences, "length", cache=tmp_path, shard=shard)
    assert done["length"].cached == 50
    assert len(list((tmp_path / "vectors").glob("*.agreement"))) == 1
