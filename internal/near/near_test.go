package near

import "testing"

func TestWord(t *testing.T) {
	words := []string{"parameters", "outputSchema", "ownerOnly", "id"}
	for name, want := range map[string]string{
		"parameter": "parameters", "OUTPUTSCHEMA": "outputSchema", "owneronly": "ownerOnly", "xyzzy": "", "": "", "di": "id",
	} {
		if got := Word(name, words); got != want {
			t.Errorf("Word(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if Distance(c.a, c.b) != Distance(c.b, c.a) {
			t.Errorf("Distance(%q, %q) depends on the order", c.a, c.b)
		}
	}
}
