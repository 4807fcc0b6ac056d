package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/token"
)

// BenchmarkVerify is the check of one request, beside 10,000 tokens.
func BenchmarkVerify(b *testing.B) {
	d := open(b, filepath.Join(b.TempDir(), "x.db"))
	book, err := token.New(token.Options{Store: func(context.Context) (token.Store, error) { return d.Tokens(), nil }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(book.Close)
	for i := range 10_000 {
		if _, err := d.Tokens().AddToken(b.Context(), token.Kept{Token: token.Token{ID: fmt.Sprint(i), Name: fmt.Sprint(i), Created: time.Now()}, Hash: token.HashOf(fmt.Sprint(i))}); err != nil {
			b.Fatal(err)
		}
	}
	_, secret, err := book.Make(b.Context(), token.Wish{Name: "laptop"})
	if err != nil {
		b.Fatal(err)
	}
	for name, shown := range map[string]string{"right": secret, "wrong": secret + "x"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := book.Verify(b.Context(), shown); (err == nil) != (name == "right") {
					b.Fatal(err)
				}
			}
		})
	}
}
