package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
)

// clientFile is a client's file as it was read.
type clientFile struct {
	clientconfig.File
	// text is nil for a file that isn't there.
	text    []byte
	servers []clientconfig.Server
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func scopes() []string { return []string{"user", "project", "local", "all"} }

// inScope reports whether a file belongs to a scope; "" and "all" are any.
func inScope(f clientconfig.File, scope string) bool {
	return scope == "" || scope == "all" || f.Scope == scope
}

// checkScope refuses a scope that there isn't.
func checkScope(scope string) error {
	if scope == "" || slices.Contains(scopes(), scope) {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no scope %q", scope), "use user, project or local")
}

// readClient reads the files of a client that are there: all of a scope, or the
// named one alone. It fails when none of them can be understood; what is wrong
// with some is in the second result.
func (a *app) readClient(client clientconfig.Client, named, scope string) ([]clientFile, []error, error) {
	if err := checkScope(scope); err != nil {
		return nil, nil, err
	}
	var list []clientFile
	var broken []error
	for _, f := range a.filesOf(client, named, scope) {
		read, err := readServers(client, f)
		switch {
		case err != nil:
			broken = append(broken, err)
		case read.text != nil:
			list = append(list, read)
		case named != "":
			return nil, nil, toolcrib.NewError(toolcrib.KindNotFound, f.Path+" does not exist", "check the path")
		}
	}
	if len(list) == 0 && len(broken) > 0 {
		return nil, nil, errors.Join(broken...)
	}
	return list, broken, nil
}

// filesOf lists where a client's servers may be: the places of a scope, or the
// named file as the client would read it in that place.
func (a *app) filesOf(client clientconfig.Client, named, scope string) []clientconfig.File {
	var list []clientconfig.File
	path := a.absolute(named)
	for _, f := range client.Files(a.clientEnvironment()) {
		if inScope(f, scope) && (path == "" || f.Path == path) && !slices.ContainsFunc(list, func(g clientconfig.File) bool { return samePlace(f, g) }) {
			list = append(list, f)
		}
	}
	if len(list) == 0 && path != "" {
		if scope == "" || scope == "all" {
			scope = "user"
		}
		list = append(list, clientconfig.File{Client: client.Name, Scope: scope, Path: path})
	}
	return list
}

// samePlace reports whether two files are one: in the home folder, that of the
// project can be the user's.
func samePlace(f, g clientconfig.File) bool { return f.Path == g.Path && f.Project == g.Project }

// readServers reads one file and the servers in it.
func readServers(client clientconfig.Client, f clientconfig.File) (clientFile, error) {
	text, err := readClientFile(f.Path)
	if err != nil || text == nil {
		return clientFile{File: f}, err
	}
	servers, err := client.Read(f, text)
	if err != nil {
		return clientFile{}, brokenFile(client, err)
	}
	return clientFile{f, text, servers}, nil
}

// brokenFile says that a client's file can't be understood, with the place.
func brokenFile(client clientconfig.Client, err error) error {
	return clientError("the file of "+client.Title+" can't be read", "mend the file, then try again", err)
}

// clientError puts before an error what could not be done.
func clientError(what, hint string, err error) error {
	message, kind := err.Error(), toolcrib.KindConfig
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		message, kind = known.Message, known.Kind
		if known.Hint != "" {
			hint = known.Hint
		}
	}
	return toolcrib.NewError(kind, what+": "+message, hint).WithCause(err)
}
