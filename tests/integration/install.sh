#!/bin/sh
# Install what `make test-integration` needs from the system, where it is not there: a browser, LaTeX, zsh.
set -eu
missing=
need() { # COMMANDS (one of which is enough) PACKAGES
    for command in $1; do command -v "$command" >/dev/null && return; done
    missing="$missing $2"
}
need "chromium chromium-browser google-chrome" chromium
need pdflatex "texlive-latex-base texlive-latex-recommended"
need pdftotext poppler-utils
need zsh zsh
[ -z "$missing" ] && exit 0
root=; [ "$(id -u)" -eq 0 ] || root="sudo -n"
if ! command -v apt-get >/dev/null || ! $root true 2>/dev/null; then
    echo "make test-integration needs what these Debian packages have:$missing; install them, then run it again" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -q
# shellcheck disable=SC2086 # one word for each package
$root apt-get install -q -y --no-install-recommends $missing
