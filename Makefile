# Loremark: run `make help` for the list of targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv --quiet
# Without bytecode files every process compiles all modules again and starts half as fast.
export PYTHONDONTWRITEBYTECODE :=
TESTS ?= tests
WORKERS ?= auto
FUZZ_SECONDS ?= 600
DIST ?= dist
# Building needs half of the packages; `make develop` installs all, and then they stay.
NPM_PACKAGES := $(if $(wildcard dashboard/node_modules/typescript),,--omit=dev)
NPM_CI := dashboard/with-node npm ci --silent --no-audit --no-fund
PYTEST := $(BIN)/python -m pytest
DASHBOARD := src/loremark/features/dashboard/built/index.html
# Install a system package where no Python package provides the program; starts no service.
apt = { apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq $(1) >/dev/null; }
# What `make train` needs; training/README.md says where the models and the texts come from.
TRAIN_PYTHON ?= python3
TRAINED ?= build/reader
MINILM ?= all-MiniLM-L6-v2
MPNET ?= all-mpnet-base-v2
SQUAD ?=
NLI ?=
TRAIN_OPTIONS ?= --without author11 author12
DASHBOARD_SOURCES := $(shell find dashboard \( -name node_modules -o -name __pycache__ \) -prune -o -type f -not -name 'schema.d.ts' -print 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run setup develop test suite check nightly e2e fuzz lint format bench lock audit docs train wheel archive clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup ## install everything and serve on http://127.0.0.1:8000
	@LOREMARK_DATA_DIR="$${LOREMARK_DATA_DIR:-.loremark}" exec $(BIN)/loremark serve

setup: $(VENV)/run.stamp $(DASHBOARD) ## install what `make run` needs

develop: export NPM_PACKAGES :=
develop: $(VENV)/dev.stamp $(VENV)/npm.stamp ## install what the tests and checks need

test: ## lint and the test suite; what CI runs
	@$(MAKE) --no-print-directory -j2 develop $(VENV)/bytecode.stamp
	@$(MAKE) --no-print-directory -j2 suite lint

suite: develop
	$(PYTEST) -n $(WORKERS) --dist worksteal -m 'not slow' $(TESTS)

check: develop ## lint and the fast tests
	@$(MAKE) --no-print-directory lint
	$(PYTEST) -n $(WORKERS) --dist worksteal tests/architecture tests/base tests/memory

nightly: export LOREMARK_TEST_NIGHTLY = 1
nightly: test ## every test on both database engines, all property examples

e2e: develop $(VENV)/e2e.stamp ## slow tests with real models and real agents
	LOREMARK_TEST_NIGHTLY=1 $(PYTEST) -m slow $(TESTS)

fuzz: develop $(VENV)/fuzz.stamp ## fuzz every decoder and parser for 10 minutes (Linux on x86-64)
	$(BIN)/python -m tests.fuzz.run --seconds $(FUZZ_SECONDS) $(TARGETS)

lint: develop
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/loremark admin openapi | dashboard/with-node npx openapi-typescript -o src/api/schema.d.ts >/dev/null 2>&1
	dashboard/with-node npm run --silent types
	dashboard/with-node npm run --silent lint

format: develop ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	dashboard/with-node npm run --silent format

bench: develop ## measure speed as a ratio to a reference on this machine
	$(BIN)/python -m bench

docs: develop ## generate the reference pages of docs/
	$(BIN)/python -m tests.documentation.write

train: $(TRAINED)/bases/mpnet.npz ## train the reader (needs a GPU, see training/README.md)
	$(TRAIN_PYTHON) training/reader_data.py $(TRAINED)/data.jsonl $(if $(SQUAD),--squad $(SQUAD)) $(if $(NLI),--nli $(NLI))
	$(TRAIN_PYTHON) training/reader_train.py $(TRAINED)/data.jsonl $(TRAINED)/bases $(TRAINED) $(TRAIN_OPTIONS)
	cp tests/ports/reader_reference.json $(TRAINED)
	$(TRAIN_PYTHON) training/reader_reference.py $(TRAINED)/bases $(TRAINED) $(TRAINED)/reader_reference.json

lock: $(VENV)/uv.stamp ## update the locked requirement files
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url pyproject.toml requirements/build.in -o requirements/run.txt
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url -c requirements/run.txt --group dev pyproject.toml requirements/build.in -o requirements/dev.txt
	for name in uv node audit; do $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url requirements/$$name.in -o requirements/$$name.txt; done
	for name in e2e fuzz; do $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-deps requirements/$$name.in -o requirements/$$name.txt; done
	dashboard/with-node npm install --silent --package-lock-only

audit: $(VENV)/uv.stamp ## look up the locked packages in vulnerability databases (online); write dist/sbom.json
	@mkdir -p dist
	$(BIN)/python requirements/sbom.py > dist/sbom.json
	@test -x $(VENV)/audit/bin/python || $(PYTHON) -m venv --without-pip $(VENV)/audit
	$(UV) pip install --python $(VENV)/audit/bin/python --require-hashes -r requirements/audit.txt
	for name in run dev uv audit; do $(VENV)/audit/bin/pip-audit --strict --progress-spinner off --disable-pip \
	  --require-hashes -r requirements/$$name.txt || exit 1; done
	dashboard/with-node npm audit --audit-level=high

wheel: setup ## build the package, with the dashboard in it, into dist/
	$(UV) build --wheel --no-build-isolation --out-dir $(DIST)

archive: setup ## pack the built dashboard into dist/, for machines without Node
	$(BIN)/python dashboard/archive.py pack $(DIST)

clean: ## remove installed and built files (not your data)
	rm -rf $(VENV) dist dashboard/node_modules src/loremark/features/dashboard/built .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/uv.stamp: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Loremark needs Python 3.11 or newer. Set PYTHON to its path.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/run.stamp: $(VENV)/uv.stamp requirements/run.txt pyproject.toml
	$(UV) pip install --require-hashes -r requirements/run.txt
	$(UV) pip install --no-deps --no-build-isolation -e .
	@touch $@

# From an archive of the same sources, if there is one; else with Node.
$(DASHBOARD): $(DASHBOARD_SOURCES) | $(VENV)/uv.stamp
	@$(BIN)/python dashboard/archive.py unpack $(DIST) || { $(NPM_CI) $(NPM_PACKAGES) && dashboard/with-node npm run --silent build; }
	@touch $@

# Building the dashboard installs these too, unless `make run` built it or it comes from an archive.
$(VENV)/npm.stamp: dashboard/package-lock.json $(DASHBOARD)
	@test -d dashboard/node_modules/typescript || $(NPM_CI)
	@touch $@

$(TRAINED)/bases/mpnet.npz:
	$(TRAIN_PYTHON) training/reader_bases.py $(@D) $(MINILM) $(MPNET)

$(VENV)/e2e.stamp: $(VENV)/dev.stamp requirements/e2e.txt
	$(UV) pip install --require-hashes --no-deps -r requirements/e2e.txt
	@touch $@

$(VENV)/fuzz.stamp: $(VENV)/dev.stamp requirements/fuzz.txt
	$(UV) pip install --require-hashes --no-deps -r requirements/fuzz.txt
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	$(UV) pip install --require-hashes -r requirements/dev.txt
	@command -v "$${LOREMARK_TEST_CHROMIUM:-chromium}" >/dev/null || $(call apt,chromium) || \
	  { echo "The browser tests need Chromium. Install it or set LOREMARK_TEST_CHROMIUM to its path."; exit 1; }
	@test -n "$$LOREMARK_TEST_REDIS" || $(BIN)/python -c 'from tests.servers.redis import program; program()' 2>/dev/null || $(call apt,redis-server) || \
	  { echo "The tests need redis-server. Install it or set LOREMARK_TEST_REDIS to the URL of a running server."; exit 1; }
	@touch $@

# Once, instead of in each of the suite's processes at the same time.
$(VENV)/bytecode.stamp: $(VENV)/dev.stamp
	@$(PYTEST) --collect-only -qq $(TESTS) >/dev/null 2>&1 || true
	@touch $@
