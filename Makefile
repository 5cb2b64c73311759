# Everything is installed into .venv; PYTHON names the interpreter that makes it (3.11 or newer).
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
    --constraint constraints.txt
CORE := .venv/.core
READY := .venv/.ready

.PHONY: setup programs serve test lint types contract check clean

# All that training, comparing and testing take.
setup: $(READY)

# Programs that some tests drive, from Debian's packages; without them these tests are left out.
PROGRAMS := chromium nginx-light postgresql prometheus
programs:
	@dpkg --status $(PROGRAMS) >/dev/null 2>&1 || (apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $(PROGRAMS))

# Serve the model that ships on 127.0.0.1:8000; that takes no torch.
serve: $(CORE)
	$(BIN)/biaoti serve

$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --upgrade pip # an older one takes twice as long for the rest
	$(INSTALL) --editable '.[serve]'
	touch $@

$(READY): $(CORE)
	$(INSTALL) --editable '.[serve,postgres,trace,llm,scale,train,dev]'
	touch $@

# One process a core, a file of tests in one process; the slow ones first, so that no core waits.
test: $(READY)
	$(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

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
