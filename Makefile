# Two commands do everything: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint clean

demo: $(VENV)/demo
	@$(BIN)/pt-focused demo

test: lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

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

clean:
	rm -rf .venv* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
