#!/usr/bin/env bash
# Runs the tests of the folders it is given under the race detector, which
# needs cgo and a C compiler. Without one it says so and, outside of continuous
# integration, goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || exit 0
if ! command -v "${CC:-cc}" >/dev/null && ! command -v gcc >/dev/null; then
	echo "race: no C compiler, so the race detector can't run; install gcc to include it" >&2
	[ "${CI:-}" != true ]
	exit
fi
CGO_ENABLED=1 go test -race -short -timeout 10m "${@/#/./}"
