# `make demo` and `make test` do everything that a change needs, and set up .venv first. `make test-all` runs the long tests too,
# builds the documentation and tries the other Pythons that are here; COMPLETE=--complete fails if anything is missing.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

OTHER_PYTHONS := 3.10 3.13

.PHONY: demo test test-all test-long lint docs clean

demo: $(VENV)/demo
	@$(BIN)/pt-focused demo

test: lint
	$(BIN)/python -m pytest -q -n auto

test-all: test-long docs $(OTHER_PYTHONS:%=test-%)

test-long: lint
	$(BIN)/python -m pytest -q -rfEs -n auto -m "" --hypothesis-profile=long $(COMPLETE)

# Without the extras, whose tests are skipped
test-3.%:
	@if python3.$* -c "" 2>/dev/null; then \
	  $(MAKE) PYTHON=python3.$* VENV=.venv-3.$* .venv-3.$*/test && .venv-3.$*/bin/python -m pytest -q -n auto; \
	else \
	  echo "python3.$* is not on this machine"; test -z "$(COMPLETE)"; \
	fi

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/docs
	$(BIN)/sphinx-build -q -E -W --keep-going -c .ci -b html pyterrier_focused/pt_docs build/docs
	@echo "The documentation is in build/docs/index.html"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip

$(VENV)/demo: pyproject.toml | $(BIN)/python
	@echo "Installing pyterrier_focused and its engine into $(VENV) (about a minute) ..."
	$(PIP) -e '.[retrieval]'
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
