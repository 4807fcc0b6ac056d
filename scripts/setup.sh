#!/usr/bin/env bash
# Installs what tests talk to, in the versions of the lock files: the MCP servers,
# the inspector and the kits for models of scripts/npm into $TOOLCRIB_NPM (default
# .cache/npm), and what plugins are built with (scripts/npm-plugins) and the clients
# of scripts/npm-clients (over 1 GB) into folders beside it whose names end in
# -plugins and -clients. Does nothing when they are there already. No package's
# own script is run. System packages are installed only in continuous integration
# (CI=true); elsewhere what is missing is named.
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

install() { # install SOURCE FOLDER WHAT
	local source="$1" folder="$2" what="$3"
	mkdir -p "$folder"
	cmp -s "$source/package-lock.json" "$folder/installed.json" && return 0
	say "installing $what into $folder"
	cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$folder/"
	rm -f "$folder/installed.json"
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	cp "$source/package-lock.json" "$folder/installed.json"
}

mkdir -p "$dir"
dir="$(cd "$dir" && pwd)"
install scripts/npm "$dir" "the MCP servers and kits for tests"
install scripts/npm-plugins "$dir-plugins" "what plugins are built with"
install scripts/npm-clients "$dir-clients" "the clients for tests"
