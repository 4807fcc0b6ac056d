package config

import (
	"net"
	"os"
	"path/filepath"
	"strings"
)

// What is written here works in part, or will fail later at a place that is
// harder to understand: it is warned of.

// openListener warns of an address beyond this machine without a token, which
// toolcrib serve refuses.
func (c crossChecker) openListener(gateway *value) {
	listen := gateway.get("listen")
	if listen == nil || listen.bad || gateway.get("token") != nil {
		return
	}
	host, _, err := net.SplitHostPort(listen.text)
	if err != nil || strings.EqualFold(host, "localhost") {
		return
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return
	}
	c.warn(listen.origin, "gateway.listen", "other machines may reach this address and gateway.token is not set, so toolcrib serve refuses it unless there is a token of toolcrib token create")
}

// commandLine warns of a command that holds its arguments, as one would write
// it at a shell.
func (c crossChecker) commandLine(v *value, path string) {
	words := strings.Fields(v.text)
	if v.bad || len(words) < 2 || c.isProgram(v.text) {
		return
	}
	first := "the program"
	if len(v.pieces) == 0 { // else a word could be a part of a secret
		first = words[0]
	}
	c.warn(v.origin, path, "holds spaces and no file is called that: put the words after %s into args", first)
}

// isProgram reports whether a file has this name, as a path or in a folder of PATH.
func (c crossChecker) isProgram(name string) bool {
	var places []string
	if strings.ContainsAny(name, `/\`) {
		places = []string{name, c.opts.resolve(name, c.dir)}
	} else {
		folders, _ := c.opts.env("PATH")
		for _, dir := range filepath.SplitList(folders) {
			places = append(places, filepath.Join(dir, name))
		}
	}
	for _, place := range places {
		for _, ending := range []string{"", ".exe", ".cmd", ".bat"} {
			if info, err := os.Stat(place + ending); err == nil && !info.IsDir() {
				return true
			}
		}
	}
	return false
}

// modes warns of modes that are known and not to be had.
func (c crossChecker) modes(tools *value, path string) {
	mode := tools.get("toolSearch").get("mode")
	if mode != nil && !mode.bad && mode.text == "native" {
		c.warn(mode.origin, path+".toolSearch.mode", "%q is not offered yet: mode tools is used", mode.text)
	}
}
