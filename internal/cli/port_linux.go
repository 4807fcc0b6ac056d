package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// portOwner names the process that listens at the address's port, such as
// "node (process 4711)"; "" when the system doesn't tell this user.
func portOwner(addr string) string {
	sockets := listening(portOf(addr))
	if len(sockets) == 0 {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || !sockets[target] {
			continue
		}
		pid := strings.Split(link, "/")[2]
		name, _ := os.ReadFile("/proc/" + pid + "/comm")
		return fmt.Sprintf("%s (process %s)", folded(string(name)), pid)
	}
	return ""
}

// listening returns the sockets that listen at a port, as /proc names them.
func listening(port int) map[string]bool {
	const stateListen = "0A"
	found := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == stateListen && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				found["socket:["+f[9]+"]"] = true
			}
		}
	}
	return found
}
