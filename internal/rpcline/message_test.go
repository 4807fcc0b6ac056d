package rpcline

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                "n1 ping",
		` {"jsonrpc":"2.0","id":"1","method":"ping"} `:            "s1 ping",
		`{"jsonrpc":"2.0","id":1e2,"method":"ping"}`:              "n100 ping",
		`{"jsonrpc":"2.0","id":-0,"method":"ping"}`:               "n0 ping",
		`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`: "n9007199254740991 ping",
		`{"jsonrpc":"2.0","method":"notifications/x"}`:            " notifications/x",
		`{"jsonrpc":"2.0","id":null,"method":"notifications/x"}`:  " notifications/x",
		`{"jsonrpc":"2.0","id":3,"result":null}`:                  "n3 ",
		`{"jsonrpc":"2.0","id":3,"error":"x"}`:                    "n3 ",
		`{nope`:                                                   "-32700 null not JSON",
		``:                                                        "-32700 null not JSON",
		`{} {}`:                                                   "-32700 null not JSON",
		`1`:                                                       "-32600 null no message",
		`null`:                                                    "-32600 null no message",
		`[]`:                                                      "-32600 null batches are not supported",
		`[{"jsonrpc":"2.0","id":50,"method":"ping"}]`: "-32600 null batches are not supported",
		`{}`:                              "-32600 null neither",
		`{"id":51,"method":"tools/list"}`: `-32600 51 "2.0"`,
		`{"jsonrpc":2.0,"id":51,"method":"tools/list"}`:           `-32600 51 "2.0"`,
		`{"jsonrpc":"1.0","id":"a","method":"tools/list"}`:        `-32600 "a" "2.0"`,
		`{"jsonrpc":"2.0","id":4,"method":7}`:                     `-32600 4 must be a string`,
		`{"jsonrpc":"2.0","id":4,"method":null}`:                  `-32600 4 must be a string`,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:             "-32600 null whole number",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:               "-32600 null whole number",
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:              "-32600 null whole number",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:              "-32600 null whole number",
		`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`:            "-32600 null whole number",
		`{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`: "-32600 null whole number",
		`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`:         "-32600 null whole number",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:             "-32600 null must not be null",
		`{"jsonrpc":"2.0","id":5}`:                                "-32600 null neither",
		`{"jsonrpc":"2.0","id":true,"result":{}}`:                 "-32600 null no id",
		`{"id":5,"result":{}}`:                                    `-32600 null "2.0"`,
	} {
		m, refused := Read([]byte(line))
		if refused == nil {
			if got := m.Key + " " + m.Method; got != want {
				t.Errorf("%s is %q, want %q", line, got, want)
			}
			continue
		}
		var answer struct {
			ID    json.RawMessage
			Error struct {
				Code    json.Number
				Message string
			}
		}
		if err := json.Unmarshal(refused.Line(), &answer); err != nil {
			t.Fatalf("%v in %s", err, refused.Line())
		}
		if !strings.HasPrefix(want, answer.Error.Code.String()+" "+string(answer.ID)+" ") ||
			!strings.Contains(answer.Error.Message, strings.SplitN(want, " ", 3)[2]) {
			t.Errorf("%s is answered by %s, want %s", line, refused.Line(), want)
		}
	}
}
