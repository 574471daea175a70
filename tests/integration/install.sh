#!/bin/sh
# Install what `make $1` needs from the system, where it is not there: test-integration a browser, LaTeX and zsh,
# test-cluster SLURM and what it proves identities with.
set -eu
PATH="$PATH:/usr/sbin" # daemons are there
missing=
need() { # COMMANDS (one of which is enough) PACKAGES
    for command in $1; do command -v "$command" >/dev/null && return; done
    missing="$missing $2"
}
case "$1" in
test-integration)
    need "chromium chromium-browser google-chrome" chromium
    need pdflatex "texlive-latex-base texlive-latex-recommended"
    need pdftotext poppler-utils
    need zsh zsh
    need npm npm # it brings axe-core
    ;;
test-cluster)
    for command in slurmctld slurmd sbatch squeue scancel scontrol sinfo; do need "$command" slurm-wlm; done
    need munged munge
    ;;
esac
[ -z "$missing" ] && exit 0
root=; [ "$(id -u)" -eq 0 ] || root="sudo -n"
if ! command -v apt-get >/dev/null || ! $root true 2>/dev/null; then
    echo "make $1 needs what these Debian packages have:$missing; install them, then run it again" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -q
# shellcheck disable=SC2086 # one word for each package
$root apt-get install -q -y --no-install-recommends $missing
