# demo and test are the two commands of the README; each target ends with the exit code of what it ran.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP_ARGS ?=
SAMPLE ?= build/demo
# Three processes on two cores, since tests wait for sandboxes and processes a third of the time; each takes whole files, whose
# fixtures are shared (of the longest tests one notebook), in the order of tests/conftest.py: the longest first.
SPREAD ?= --dist loadfile --no-loadscope-reorder
export OMP_NUM_THREADS ?= 1
# Bytecode is kept whatever the shell says: without it each of some thousand processes compiles the course anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint notebooks solutions bench claims costs attacks mutants generated-mutants mutate-grader right-answers seed-sweep calibrate gpu clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.ready: pyproject.toml constraints.txt
	@sh .ci/system-packages "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --disable-pip-version-check -c constraints.txt $(PIP_ARGS) -e ".[dev]"
	@touch $@

demo: $(VENV)/.ready ## world, release, training, a sample class graded: build/demo/report/index.html
	$(PY) -m autograder demo --out build/demo

test: $(VENV)/.ready lint ## the quick tests: five to eight minutes on two cores
	$(PY) -m pytest -n 3 $(SPREAD) -m "not slow"

test-all: $(VENV)/.ready lint ## every test, slow proofs and all misconceptions too: what CI runs
	$(PY) -m pytest -n 3 $(SPREAD)

LINTS := lint-types lint-notebooks lint-exercises lint-imports lint-claims lint-style  # the longest first
.PHONY: $(LINTS)

lint: $(VENV)/.ready ## style, types, exercises complete, notebooks equal to their sources; two steps at a time
	@$(MAKE) --no-print-directory --jobs 2 --keep-going $(LINTS)

lint-types: $(VENV)/.ready
	$(PY) -m mypy

lint-notebooks: $(VENV)/.ready
	$(PY) -m autograder build --check

lint-exercises: $(VENV)/.ready
	$(PY) -m autograder lint

lint-imports: $(VENV)/.ready
	$(VENV)/bin/lint-imports

lint-claims: $(VENV)/.ready # every sentence about a result is in the table and agrees with it
	$(PY) -m benchmarks.claims --check

lint-style: $(VENV)/.ready
	$(PY) -m ruff check .
	$(PY) -m ruff check --isolated --select F821 notebooks  # a student's cell calls a name that no cell has
	$(PY) -m ruff format --check .

notebooks: $(VENV)/.ready ## solutions/*.py -> notebooks/*.ipynb
	$(PY) -m autograder build

solutions: $(VENV)/.ready ## executed solution notebooks, ipynb and HTML, for the instructor: build/solutions
	$(PY) -m autograder solutions --out build/solutions --execute

bench: $(VENV)/.ready ## ours against peers, interleaved
	$(PY) -m benchmarks.speed

attacks: $(VENV)/.ready ## every attack against the grader, with a control that shows that it works elsewhere
	$(PY) -m autograder attacks

.PHONY: fuzz
fuzz: $(VENV)/.ready ## 50,000 notebooks, 10,000 zips, 1,000,000 messages of a sandbox: no crash, flat memory
	$(PY) -m tests.fuzz notebooks --count 50000
	$(PY) -m tests.fuzz archives --count 10000
	$(PY) -m tests.fuzz messages --count 1000000

mutants: $(VENV)/.ready ## every wrong answer must be rejected with its hint, every right one accepted (part of test-all)
	$(PY) -m autograder mutants

generated-mutants: $(VENV)/.ready ## mistakes made by rule, a sample of each exercise (an hour; it goes on where it was stopped)
	$(PY) -m autograder mutants --generated --sample 54 --record benchmarks/results/generated_mutants.json

mutate-grader: $(VENV)/.ready ## important lines of the grader and of checks, weakened one at a time: the quick tests must notice
	$(PY) -m autograder.quality.grader_mutation

right-answers: $(VENV)/.ready ## every right answer on file with 20 fresh seeds: none may be refused (hours; it goes on where it was stopped)
	$(PY) -m autograder right-answers --record benchmarks/results/right_answers.json

seed-sweep: $(VENV)/.ready ## every check on the course's own solution, 1,000 fresh seeds each (hours; it goes on where it was stopped)
	$(PY) -m autograder seed-sweep --record benchmarks/results/seed_sweep.json

claims: $(VENV)/.ready ## what the notebooks state about experiments, with control, seeds, interval and result
	$(PY) -m benchmarks.claims

costs: $(VENV)/.ready ## run every solution notebook; minutes and memory into data/measured/costs.json
	env -u OMP_NUM_THREADS $(PY) -m benchmarks.costs # with the threads that a student's notebook has

calibrate: $(VENV)/.ready ## twenty worlds: the distribution behind the grading thresholds (about 20 minutes)
	$(PY) -m benchmarks.thresholds.calibrate

# DATA=folder with the original's wiki.txt, birth_places_train.tsv and birth_dev.tsv; without it, generated worlds
gpu: export COURSE_GRAPH = 1
gpu: $(VENV)/.ready ## where there is a GPU: benchmark, the whole assignment, five seeds (DATA=folder for real data)
	$(PY) -m pytest -q tests/course_utils/test_cuda.py
	$(PY) -m benchmarks.speed --device cuda --steps 12 --one-by-one 20
	$(PY) -m benchmarks.experiments.sweep --variants scratch vanilla synthesizer rope --seeds 0 --slots cuda:0 $(if $(DATA),--data $(DATA)) \
	    --out build/gpu/assignment --json benchmarks/results/assignment-gpu.json
	if [ -n "$(DATA)" ]; then \
	  $(PY) -m benchmarks.original $(DATA) --split whole --points 4 --record benchmarks/results/original_gpu.json \
	    --aside build/gpu/original --only original "original, rope" "original, synthesizer"; \
	else \
	  $(PY) -m benchmarks.experiments.sweep --variants vanilla rope --seeds 0 1 2 3 4 --slots cuda:0 \
	    --out build/gpu/seeds --json benchmarks/results/seeds-gpu.json; \
	fi

clean: ## remove what was built, keep the environment
	rm -rf build

.PHONY: faults
faults: $(VENV)/.ready ## 300 kills and every other fault while grading: nothing lost, doubled, changed or left running
	$(PY) -m tests.faults --count 300
