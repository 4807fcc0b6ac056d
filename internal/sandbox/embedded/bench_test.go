package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

func benchRuntime(b *testing.B, pool int) *Runtime {
	b.Helper()
	r, err := New(Options{Exe: program(b), Pool: pool})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	return r
}

// settle waits until the pool is full, as it is when a model takes its time.
func settle(b *testing.B, r *Runtime, full int) {
	b.Helper()
	b.StopTimer()
	if _, err := r.Warm(b.Context()); err != nil {
		b.Fatal(err)
	}
	for r.Ready() < full {
		time.Sleep(time.Millisecond)
	}
	b.StartTimer()
}

func mustRun(b *testing.B, r *Runtime, s sandbox.Script, h sandbox.Host) sandbox.Outcome {
	b.Helper()
	out, err := r.Run(b.Context(), s, h)
	if err != nil || out.Failure != nil {
		b.Fatal(err, out.Failure)
	}
	return out
}

var threeCalls = sandbox.Script{
	Code: `const found = await host.search("invoices", {limit: 3});
const detail = await host.describe(found[0]);
const done = await host.call(detail, {id: 7});
return {detail, done};`,
	Functions: []string{"host.search", "host.describe", "host.call"},
}

// BenchmarkEmbeddedWarm is a body of three calls in a child that waits.
func BenchmarkEmbeddedWarm(b *testing.B) {
	r := benchRuntime(b, 2)
	for b.Loop() {
		settle(b, r, 2)
		mustRun(b, r, threeCalls, echo)
	}
}

// BenchmarkEmbeddedCold is the same with a child that is started for it.
func BenchmarkEmbeddedCold(b *testing.B) {
	r := benchRuntime(b, -1)
	for b.Loop() {
		mustRun(b, r, threeCalls, echo)
	}
}

// BenchmarkEmbeddedBusy is the same without a pause between scripts.
func BenchmarkEmbeddedBusy(b *testing.B) {
	r := benchRuntime(b, 2)
	for b.Loop() {
		mustRun(b, r, threeCalls, echo)
	}
}

// BenchmarkParallelCalls makes 16 calls of 50 ms at once.
func BenchmarkParallelCalls(b *testing.B) {
	r := benchRuntime(b, 2)
	slow := func(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		time.Sleep(50 * time.Millisecond)
		return args, nil
	}
	s := sandbox.Script{Code: "return (await Promise.all(Array.from({length: 16}, (_, i) => host.call(i)))).length", Functions: []string{"host.call"}}
	for b.Loop() {
		settle(b, r, 2)
		mustRun(b, r, s, slow)
	}
}

// BenchmarkKill is how long after its time is up a busy loop is gone.
func BenchmarkKill(b *testing.B) {
	const wall = 100 * time.Millisecond
	r := benchRuntime(b, 2)
	var late time.Duration
	for b.Loop() {
		settle(b, r, 2)
		started := time.Now()
		out, err := r.Run(b.Context(), sandbox.Script{Code: "for (;;);", Limits: sandbox.Limits{Wall: wall}}, nil)
		if err != nil || out.Failure == nil || out.Failure.Kind != sandbox.KindTimeout {
			b.Fatal(err, out.Failure)
		}
		late += time.Since(started) - wall
	}
	b.ReportMetric(float64(late.Microseconds())/1000/float64(b.N), "ms-late/op")
}

// BenchmarkWork is work on data within the script.
func BenchmarkWork(b *testing.B) {
	list := records(52000)
	words := wordList(100000)
	text, _ := json.Marshal(strings.Repeat("lorem ipsum 12345 dolor sit amet a@b.example ", 1<<20/45)) // a text can always be written
	answers := map[string]json.RawMessage{"data.list": list, "data.words": words, "data.text": text}
	h := func(_ context.Context, f string, _ json.RawMessage) (json.RawMessage, error) { return answers[f], nil }
	works := []struct{ name, code string }{
		{fmt.Sprintf("group %d MB", len(list)>>20), `const rows = await data.list(); const groups = {};
for (const r of rows.filter(r => r.open)) (groups[r.group] ??= []).push(r.size);
return Object.fromEntries(Object.entries(groups).map(([k, v]) => [k, v.reduce((a, b) => a + b, 0)]))`},
		{"sort 100000 texts", `return (await data.words()).sort().slice(0, 3)`},
		{"expression over 1 MB", `return (await data.text()).match(/[a-z]+@[a-z]+\.[a-z]+/g).length`},
		{"loop of 5 million", `let n = 0; for (let i = 0; i < 5e6; i++) n += i % 7; return n`},
	}
	for _, w := range works {
		b.Run(w.name, func(b *testing.B) {
			r := benchRuntime(b, 2)
			for b.Loop() {
				settle(b, r, 2)
				mustRun(b, r, sandbox.Script{Code: w.code, Functions: []string{"data.list", "data.words", "data.text"}}, h)
			}
		})
	}
}

// BenchmarkMemory reports what many scripts leave in the parent.
func BenchmarkMemory(b *testing.B) {
	r := benchRuntime(b, 2)
	mustRun(b, r, threeCalls, echo)
	before := heap()
	runs := 0
	for b.Loop() {
		mustRun(b, r, threeCalls, echo)
		runs++
	}
	b.ReportMetric(float64(int64(heap())-int64(before))/1024, "KiB-grown")
	b.ReportMetric(float64(runs), "runs")
}

func records(n int) json.RawMessage {
	var text strings.Builder
	text.WriteByte('[')
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":%d,"name":"record number %d","group":"g%d","size":%d,"open":%t,"note":"a few words"}`, i, i, i%17, i*7919%1000, i%3 == 0)
	}
	text.WriteByte(']')
	return json.RawMessage(text.String())
}

func wordList(n int) json.RawMessage {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%08x-%d", random.Uint32(), i)
	}
	text, _ := json.Marshal(words) // texts can always be written
	return text
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
