# make demo: see it work.  make test: prove it works.  Both set up .venv from a bare Python >= 3.11.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
LOCKED := $(PIP) --require-hashes
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of interpreters: without compiled files each reads all sources anew
ADAPTERS := $(patsubst requirements/adapters/%.in,%,$(wildcard requirements/adapters/*.in))

.PHONY: help agent demo check test soak hosts chromium node firefox fonts lint types bench docs package pictures adapters lock clean
help:  ## this list
	@awk -F ':.*## +' '/^[a-z]+:.*## /{printf "make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: .venv/installed  ## watch an agent repair a broken repository
	@$(BIN)/todowright demo

agent: .venv/installed requirements/agent.txt  ## set up the agent with its clients
	@$(LOCKED) -r requirements/agent.txt
	@echo 'Ready: .venv/bin/todowright agent "Fix the failing tests"'

check: lint  ## the linters and the quick tests
	$(BIN)/python -m pytest -n 4 --dist loadgroup -m "not slow" $(ARGS)

test: .venv/tests chromium node  ## all tests
	$(BIN)/python -m pytest -n 4 --dist loadgroup $(ARGS)

soak: .venv/tests chromium firefox  ## what takes minutes: hostile megabytes, many kills, long runs
	$(BIN)/python -m pytest -n 2 --dist worksteal -m soak $(ARGS)
	@echo "The laws, with 2,000 examples for each of them:"
	EXAMPLES=2000 $(BIN)/python -m pytest -n 2 tests/test_laws.py tests/plan tests/documents tests/dialects $(ARGS)

hosts: .venv/tests .node-hosts/installed.json  ## real coding agents against a scripted model (npm, 1 GB, 15 minutes)
	$(BIN)/python -m pytest -n 2 tests/hosts/drive_all.py tests/hosts/drive_hooks.py tests/hosts/drive_gate.py $(ARGS)
	$(BIN)/python -m tests.hosts.wire .node-hosts/wire

adapters: $(ADAPTERS:%=.adapters/%.passed)  ## the adapters inside their frameworks, an environment for each
	@echo "All adapters work: $(ADAPTERS)"

.adapters/%.passed: .adapters/%/installed always
	FRAMEWORK=$* PYTHONPATH=src:. .adapters/$*/bin/python -m pytest -q -W ignore::ResourceWarning --confcutdir=tests/adapters tests/adapters/situations.py \
	  tests/adapters/pages.py $(wildcard tests/adapters/own/$*.py) $(ARGS)

.adapters/%/installed: requirements/adapters/%.txt
	@echo "Setting up .adapters/$* ..."
	@$(PYTHON) -m venv .adapters/$*
	@.adapters/$*/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $<
	@touch $@

.PRECIOUS: .adapters/%/installed
.PHONY: always
always:

lint: .venv/lint  ## formatter, linter, type checker, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m docs.examples build/examples
	MYPYPATH=build/examples $(BIN)/mypy build/examples
	$(BIN)/lint-imports --no-cache

bench: .venv/installed  ## what it costs, beside bare Python
	$(BIN)/python -m bench.core
	$(BIN)/python -m bench.cold_start
	$(BIN)/python -m bench.store
	$(BIN)/python -m bench.matching
	$(BIN)/python -m bench.import

docs: .venv/docs  ## the documentation as a site, in build/site
	$(BIN)/python -m docs.site.build

package: .venv/package  ## the distributions in dist/, checked
	.ci/package

pictures: .venv/tests chromium fonts  ## draw the pictures of the READMEs anew
	TZ=UTC $(BIN)/python -m docs.pictures.make

# The extras stay in: pip looks for the newest release of `name[extra]` where only `name` is pinned, and then finds no hash for it.
lock: .venv/python  ## compile requirements/*.txt anew
	$(PIP) uv
	cd requirements && for name in build cli agent serve postgres test docs lint types package; do \
	  ../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --no-annotate --no-header --no-strip-extras --no-emit-index-url --no-emit-find-links $$name.in -o $$name.txt; done
	cd requirements/adapters && for name in $(ADAPTERS); do \
	  ../../$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --no-annotate --no-header --no-strip-extras --no-emit-index-url --no-emit-find-links $$name.in -o $$name.txt; done

clean:  ## remove what was set up and built
	rm -rf .venv .adapters .node .node-hosts dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

chromium:
	@there() { command -v chromium-headless-shell || command -v chromium; }; there >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "Installing Chromium ..." && apt-get update -qq && for name in chromium-headless-shell chromium; do \
	  apt-get install -y -qq --no-install-recommends $$name >/dev/null && break; done; there >/dev/null; } \
	  || echo "Chromium is not installed, and may not be: the board's tests are skipped. Try: apt-get install chromium"

firefox:
	@{ command -v firefox-esr || command -v firefox; } >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && echo "Installing Firefox ..." \
	  && apt-get update -qq && apt-get install -y -qq --no-install-recommends firefox-esr >/dev/null; } \
	  || echo "Firefox is not installed, and may not be: the board's tests in it are skipped. Try: apt-get install firefox-esr"

fonts:
	@there() { fc-list :lang=zh 2>/dev/null | grep -q . && fc-list : family | grep -q '^Inter'; }; there || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && echo "Installing a Chinese font, and Inter ..." && apt-get update -qq && apt-get install -y -qq --no-install-recommends fontconfig fonts-noto-cjk fonts-inter >/dev/null; there; } \
	  || { echo "There is no Chinese font, or no Inter: the pictures would not look as the board does. Try: apt-get install fonts-noto-cjk fonts-inter"; exit 1; }

node:
	@command -v npm >/dev/null || { echo "npm is not installed: the tests with outside MCP clients are skipped"; exit 0; }; \
	mkdir -p .node && cp tests/mcp/node/* .node/ && cmp -s .node/package.json .node/installed.json || { \
	  echo "Installing Node 24 and the MCP clients ..." && cd .node && npm install --silent --no-package-lock --no-audit --no-fund >/dev/null 2>&1 \
	  && cp package.json installed.json || echo "npm could not install them: those tests are skipped"; }

.node-hosts/installed.json: tests/hosts/node/package.json
	@mkdir -p .node-hosts && cp $< .node-hosts/ && cd .node-hosts && echo "Installing Node 24 and the coding agents ..." \
	  && npm install --silent --ignore-scripts --no-package-lock --no-audit --no-fund \
	  && (cd node_modules/node && node installArchSpecificPackage.js) \
	  && (cd node_modules/@anthropic-ai/claude-code && ../../node/bin/node install.cjs) \
	  && (cd node_modules/opencode-ai && ../node/bin/node postinstall.mjs) && cp package.json installed.json

types: .venv/types  ## a second type checker, pyright (it brings Node: 200 MB)
	$(BIN)/python -m docs.examples build/examples
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --project pyproject.toml --warnings --pythonpath $(BIN)/python

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit("todowright needs Python 3.11 or newer; set PYTHON=python3.x" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv || { echo "the venv module is missing: install your system's python3-venv package"; exit 1; }
	@touch $@

.venv/installed: .venv/python pyproject.toml requirements/build.txt requirements/cli.txt
	@echo "Setting up .venv ..."
	@$(LOCKED) -r requirements/build.txt -r requirements/cli.txt
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

.venv/tests: .venv/installed requirements/agent.txt requirements/postgres.txt requirements/serve.txt requirements/test.txt
	@$(LOCKED) -r requirements/agent.txt -r requirements/postgres.txt -r requirements/serve.txt -r requirements/test.txt
	@touch $@

.venv/docs: .venv/tests requirements/docs.txt
	@$(LOCKED) -r requirements/docs.txt
	@touch $@

.venv/types: .venv/tests .venv/docs requirements/types.txt
	@$(LOCKED) -r requirements/types.txt
	@touch $@

.venv/lint: .venv/tests .venv/docs requirements/lint.txt
	@$(LOCKED) -r requirements/lint.txt
	@touch $@

.venv/package: .venv/installed requirements/package.txt
	@$(LOCKED) -r requirements/package.txt
	@touch $@
