package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// approvalLine is what `approvals list` and `history` tell of one.
type approvalLine struct {
	ID, Title, Tool, Rule, Severity string
	Decisions                       []string
	Args                            json.RawMessage
	Decision, By, Reason            string
	Asked                           time.Time
}

// grantLine is what `approvals grants` tells of one.
type grantLine struct {
	ID, Agent, Tool, Rule string
	Uses                  int
}

// guarded is a configuration in which each call of the good server is asked about.
func guarded(t testing.TB, rules ...object) object {
	config := servers(object{"good": fake(t, "good")})
	config["tools"].(object)["approvals"] = rules
	return config
}

func (h *home) waitingApprovals() []approvalLine {
	h.t.Helper()
	return answer[struct{ Approvals []approvalLine }](h, "approvals", "list").Approvals
}

// asked waits until a call waits for an approval.
func (h *home) asked() (q approvalLine) {
	h.t.Helper()
	eventually(h.t, "a call waits for an approval", func() bool {
		list := h.waitingApprovals()
		if len(list) > 0 {
			q = list[0]
		}
		return len(list) > 0
	})
	return q
}

func (h *home) approvalHistory() []approvalLine {
	h.t.Helper()
	return answer[struct{ Approvals []approvalLine }](h, "approvals", "history").Approvals
}

func (h *home) grants() []grantLine {
	h.t.Helper()
	return answer[struct{ Grants []grantLine }](h, "approvals", "grants").Grants
}

// watering calls a tool in the background and returns what gives its outcome.
func (h *home) watering() func() outcome {
	done := make(chan outcome, 1)
	go func() { done <- h.run("tools", "call", "mcp:good:water_plants", "litres=1") }()
	return func() outcome { return <-done }
}

// control sends a request to the control socket.
func (r *running) control(method, path, token, body string) (int, string, error) {
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.socket)
	}}
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://toolcrib"+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

// admin is the admin token, which the gateway wrote.
func (r *running) admin() string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, "s", "toolcrib", "admin.token"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// resolve answers over the socket, and returns the status and the answer.
func (r *running) resolve(id, decision string) (int, string) {
	r.t.Helper()
	code, body, err := r.control("POST", "/api/approvals/"+id, r.admin(), fmt.Sprintf(`{"decision":%q}`, decision))
	if err != nil {
		r.t.Fatal(err)
	}
	return code, body
}

// resolves is resolve for an answer that must count.
func (r *running) resolves(id, decision string) {
	r.t.Helper()
	if code, body := r.resolve(id, decision); code != http.StatusOK {
		r.t.Errorf("answering %s: %d %s", decision, code, body)
	}
}

// TestApprovalOverTheSocket: without the admin token nobody answers, with it the
// first offered answer counts, and what doesn't says why.
func TestApprovalOverTheSocket(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{"match": "good__*", "decisions": []string{"allow-once"}, "severity": "critical", "title": "Water the plants?"}))
	g := h.serve()
	g.ready("good")
	call := h.watering()
	q := h.asked()
	if q.Title != "Water the plants?" || q.Tool != "mcp:good:water_plants" || q.Rule != "tools.approvals[0]" || q.Severity != "critical" || string(bytes.ReplaceAll(q.Args, []byte(" "), nil)) != "{\n\"litres\":1\n}" {
		t.Errorf("asked %+v with %s", q, q.Args)
	}
	for _, token := range []string{"", "wrong"} {
		if code, body, err := g.control("POST", "/api/approvals/"+q.ID, token, `{"decision":"allow-once"}`); err != nil || code != http.StatusUnauthorized {
			t.Errorf("token %q: %d %s %v", token, code, body, err)
		}
	}
	for decision, says := range map[string]string{"allow-always": "is not offered", "": "is not offered", "yes": "is not offered"} {
		if code, body := g.resolve(q.ID, decision); code != http.StatusBadRequest || !strings.Contains(body, says) {
			t.Errorf("%q: %d %s", decision, code, body)
		}
	}
	if code, body := g.resolve("nothing", "allow-once"); code != http.StatusNotFound {
		t.Errorf("an unknown one: %d %s", code, body)
	}
	g.resolves(q.ID, "allow-once")
	if o := call(); o.code != 0 || !strings.Contains(o.stdout, "litres") {
		t.Errorf("the call: %+v", o)
	}
	if code, body := g.resolve(q.ID, "deny"); code != http.StatusBadRequest || !strings.Contains(body, "settled already (allow-once by an operator") {
		t.Errorf("the second answer: %d %s", code, body)
	}
	for method, path := range map[string]string{"PUT": "/api/approvals/" + q.ID, "POST": "/api/approvals/events"} {
		if code, body, err := g.control(method, path, g.admin(), `{"decision":"deny"}`); err != nil || code/100 != 4 {
			t.Errorf("%s %s: %d %s %v", method, path, code, body, err)
		}
	}
}

// TestApprovalRefusals: a no, no answer and a caller who goes away; none runs.
func TestApprovalRefusals(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	call := h.watering()
	g.resolves(h.asked().ID, "deny")
	if o := call(); o.code != 5 {
		t.Errorf("denied: %+v", o)
	} else {
		mentions(t, o.stderr, "tools.approvals[0]", "an operator denied it", "did not run")
	}
	cmd := h.command("tools", "call", "mcp:good:water_plants", "litres=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := h.asked().ID
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "the question ends with its caller", func() bool { return len(h.waitingApprovals()) == 0 })
	if code, body := g.resolve(id, "allow-once"); code != http.StatusBadRequest || !strings.Contains(body, "the caller went away") {
		t.Errorf("after the caller went away: %d %s", code, body)
	}
	// Rules take effect while it runs.
	h.write(guarded(t, object{"timeoutMs": 1000}))
	o := h.run("tools", "call", "mcp:good:water_plants", "litres=1")
	if o.code != 5 {
		t.Errorf("nobody answered: %+v", o)
	}
	mentions(t, o.stderr, "nobody answered within 1s", "did not run")
	h.write(guarded(t, object{"match": "something_else"}))
	h.ok("tools", "call", "mcp:good:water_plants", "litres=1")
	var reasons []string
	for _, s := range h.approvalHistory() {
		reasons = append(reasons, s.Decision+" "+s.By+" "+s.Reason)
	}
	if got, want := strings.Join(reasons, "; "), "deny toolcrib nobody answered within 1s; deny toolcrib the caller went away; deny an operator "; got != want {
		t.Errorf("history: %s, want %s", got, want)
	}
}

// TestNoTerminalNoAnswer: what a model runs has no terminal, and can't say yes to itself.
func TestNoTerminalNoAnswer(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	call := h.watering()
	id := h.asked().ID
	for _, device := range []string{os.DevNull, "/dev/zero"} {
		in, err := os.Open(device)
		if err != nil {
			t.Skip(err)
		}
		out, err := os.OpenFile(device, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := h.command("approvals", "resolve", id, "allow-once")
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 5 {
			t.Errorf("at %s it ended with %v: %s", device, err, said.String())
		}
		mentions(t, said.String(), "no terminal")
		in.Close()
		out.Close()
	}
	h.fails(5, []string{"no terminal"}, "approvals", "resolve", id, "allow-once", "--json")
	h.fails(2, []string{"unknown flag"}, "approvals", "resolve", id, "allow-once", "--force")
	if len(h.waitingApprovals()) != 1 {
		t.Error("it was answered")
	}
	g.resolves(id, "deny")
	call()
}

// TestKilledWhileAsking: after kill -9 a question that waited is settled as denied,
// and can be seen in the history; nothing that is answered afterwards counts.
func TestKilledWhileAsking(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serveUnwatched()
	g.ready("good")
	call := h.watering()
	q := h.asked()
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-g.ended
	if o := call(); o.code != 6 {
		t.Errorf("the call ended with %+v", o)
	}
	// Who only looks, without a gateway, sees it too.
	if past := h.approvalHistory(); len(past) != 1 || past[0].ID != q.ID || past[0].Decision != "deny" || past[0].Reason != "the gateway was restarted" {
		t.Errorf("history: %+v", past)
	}
	next := h.serve()
	next.ready("good")
	if list := h.waitingApprovals(); len(list) != 0 {
		t.Errorf("it still waits: %+v", list)
	}
	if code, body := next.resolve(q.ID, "allow-once"); code != http.StatusBadRequest || !strings.Contains(body, "the gateway was restarted") {
		t.Errorf("answering it now: %d %s", code, body)
	}
}

// TestAlwaysOutlivesTheGateway: an answer for always holds after a restart, until it is taken back.
func TestAlwaysOutlivesTheGateway(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serveUnwatched()
	g.ready("good")
	call := h.watering()
	g.resolves(h.asked().ID, "allow-always")
	if o := call(); o.code != 0 {
		t.Errorf("%+v", o)
	}
	g.end()
	// Another rule in front moves the first one, and with it what was said to it.
	h.write(guarded(t, object{"match": "nothing"}, object{}))
	g = h.serve()
	g.ready("good")
	h.ok("tools", "call", "mcp:good:water_plants", "litres=2")
	list := h.grants()
	if len(list) != 1 || list[0].Uses != 1 || list[0].Tool != "mcp:good:water_plants" || list[0].Agent != "main" {
		t.Fatalf("grants: %+v", list)
	}
	h.fails(4, []string{"no grant"}, "approvals", "revoke", "nothing")
	h.ok("approvals", "revoke", list[0].ID)
	if left := h.grants(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	call = h.watering()
	g.resolves(h.asked().ID, "deny")
	if o := call(); o.code != 5 {
		t.Errorf("after it was taken back: %+v", o)
	}
}

// TestApprovalsOfAClient: a client hears at once that its call waits, gets the
// refusal as a result, and without anybody to ask it at once.
func TestApprovalsOfAClient(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	p := h.hello("--attach=always")
	p.knows("water plants", "mcp:good:water_plants")
	id := fmt.Sprint(p.send("tools/call", `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":{"litres":1}},"_meta":{"progressToken":"p1"}}`))
	m := p.hear("progress", func(m message) bool { return m.Method == "notifications/progress" })
	_ = m
	q := h.asked()
	g.resolves(q.ID, "deny")
	m = p.hear("the answer", func(m message) bool { return string(m.ID) == id })
	var r toolResult
	decode(t, string(m.Result), &r)
	if !r.IsError {
		t.Errorf("denied: %s", m.Result)
	}
	mentions(t, r.text(), "blocked", "tools.approvals[0]", "an operator denied it")
	p.hangUp()

	alone := newHome(t, guarded(t, object{}))
	p = alone.hello("--attach=never")
	p.knows("water plants", "mcp:good:water_plants")
	if r := p.use("mcp:good:water_plants", `{"litres":1}`); !r.IsError || !strings.Contains(r.text(), "there is nobody to ask") {
		t.Errorf("alone: %+v", r)
	}
	p.hangUp()
}

// TestCodeWaitsLongerThanItMayRun: a body's time doesn't count while a person is asked.
func TestCodeWaitsLongerThanItMayRun(t *testing.T) {
	t.Parallel()
	config := guarded(t, object{})
	config["tools"].(object)["toolSearch"] = object{"mode": "code", "codeTimeoutMs": 1000, "codeIsolation": "process"}
	h := newHome(t, config)
	g := h.serve()
	g.ready("good")
	script := h.script(`const r = await openclaw.tools.call("mcp:good:water_plants", {litres: 1}); return r.result.content.length`)
	done := make(chan outcome, 1)
	go func() {
		done <- h.run("code", "run", script)
	}()
	q := h.asked()
	eventually(t, "more time passes than the body has", func() bool { return time.Since(q.Asked) > 2500*time.Millisecond })
	g.resolves(q.ID, "allow-once")
	if o := <-done; o.code != 0 {
		t.Errorf("%+v\n%s", o, g.log)
	}
}

// TestAThousandApprovals: a thousand calls wait at the same time, and each gets its own answer.
func TestAThousandApprovals(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens a thousand connections")
	}
	const n = 1000
	config := guarded(t, object{})
	h := newHome(t, config)
	g := h.serve("--demo")
	g.ready("good")
	codes := make(chan int, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() {
			code, _, err := g.control("POST", "/api/call", "", fmt.Sprintf(`{"id":"mcp:good:water_plants","args":{"litres":%d}}`, i))
			if err != nil {
				t.Error(err)
			}
			codes <- code
		})
	}
	var list []approvalLine
	eventually(t, "a thousand wait", func() bool {
		list = h.waitingApprovals()
		return len(list) == n || t.Failed()
	})
	even := func(q approvalLine) bool {
		var args struct{ Litres int }
		decode(t, string(q.Args), &args)
		return args.Litres%2 == 0
	}
	var answers sync.WaitGroup
	gate := make(chan struct{}, 32)
	admin := g.admin()
	for _, q := range list {
		decision := `{"decision":"deny"}`
		if even(q) {
			decision = `{"decision":"allow-once"}`
		}
		answers.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			if code, body, err := g.control("POST", "/api/approvals/"+q.ID, admin, decision); err != nil || code != http.StatusOK {
				t.Errorf("%d %s %v", code, body, err)
			}
		})
	}
	answers.Wait()
	calls.Wait()
	close(codes)
	counts := map[int]int{}
	for code := range codes {
		counts[code]++
	}
	if counts[http.StatusOK] != n/2 || counts[http.StatusForbidden] != n/2 {
		t.Errorf("the calls were answered with %v", counts)
	}
}

// TestApprovalEvents: a stream tells of what waits and of what becomes of it, and
// ends with the gateway.
func TestApprovalEvents(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serveUnwatched()
	g.ready("good")
	call := h.watering()
	first := h.asked()
	cmd := h.command("approvals", "watch", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() (kind, id string) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("the stream ended")
		}
		var e struct {
			Kind     string
			Approval approvalLine
		}
		decode(t, lines.Text(), &e)
		return e.Kind, e.Approval.ID
	}
	if kind, id := next(); kind != "asked" || id != first.ID {
		t.Errorf("first: %s %s", kind, id)
	}
	if kind, _ := next(); kind != "ready" {
		t.Errorf("then: %s", kind)
	}
	g.resolves(first.ID, "allow-always")
	if kind, id := next(); kind != "settled" || id != first.ID {
		t.Errorf("then: %s %s", kind, id)
	}
	call()
	h.ok("tools", "call", "mcp:good:water_plants", "litres=1")
	if kind, _ := next(); kind != "granted" {
		t.Errorf("then: %s", kind)
	}
	g.end()
	if lines.Scan() {
		t.Errorf("after the end: %s", lines.Text())
	}
	if err := cmd.Wait(); err == nil {
		t.Error("watch ended well, though the gateway is gone")
	} else if exit := (interface{ ExitCode() int })(nil); errors.As(err, &exit) && exit.ExitCode() != 6 {
		t.Errorf("watch ended with %d", exit.ExitCode())
	}
}
