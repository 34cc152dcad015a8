# Two commands do everything: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint clean

demo: .venv/demo
	@$(BIN)/pt-focused demo

test: lint
	$(BIN)/python -m pytest -n auto

lint: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip

.venv/demo: pyproject.toml | .venv/bin/python
	@echo "Installing pyterrier_focused and its engine into .venv (about a minute) ..."
	$(PIP) -e '.[retrieval]'
	@touch $@

.venv/test: pyproject.toml | .venv/bin/python
	@echo "Installing pyterrier_focused and its test tools into .venv (about two minutes) ..."
	$(PIP) -e '.[test]'
	@touch $@ .venv/demo

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
