#!/usr/bin/env bash
# generate.sh docs   writes the documents that are made from the program
# generate.sh check  says which of them differ from what the program would write
set -euo pipefail
cd "$(dirname "$0")/.."

mode="${1:-docs}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
out="$work"
[ "$mode" = check ] || out=docs

toolcrib="$work/toolcrib"
CGO_ENABLED=0 go build -o "$toolcrib" ./cmd/toolcrib

"$toolcrib" docs cli >"$out/cli.md"
"$toolcrib" docs config >"$out/config.md"
"$toolcrib" config schema >"$out/config.schema.json"

[ "$mode" = check ] || exit 0
stale=0
for f in cli.md config.md config.schema.json; do
	if ! diff -u "docs/$f" "$out/$f"; then
		echo "      docs/$f is stale: run make generate" >&2
		stale=1
	fi
done
exit $stale
