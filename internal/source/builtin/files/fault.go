package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/toolcrib/toolcrib"
)

// errChanged says that a file or folder was exchanged while a call ran.
var errChanged = errors.New("it changed meanwhile")

// refused is a request that can't be met as it was made.
func refused(hint, format string, args ...any) error {
	return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf(format, args...), hint)
}

// failed is a request that the files as they are don't allow.
func failed(hint, format string, args ...any) error {
	return toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf(format, args...), hint)
}

// limited is a request for more than there may be.
func limited(hint, format string, args ...any) error {
	return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf(format, args...), hint)
}

// escapes is a path that leads out of the workspace.
func escapes(path string) error {
	return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("%s leads out of the workspace", shown(path)),
		"only paths inside of the workspace can be used")
}

// protected is a path of toolcrib's own files.
func protected(path string) error {
	return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("%s is one of toolcrib's own files", shown(path)),
		"they can't be read or changed by a tool")
}

// trouble is what the system said of a path: doing names the attempt, such as
// "read". No path of the system's gets into it.
func trouble(doing, path string, err error) error {
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return known
	}
	name := shown(path)
	switch {
	case errors.Is(err, errChanged):
		return toolcrib.NewError(toolcrib.KindTool, name+" changed while it was being used", "try again").WithCause(err)
	case errors.Is(err, fs.ErrNotExist):
		return toolcrib.NewError(toolcrib.KindTool, "there is no "+name, "list or find shows what there is").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("can't %s %s: %s", doing, name, reasonOf(err)), "").WithCause(err)
}

// reasonOf words an error of the system without the paths that it holds.
func reasonOf(err error) string {
	number := syscall.Errno(0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrExist):
		return "it exists already"
	case errors.As(err, &number):
		return number.Error()
	case strings.HasSuffix(err.Error(), "path escapes from parent"):
		return "it leads out of the workspace"
	}
	return "the system refused it"
}
