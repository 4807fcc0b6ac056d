package signature

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzScan compares reading in place with encoding/json, for every JSON object
// and array; on other bytes it must only come to an end.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a":1,"b\u0062":{"c":[1,"]}",{}]}, "a" : null }`))
	f.Add([]byte(`[ "\\\"", -1.5e3, [true], {"x":"}"} ]`))
	f.Add([]byte("{\"\xff\xfe\":\"\xff\"}"))
	f.Add([]byte(`{"a"`))
	f.Add([]byte(`[1,,2`))
	f.Fuzz(func(t *testing.T, data []byte) {
		members, elements := map[string]string{}, []string{}
		for name, v := range value(data).members() {
			members[name] = string(v)
		}
		for v := range value(data).elements() {
			elements = append(elements, string(v))
		}
		if skipSpace(data, 0) != 0 || !json.Valid(data) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && object != nil {
			want := map[string]string{}
			for name, v := range object {
				want[name] = string(v)
			}
			if diff := cmp.Diff(want, members); diff != "" {
				t.Fatalf("members (-want +got):\n%s", diff)
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && list != nil {
			want := []string{}
			for _, v := range list {
				want = append(want, string(v))
			}
			if diff := cmp.Diff(want, elements); diff != "" {
				t.Fatalf("elements (-want +got):\n%s", diff)
			}
		}
	})
}
