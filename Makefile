# What one does with the project; needs Python 3.11 or newer and make. All is installed into $(VENV).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TORCH := $(shell grep '^torch==' constraints.txt)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Threads that share a core make small tensor work 5 to 70 times slower than one thread.
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test lint bench docs results clean

help:
	@echo 'make demo    the whole story on an embedded data set, offline: pictures in gmixup-demo/'
	@echo 'make test    the test suite'
	@echo 'make lint    style, types, and that imports go downwards only'
	@echo 'make bench   the measured claims, each against its rival in one run'
	@echo 'make docs    the documentation, in docs/_build/'
	@echo 'make results docs/results.md, from the records alone'
	@echo 'make clean   removes what was installed and built'

demo: $(VENV)/.gmixup
	$(BIN)/gmixup demo

test: $(VENV)/.dev
	$(BIN)/pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	set -e; for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

docs: $(VENV)/.docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build

results: $(VENV)/.gmixup
	$(BIN)/gmixup reproduce all --show --quiet --results docs/results.md > /dev/null

clean:
	rm -rf $(VENV) docs/_build docs/_reference docs/_gallery docs/sg_execution_times.rst .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# torch goes first and at its exact version: a loose range takes the newest build there is, which
# may bring gigabytes of CUDA with it.
$(VENV)/.torch: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "gmixup needs Python 3.11 or newer, this is " + sys.version.split()[0] + \
	  "; name another: make PYTHON=python3.12")'
	@echo 'Installing into $(VENV) (once; a minute or two) ...'
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) '$(TORCH)'
	@touch $@

$(VENV)/.gmixup: $(VENV)/.torch pyproject.toml
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.torch pyproject.toml
	@$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.gmixup

$(VENV)/.docs: $(VENV)/.torch pyproject.toml
	@$(INSTALL) --editable '.[docs]'
	@touch $@ $(VENV)/.gmixup
