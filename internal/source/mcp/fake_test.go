package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeEnv switches the test binary into a server: its value names the behaviour.
const fakeEnv = "TOOLCRIB_FAKE_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(fakeEnv); kind != "" {
		os.Exit(runFake(kind))
	}
	os.Exit(m.Run())
}

// fake returns a server that runs the test binary as a fake.
func fake(t *testing.T, name, kind string, args ...string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: name, Command: self, Args: args, Env: map[string]string{fakeEnv: kind}, Enabled: true, Timeout: 20 * time.Second}
}

// line is one JSON-RPC request as a raw fake sees it.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// raw is a fake that writes its answers by hand, as foreign as they may be.
type raw struct {
	tools  string // the content of "tools"
	list   func(cursor string) string
	call   func(r raw, l line) string // the result; "" for no answer
	banner string
	deaf   bool // dies of a method that it doesn't know
}

// send writes a line.
func send(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// serve answers until stdin ends.
func (r raw) serve() int {
	if r.banner != "" {
		fmt.Println(r.banner)
	}
	return r.answer(bufio.NewReaderSize(os.Stdin, 1<<20))
}

// answer answers what comes.
func (r raw) answer(in *bufio.Reader) int {
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var l line
		if json.Unmarshal([]byte(text), &l) != nil {
			continue
		}
		switch l.Method {
		case "initialize":
			send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}}`, l.ID)
		case "tools/list":
			var p struct{ Cursor string }
			_ = json.Unmarshal(l.Params, &p)
			if r.list != nil {
				send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, l.ID, r.list(p.Cursor))
			} else {
				send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, l.ID, r.tools)
			}
		case "tools/call":
			if res := r.call(r, l); res != "" {
				send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, l.ID, res)
			}
		case "notifications/cancelled":
			fmt.Fprintf(os.Stderr, "was cancelled: %s\n", l.Params)
		default:
			if r.deaf && l.ID != nil {
				fmt.Fprintln(os.Stderr, "unknown method "+l.Method)
				return 2
			}
			if l.ID != nil {
				send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, l.ID)
			}
		}
	}
}

const echoTool = `{"name":"echo","description":"says it again","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`

// echoCall answers with its arguments.
func echoCall(_ raw, l line) string {
	var p struct{ Arguments json.RawMessage }
	_ = json.Unmarshal(l.Params, &p)
	text, _ := json.Marshal(string(p.Arguments))
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
}

// runFake is the body of a fake server.
func runFake(kind string) int {
	r := raw{tools: echoTool, call: echoCall}
	kind, arg, _ := strings.Cut(kind, "=")
	switch kind {
	case "sdk":
		return serveSDK()
	case "silent":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		return 0
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot find module: s3cret")
		code, _ := strconv.Atoi(arg)
		return code
	case "slow":
		d, _ := time.ParseDuration(arg)
		time.Sleep(d)
	case "garbage":
		r.banner = "Welcome to fake\n\x00\x01\xff not json\n{\"log\": 1}\n[1,2]\n{\"jsonrpc\":\"2.0\"}\n"
		r.call = func(r raw, l line) string {
			fmt.Println("debug: called")
			fmt.Print("progress... ")
			return echoCall(r, l)
		}
	case "dies":
		r.call = func(raw, line) string {
			fmt.Fprintln(os.Stderr, "panic: out of cheese")
			os.Exit(3)
			return ""
		}
	case "hangs":
		r.call = func(raw, line) string { return "" }
	case "exact":
		r.tools = exactTool
		r.call = func(raw, line) string { return exactResult }
	case "result":
		r.call = func(raw, line) string { return arg }
	case "malformed":
		r.tools = malformedTools
	case "many":
		r.list = manyTools
	case "loop":
		r.list = func(cursor string) string { return `{"tools":[` + echoTool + `],"nextCursor":"again"}` }
	case "changes":
		r.list, r.call = changing()
	case "noisy":
		for i := range 40_000 {
			fmt.Fprintf(os.Stderr, "line %d %s\n", i, strings.Repeat("x", 60))
		}
		fmt.Fprintln(os.Stderr, strings.Repeat("y", 1<<20))
	case "progress":
		r.call = progressCall
	case "environ":
		r.call = func(raw, line) string {
			text, _ := json.Marshal(strings.Join(os.Environ(), "\n"))
			return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
		}
	case "pid":
		r.call = func(raw, line) string { return fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid()) }
	case "gate":
		r.call = func(r raw, l line) string {
			fmt.Fprintln(os.Stderr, "waits at the gate")
			for _, err := os.Stat(arg); err != nil; _, err = os.Stat(arg) {
				time.Sleep(5 * time.Millisecond)
			}
			return echoCall(r, l)
		}
	case "two":
		r.tools += `,{"name":"pid","inputSchema":{"type":"object"}}`
		r.call = func(raw, line) string { return fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, os.Getpid()) }
	case "no-discover":
		r.deaf = true
	case "asks":
		r.call = asksCall
	case "mute-discover":
		return serveMuteDiscover()
	case "gateway":
		return serveGateway(arg)
	case "family":
		startFamily(arg)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		r.serve()
		select {}
	}
	return r.serve()
}

const exactTool = `{"name":"exact","title":"Exact","description":"d","inputSchema":{"type":"object","x":12345678901234567890.10, "properties":{"b":{},"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}},"outputSchema":{"type":"object"},"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":"odd"},"_meta":{"vendor/x":1e400},"later":1}`

const exactResult = `{"content":[{"type":"hologram","beam":12345678901234567890.10,"z":1},{"type":"text","text":"\u003chi\u003e"}],"structuredContent":{"n":12345678901234567890,"e":1e400},"_meta":{"k":1}}`

const malformedTools = `{"name":"first","inputSchema":{"type":"object"}},` +
	`{"name":7,"inputSchema":{}},` +
	`{"name":"badschema","inputSchema":"nope"},` +
	`null,` + `"text",` + `{"name":"  "},` + `{"inputSchema":{}},` +
	`{"name":"noschema"},` +
	`{"name":"oddparts","description":5,"title":[],"annotations":3,"outputSchema":true,"_meta":null,"inputSchema":{}},` +
	`{"name":"twice","description":"old","inputSchema":{}},` +
	`{"name":"twice","description":"new","inputSchema":{}},` +
	`{"name":"last","inputSchema":{"type":"object"}}`

// manyTools lists 20,003 tools, 1,000 a page, one of them with a long text.
func manyTools(cursor string) string {
	from, _ := strconv.Atoi(cursor)
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	to := min(from+1000, 20_003)
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		text := "a tool"
		if i == 17 {
			text = strings.Repeat("long ", 34*1024/5)
		}
		fmt.Fprintf(&b, `{"name":"tool_%05d","description":%q,"inputSchema":{"type":"object"}}`, i, text)
	}
	b.WriteString(`]`)
	if to < 20_003 {
		fmt.Fprintf(&b, `,"nextCursor":"%d"`, to)
	}
	b.WriteString(`}`)
	return b.String()
}

// changing offers one tool more after each call.
func changing() (func(string) string, func(raw, line) string) {
	n := 1
	list := func(string) string {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprintf(`{"name":"echo%d","inputSchema":{}}`, i))
		}
		return `{"tools":[` + strings.Join(tools, ",") + `]}`
	}
	return list, func(raw, line) string {
		n++
		for range 5 {
			send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		return `{"content":[]}`
	}
}

// progressCall reports twice under its own token and once under others.
func progressCall(r raw, l line) string {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(l.Params, &p)
	send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":999999,"progress":9}}`)
	if p.Meta.Token != nil {
		send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"total":2,"message":"half"}}`, p.Meta.Token)
		send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":2,"total":2}}`, p.Meta.Token)
	}
	return echoCall(r, l)
}

// asksCall asks the client for what it didn't offer, before it answers.
func asksCall(r raw, l line) string {
	send(`{"jsonrpc":"2.0","id":"q1","method":"roots/list"}`)
	send(`{"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}`)
	in := bufio.NewReader(os.Stdin)
	var got []string
	for range 2 {
		text, _ := in.ReadString('\n')
		got = append(got, strings.TrimSpace(text))
	}
	text, _ := json.Marshal(strings.Join(got, "\n"))
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
}

// serveMuteDiscover never answers server/discover, as some old servers do.
func serveMuteDiscover() int {
	in := bufio.NewReader(os.Stdin)
	text, _ := in.ReadString('\n')
	if !strings.Contains(text, "server/discover") {
		return 9
	}
	return raw{tools: echoTool, call: echoCall}.answer(in)
}

// sdkServer is a server of the official SDK with an echo and a slow tool. Its
// calls end with life at the latest: a cancellation that overtakes its call over
// HTTP is lost, and then the SDK ends neither the call nor, as long as that
// runs, the session or the HTTP server.
func sdkServer(life context.Context) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "2"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "says it again"}, func(_ context.Context, _ *sdk.CallToolRequest, a in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "steps"}, func(ctx context.Context, r *sdk.CallToolRequest, a in) (*sdk.CallToolResult, any, error) {
		for i := range 3 {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3})
			}
		}
		return &sdk.CallToolResult{}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ in) (*sdk.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
		case <-life.Done():
		}
		return nil, nil, context.Canceled
	})
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(_ context.Context, r *sdk.CallToolRequest, _ in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &sdk.ElicitParams{Message: "who?"}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		sdk.AddTool(s, &sdk.Tool{Name: "added"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return &sdk.CallToolResult{}, nil, nil
	})
	return s
}

// serveSDK runs it over stdio.
func serveSDK() int {
	if err := sdkServer(context.Background()).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
