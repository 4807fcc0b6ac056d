package exec

import (
	"path"
	"slices"
	"strings"
)

// shellWords are what a shell does itself, in its own state. By the allow-list
// there is no shell, so that they would not run, or be a program that does
// something else.
var shellWords = []string{
	".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "continue", "coproc",
	"declare", "dirs", "disown", "do", "done", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "for",
	"function", "getopts", "hash", "history", "if", "in", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read",
	"readarray", "readonly", "return", "select", "set", "shift", "shopt", "source", "suspend", "then", "times", "trap", "type",
	"typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "!", "[[", "]]", "{", "}", "time",
}

// neverListed reports whether a word can't be the program of a line that runs by
// the allow-list.
func neverListed(program string) bool {
	return slices.Contains(shellWords, program) || strings.Contains(program, "=") || strings.HasPrefix(program, "~") || strings.HasPrefix(program, "-")
}

// runners are programs that run the programs, or the code, that they are given.
var runners = []string{
	"ash", "awk", "bash", "batch", "bpftrace", "bun", "busybox", "bwrap", "cargo", "chroot", "chrt", "cmake", "crontab", "csh", "dash", "deno", "doas",
	"docker", "ed", "emacs", "entr", "env", "ex", "expect", "fakeroot", "firejail", "fish", "flock", "gawk", "gcc", "gdb", "gmake", "ionice",
	"irb", "java", "jshell", "julia", "ksh", "ld.so", "less", "lldb", "ltrace", "lua", "make", "man", "mawk", "mksh", "more", "mysql", "nano", "nawk", "ncat", "nc",
	"nice", "ninja", "node", "nodejs", "nohup", "npm", "npx", "nsenter", "ocaml", "octave", "parallel", "perl", "php", "pip", "pip3", "pipx", "pkexec", "pnpm", "podman",
	"prlimit", "psql", "pwsh", "R", "rbash", "rlwrap", "Rscript", "rsync", "ruby", "runuser", "scp", "screen", "script", "sed", "setarch",
	"setpriv", "setsid", "sftp", "sg", "sh", "socat", "sqlite3", "ssh", "start-stop-daemon", "stdbuf", "strace", "su", "sudo", "systemd-run",
	"taskset", "tclsh", "tcsh", "telnet", "time", "timeout", "tmux", "toybox", "tsx", "unbuffer", "unshare", "uv", "uvx", "valgrind", "vi", "view", "vim",
	"vimdiff", "watch", "xargs", "xvfb-run", "yarn", "zsh", "at", "gvim", "nvim", "pico", "ts-node", "toolcrib", "kubectl", "ansible",
}

// runs reports whether a program is a runner, in any of its versions: python3.12.
func runs(program string) bool {
	name := path.Base(program)
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return true
	}
	bare := strings.TrimRight(name, "0123456789.-")
	return slices.Contains(runners, name) || slices.Contains(runners, bare)
}

// reaching are options of programs that mostly read by which they run another
// program or write a file. A * in a pattern doesn't stand for them: they have to
// be written out. Long ones begin with two dashes and may be shortened, and one
// letter may be anywhere in a bundle.
var reaching = map[string]struct {
	exact, long []string
	letters     string
}{
	"date": {long: []string{"--set"}, letters: "s"},
	"fd":   {long: []string{"--exec", "--exec-batch"}, letters: "xX"},
	"file": {long: []string{"--compile"}, letters: "C"},
	"find": {exact: []string{"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"}},
	"git": {
		long: []string{
			"--output", "--open-files-in-pager", "--ext-diff", "--textconv", "--upload-pack", "--receive-pack", "--exec", "--exec-path", "--config-env",
			"--config", "--template", "--git-dir", "--work-tree", "--no-index", "--contents", "--edit-description", "--paginate", "--filters",
		},
		letters: "O",
	},
	"go":   {exact: []string{"-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-o", "-C"}, long: []string{"--exec", "--toolexec", "--vettool", "--overlay", "--modfile"}},
	"rg":   {long: []string{"--pre", "--hostname-bin", "--search-zip"}, letters: "z"},
	"sort": {long: []string{"--output", "--compress-program", "--temporary-directory", "--files0-from"}, letters: "oT"},
	"tar": {
		long: []string{
			"--to-command", "--use-compress-program", "--checkpoint-action", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script",
			"--extract", "--get", "--create", "--append", "--update", "--delete", "--concatenate", "--catenate", "--remove-files", "--index-file", "--absolute-names",
		},
		letters: "IFxcruAP",
	},
	"tree": {long: []string{"--output"}, letters: "oR"},
	"wget": {long: []string{"--use-askpass", "--execute", "--config", "--output-document", "--output-file", "--append-output", "--post-file", "--body-file"}, letters: "eOoa"},
	"curl": {
		long: []string{
			"--output", "--output-dir", "--remote-name", "--remote-name-all", "--remote-header-name", "--config", "--upload-file", "--dump-header",
			"--trace", "--trace-ascii", "--stderr", "--cookie-jar", "--libcurl", "--engine", "--data", "--data-binary", "--form", "--etag-save", "--hsts", "--alt-svc",
		},
		letters: "oOJKTDcdF",
	},
	"zip":   {long: []string{"--unzip-command"}, letters: "T"},
	"gofmt": {exact: []string{"-w", "--w", "-cpuprofile"}},
}

// reaches reports whether a word is such an option of a program.
func reaches(program, word string) bool {
	r, known := reaching[path.Base(program)]
	if !known || len(word) < 2 || word[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(word, "=")
	if slices.Contains(r.exact, name) {
		return true
	}
	if !strings.HasPrefix(word, "--") {
		return strings.ContainsAny(word[1:], r.letters)
	}
	return len(name) > 2 && slices.ContainsFunc(r.long, func(long string) bool { return strings.HasPrefix(long, name) })
}

// commanders are programs whose first word says what they do, and whose options
// before it change what that is.
var commanders = []string{"git", "go", "hg", "svn", "apt", "apt-get", "brew", "systemctl", "gh", "helm", "terraform", "rustup", "dotnet", "bazel", "jj"}

// optionsFirst reports whether a first word is an option of such a program.
func optionsFirst(program, word string) bool {
	return strings.HasPrefix(word, "-") && slices.Contains(commanders, path.Base(program))
}
