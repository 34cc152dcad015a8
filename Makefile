# Two commands do everything: `make demo` and `make test`. Both set up .venv first. `make docs` builds the documentation.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint docs clean

demo: $(VENV)/demo
	@$(BIN)/pt-focused demo

test: lint
	$(BIN)/python -m pytest -q -n auto

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
