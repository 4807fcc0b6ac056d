package mcp

// Remembered is what Probe would report of a server that can be used, from the
// list that a Source with the same CacheDir remembers: its tools and how many it
// listed, without steps, times and what the server says of itself. ok is false
// when nothing is remembered of the server as it is configured now.
func Remembered(server Server, o Options) (r Report, ok bool) {
	config := server.prepared()
	if config.unfit() != "" {
		return Report{}, false
	}
	l, err := cache{o.CacheDir}.load(config)
	if err != nil {
		return Report{}, false
	}
	return Report{Server: config.Name, Transport: config.transport(), Tools: l.tools, Listed: len(l.sent), Warnings: l.warnings}, true
}

// Fetches reports whether a command is one that fetches the program that it runs,
// and may need minutes for that at its first start.
func Fetches(command string) bool {
	switch programName(command) {
	case "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "docker", "podman", "deno":
		return true
	}
	return false
}
