# Two commands do everything: `make demo` and `make test`. Both install what is missing and say so.

# Outside the clone, so that a fresh clone does not build the embedded solver again.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/idpas
export CARGO_TARGET_DIR ?= $(CACHE)/target
CARGO := scripts/cargo.sh "$(CACHE)"
PREFIX ?= $(or $(CARGO_HOME),$(HOME)/.cargo)

.PHONY: demo first test advice faults flips load sanitize fuzz slurm build install wheel bench setup setup-wheel setup-test fresh fresh-whole

## The whole loop on a small family, ending with a report; less than ten minutes on two cores after the build.
demo: build
	@scripts/demo.sh "$(CARGO_TARGET_DIR)/release/idpas"

## Twenty seconds after the build: a shipped instance by the plain solver, and with the shipped guide.
first: build
	@scripts/first.sh "$(CARGO_TARGET_DIR)/release/idpas"

## Formatting, lints, licences and all tests; ends with what was skipped and why.
test: setup-test
	@scripts/test.sh "$(CACHE)"

## 10,000 small models with known optima against wrong scores, starts, histories and guides in every method; a quarter of an hour.
advice: setup
	@$(CARGO) test --locked --release -p idpas --test wrong_advice -- --ignored --nocapture

## Damage to every kind of file, and solvers that fail, many times over; an hour. `make test` does a little of it.
flips: setup
	@IDPAS_FAULTS=long $(CARGO) test --locked --release -p idpas-search --test faulty_solver -- --nocapture
	@IDPAS_FAULTS=long $(CARGO) test --locked --release -p idpas-cli --test faulty_worker --test flips -- --nocapture

## A million hostile files for every reader; half an hour on two cores or more, and the embedded solver is built once more.
fuzz: setup
	@scripts/fuzz.sh "$(CACHE)"

## Studies, collections and trainings on a real Slurm on this machine, which is installed. Needs root; minutes.
slurm: build
	@scripts/slurm-test.sh "$(CACHE)"

## A thousand kills, full disks, read-only folders, a clock that jumps, too little memory; half an hour on two cores.
faults: setup-test
	@scripts/faults.sh "$(CACHE)"

## The crates with `unsafe` code under AddressSanitizer; HiGHS is compiled once more, ten minutes on two cores.
sanitize: setup
	@scripts/sanitize.sh "$(CACHE)"

## The program, at $(CARGO_TARGET_DIR)/release/idpas.
build: setup
	@$(CARGO) build --locked --release --workspace --exclude idpas-python

## The program into $(PREFIX)/bin.
install: build
	install -D "$(CARGO_TARGET_DIR)/release/idpas" "$(PREFIX)/bin/idpas"
	@echo "installed $(PREFIX)/bin/idpas"

## The Python package, at $(CACHE)/wheels.
wheel: setup-wheel
	@scripts/python.sh "$(CACHE)" wheel

## Benchmarks; see benches/README.md.
bench: build
	$(CARGO) run --locked --release -p idpas-benches --bin read_mps

## Ten thousand solves in one process, 64 collections on one folder, a model of a million columns; an hour. Tables are printed.
load: build
	@benches/load/run.sh "$(CACHE)" "$(CACHE)/load"

## The set-up in bare Debian systems of several kinds; minutes. Needs root and debootstrap.
fresh:
	@scripts/fresh-machine.sh --cache "$(CACHE)/fresh"

## `make demo && make test` in a bare Debian system; an hour.
fresh-whole:
	@scripts/fresh-machine.sh --cache "$(CACHE)/fresh" --whole

setup:
	@scripts/setup.sh "$(CACHE)" build

setup-wheel:
	@scripts/setup.sh "$(CACHE)" wheel

setup-test:
	@scripts/setup.sh "$(CACHE)" test
