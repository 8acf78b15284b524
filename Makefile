# Two commands do everything: `make demo` and `make test`. Both install what is missing and say so.

# Outside the clone, so that a fresh clone does not build the embedded solver again.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/idpas
export CARGO_TARGET_DIR ?= $(CACHE)/target
CARGO := . "$(CACHE)/build-env.sh" && cargo
PREFIX ?= $(or $(CARGO_HOME),$(HOME)/.cargo)

.PHONY: demo test build install bench setup

## The whole loop on a small family, ending with a report; less than ten minutes on two cores.
demo: build
	@scripts/demo.sh "$(CARGO_TARGET_DIR)/release/idpas"

## Formatting, lints and all tests.
test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --release --workspace --all-targets -- -D warnings
	$(CARGO) test --locked --release --workspace

## The program, at $(CARGO_TARGET_DIR)/release/idpas.
build: setup
	@$(CARGO) build --locked --release --workspace

## The program into $(PREFIX)/bin.
install: build
	install -D "$(CARGO_TARGET_DIR)/release/idpas" "$(PREFIX)/bin/idpas"
	@echo "installed $(PREFIX)/bin/idpas"

## Benchmarks; see benches/README.md.
bench: build
	$(CARGO) run --locked --release -p idpas-benches --bin read_mps

setup:
	@scripts/setup.sh "$(CACHE)"
