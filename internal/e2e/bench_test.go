package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkSearchInServe asks a running gateway over its control socket, one
// search after the other, with all recorded servers behind it.
func BenchmarkSearchInServe(b *testing.B) {
	h, names := recorded(b)
	g := h.serve()
	g.ready(names...)
	control := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", g.socket)
	}}}
	var bodies [][]byte
	for _, q := range everydayQueries {
		body, err := json.Marshal(object{"query": q.query})
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	var times []time.Duration
	ask := func(i int) {
		began := time.Now()
		resp, err := control.Post("http://toolcrib/api/search", "application/json", bytes.NewReader(bodies[i%len(bodies)]))
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Fatalf("search answered %s: %v", resp.Status, err)
		}
		times = append(times, time.Since(began))
	}
	ask(0) // the first one finds the index made
	times = nil
	i := 0
	for b.Loop() {
		ask(i)
		i++
	}
	reportMedian(b, times)
	b.ReportMetric(float64(memory(b, g.pid, "VmRSS")), "resident-KiB")
}

// BenchmarkSearchCommand runs the whole `toolcrib tools search` process: beside a
// gateway that runs, and alone with lists that are remembered.
func BenchmarkSearchCommand(b *testing.B) {
	b.Run("attached", func(b *testing.B) {
		h, names := recorded(b)
		h.serve().ready(names...)
		searchCommand(b, h)
	})
	b.Run("alone", func(b *testing.B) {
		h, _ := recorded(b)
		searchCommand(b, h)
	})
}

func searchCommand(b *testing.B, h *home) {
	h.finds("open an issue in gitlab", "mcp:gitlab:create_issue") // nothing is remembered before
	var times []time.Duration
	for b.Loop() {
		cmd := h.command("tools", "search", "open an issue in gitlab", "--json")
		cmd.Stderr = os.Stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	reportMedian(b, times)
}

func reportMedian(b *testing.B, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(times[len(times)*9/10].Microseconds())/1000, "p90-ms")
}
