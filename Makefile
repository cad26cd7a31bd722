# Everything runs in .venv, and tests of all but the PyTorch face in an environment that has no PyTorch. Every target
# makes what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIGHT_VENV := .venv-without-torch
LIGHT_STAMP := $(LIGHT_VENV)/.installed
FLOORS_VENV := .venv-floors
FLOORS_STAMP := $(FLOORS_VENV)/.installed
TESTS ?= tests
BENCH_STAMP := $(VENV)/.bench-installed
PARALLEL := -n auto --dist worksteal

.PHONY: help install environments test test-floors test-long test-processors demo quick lint native bench wheel-test browser clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

install: $(STAMP)  ## Make a virtual environment with the package, its extras and the development tools

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[paper,cluster,torch]' --group test --group lint --group build
	@touch $@

$(LIGHT_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(LIGHT_VENV)
	$(LIGHT_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(LIGHT_VENV)/bin/python -m pip install --quiet -c constraints.txt -e '.[paper,cluster]' --group test --group native
	! $(LIGHT_VENV)/bin/python -c 'import torch' 2>/dev/null
	@touch $@

environments: $(STAMP) $(LIGHT_STAMP)  ## Make the environments of the tests: `make -j2` makes both at once

test: environments  ## Run the tests: all without PyTorch installed, those of the PyTorch face with it
	$(LIGHT_VENV)/bin/python -m pytest $(PARALLEL)
	$(BIN)/python -m pytest $(PARALLEL) tests/nn

# pip cannot choose the lowest versions of a range; uv can.
$(FLOORS_STAMP): pyproject.toml
	$(PYTHON) -m venv $(FLOORS_VENV)
	$(FLOORS_VENV)/bin/python -m pip install --quiet uv
	$(FLOORS_VENV)/bin/uv pip install --quiet --python $(FLOORS_VENV)/bin/python --resolution lowest-direct -e '.[paper,cluster]' --group test
	@touch $@

# Old releases beside new ones of what they depend on announce deprecations of their own.
test-floors: $(FLOORS_STAMP)  ## Run the tests, or TESTS="…", with the lowest versions that pyproject.toml allows
	$(FLOORS_VENV)/bin/python -m pytest $(PARALLEL) -W ignore::DeprecationWarning $(TESTS)

test-long: $(LIGHT_STAMP)  ## Run every campaign of docs/reliability.md in full: hours; resumes where it was stopped
	$(LIGHT_VENV)/bin/python -m campaigns run

PART ?= all
test-processors: $(LIGHT_STAMP)  ## Run the tests of what computes as older and newer processors would; PART=quick for some
	$(LIGHT_VENV)/bin/python -m campaigns.processors $(PART) $(PARALLEL)

# Tests of the compiled core run where it is built, and are skipped elsewhere.
native: $(LIGHT_STAMP)  ## Build the compiled core, one module per instruction level, beside its sources
	$(LIGHT_VENV)/bin/cmake -G Ninja -S . -B build/native -DCMAKE_BUILD_TYPE=Release \
		-DPython_EXECUTABLE=$(abspath $(LIGHT_VENV)/bin/python) -DCMAKE_MAKE_PROGRAM=$(abspath $(LIGHT_VENV)/bin/ninja)
	$(LIGHT_VENV)/bin/cmake --build build/native

browser:  ## Install the browser that the tests of the report need (Debian, as root); skipped elsewhere
	tools/install_browser.sh

demo: $(STAMP)  ## See which rule remembers best, on data that needs no download; writes demo/report.html
	$(BIN)/hebbian-descent demo --output demo

quick: $(STAMP)  ## See every table, figure and claim of the paper in quick form; writes quick/report.html
	$(BIN)/hebbian-descent run all --quick --draws 1 --output quick
	$(BIN)/hebbian-descent claims --quick --output quick
	$(BIN)/hebbian-descent report --quick --output quick

lint: $(STAMP)  ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

bench: $(BENCH_STAMP)  ## Compare the speed of sweeps and estimators with NumPy, PyTorch, JAX and scikit-learn
	$(BIN)/python bench/sweeps.py --json bench/results.json
	$(BIN)/python bench/estimators.py --json bench/estimators.json

wheel-test: $(STAMP)  ## Build the wheel and try it in an environment without the extras
	rm -rf dist .venv-wheel
	$(BIN)/python -m build --wheel --outdir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	.venv-wheel/bin/python tests/wheel_smoke.py
	rm -rf .venv-wheel

clean:  ## Remove the environment and what was built
	rm -rf $(VENV) $(LIGHT_VENV) $(FLOORS_VENV) build dist demo quick .mypy_cache .pytest_cache .ruff_cache .hypothesis
