# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# A thin front: what a target does is in noxfile.py. All set-up is done on the way, outside the system's Python.

export STREAMOPS_CACHE := $(or $(STREAMOPS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/streamops-kafka-connect)
export PYTHONDONTWRITEBYTECODE = 1

# Silent and instant on a machine that has everything; `help` and `clean` go without.
GOALS := $(filter-out help clean,$(MAKECMDGOALS))
ifneq ($(GOALS),)
  ifneq ($(shell .ci/prerequisites $(GOALS) && echo ready),ready)
    $(error prerequisites are missing, see above)
  endif
  PYTHON := $(shell .ci/python)
  VENV := $(STREAMOPS_CACHE)/venvs/nox-$(shell { cat tests/requirements/nox.txt; $(PYTHON) -VV; echo $(PYTHON); } | cksum | cut -d' ' -f1)
  NOX := $(VENV)/bin/nox
endif

# in this order: the longest one first, and the shortest last, so that no long one runs alone at the end
TESTS := integration molecule strimzi verify mirror awx fleet cores unit
STATIC := static sanity galaxy docs
CHECK := static unit
# how many sessions run at a time: while one waits for Connect, the other one uses the processors
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help up down demo check test lint faults fuzz bench docs-outputs image clean $(TESTS) $(STATIC)

help: ## this text
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'
	@echo 'One session: make $(TESTS) $(STATIC) [ARGS="-k word"]'

up: ## start a Kafka broker and Connect workers on loopback, print their addresses as JSON
	@$(PYTHON) -m stack up

down: ## stop them
	@$(PYTHON) -m stack down

demo: $(NOX) ## the main job in one go: a real connector replays its input because a playbook says so
	@$(NOX) -s demo -- $(ARGS)

check: $(NOX) ## before each commit: linters and unit tests, in less than two minutes
	@$(NOX) -j $(JOBS) -s $(CHECK)

test: $(NOX) ## every test: unit, integration on the real stack, Spark job, ansible-core versions, molecule
	@mkdir -p .nox && $(NOX) -j $(JOBS) --report .nox/test.json -s $(TESTS)

lint: $(NOX) ## every static check, galaxy-importer and ansible-test sanity among them
	@mkdir -p .nox && $(NOX) --report .nox/lint.json -j $(JOBS) -s $(STATIC)

faults: $(NOX) ## every fault at every phase of a change with every store, as a table; most of an hour
	@$(NOX) -s faults -- $(ARGS)

fuzz: $(NOX) ## 100,000 inputs that nobody should send, for each reader
	@$(NOX) -s fuzz -- $(ARGS)

bench: $(NOX) ## the measured ratios of tests/benchmarks
	@$(NOX) -s bench -- $(ARGS)

docs-outputs: $(NOX) ## run the commands of the documentation and write what they print into its pages, ARGS="-k SCENARIO" for one
	@$(NOX) -s docs-outputs -- $(ARGS)

image: $(NOX) ## the image in which AWX runs the jobs, ARGS=registry.example.com/kafka-connect-ee:1.0.0 is its name
	@$(NOX) -s image -- $(ARGS)

clean: ## remove what was made inside this checkout (not the cache outside of it)
	@rm -rf .nox .ansible .pytest_cache .ruff_cache collections/ansible_collections tests/output tests/integration/inventory *.tar.gz
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(TESTS) $(STATIC): $(NOX)
	@$(NOX) -s $@ -- $(ARGS)

$(NOX):
	@$(PYTHON) -m venv --clear $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement tests/requirements/nox.txt
