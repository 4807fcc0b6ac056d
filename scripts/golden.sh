#!/usr/bin/env bash
# Rewrites the golden files of every package whose tests take -update.
set -euo pipefail
cd "$(dirname "$0")/.."

grep -rlE 'flag\.Bool\("update"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u | while read -r dir; do
	go test "$dir" -update
done
