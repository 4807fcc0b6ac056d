package child

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// baseNames are the variables that every child gets from the gateway's own
// environment: what a program needs to find itself, its files and the network.
// Nothing in them is meant to be secret.
var baseNames = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"NIX_SSL_CERT_FILE", "NVM_DIR", "VOLTA_HOME", "FNM_DIR",
	"UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL", "PIP_CERT",
}

// basePrefixes are families of such variables: locale, the XDG folders, and
// npm's settings of registry, cache and certificates, which some machines keep
// in the environment alone. Credentials among npm's are left out.
var basePrefixes = []string{"LC_", "XDG_", "npm_config_", "NPM_CONFIG_"}

// windowsNames are those that programs on Windows can't start without.
var windowsNames = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "COMMONPROGRAMFILES", "USERPROFILE", "USERNAME",
	"HOMEDRIVE", "HOMEPATH", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
}

// BaseEnviron returns those entries of environ that every child is given.
func BaseEnviron(environ []string) []string {
	var out []string
	for _, entry := range environ {
		if name, _, ok := strings.Cut(entry, "="); ok && isBase(name) {
			out = append(out, entry)
		}
	}
	return out
}

// isBase reports whether a variable is part of the base.
func isBase(name string) bool {
	if slices.Contains(baseNames, name) {
		return true
	}
	if runtime.GOOS == "windows" && (slices.Contains(windowsNames, strings.ToUpper(name)) || strings.EqualFold(name, "PATH")) {
		return true
	}
	for _, p := range basePrefixes {
		if strings.HasPrefix(name, p) {
			return !isCredential(name)
		}
	}
	return false
}

// isCredential reports whether a name of npm's settings is that of a secret.
func isCredential(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "token", "password", "secret", "_key", "otp"},
		func(word string) bool { return strings.Contains(name, word) })
}

// Environ is the whole environment of a child: the base, then what was written
// for it, by name.
func Environ(environ []string, own map[string]string) []string {
	out := slices.DeleteFunc(BaseEnviron(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := own[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(own)) {
		out = append(out, name+"="+own[name])
	}
	return out
}

// SameVariable reports whether two names are of one variable on this system.
func SameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Lookup returns the value of a variable in a list of entries; the last one counts.
func Lookup(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if k, v, ok := strings.Cut(entry, "="); ok && SameVariable(k, name) {
			value = v
		}
	}
	return value
}

// Find returns the file of a command, looked for in the PATH that the
// child itself will have. It returns "" when there is none.
func Find(command string, environ []string, cwd string) string {
	if strings.ContainsRune(command, '/') || strings.ContainsRune(command, filepath.Separator) {
		at := command
		if !filepath.IsAbs(at) && cwd != "" {
			at = filepath.Join(cwd, at)
		}
		return executable(at, environ)
	}
	for _, dir := range filepath.SplitList(Lookup(environ, "PATH")) {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		if found := executable(filepath.Join(dir, command), environ); found != "" {
			return found
		}
	}
	return ""
}

// executable returns path, on Windows with the extension that it takes, if it
// is a file that can be run.
func executable(path string, environ []string) string {
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
		return ""
	}
	exts := []string{""}
	if filepath.Ext(path) == "" {
		exts = strings.Split(strings.ToLower(Lookup(environ, "PATHEXT")), ";")
	}
	for _, ext := range exts {
		if info, err := os.Stat(path + ext); err == nil && !info.IsDir() {
			return path + ext
		}
	}
	return ""
}
