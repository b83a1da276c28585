# Every target creates or updates .venv first; a second call installs nothing.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := book,cluster,search,test
# The first Python on the PATH for which DGL has a wheel; `make PYTHON=...` chooses another.
PYTHON ?= $(shell for p in python3.11 python3.12 python3; do \
  $$p -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null && echo $$p && break; done)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null || { \
	  echo "mtgcn needs Python 3.11 or 3.12, because DGL has no wheel for any other; install one of them or call make PYTHON=/path/to/python3.11." >&2; exit 1; }
	@echo "Installing into $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@touch $@

.PHONY: venv
venv: $(VENV)/.installed ## create or update .venv, nothing else

.PHONY: lint
lint: venv ## ruff (lint and format) and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

.PHONY: format
format: venv ## rewrite the sources as ruff wants them
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: test
test: lint ## lint, type check and all tests
	@$(BIN)/python -m pytest

.PHONY: clean
clean: ## remove the environment, builds and caches, never results
	rm -rf $(VENV) _build .pytest_cache .ruff_cache .mypy_cache *.egg-info
