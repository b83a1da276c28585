# Every target creates or updates .venv first; a second call installs nothing.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := book,cluster,search,test
# The first Python on the PATH for which DGL has a wheel; `make PYTHON=...` chooses another.
PYTHON ?= $(shell for p in python3.11 python3.12 python3; do \
  $$p -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null && echo $$p && break; done)
QUICK := _build/quick
# The pages that train what Tables 1 and 2 show, under one of the two protocols.
PROTOCOL ?= text
TABLES_text := $(wildcard params/citeseer-*.yaml params/cora-*.yaml params/pubmed-*.yaml)
TABLES_matched := $(wildcard params/matched-*.yaml)
# Trainings or tests that run side by side, with one thread each: the arrays are too small to be worth more.
WORKERS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1); echo $$((cores < 8 ? cores : 8)))
# The exact versions; `make CONSTRAINTS=/dev/null` takes the newest that pyproject.toml allows.
CONSTRAINTS ?= constraints.txt
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable
# loadfile: what the tests of a file share is made once; the built book is shared by all processes.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile
# Build the book that lies in a folder, warnings being errors, and end with the path of its first page. All of it: a
# page that is new or gone belongs into the contents beside every other page.
html = @$(BIN)/jupyter-book build $(1) --all --quiet -W --keep-going && echo "$(abspath $(1)/_build/html/index.html)"

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null || { \
	  echo "mtgcn needs Python 3.11 or 3.12, because DGL has no wheel for any other; install one of them or call make PYTHON=/path/to/python3.11." >&2; exit 1; }
	@echo "Installing into $(VENV) ..."
	@version='import sys; print(sys.version_info[:2])'; \
	  test "$$($(BIN)/python -c "import pip; $$version" 2>/dev/null)" = "$$($(PYTHON) -c "$$version")" || \
	  $(PYTHON) -m venv --clear $(VENV)
	@$(INSTALL) '.[$(EXTRAS)]'
	@touch $@

.PHONY: venv
venv: $(VENV)/.installed ## create or update .venv, nothing else

.PHONY: lint
lint: venv ## ruff (lint and format), mypy and the contract on imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo --no-cache

.PHONY: format
format: venv ## rewrite the sources as ruff wants them
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: check
check: lint ## lint, types, contract and the fast tests, in a minute or two: the loop while working
	@$(PYTEST) -m 'not slow and not browser and not network'

.PHONY: test
test: lint ## the same with all tests
	@$(PYTEST)

.PHONY: notebooks
notebooks: venv ## make the .ipynb twins of notebooks/*.py, keeping cell ids
	@$(BIN)/jupytext --quiet --to notebook --update notebooks/*.py

.PHONY: run
run: venv ## run the notebook of every parameter file that is missing or stale
	@$(BIN)/mtgcn run

.PHONY: book
book: venv ## bring every page up to date, run the quickstart live, build the book
	@$(BIN)/mtgcn data --fetch
	@$(BIN)/mtgcn run --force params/quickstart.yaml
	@$(BIN)/mtgcn run
	$(call html,.)

.PHONY: reproduce
reproduce: venv ## train every page behind Tables 1 and 2 again from nothing, then build the book; PROTOCOL=matched: the other protocol
	@test -n "$(TABLES_$(PROTOCOL))" || { echo "There is no protocol '$(PROTOCOL)'; PROTOCOL is text or matched." >&2; exit 1; }
	@$(BIN)/mtgcn data --fetch
	@$(BIN)/mtgcn run --force --workers $(WORKERS) $(TABLES_$(PROTOCOL))
	@$(BIN)/mtgcn run --workers $(WORKERS)
	$(call html,.)

.PHONY: everything
everything: venv ## the same for all pages: random splits, open points and the study of depth too
	@$(BIN)/mtgcn data --fetch
	@$(BIN)/mtgcn run --force --workers $(WORKERS)
	$(call html,.)

.PHONY: quick
quick: venv ## the same in a couple of minutes: few runs, few epochs, all in _build/quick
	@$(BIN)/mtgcn data --fetch
	@rm -rf $(QUICK) && mkdir -p $(QUICK)
	@tar cf - --exclude=book/runs --exclude=book/results _config.yml _toc.yml CHANGELOG.md book notebooks params | tar xf - -C $(QUICK)
	@$(BIN)/mtgcn run --set runs=2 --set epochs=20 --output $(QUICK)/book
	$(call html,$(QUICK))

.PHONY: pdf
pdf: book ## the whole book as one PDF, printed by Chromium
	@$(BIN)/jupyter-book build . --builder singlehtml --quiet -W --keep-going
	@$(BIN)/python -m mtgcn.book.pdf _build/singlehtml _build/mtgcn.pdf

.PHONY: bench
bench: venv ## measure speed against named peers, and write it where the book shows it
	@$(BIN)/python -c 'import torch_geometric' 2>/dev/null || \
	  $(INSTALL) '.[bench]'
	@$(BIN)/mtgcn bench

.PHONY: drill
drill: venv ## hundreds of faults and thousands of hostile inputs on the real commands; writes the tables that the book shows
	@OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m project.faults.drill

.PHONY: clean
clean: ## remove the environment, builds and caches, never results
	rm -rf $(VENV) _build .pytest_cache .ruff_cache .mypy_cache *.egg-info
