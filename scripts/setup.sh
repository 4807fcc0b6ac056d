#!/usr/bin/env bash
# Installs the MCP servers and the inspector that tests talk to, in the versions
# of scripts/npm/package-lock.json, into $TOOLCRIB_NPM (default .cache/npm).
# Does nothing when they are there already. System packages are installed only
# in continuous integration (CI=true); elsewhere what is missing is named.
set -euo pipefail
cd "$(dirname "$0")/.."

dir="${TOOLCRIB_NPM:-$PWD/.cache/npm}"
need_node=20

say() { echo "setup: $*" >&2; }

missing() {
	local out=""
	command -v node >/dev/null || out="$out nodejs"
	command -v npm >/dev/null || out="$out npm"
	echo "$out"
}

absent="$(missing)"
if [ -n "$absent" ]; then
	if [ "${CI:-}" != true ]; then
		say "missing:$absent. Install Node $need_node or newer with npm (on Debian and Ubuntu: sudo apt-get install nodejs npm), then run make test again."
		exit 1
	fi
	as_root=""
	[ "$(id -u)" = 0 ] || as_root="sudo"
	$as_root apt-get update -qq
	# shellcheck disable=SC2086 # a list of package names
	$as_root apt-get install -y -qq --no-install-recommends $absent
fi

have_node="$(node -p 'process.versions.node.split(".")[0]')"
if [ "$have_node" -lt "$need_node" ]; then
	say "Node $have_node is too old for the test servers: install Node $need_node or newer."
	exit 1
fi

mkdir -p "$dir"
dir="$(cd "$dir" && pwd)"
if cmp -s scripts/npm/package-lock.json "$dir/installed.json"; then
	exit 0
fi

say "installing the MCP servers for tests into $dir"
cp scripts/npm/package.json scripts/npm/package-lock.json scripts/npm/.npmrc "$dir/"
rm -f "$dir/installed.json"
(cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
cp scripts/npm/package-lock.json "$dir/installed.json"
