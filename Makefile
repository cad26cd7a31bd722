# Everything runs in .venv; every target that needs it makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.bench-installed
PARALLEL := -n auto --dist worksteal

.PHONY: help install test test-without-torch demo quick lint bench wheel-test browser clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

install: $(STAMP)  ## Make a virtual environment with the package, its extras and the development tools

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[paper,cluster,torch]' --group test --group lint --group build
	@touch $@

test: $(STAMP)  ## Run the tests
	$(BIN)/python -m pytest $(PARALLEL)

browser:  ## Install the browser that the tests of the report need (Debian, as root); skipped elsewhere
	tools/install_browser.sh

demo: $(STAMP)  ## See which rule remembers best, on data that needs no download; writes demo/report.html
	$(BIN)/hebbian-descent demo --output demo

quick: $(STAMP)  ## See every table, figure and claim of the paper in quick form; writes quick/report.html
	$(BIN)/hebbian-descent run all --quick --draws 1 --output quick
	$(BIN)/hebbian-descent claims --quick --output quick
	$(BIN)/hebbian-descent report --quick --output quick

# What the other suites test imports no PyTorch: `make lint` and tests/nn/test_nn_without_torch.py check it. They run
# without it all the same: `make test-without-torch WITHOUT_TORCH=tests`.
WITHOUT_TORCH ?= tests/nn tests/estimators tests/memory tests/files tests/test_*.py
test-without-torch:  ## Run the tests of the core, estimators, memories, files and the PyTorch face without PyTorch
	$(PYTHON) -m venv .venv-without-torch
	.venv-without-torch/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-without-torch/bin/python -m pip install --quiet -c constraints.txt -e '.[paper,cluster]' --group test
	! .venv-without-torch/bin/python -c 'import torch' 2>/dev/null
	.venv-without-torch/bin/python -m pytest $(PARALLEL) $(WITHOUT_TORCH)
	rm -rf .venv-without-torch

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
	rm -rf $(VENV) build dist demo quick .mypy_cache .pytest_cache .ruff_cache .hypothesis
