#!/usr/bin/env bash
# The gates. Each prints what is wrong and how to mend it; all of them run even
# when an early one fails, so that one round shows everything.
set -uo pipefail
cd "$(dirname "$0")/.."

tool=(go tool -modfile=tools/go.mod)
failed=()

gate() { # gate NAME COMMAND...
	local name="$1" started=$SECONDS
	shift
	if "$@"; then
		printf 'ok    %-28s %3ds\n' "$name" $((SECONDS - started))
	else
		printf 'FAIL  %-28s %3ds\n' "$name" $((SECONDS - started))
		failed+=("$name")
	fi
}

# quiet runs a command whose output means a fault, whatever its exit code says.
quiet() { # quiet HINT COMMAND...
	local hint="$1" out code
	shift
	out="$("$@" 2>&1)"
	code=$?
	[ $code -eq 0 ] && [ -z "$out" ] && return 0
	[ -n "$out" ] && printf '%s\n' "$out"
	echo "      $hint"
	return 1
}

vet_for() { GOOS="$1" GOARCH="$2" CGO_ENABLED=0 go vet ./...; }

gate gofumpt quiet "mend it with: make fmt" "${tool[@]}" gofumpt -l .
gate "go vet" go vet ./...
gate "go vet darwin/arm64" vet_for darwin arm64
gate "go vet windows/amd64" vet_for windows amd64
gate staticcheck "${tool[@]}" staticcheck ./...
gate deadcode quiet "remove what nothing reaches, or use it" "${tool[@]}" deadcode -test ./...
gate "go fix" quiet "mend it with: make fmt" go fix -diff ./...
gate "generated documents" scripts/generate.sh check

if [ ${#failed[@]} -gt 0 ]; then
	echo "lint: ${#failed[@]} failed: ${failed[*]}" >&2
	exit 1
fi
