//go:build linux

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
	"github.com/toolcrib/toolcrib/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	Child(os.Args)
	for arg, main := range map[string]func([]string) error{trialArg: trialMain, parentArg: parentMain} {
		if len(os.Args) > 2 && os.Args[1] == arg {
			fmt.Println("error:", main(os.Args[2:]))
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// found lists the machine's Nodes: that of PATH, and those in the folder
// that TOOLCRIB_NODE_VERSIONS names, by default .cache/npm-node of the module.
func found(t testing.TB) map[string]string {
	t.Helper()
	if r := fence.Probe(); !r.Files {
		t.Skipf("this machine can't fence Node in: %+v", r.Pieces)
	}
	nodes := map[string]string{}
	if path, err := find("node", os.Getenv("PATH")); err == nil {
		nodes["system"] = path
	}
	folder := os.Getenv("TOOLCRIB_NODE_VERSIONS")
	if folder == "" {
		folder = "../../../.cache/npm-node"
	}
	more, err := filepath.Glob(filepath.Join(folder, "*", "node_modules", "node-linux-*", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range more {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := ask(path); err == nil {
			nodes[v.String()] = path
		}
	}
	if len(nodes) == 0 {
		t.Skip("no Node found: install one, or name a folder of versions by TOOLCRIB_NODE_VERSIONS")
	}
	return nodes
}

// each runs a test with every Node.
func each(t *testing.T, test func(t *testing.T, r *Runtime)) {
	t.Helper()
	for name, path := range found(t) {
		t.Run(name, func(t *testing.T) {
			r, err := New(Options{Node: path, Pool: 2})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, r)
		})
	}
}

func TestContract(t *testing.T) {
	each(t, func(t *testing.T, r *Runtime) { sandboxtest.Run(t, r) })
}

func TestEscapes(t *testing.T) {
	each(t, func(t *testing.T, r *Runtime) { sandboxtest.Escapes(t, r) })
}

func TestAbuse(t *testing.T) {
	each(t, func(t *testing.T, r *Runtime) { sandboxtest.Abuse(t, r) })
}

func TestItIsFencedIn(t *testing.T) {
	each(t, func(t *testing.T, r *Runtime) {
		report, err := r.Warm(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !report.Kernel {
			t.Errorf("not fenced in: %+v", report)
		}
	})
}

func echo(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
	return args, nil
}

// BenchmarkNodeCold is a body of three calls in a Node that is started for it.
func BenchmarkNodeCold(b *testing.B) { benchmark(b, -1) }

// BenchmarkNodeWarm is the same in a Node that waits.
func BenchmarkNodeWarm(b *testing.B) { benchmark(b, 2) }

func benchmark(b *testing.B, pool int) {
	s := sandbox.Script{Code: `const found = await host.search("invoices", {limit: 3});
const detail = await host.describe(found[0]);
const done = await host.call(detail, {id: 7});
return {detail, done};`, Functions: []string{"host.search", "host.describe", "host.call"}}
	for name, path := range found(b) {
		b.Run(name, func(b *testing.B) {
			r, err := New(Options{Node: path, Pool: pool})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			for b.Loop() {
				if pool > 0 {
					b.StopTimer()
					if _, err := r.Warm(b.Context()); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				out, err := r.Run(b.Context(), s, echo)
				if err != nil || out.Failure != nil {
					b.Fatal(err, out.Failure)
				}
			}
		})
	}
}
