# toolcrib. Everything here runs in a fresh clone; only bin/ and .cache/ are written.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
TOOL    := $(GO) tool -modfile=tools/go.mod
LDFLAGS := -s -w -X main.version=$(VERSION)

# Where the tests' MCP servers are installed; share it between checkouts if you like.
export TOOLCRIB_NPM ?= $(CURDIR)/.cache/npm

# Packages whose tests run a second time under the race detector (those that exist).
RACE := $(wildcard internal/catalog internal/invoke internal/toolsearch internal/source/mcp internal/mcpserver internal/httpapi internal/sandbox/process internal/agent client gateway)

.PHONY: help build run test race setup lint fmt generate measure golden clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

build: ## bin/toolcrib, one static file
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/toolcrib ./cmd/toolcrib

run: build ## build, then serve the demo catalog
	bin/toolcrib serve --demo

setup: ## install what the tests need into .cache/
	scripts/setup.sh

test: setup ## set up, then run every test
	CGO_ENABLED=0 $(GO) test -timeout 10m ./...
	$(MAKE) --no-print-directory race

race: ## the concurrent packages again, under the race detector (needs a C compiler)
	scripts/race.sh $(RACE)

lint: ## the gates
	scripts/lint.sh

fmt: ## format all Go files and apply the modernizers
	$(TOOL) gofumpt -w .
	$(GO) fix ./...

generate: ## write the documents that are made from the program
	scripts/generate.sh docs

measure: ## print what tools cost a model in each mode, the table of the README
	scripts/measure.sh

golden: ## rewrite golden files after a change that is meant; read the diff
	scripts/golden.sh

clean: ## remove what was built and installed
	rm -rf bin .cache
