package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"

	"github.com/toolcrib/toolcrib"
)

// trouble is what a class of SQLite's errors means to an operator.
type trouble struct {
	kind         toolcrib.Kind
	says, advice string
}

// troubles are keyed by SQLite's primary result codes (https://sqlite.org/rescode.html).
var troubles = map[int]trouble{
	5:  {toolcrib.KindUnavailable, "is held by another program", "end what holds it"},
	6:  {toolcrib.KindUnavailable, "is held by another program", "end what holds it"},
	8:  {toolcrib.KindUnavailable, "can't be written: it is read-only", "see to the rights of the file and its folder"},
	10: {toolcrib.KindUnavailable, "can't be read or written: the disk fails or is full", "see to the disk"},
	11: {toolcrib.KindUnavailable, "is broken", "move the file away, and a new one is made; sqlite3 FILE .recover may save what is in it"},
	13: {toolcrib.KindUnavailable, "can't be written: the disk is full", "make room"},
	14: {toolcrib.KindUnavailable, "can't be opened", "see to the rights of the file and its folder"},
	26: {toolcrib.KindConfig, "is no database, or a broken one", "move the file away, or name another in store.url"},
}

// explain turns an error of the driver or the system into one for people.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	var known *toolcrib.Error
	if errors.As(err, &known) {
		return err
	}
	t := trouble{toolcrib.KindUnavailable, "failed", "the log has the details"}
	var e *driver.Error
	switch {
	case errors.As(err, &e):
		if found, ok := troubles[e.Code()&0xff]; ok {
			t = found
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrPermission):
		t = trouble{toolcrib.KindUnavailable, "may not be opened", "see to the rights of the file and its folder"}
	case errors.Is(err, syscall.EROFS):
		t = troubles[8]
	case errors.Is(err, syscall.ENOSPC):
		t = troubles[13]
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		t = trouble{toolcrib.KindConfig, "can't be made: a part of its path is a file", "name another in store.url"}
	}
	return toolcrib.NewError(t.kind, "the store "+path+" "+t.says, t.advice).WithCause(err)
}
