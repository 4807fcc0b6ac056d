package web

import (
	"context"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

var site0 = &url.URL{Scheme: "http", Host: "site.example", Path: "/dir/page"}

func TestConvert(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	for name, markdown := range map[string]bool{"page.txt": false, "page.md": true} {
		c, err := convert(t.Context(), string(source), site0, markdown, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if c.title != "A page & more" || c.cut != "" {
			t.Errorf("title %q, cut %q", c.title, c.cut)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(c.text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), c.text+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHiddenPartsAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"<script>HIDE</script>", "<style>HIDE</style>", "<template>HIDE</template>", "<!-- HIDE -->", "<p hidden>HIDE", "<p hidden=until-found>HIDE", "<div aria-hidden=TRUE>HIDE</div>",
		`<p style="display:none">HIDE`, `<p style="color:red; DISPLAY : None !important">HIDE`, `<p style="display:/**/none">HIDE`, `<p style="visibility:hidden">HIDE`,
		`<p style="opacity:0">HIDE`, `<p style="opacity: 0.00">HIDE`, `<p style="font-size:0px">HIDE`, `<iframe>HIDE</iframe>`, `<object>HIDE</object>`, `<svg><text>HIDE</text></svg>`,
		`<input type=hidden value=HIDE>`, `<dialog>HIDE</dialog>`, `<noframes>HIDE</noframes>`, `<img src="data:text/plain,HIDE" alt="">`, `<a href="javascript:HIDE"></a>`,
		`<ul><li hidden>HIDE</ul>`, `<table><tr hidden><td>HIDE</table>`, `<table><tr><td hidden>HIDE<td>x</table>`, `<pre><b hidden>HIDE</b></pre>`, `<head><meta content=HIDE></head>`,
	} {
		for _, markdown := range []bool{true, false} {
			c, err := convert(t.Context(), "<p>before</p>"+source+"</table><p>after", site0, markdown, 1<<20)
			if err != nil || strings.Contains(c.text, "HIDE") || !strings.Contains(c.text, "before") {
				t.Errorf("%s: %q, %v", source, c.text, err)
			}
		}
	}
	c, err := convert(t.Context(), `<html hidden><body style="opacity:0">a<p style="opacity:0.5">b<p>c`+"\u200b\u202e\u2066\U000e0041\x07d"+`&#8203;&#x202e;e<dialog open>f</dialog><noscript>g</noscript>`, site0, false, 1<<20)
	if err != nil || c.text != "a\n\nb\n\ncde\n\nf\ng" && c.text != "a\n\nb\n\ncde\nf\ng" {
		t.Errorf("%q, %v", c.text, err)
	}
}

func TestConversionIsBounded(t *testing.T) {
	t.Parallel()
	const n = 3000
	for name, source := range map[string]string{
		"margins": strings.Repeat("<blockquote>", 300) + strings.Repeat("<p>x\n", n), "lists": strings.Repeat("<ul><li>", 100) + strings.Repeat("<li>x", n),
		"links": `<base href="http://long.example/` + strings.Repeat("l", 1900) + `/">` + strings.Repeat("<a href=x>y</a>", n), "cells": "<table><tr>" + strings.Repeat("<td>x", n),
		"uneven": "<table>" + strings.Repeat("<tr><td>x", n) + "<tr>" + strings.Repeat("<td>y", n), "wide": "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>x", n),
		"pre": "<pre>" + strings.Repeat("`\n", n), "breaks": "x" + strings.Repeat("<br>", n) + "y", "bold": strings.Repeat("<b>x</b>", n), "brackets": strings.Repeat("[*_`", n),
	} {
		for _, markdown := range []bool{true, false} {
			c, err := convert(t.Context(), source, site0, markdown, 20_000)
			if err != nil || len(c.text) > 20_000+maxLink || c.text == "" {
				t.Errorf("%s: %d bytes, %v", name, len(c.text), err)
			}
			if c.cut == "" && len(c.text) > 20_000 {
				t.Errorf("%s: %d bytes, and nothing cut", name, len(c.text))
			}
		}
	}
	if _, err := convert(t.Context(), strings.Repeat("<b>", 5000)+"x", site0, true, 20_000); err == nil || !strings.Contains(err.Error(), "nested too deep") {
		t.Errorf("err = %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := convert(ended, "<p>x", site0, true, 20_000); err != nil || c.cut == "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// FuzzConvert wants of every page that its text is plain, bounded and the same each time.
func FuzzConvert(f *testing.F) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(page), true)
	for _, source := range []string{
		"", "<", "<a href='x'>y", "<table><tr><td><table><tr><td>x", "<ol><li><ul><li>a<blockquote>b<pre>c\n\n\nd", "<b><i><code> </code></i></b>", "<h1><a href=x><h2>y", "<pre>```\n````", "<svg><p>x", "<select><option>a<option>b",
	} {
		f.Add(source, true)
		f.Add(source, false)
	}
	f.Fuzz(func(t *testing.T, source string, markdown bool) {
		const limit = 10_000
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c, err := convert(ctx, source, site0, markdown, limit)
		if err != nil {
			return
		}
		if !utf8.ValidString(c.text) || c.text != clean(c.text) || c.title != clean(c.title) || len(c.text) > limit+2*maxLink || len([]rune(c.title)) > maxTitle {
			t.Errorf("title %q, text %q", c.title, c.text)
		}
		if strings.Contains(c.text, "\n\n\n") && !strings.Contains(source, "\n\n") && !strings.Contains(strings.ToLower(source), "<br") {
			t.Errorf("empty lines in a row: %q", c.text)
		}
		again, err := convert(ctx, source, site0, markdown, limit)
		if err != nil || again != c {
			t.Errorf("%+v, then %+v", c, again)
		}
	})
}
