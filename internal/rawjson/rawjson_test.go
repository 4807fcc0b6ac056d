package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembersAndElementsHaveTheirPlaces(t *testing.T) {
	text := []byte(` {"a" : 1.50e+2, "b":{"a":[1,"}"]}, "\u0063\"" : "x\\" } `)
	members, err := Members(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range members {
		got = append(got, m.Key+"="+string(text[m.From:m.To]))
	}
	if diff := cmp.Diff([]string{"a=1.50e+2", `b={"a":[1,"}"]}`, `c"="x\\"`}, got); diff != "" {
		t.Error(diff)
	}
	spans, err := Elements([]byte(`[ 1 ,[],{"x":2} ]`))
	if err != nil || len(spans) != 3 {
		t.Errorf("%v %v", spans, err)
	}
}

func TestTextThatIsNoJSONIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{}x`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":01}`, `{"a":tru}`, `{"a":"` + "\n" + `"}`, `{"a":"\x"}`, `{"a":"\u12g4"}`,
		`[1]`, `{"a":[1 2]}`, `{"a":[1}`, `{"a":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`,
	} {
		if _, err := Members([]byte(text)); err == nil {
			t.Errorf("%.40s is taken for an object", text)
		}
	}
}

func TestAnObjectIsChangedByTheBytes(t *testing.T) {
	for _, c := range []struct{ text, set, del, want string }{
		{`{}`, "x", "", `{"x":0}`},
		{`{ }`, "x", "", `{ "x":0}`},
		{`{"a":1, "b" : 2 }`, "b", "", `{"a":1, "b" : 0 }`},
		{`{"a":1, "b" : 2 }`, "x", "", `{"a":1, "b" : 2,"x":0 }`},
		{`{"a":1, "b" : 2 }`, "", "a", `{"b" : 2 }`},
		{`{"a":1, "b" : 2 }`, "", "b", `{"a":1 }`},
		{`{"a":1}`, "", "a", `{}`},
		{`{"a":1}`, "x", "a", `{"x":0}`},
		{`{"a":1,"b":2,"c":3}`, "x", "b", `{"a":1,"c":3,"x":0}`},
		{`{"a":1}`, "", "zz", `{"a":1}`},
	} {
		o, err := Open([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if c.set != "" {
			o.Set(c.set, []byte("0"))
		}
		if c.del != "" {
			o.Delete(c.del)
		}
		if got := string(o.Bytes()); got != c.want {
			t.Errorf("%s, %q set, %q out: %s, want %s", c.text, c.set, c.del, got, c.want)
		}
	}
}

func TestSeveralMembersAtTheFrontGo(t *testing.T) {
	o, err := Open([]byte(`{"a":1,"b":2,"c":3,"d":4}`))
	if err != nil {
		t.Fatal(err)
	}
	o.Delete("a")
	o.Delete("b")
	o.Delete("d")
	o.Set("c", []byte("0"))
	o.Set("e", []byte("5"))
	if got := string(o.Bytes()); got != `{"c":0,"e":5}` {
		t.Error(got)
	}
}

// What encoding/json takes for an object is one here and the other way round,
// and what is changed is JSON still, with the other members as they were.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, ` {"a":1,"tools":[{"x":"\u00e9"}],"b":-0.0e1}`, `{"tools":1,"tools":2}`, `{"a":"\ud800"}`, `[`, "{\"\xff\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(text, &want)
		o, err := Open(text)
		isObject := wantErr == nil && want != nil
		if isObject != (err == nil) {
			if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxDepth {
				return
			}
			t.Fatalf("encoding/json says %v, Members %v", wantErr, err)
		}
		if err != nil {
			return
		}
		o.Set("tools", []byte(`["new"]`))
		o.Delete("gone")
		changed := o.Bytes()
		if !json.Valid(changed) {
			t.Fatalf("%q became %q", text, changed)
		}
		if _, there := want["tools"]; !there {
			if got := Find(changed, "tools"); string(got) != `["new"]` {
				t.Fatalf("%q: %q", changed, got)
			}
		}
	})
}

func TestAnOutlineIsAsDeepAsWasAskedFor(t *testing.T) {
	text := []byte(` {"a":[{"b\u0062":{"c":"\u00e9"}}, 7 ], "d":{}, "a":1} `)
	n, err := Outline(text, 4)
	if err != nil {
		t.Fatal(err)
	}
	bb := n.Get("a").Kids[0].Get("bb")
	if got := string(bb.In(text)); got != `{"c":"\u00e9"}` || bb.Get("c").String(text) != "é" || string(n.Get("a").Kids[1].In(text)) != "7" {
		t.Errorf("%s", got)
	}
	if !n.Get("d").Is(text, '{') || n.Get("zz").Get("x").In(text) != nil || len(n.Kids) != 3 {
		t.Error("the outline has other members")
	}
	if n, err = Outline(text, 1); err != nil || n.Get("a").Kids != nil || string(n.Get("d").In(text)) != "{}" {
		t.Errorf("%v %+v", err, n)
	}
	o := n.Open(text)
	o.Set("d", []byte("0"))
	if got := string(o.Bytes()); got != ` {"a":[{"b\u0062":{"c":"\u00e9"}}, 7 ], "d":0, "a":1} ` {
		t.Error(got)
	}
}

// An outline takes what encoding/json takes, and its nodes are values.
func FuzzOutline(f *testing.F) {
	f.Add([]byte(`{"a":[{"b\u0062":{"c":1}}, 7 ], "d":{}}`))
	f.Add([]byte(`[[[[[[`))
	f.Add([]byte(` "x" `))
	f.Fuzz(func(t *testing.T, text []byte) {
		for levels := range 5 {
			n, err := Outline(text, levels)
			if (err == nil) != json.Valid(text) && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= maxDepth {
				t.Fatalf("%q: %v", text, err)
			}
			if err == nil {
				check(t, text, &n)
			}
		}
	})
}

func check(t *testing.T, text []byte, n *Node) {
	if !json.Valid(n.In(text)) {
		t.Fatalf("%q in %q is no value", n.In(text), text)
	}
	for i := range n.Kids {
		check(t, text, &n.Kids[i])
	}
}
