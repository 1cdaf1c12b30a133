# Needs python3 (3.11 or newer), pip and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check generate models soak bench clean

demo: $(READY)
	$(BIN)/holdfast demo

test: $(READY)
	$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/generate.py --check

generate: $(READY)
	$(BIN)/python tools/generate.py

# Reads the vendors' newer models (in an environment of their own) and prints what concerns our kinds, mutability first.
models: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --upgrade --target .venv/discovery -r tools/models.lock
	$(BIN)/python tools/discovery.py .venv/discovery/googleapiclient/discovery_cache/documents
	$(BIN)/python tools/models.py

# As many seeds as one likes: make soak SEEDS=10000
soak: $(READY)
	$(BIN)/python -m tests.simulation.soak $(or $(SEEDS),2000)

bench: $(READY)
	$(BIN)/python bench/engine.py

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Holdfast needs Python 3.11 or newer; set PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis dist
