# Everything is set up in .venv of this checkout, nothing outside it. `make` alone lists the targets.

# The first Python that is new enough and can make a virtual environment; `make PYTHON=… test` names another.
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$python -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$python && break; done)
NEW_ENOUGH = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
NO_PYTHON = evalstats needs Python 3.11 or newer with the venv module and $(or $(PYTHON),this machine) \
	has none: install it (Debian, Ubuntu: python3 and python3-venv) or name it: make PYTHON=/path/to/python3

BIN = .venv/bin
OLD = .venv-oldest/bin
BENCH = .venv-bench/bin
BENCH_OTHER = .venv-bench-other/bin
PIP = -m pip --disable-pip-version-check --quiet --quiet install
INSTALL_SELF = --no-deps --no-build-isolation --editable .
WORKERS ?= 2
DRAWS ?= 4000
PROJECT = pyproject.toml src/evalstats/_version.py
BASELINE = examples/logs/lm_eval/model-a
CANDIDATE = examples/logs/lm_eval/model-b

.DEFAULT_GOAL := help
.PHONY: help demo test browser slow examples coverage coverage-reduced lint format types contracts oldest bench bench-quick check pins clean
.DELETE_ON_ERROR:

help:
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 26

demo: .venv/run.stamp ## compare two real logs as text and as a page, then compute the answer again
	@mkdir -p .demo
	@echo '$$ evalstats compare $(BASELINE) $(CANDIDATE) --task colors_law --with-text --html .demo/page.html'
	@$(BIN)/evalstats compare $(BASELINE) $(CANDIDATE) --task colors_law --with-text --html .demo/page.html
	@echo
	@echo '$$ evalstats compare $(BASELINE) $(CANDIDATE) --task colors_law --json > .demo/result.json'
	@$(BIN)/evalstats compare $(BASELINE) $(CANDIDATE) --task colors_law --json > .demo/result.json
	@echo
	@echo '$$ evalstats reproduce .demo/result.json'
	@$(BIN)/evalstats reproduce .demo/result.json

test: .venv/test.stamp ## the test suite, without what takes long
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow and not browser"

browser: .venv/test.stamp ## the pages in a real Chromium, where there is one
	$(BIN)/python -m pytest -n $(WORKERS) -m browser tests/browser

slow: .venv/test.stamp ## the tests that take long
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

examples: .venv/test.stamp ## run examples/*.py and every example in the documents
	@set -e; for example in examples/*.py; do echo $$example; $(BIN)/python -W error $$example > /dev/null; done
	$(BIN)/python -m pytest --doctest-glob='*.md' README.md CONTRIBUTING.md docs

coverage: .venv/test.stamp ## measure every method (DRAWS=1000 for a shorter run), compare with docs/coverage, write it
	$(BIN)/python -m atlas full --draws $(DRAWS)
	$(BIN)/python docs/which.py

coverage-reduced: .venv/test.stamp ## each default's worst cells again; a part of the tests
	$(BIN)/python -m atlas reduced

lint: .venv/test.stamp ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: .venv/test.stamp ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/test.stamp ## mypy, strict
	$(BIN)/mypy

contracts: .venv/test.stamp ## import-linter: which room may import which
	$(BIN)/lint-imports

oldest: .venv-oldest/stamp ## the test suite on the oldest allowed dependencies
	$(OLD)/python -m pytest -n $(WORKERS) -m "not slow and not browser" -p no:cacheprovider --ignore-glob 'tests/test_atlas*.py'

bench-quick: .venv/test.stamp ## a part of the benchmarks, printed; fails on unequal results, never on noise
	$(BIN)/python -m bench --quick

bench: .venv-bench/stamp .venv-bench-other/stamp ## time everything beside its peers, write docs/benchmarks.md
	$(BENCH)/python -m bench

check: ## everything but coverage and bench, as CI does
	@.ci/run

pins: ## write requirements/*.txt anew: the newest releases, and the oldest allowed
	@$(call require_python)
	rm -rf .venv-pins && $(PYTHON) -m venv .venv-pins
	.venv-pins/bin/python $(PIP) --upgrade pip
	sh requirements/pins.sh .venv-pins/bin/python
	rm -rf .venv-pins

clean: ## remove everything that was set up or built here
	rm -rf .venv .venv-oldest .venv-bench .venv-bench-other .venv-pins .demo build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

define require_python
$(or $(PYTHON),false) -c '$(NEW_ENOUGH)' 2>/dev/null || { echo '$(NO_PYTHON)' >&2; exit 1; }
endef

.venv/run.stamp: requirements/run.txt $(PROJECT)
	@$(call require_python)
	@echo 'Setting up .venv (once; the package index is needed) ...'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) --requirement requirements/run.txt
	@$(BIN)/python $(PIP) $(INSTALL_SELF)
	@touch $@

.venv/test.stamp: requirements/test.txt .venv/run.stamp
	@echo 'Adding what the tests need ...'
	@$(BIN)/python $(PIP) --requirement requirements/test.txt
	@touch $@

.venv-oldest/stamp: requirements/oldest.txt $(PROJECT)
	@$(call require_python)
	@echo 'Setting up .venv-oldest (once; the package index is needed) ...'
	@$(PYTHON) -m venv .venv-oldest
	@$(OLD)/python $(PIP) --requirement requirements/oldest.txt
	@$(OLD)/python $(PIP) $(INSTALL_SELF)
	@touch $@

.venv-bench/stamp: requirements/run.txt requirements/bench.txt $(PROJECT)
	@$(call require_python)
	@echo 'Setting up .venv-bench (once; the package index is needed) ...'
	@$(PYTHON) -m venv .venv-bench
	@$(BENCH)/python $(PIP) --upgrade pip # older ones write a command that starts more slowly
	@$(BENCH)/python $(PIP) --requirement requirements/run.txt
	@$(BENCH)/python $(PIP) --no-deps --requirement requirements/bench.txt
	@$(BENCH)/python $(PIP) $(INSTALL_SELF)
	@touch $@

.venv-bench-other/stamp: requirements/bench-other.txt
	@$(call require_python)
	@echo 'Setting up .venv-bench-other (once; the package index is needed) ...'
	@$(PYTHON) -m venv .venv-bench-other
	@$(BENCH_OTHER)/python $(PIP) --requirement $<
	@touch $@
