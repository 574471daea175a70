# Everything on a bare machine with Python 3.11 or newer: the targets make their own environment in .venv first.
PYTHON := $(shell for p in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check --constraint
INSTALL := $(BIN)/python $(PIP) constraints.txt
# TensorFlow has an environment of its own, as it does not take the h5py that constraints.txt pins.
TENSORFLOW := $(VENV)/tensorflow
# Packages that write states, as their users install them, each with its own versions of all else.
STATES := $(VENV)/nnsight $(VENV)/transformer-lens

# Only these plugins are loaded; to look for others, and to import them, takes longer than many a file of tests.
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BIN)/python -m pytest \
	-p timeout -p randomly -p xdist -p hypothesispytest

# Hundreds of tests start Python anew, and each worker reads all tests: none compiles them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo figures quick test test-integration test-cluster test-long mutants check fix docs site release release-check hashes clean

demo: $(VENV)/.run ## a table from sentences that come with lingprobe; downloads nothing but packages
	@$(BIN)/lingprobe run

quick: $(VENV)/.dev ## what an edit can have broken, in a minute; BASE=COMMIT compares with that commit
	@$(BIN)/python tests/fixtures/build_data.py
	@$(BIN)/python release/quick.py $(if $(BASE),--base $(BASE))

test: $(VENV)/.dev ## everything that must hold before a change is kept
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tests/fixtures/build_data.py
	$(PYTEST) --numprocesses 2 --dist loadfile

test-integration: $(VENV)/.integration $(TENSORFLOW)/.installed $(STATES:=/.installed) ## what needs a browser, LaTeX, zsh, TensorFlow, nnsight, TransformerLens or a built wheel; installs it where it is missing
	$(PYTEST) -m integration tests/integration
	$(TENSORFLOW)/bin/python -m pytest -m integration tests/integration/test_tensorflow.py
	for each in $(STATES); do $$each/bin/python -m pytest -m integration tests/integration/test_states_of_others.py || exit 1; done

test-cluster: $(VENV)/.dev ## runs in shares on a real SLURM of one node; installs it where it is missing
	sh tests/integration/install.sh test-cluster
	$(PYTEST) -m cluster --ignore=tests/integration/test_tensorflow.py tests/integration tests/experiment/runners

test-long: release-check ## what takes longer than a quarter of an hour: wheels, the lowest versions, types of other systems

release-check: $(VENV)/.dev $(VENV)/.release ## whether this can be released: version, wheel, clean environments, lowest versions, types
	$(BIN)/python release/check.py $(STEPS)

mutants: $(VENV)/.release ## changes of formulas that no test would notice; takes hours. ROOM="metrics probes" SAMPLE=150 SEED=1
	$(BIN)/python release/mutants.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(addprefix --room ,$(ROOM))

release: $(VENV)/.dev $(VENV)/.release ## checks, wheel and sdist in dist/, and a tag; uploads nothing
	$(BIN)/python release/release.py $(STEPS)

hashes: | $(BIN)/python ## what `make test` installs in .venv/hashes, each file by its hash; CPU=1 for the build of torch that lies in PIP_FIND_LINKS
	$(PYTHON) -m venv $(VENV)/hashes
	$(VENV)/hashes/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		--requirement release/hashes.txt --requirement release/hashes-torch$(if $(CPU),-cpu).txt
	$(VENV)/hashes/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .

check: $(VENV)/.dev ## the same without the tests
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

fix: $(VENV)/.dev ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## write docs/cli.md and docs/api.md anew from the code, tables and tutorials from what they print, the map from the imports
	$(BIN)/python docs/write_options.py
	$(BIN)/python docs/write_cli.py
	$(BIN)/python docs/write_api.py
	$(BIN)/python docs/write_tables.py
	$(BIN)/python docs/write_map.py
	$(BIN)/python docs/write_claims.py
	$(BIN)/python docs/write_results.py
	$(BIN)/python docs/write_figures.py
	$(BIN)/python docs/write_tutorials.py

figures: $(VENV)/.dev ## measures every figure of the docs anew, with its commit and date in docs/results/measured.tsv; takes many hours. FROM=FOLDER FILES="survey.csv"
	$(BIN)/python docs/measure.py $(or $(FROM),.) $(FILES)

site: $(VENV)/.dev ## the documentation as a site, in build/site; a dead link fails
	$(BIN)/python docs/build_site.py

clean: ## throw the environment away
	rm -rf $(VENV)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "lingprobe needs Python 3.11 or newer, and none was found on the PATH" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# hatchling comes first and pinned, so that building the package itself downloads nothing unpinned.
$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) hatchling editables
	$(INSTALL) --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(INSTALL) --no-build-isolation --editable '.[dev]'
	@touch $@

$(VENV)/.integration: $(VENV)/.dev tests/integration/install.sh
	sh tests/integration/install.sh test-integration
	$(INSTALL) --no-build-isolation --editable '.[integration]'
	npm install --silent --no-save --prefix $(VENV)/axe axe-core@4.14.1
	@touch $@

$(TENSORFLOW)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PYTHON) -m venv $(TENSORFLOW)
	grep -v '^h5py=' constraints.txt > $(TENSORFLOW)/constraints.txt
	$(TENSORFLOW)/bin/python $(PIP) $(TENSORFLOW)/constraints.txt hatchling editables
	$(TENSORFLOW)/bin/python $(PIP) $(TENSORFLOW)/constraints.txt --no-build-isolation --editable '.[tf]' hypothesis pytest pytest-randomly pytest-timeout pytest-xdist
	@touch $@

$(STATES:=/.installed): %/.installed: pyproject.toml | $(BIN)/python
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --disable-pip-version-check --editable . torch transformers $(notdir $*) hypothesis pytest pytest-randomly pytest-timeout pytest-xdist
	@touch $@

$(VENV)/.release: $(VENV)/.dev
	$(INSTALL) --no-build-isolation --editable '.[release]'
	@touch $@
