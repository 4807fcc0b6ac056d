package mcp

import (
	"strings"
	"testing"
)

func TestTellingLine(t *testing.T) {
	for _, c := range []struct{ name, stderr, want string }{
		{"node", "Error running script: Error: Cannot find module 'ajv'\nRequire stack:\n- /x/limit.js\n    at Module._load (node:internal:1)\n  code: 'X',\n}\n", "Error running script: Error: Cannot find module 'ajv'"},
		{"npm", "npm error code E404\nnpm error 404  'nothing@*' is not in this registry.\nnpm error A complete log of this run can be found in: /x.log", "npm error 404  'nothing@*' is not in this registry."},
		{"python", "Traceback (most recent call last):\n  File \"/x.py\", line 1, in <module>\nModuleNotFoundError: No module named 'y'", "ModuleNotFoundError: No module named 'y'"},
		{"go", "panic: out of cheese\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:3", "panic: out of cheese"},
		{"calm", "listening\nbye for now\n--\n", "bye for now"},
		{"signs", "}\n)\n", ")"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.FieldsFunc(c.stderr, func(r rune) bool { return r == '\n' })
			if got := telling(lines); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestIncompleteCopyOfNpx(t *testing.T) {
	broken := []string{"Error: Cannot find module 'ajv'", "- /home/me/.npm/_npx/5b2dd62b9d0bddd4/node_modules/ajv-formats/dist/limit.js"}
	if got := incomplete(broken); !strings.Contains(got, "delete /home/me/.npm/_npx/5b2dd62b9d0bddd4 and") {
		t.Errorf("what to do: %q", got)
	}
	for _, other := range [][]string{nil, {"Error: Cannot find module 'x'"}, {"/home/me/.npm/_npx/5b2dd62b9d0bddd4/x.js: out of cheese"}} {
		if got := incomplete(other); got != "" {
			t.Errorf("%q: %q", other, got)
		}
	}
}
