# make demo: see it work.  make test: prove it works.  Both set up .venv from a bare Python >= 3.11.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help agent demo check test chromium node lint bench pictures lock clean
help:
	@echo "make demo    watch an agent repair a broken repository"
	@echo "make agent   set up the agent with its clients"
	@echo "make check   the linters and the quick tests, in about a minute"
	@echo "make test    all tests"
	@echo "make lint    formatter, linter, type checker, layers"
	@echo "make bench   what it costs, beside bare Python"
	@echo "make pictures  draw the pictures of the READMEs anew"
	@echo "make lock    compile requirements/*.txt anew"

agent: .venv/installed requirements/agent.txt
	@$(PIP) -r requirements/agent.txt
	@echo 'Ready: .venv/bin/todowright agent "Fix the failing tests"'

demo: .venv/installed
	@$(BIN)/todowright demo

check: lint
	$(BIN)/python -m pytest -n 2 -m "not slow" $(ARGS)

test: .venv/tests chromium node
	$(BIN)/python -m pytest -n 2 $(ARGS)

chromium:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "Installing Chromium ..." && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is not installed, and may not be: the board's tests are skipped. Try: apt-get install chromium"

node:
	@command -v npm >/dev/null || { echo "npm is not installed: the tests with outside MCP clients are skipped"; exit 0; }; \
	mkdir -p .node && cp tests/mcp/node/* .node/ && cmp -s .node/package.json .node/installed.json || { \
	  echo "Installing Node 24 and the MCP clients ..." && cd .node && npm install --silent --no-package-lock --no-audit --no-fund >/dev/null 2>&1 \
	  && cp package.json installed.json || echo "npm could not install them: those tests are skipped"; }

lint: .venv/lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: .venv/installed
	$(BIN)/python -m bench.core
	$(BIN)/python -m bench.cold_start
	$(BIN)/python -m bench.store
	$(BIN)/python -m bench.matching

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit("todowright needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv || { echo "the venv module is missing: install your system's python3-venv package"; exit 1; }
	@touch $@

.venv/installed: .venv/python pyproject.toml requirements/build.txt requirements/cli.txt
	@echo "Setting up .venv ..."
	@$(PIP) -r requirements/build.txt -r requirements/cli.txt
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

.venv/tests: .venv/installed requirements/agent.txt requirements/serve.txt requirements/test.txt
	@$(PIP) -r requirements/agent.txt -r requirements/serve.txt -r requirements/test.txt
	@touch $@

.venv/lint: .venv/tests requirements/lint.txt
	@$(PIP) -r requirements/lint.txt
	@touch $@

pictures: .venv/tests
	TZ=UTC $(BIN)/python -m docs.pictures.make

lock:
	$(PIP) uv
	cd requirements && for name in build cli agent serve test lint; do \
	  ../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	    --no-annotate --no-header $$name.in -o $$name.txt; done

clean:
	rm -rf .venv .node dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
