package attach

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPeek(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`:         "request n1 tools/call",
		`{"method":"a","id":"1"}`:                                "request s1 a",
		`{"method":"a","id":1.0}`:                                "request n1 a",
		`{"method":"a","id":"\u0061\""}`:                         `request sa" a`,
		`{"\u0069d":7,"me\u0074hod":"tools\/call"}`:              "request n7 tools/call",
		`{"id":1,"id":2,"method":"a","method":"b"}`:              "request n2 b",
		`{"params":{"id":9,"method":"x"},"method":"a"}`:          "notification  a",
		`{"method":"a","id":null}`:                               "notification  a",
		`{"method":"a","id":{"x":1}}`:                            "notification  a",
		`{"id":1,"result":null}`:                                 "response n1 ",
		`{"id":1,"error":{"code":1}}`:                            "response n1 ",
		`{"result":[{"id":2}],"id":-1.5e3}`:                      "response n-1500 ",
		`{"id":null,"error":{}}`:                                 "nothing  ",
		`{"id":3}`:                                               "nothing n3 ",
		`{}`:                                                     "nothing  ",
		`[{"id":1,"method":"a"},5,"x",{"id":2,"result":"]"},{}]`: "request n1 a|response n2 |nothing  ",
		"\t [ { \"id\" : 1 , \"method\" : \"a\" } , [ ] ] \r\n":  "request n1 a",
		`{"id":1,"method":"a"} {"id":2}`:                         "",
		`{"id":1,"method":"a"`:                                   "",
		`"x"`:                                                    "",
		``:                                                       "",
		`{"a":"\\","id":1,"b":"\"}","method":"c","d":[{"e":"]}"},{}]}`: "request n1 c",
	} {
		all, _ := peek([]byte(line))
		var got []string
		for _, m := range all {
			kind := "nothing"
			switch {
			case m.request():
				kind = "request"
			case m.notification():
				kind = "notification"
			case m.response():
				kind = "response"
			}
			got = append(got, kind+" "+m.key+" "+m.method)
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%s\n is %s\nwant %s", line, text, want)
		}
	}
}

// FuzzPeek: what is peeked is what a whole parser reads.
func FuzzPeek(f *testing.F) {
	for _, seed := range []string{
		hello, helloBack, ready, `[1,{"id":"x","method":"y","params":[]}]`, `{"id":1e400}`, `{"id":"\ud800","result":{}}`,
		`{"a":{"b":[1,"]"]},"method":"\\","params": {"requestId" :"\"" } }`, `[[[]]]`, `{"":{}}`, ` { } `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		all, batch := peek(line)
		var raws []json.RawMessage
		switch trimmed := bytes.TrimSpace(line); {
		case !json.Valid(trimmed) || len(trimmed) == 0:
		case trimmed[0] == '{':
			raws = []json.RawMessage{trimmed}
		case trimmed[0] == '[':
			var items []json.RawMessage
			if err := json.Unmarshal(trimmed, &items); err != nil {
				t.Fatal(err)
			}
			for _, item := range items {
				if item[0] == '{' {
					raws = append(raws, item)
				}
			}
			if !batch {
				t.Error("a batch was not seen as one")
			}
		}
		if len(all) != len(raws) {
			t.Fatalf("%d messages, want %d", len(all), len(raws))
		}
		for i, m := range all {
			agree(t, &m, raws[i])
		}
	})
}

// agree checks one message against encoding/json.
func agree(t *testing.T, m *message, raw json.RawMessage) {
	t.Helper()
	var want map[string]json.RawMessage
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.raw, raw) {
		t.Errorf("raw is %s, want %s", m.raw, raw)
	}
	var method string
	if json.Unmarshal(want["method"], &method) != nil {
		method = ""
	}
	if m.method != method {
		t.Errorf("method is %q, want %q", m.method, method)
	}
	if !bytes.Equal(m.params, want["params"]) || !bytes.Equal(m.result, want["result"]) {
		t.Errorf("params %s, result %s; want %s, %s", m.params, m.result, want["params"], want["result"])
	}
	if m.key != "" && !bytes.Equal(m.id, want["id"]) {
		t.Errorf("id is %s, want %s", m.id, want["id"])
	}
	var id string
	if json.Unmarshal(want["id"], &id) == nil && string(want["id"]) != "null" && m.key != "s"+id {
		t.Errorf("key is %q, want s%s", m.key, id)
	}
	requestIn(m.params) // must not panic
	subscriptionIn(m.params)
}

func BenchmarkPeek(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`{\"hits\":[1,2]}`, 500) + `"}]}}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if all, _ := peek(line); len(all) != 1 {
			b.Fatal(all)
		}
	}
}
