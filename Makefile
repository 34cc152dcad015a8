# `make demo` and `make test` do everything that a change needs, and set up .venv first. `make test-all` runs the long tests too
# and builds the documentation: COMPLETE=--complete fails if anything is missing, CASES=quick draws fewer random cases.
# `make test-oldest test-newest` tries other Pythons.
PYTHON ?= python3
VENV ?= .venv
CASES ?= long
BIN := $(VENV)/bin
# The processes of tests find modules compiled.
export PYTHONDONTWRITEBYTECODE =
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-all test-long test-oldest test-newest venv-oldest venv-newest lint docs clean

demo: $(VENV)/demo
	@$(BIN)/pt-focused demo
	@echo "pt-focused is in $(BIN): type 'source $(BIN)/activate' first, or $(BIN)/pt-focused"

test: lint
	$(BIN)/python -m pytest -q -n auto

test-all: test-long docs

test-long: lint
	$(BIN)/python -m pytest -q -rfEs -n auto -m "" --hypothesis-profile=$(CASES) $(COMPLETE)

# The oldest Python, with the lowest versions that pyproject.toml allows
test-oldest: venv-oldest
	.venv-3.10/bin/python -m pytest -q -n auto --disable-warnings --hypothesis-profile=few

venv-oldest:
	@mkdir -p build
	@$(PYTHON) .ci/minimum.py > build/minimum.txt
	PIP_CONSTRAINT=$(CURDIR)/build/minimum.txt $(MAKE) PYTHON=python3.10 VENV=.venv-3.10 .venv-3.10/test

# The newest Python, as if on Windows and macOS: line ends of two characters, spawned processes, no PISA
test-newest: venv-newest
	rm -rf build/elsewhere
	git clone --quiet --config core.autocrlf=true . build/elsewhere
	cd build/elsewhere && PYTHONPATH=$(CURDIR)/build/elsewhere:$(CURDIR)/build/elsewhere/tests/support \
	  $(CURDIR)/.venv-3.13/bin/python -m pytest -q -n auto -p elsewhere --hypothesis-profile=few

venv-newest:
	$(MAKE) PYTHON=python3.13 VENV=.venv-3.13 .venv-3.13/test

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/docs
	rm -rf build/pages
	mkdir -p build
	cp -R pyterrier_focused/pt_docs build/pages
	mkdir build/pages/notebooks
	cp examples/*.ipynb build/pages/notebooks
	cp CHANGELOG.md build/pages/changelog.md
	$(BIN)/sphinx-build -q -E -W --keep-going -c .ci -b html build/pages build/docs
	@echo "The documentation is in build/docs/index.html"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip

$(VENV)/demo: pyproject.toml | $(BIN)/python
	@echo "Installing pyterrier_focused and its engine into $(VENV) (about a minute) ..."
	$(PIP) -e '.[retrieval,plots]'
	@touch $@

$(VENV)/test: pyproject.toml | $(BIN)/python
	@echo "Installing pyterrier_focused and its test tools into $(VENV) (about two minutes) ..."
	$(PIP) -e '.[test]'
	@touch $@ $(VENV)/demo

$(VENV)/docs: pyproject.toml | $(BIN)/python
	@echo "Installing pyterrier_focused and Sphinx into $(VENV) (about a minute) ..."
	$(PIP) -e '.[retrieval,docs]'
	@touch $@

clean:
	rm -rf .venv* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
