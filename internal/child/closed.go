package child

import "errors"

// ErrClosed says that a Launcher is closed.
var ErrClosed = errors.New("no child can be started any more")
