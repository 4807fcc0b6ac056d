package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fake is a server's entry in the configuration: the test binary as an MCP
// server of the given kind.
func fake(t testing.TB, kind string) object {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return object{"command": self, "args": []string{"fake-" + kind}, "env": object{fakeEnv: kind}}
}

// request is one JSON-RPC message as a fake reads it.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Cursor    string
		Name      string
		Arguments json.RawMessage
	}
}

// peer is a fake server that writes its lines by hand, as foreign as they may be.
type peer struct {
	tools func(cursor string) string // the result of tools/list
	call  func(request) string       // the result of tools/call; "" for no answer
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// serve answers until stdin ends.
func (p peer) serve() int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		var r request
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		switch r.Method {
		case "initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}}`, r.ID)
		case "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, p.tools(r.Params.Cursor))
		case "tools/call":
			if result := p.call(r); result != "" {
				say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
			}
		default:
			if r.ID != nil {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, r.ID)
			}
		}
	}
}

const goodTool = `{"name":"water_plants","description":"Water the plants on the balcony","inputSchema":{"type":"object","properties":{"litres":{"type":"number"}},"required":["litres"]}}`

func listed(tools ...string) func(string) string {
	return func(string) string { return `{"tools":[` + strings.Join(tools, ",") + `]}` }
}

// echo answers with the arguments.
func echo(r request) string {
	text, _ := json.Marshal(r.Params.Name + " " + string(r.Params.Arguments))
	return `{"content":[{"type":"text","text":` + string(text) + `}]}`
}

// runFake is the body of a fake server.
func runFake(kind string) int {
	p := peer{tools: listed(goodTool), call: echo}
	switch kind {
	case "good":
	case "garbage":
		fmt.Print("Welcome!\n\x00\x01\xff not JSON\n[1,2]\n{\"jsonrpc\":\"2.0\"}\n")
		p.tools = listed(`{"name":"chatty","description":"Feed the parrot","inputSchema":{"type":"object"}}`)
		p.call = func(r request) string {
			fmt.Print("debug: called\n")
			return echo(r)
		}
	case "only-garbage":
		for i := range 1000 {
			fmt.Printf("<html>not a server, line %d</html>\n", i)
		}
		fmt.Fprintln(os.Stderr, "started the web site by mistake")
		return 1
	case "silent":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		return 0
	case "dies":
		p.tools = listed(`{"name":"detonate","description":"Blow up the bridge","inputSchema":{"type":"object"}}`)
		p.call = func(request) string {
			fmt.Fprintln(os.Stderr, "panic: out of cheese")
			os.Exit(3)
			return ""
		}
	case "hangs":
		p.tools = listed(`{"name":"ponder","description":"Think for ever about life","inputSchema":{"type":"object"}}`)
		p.call = func(request) string {
			fmt.Fprintln(os.Stderr, "pondering")
			return ""
		}
	case "many":
		p.tools = manyTools
	case "odd":
		p.tools = listed(oddTools()...)
	case "grows":
		p.tools, p.call = growing()
	case "shifty":
		p = shifty()
	case "shed":
		p = shed()
	case "yard":
		p = yard(yardTools)
	case "pier":
		return yard([]string{"moored", "berthed"}).serve()
	case "quay":
		return quay().serve()
	case "pit":
		return pit()
	case "stubborn":
		return stubborn(p)
	case "wordy":
		return wordy()
	case "sleeper":
		return sleep()
	case "slow":
		p.call = func(r request) string {
			time.Sleep(300 * time.Millisecond)
			return echo(r)
		}
	}
	return p.serve()
}

// stubborn serves, has a child, and neither ends when it is asked to nor when
// its input does.
func stubborn(p peer) int {
	child := exec.CommandContext(context.Background(), os.Args[0], "fake-child")
	child.Env = append(os.Environ(), fakeEnv+"=sleeper")
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.tools = listed(`{"name":"carry_load","description":"Carry a heavy load like a mule","inputSchema":{"type":"object"}}`)
	go p.serve()
	return sleep()
}

// sleep outlasts every test, and no request to end ends it.
func sleep() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	time.Sleep(10 * time.Minute)
	return 0
}

// manyCount is how many tools the server with many has.
const manyCount = 20_000

// manyTools lists them, 1,000 a page.
func manyTools(cursor string) string {
	from, _ := strconv.Atoi(cursor)
	to := min(from+1000, manyCount)
	var tools []string
	for i := from; i < to; i++ {
		tools = append(tools, fmt.Sprintf(`{"name":"open_valve_%05d","description":"Open valve number %d of the plant","inputSchema":{"type":"object","properties":{"turns":{"type":"integer"}}}}`, i, i))
	}
	next := ""
	if to < manyCount {
		next = fmt.Sprintf(`,"nextCursor":"%d"`, to)
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]` + next + `}`
}

// longText is a description of 34 kB.
var longText = strings.Repeat("Knits a very long scarf. ", 34*1024/25)

// oddTools are what real servers send and some programs choke on.
func oddTools() []string {
	return []string{
		`{"name":"knit_scarf","description":"` + longText + `","inputSchema":{"type":"object"}}`,
		`{"name":"climb_tree","description":"Climb a family tree","inputSchema":{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}},"loop":{"$ref":"#/$defs/loop"}}}}`,
		`{"name":"chase_tail","description":"Chase one's own tail","inputSchema":{"$ref":"#"}}`,
		`{"name":"fold_paper","description":"Fold a paper crane","inputSchema":{"properties":{"colour":{"type":"string"}}}}`,
		`{"name":17,"description":"A tool without a proper name","inputSchema":{"type":"object"}}`,
		`"not a tool at all"`,
		`{"name":"ring_bell","description":"Ring the old bell","inputSchema":{"type":"object"}}`,
	}
}

// growing offers another tool after each call, and says so.
func growing() (func(string) string, func(request) string) {
	n := 1
	list := func(string) string {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprintf(`{"name":"grow_%d","description":"Grow %s","inputSchema":{"type":"object"}}`, i, crops[i%len(crops)]))
		}
		return listed(tools...)("")
	}
	return list, func(r request) string {
		n++
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		return echo(r)
	}
}

// crops are what the growing server grows, in turn.
var crops = []string{"potatoes", "pumpkins", "rhubarb", "turnips"}
