# Everything runs in .venv, except tests that do not concern PyTorch: they run in an environment without it. Every
# target makes what it needs. Environments only point to the sources, next to which `native` builds the compiled core
# once for all of them; a failed build stops everything here, while a user without a compiler gets the plain loops.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIGHT_VENV := .venv-without-torch
LIGHT_STAMP := $(LIGHT_VENV)/.installed
BUILD_VENV := .venv-build
BUILD_STAMP := $(BUILD_VENV)/.installed
FLOORS_VENV := .venv-floors
FLOORS_STAMP := $(FLOORS_VENV)/.installed
TESTS ?= tests
BENCH_STAMP := $(VENV)/.bench-installed
LIBRARIES_STAMP := $(VENV)/.libraries-installed
DOCS_STAMP := $(VENV)/.docs-installed
PARALLEL := -n auto --dist worksteal
POINT_TO_SOURCES := -C cmake.define.HEBBIAN_DESCENT_LEVELS=none
export HEBBIAN_DESCENT_STRICT_BUILD := 1

.PHONY: help install environments native stubs format test test-floors test-libraries test-long test-processors test-sanitized mutants test-docs docs demo quick paper lint tidy bench bench-against quality wheel-test browser clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

install: $(STAMP) native  ## Make a virtual environment with the package, its extras and the development tools

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -c constraints.txt $(POINT_TO_SOURCES) -e '.[results,cluster,river,torch]' --group reproduction --group test --group lint
	@touch $@

$(LIGHT_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(LIGHT_VENV)
	$(LIGHT_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(LIGHT_VENV)/bin/python -m pip install --quiet -c constraints.txt $(POINT_TO_SOURCES) -e '.[results,cluster,river]' --group test
	! $(LIGHT_VENV)/bin/python -c 'import torch' 2>/dev/null
	@touch $@

$(BUILD_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(BUILD_VENV)
	$(BUILD_VENV)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BUILD_VENV)/bin/python -m pip install --quiet -c constraints.txt --group build
	@touch $@

environments: $(STAMP) $(LIGHT_STAMP) native  ## Make the environments of the tests: `make -j2` makes several at once

CONFIGURE = $(BUILD_VENV)/bin/cmake -G Ninja -S . -DPython_EXECUTABLE=$(abspath $(BUILD_VENV)/bin/python) \
	-DCMAKE_MAKE_PROGRAM=$(abspath $(BUILD_VENV)/bin/ninja) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON

LEVELS ?= all
BUILD_TYPE ?= Release
CPP := $(wildcard src/hebbian_descent/native/cpp/*.[ch]pp)
JAVASCRIPT := $(wildcard src/hebbian_descent/explorer/parts/*.mjs)
NATIVE_STAMP := build/native/.built-$(BUILD_TYPE)-$(subst ;,-,$(LEVELS))
$(NATIVE_STAMP): $(BUILD_STAMP) CMakeLists.txt src/hebbian_descent/native/cpp $(CPP)
	$(CONFIGURE) -B build/native -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) '-DHEBBIAN_DESCENT_LEVELS=$(LEVELS)'
	MAKEFLAGS= $(BUILD_VENV)/bin/cmake --build build/native
	@rm -f build/native/.built-* && touch $@

native: $(NATIVE_STAMP)  ## Build what changed in the compiled core, next to its sources; LEVELS="baseline;v3", BUILD_TYPE=Debug

stubs: native  ## Write the type stubs of the compiled core
	$(BUILD_VENV)/bin/python tools/make_native_stub.py

test: environments  ## Run the tests: those of the PyTorch interface with PyTorch installed, all others without
	$(LIGHT_VENV)/bin/python -m pytest $(PARALLEL) -m "not long and not site"
	$(BIN)/python -m pytest $(PARALLEL) -m "not long and not site" tests/nn reproduction/tests/test_network_training.py

# pip cannot choose the lowest versions of a range; uv can.
$(FLOORS_STAMP): pyproject.toml
	$(PYTHON) -m venv $(FLOORS_VENV)
	$(FLOORS_VENV)/bin/python -m pip install --quiet uv
	$(FLOORS_VENV)/bin/uv pip install --quiet --python $(FLOORS_VENV)/bin/python --resolution lowest-direct $(POINT_TO_SOURCES) -e '.[results,cluster,river]' --group test
	@touch $@

# Old releases warn about deprecations in newer releases of their dependencies.
test-floors: $(FLOORS_STAMP) native  ## Run the tests, or TESTS="…", with the lowest versions that pyproject.toml allows
	$(FLOORS_VENV)/bin/python -m pytest $(PARALLEL) -W ignore::DeprecationWarning $(TESTS)

$(LIBRARIES_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt --group libraries
	@touch $@

test-libraries: $(LIBRARIES_STAMP) native  ## Run the tests of the PyTorch interface with Lightning, Hugging Face's libraries and ONNX
	$(BIN)/python -m pytest $(PARALLEL) tests/nn/test_nn_centering_libraries.py

PART ?= all
test-long: $(LIGHT_STAMP) native  ## Run the long tests, then every campaign of docs/reliability.md in full: hours, resumes; PART=quick for the tests
	$(LIGHT_VENV)/bin/python -m pytest $(PARALLEL) -m long
ifneq ($(PART),quick)
	$(LIGHT_VENV)/bin/python -m campaigns run
endif

test-processors: $(LIGHT_STAMP) native  ## Run the numerical tests as on older and newer processors; PART=quick for some
	$(LIGHT_VENV)/bin/python -m campaigns.processors $(PART) $(PARALLEL)

# Undefined behaviour and address errors end the tests. Python itself is not instrumented, hence the preloaded libraries.
SANITIZED := build/sanitized
LIBRARY_OF_COMPILER = $$($${CXX:-c++} -print-file-name=$(1))
test-sanitized: $(LIGHT_STAMP) $(BUILD_STAMP)  ## Run the tests of the compiled core, built with the address and undefined-behaviour sanitizers
	rm -rf $(SANITIZED)/src && mkdir -p $(SANITIZED)/src
	tar -C src --exclude='*.so' --exclude=__pycache__ -cf - . | tar -C $(SANITIZED)/src -xf -
	$(CONFIGURE) -B $(SANITIZED)/cmake -DCMAKE_BUILD_TYPE=Debug '-DHEBBIAN_DESCENT_LEVELS=baseline;v3' \
		-DHEBBIAN_DESCENT_OUTPUT=$(abspath $(SANITIZED)/src/hebbian_descent/native) \
		-DCMAKE_CXX_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=undefined' -DCMAKE_CXX_FLAGS_DEBUG=-g1
	MAKEFLAGS= $(BUILD_VENV)/bin/cmake --build $(SANITIZED)/cmake
	LD_PRELOAD="$(call LIBRARY_OF_COMPILER,libasan.so) $(call LIBRARY_OF_COMPILER,libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(abspath $(SANITIZED)/src) \
		$(LIGHT_VENV)/bin/python -m pytest -p no:cacheprovider tests/native

mutants: environments $(BUILD_STAMP)  ## Plant sixty faults and see which tests find them: an hour, resumes; MUTANTS="…" for some again
	$(LIGHT_VENV)/bin/python -m tests.mutants.run $(MUTANTS)

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt --group docs
	@touch $@

docs: $(DOCS_STAMP) native  ## Build the site into site/: guides, tutorials with their outputs, references; a broken link fails
	$(BIN)/python -m website

test-docs: docs  ## Build the site, check its links, and test it in a browser without a network
	$(BIN)/python -m pytest -m site tests/site

browser:  ## Install the browser and Node for the page tests (Debian, as root); skipped elsewhere
	tools/install_browser.sh

demo: install  ## See which rule remembers best, on data that needs no download; writes demo/report.html and demo/explorer.html
	$(BIN)/hebbian-descent demo --output demo

# Where data are missing, which is exit code 1, the page shows the rest.
quick: install  ## Run every table, figure, claim and study of the paper in quick form; writes quick/report-quick.html
	$(BIN)/python -m reproduction run all --quick --draws 1 --output quick || test $$? -eq 1
	$(BIN)/python -m reproduction report --quick --output quick

paper: install  ## Run the whole paper, half a day on two cores, resumes; writes reproduction/output/report.html
	$(BIN)/python -m reproduction run all || test $$? -eq 1
	$(BIN)/python -m reproduction report

lint: $(STAMP)  ## Check style, types, the direction of imports, repository conventions and JavaScript syntax
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/repo-review .
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	if command -v node > /dev/null; then for module in $(JAVASCRIPT); do node --check $$module || exit 1; done; fi

format: $(STAMP)  ## Format Python and C++
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

tidy: native  ## Check the C++ with clang-tidy
	$(BUILD_VENV)/bin/python -m pip install --quiet -c constraints.txt clang-tidy
	$(BUILD_VENV)/bin/clang-tidy --quiet -p build/native src/hebbian_descent/native/cpp/*.cpp

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

bench: $(BENCH_STAMP) native  ## Compare the speed of sweeps and estimators with NumPy, PyTorch, JAX, scikit-learn and River
	$(BIN)/python bench/sweeps.py --json bench/results.json
	$(BIN)/python bench/estimators.py --json bench/estimators.json

quality: $(BENCH_STAMP) native  ## Measure ours again on all datasets, and peers where results are missing, and write docs/estimators/when_does_it_help.md
	$(BIN)/python bench/quality.py --only ours --renew
	$(BIN)/python bench/quality.py

COMMIT ?= HEAD
bench-against: $(LIGHT_STAMP) native  ## Compare the speed with that of another commit: make bench-against COMMIT=HEAD~10
	$(LIGHT_VENV)/bin/python bench/against.py $(COMMIT)

wheel-test: $(BUILD_STAMP)  ## Test the wheel in an environment without the extras, and the wheel that a user without a compiler gets
	rm -rf dist .venv-wheel && mkdir -p build
	$(BUILD_VENV)/bin/python -m build --outdir dist .
	! CXX=/bin/false $(BUILD_VENV)/bin/python -m build --wheel --outdir dist/pure . > build/strict.log 2>&1
	HEBBIAN_DESCENT_STRICT_BUILD=0 CXX=/bin/false $(BUILD_VENV)/bin/python -m build --wheel --outdir dist/pure .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	.venv-wheel/bin/python tests/wheel_smoke.py compiled
	.venv-wheel/bin/python -m pip install --quiet --force-reinstall --no-deps dist/pure/*.whl
	.venv-wheel/bin/python tests/wheel_smoke.py plain
	rm -rf .venv-wheel

clean:  ## Remove the environments and what was built
	rm -rf $(VENV) $(LIGHT_VENV) $(BUILD_VENV) $(FLOORS_VENV) build dist src/hebbian_descent/native/*.so demo quick site .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
