#!/usr/bin/env bash
# Prints, as Markdown, what the tools cost a model in each mode: for the demo
# catalog, and for the recorded servers in $TOOLCRIB_SHARED/catalogs (default
# ../shared) where there are any. The README's table is made by this.
set -euo pipefail
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME="$work/c" XDG_STATE_HOME="$work/s" XDG_CACHE_HOME="$work/k"
CGO_ENABLED=0 go build -o "$work/toolcrib" ./cmd/toolcrib

rows() { # rows NAME ARGS...
	local name="$1"
	shift
	"$work/toolcrib" tools stats --json "$@" | node -e '
		const s = JSON.parse(require("fs").readFileSync(0, "utf8"));
		const n = x => x.toLocaleString("en-US");
		for (const m of s.modes)
			console.log(`| ${process.argv[1]} | \`${m.mode}\` | ${n(m.visible)} | ${n(m.bytes)} | ${n(m.tokens)} |`);
	' "$name"
}

echo "| tools | mode | in the model's sight | bytes in every request | tokens, about |"
echo "|---|---|---|---|---|"
rows "demo catalog" --demo

catalogs="${TOOLCRIB_SHARED:-../shared}/catalogs"
if compgen -G "$catalogs/*.json" >/dev/null; then
	go build -o "$work/catalogserver" ./internal/mcptest/catalogserver
	"$work/catalogserver" -dir "$catalogs" >"$work/config.json5" &
	server=$!
	# The configuration is whole when its last line, a brace alone, is there.
	for _ in $(seq 100); do
		grep -qx '}' "$work/config.json5" && break
		sleep 0.1
	done
	# Once to fill the cache, so that every list is there when it counts.
	"$work/toolcrib" tools list --config "$work/config.json5" >/dev/null
	count="$(find "$catalogs" -name '*.json' | wc -l)"
	rows "$count recorded servers" --config "$work/config.json5"
fi
