#!/bin/sh
# pins.sh PYTHON: write run.txt, test.txt and bench.txt from the newest releases that go together, bench-other.txt,
# and oldest.txt from the lower bounds in pyproject.toml. PYTHON belongs to an empty virtual environment with a current pip.
set -eu
python=$1

install() { "$python" -m pip install --quiet --quiet --only-binary :all: "$@"; }
freeze() { "$python" -m pip freeze | sort --ignore-case; }
empty() { "$python" -m pip freeze | xargs "$python" -m pip uninstall --quiet --yes; }
beyond_run() { grep --invert-match --line-regexp --fixed-strings --file "$work/run" "$1"; }
pin() { # pin FILE HEADING < PINS
    { printf '# %s\n# Written by `make pins`.\n' "$2"; cat; } > "requirements/$1"
}
requirements() { # requirements BOUND: the core's dependencies, ">=" replaced by BOUND, and what builds it
    "$python" - "$1" <<'PYTHON'
import sys, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
for line in project["project"]["dependencies"]:
    print(line.replace(">=", sys.argv[1]))
print(*project["build-system"]["requires"], sep="\n")
PYTHON
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

requirements '>=' > "$work/run.in"
install --upgrade --requirement "$work/run.in"
freeze > "$work/run"
install --group pyproject.toml:test
freeze > "$work/all"
beyond_run "$work/all" > "$work/test"

empty
install --requirement "$work/run" --group pyproject.toml:bench
"$python" -m pip install --quiet --quiet --no-deps lm-eval rliable # the parts that are timed need far less than they ask for
freeze > "$work/peers"
beyond_run "$work/peers" > "$work/bench"

empty
install evalstats
freeze > "$work/bench-other"

empty
requirements '==' > "$work/oldest.in"
install --requirement "$work/oldest.in" --group pyproject.toml:oldest
freeze > "$work/oldest"

pin run.txt 'What evalstats needs to run and to be built.' < "$work/run"
pin test.txt 'What its tests and checks add to run.txt.' < "$work/test"
pin oldest.txt 'The oldest releases that evalstats allows, and test tools that work beside them.' < "$work/oldest"
pin bench.txt 'What the benchmarks add to run.txt: the peers. Installed without dependencies: all are listed.' < "$work/bench"
pin bench-other.txt 'The other distribution called evalstats, in an environment of its own.' < "$work/bench-other"
