# Everything is installed into .venv; PYTHON names the interpreter that makes it (3.11 or newer).
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEFAULT_MODEL := artifacts/default/artifact.json

.PHONY: setup serve test lint types contract check clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[train,dev]'
	touch $@

# Serve the default model on 127.0.0.1:8000; it is trained on samples/ where it is not there yet.
serve: $(READY) $(DEFAULT_MODEL)
	$(BIN)/biaoti serve

$(DEFAULT_MODEL): | $(READY)
	$(BIN)/biaoti train encoder --train samples/train.txt --dev samples/dev.txt \
		--output artifacts/default --epochs 8 --batch-size 16 --consistency 0 --label-smoothing 0.1

test: $(READY)
	$(BIN)/pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contract: $(READY)
	$(BIN)/lint-imports

# What must hold before a change is handed in.
check: lint types contract test

clean:
	rm -rf .venv artifacts runs build *.egg-info
