// Package pluginkit writes new plugins: a working example in one of a few
// languages, with a manifest, tools, a hook and the steps to set it up. It doesn't
// know where plugins are looked for, nor how they run.
package pluginkit

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/toolcrib/toolcrib"
)

//go:embed templates
var templates embed.FS

// Language is one in which a plugin can be written.
type Language struct {
	Name, Title string
	// Steps are the commands that make a new plugin ready, in its folder.
	Steps []string
}

// Languages are all there are.
func Languages() []Language {
	return []Language{
		{"ts", "TypeScript", []string{"npm install"}},
		{"go", "Go", []string{"go build -mod=mod -o server ."}},
		{"python", "Python", []string{"uv sync --script server.py"}},
	}
}

// Of returns the language of a name.
func Of(name string) (Language, bool) {
	for _, l := range Languages() {
		if l.Name == name {
			return l, true
		}
	}
	return Language{}, false
}

// Write makes the folder dir with a plugin of an id in it, and returns the files,
// relative to it. A folder that is there already and isn't empty is left alone,
// and the error is of KindInput.
func Write(dir, id string, l Language) ([]string, error) {
	if !toolcrib.ValidOwner(id) {
		return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q can't be the id of a plugin", id), "an id is a letter or digit, then at most 63 letters, digits, _, . or -")
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, toolcrib.NewError(toolcrib.KindInput, dir+" is there already", "choose another name, or another folder with --dir")
	}
	var files []string
	root := "templates/" + l.Name
	err := fs.WalkDir(templates, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, root+"/"), ".tmpl")
		if name == "gitignore" { // a file with its dot would hold for the templates
			name = ".gitignore"
		}
		text, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, name)
		return write(filepath.Join(dir, filepath.FromSlash(name)), filled(string(text), id))
	})
	if err != nil {
		return files, toolcrib.NewError(toolcrib.KindInput, "the plugin can't be written: "+err.Error(), "").WithCause(err)
	}
	return files, nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// odd is what the name of a package can't hold.
var odd = regexp.MustCompile(`[^a-z0-9-]+`)

// filled is a template for one id. An id needs no quoting anywhere.
func filled(text, id string) string {
	pack := strings.Trim(odd.ReplaceAllString(strings.ToLower(id), "-"), "-")
	return strings.NewReplacer("PLUGIN_ID", id, "PLUGIN_PACKAGE", "toolcrib-plugin-"+pack).Replace(text)
}
