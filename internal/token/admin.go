package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// AdminFile is the file in the state folder that holds the admin token.
const AdminFile = "admin.token"

// AdminPrefix begins the admin token.
const AdminPrefix = Prefix + "admin_"

// maxAdminFile is how much of the file is read.
const maxAdminFile = 4 << 10

// Admin is the admin token: a secret in a file that its owner alone can read. The
// file is read anew each time, so that another secret in it counts at once.
type Admin struct {
	path   string
	logger *slog.Logger
	said   sync.Map // what was logged: it may come up with each request
}

// NewAdmin returns the admin token of a state folder. logger may be nil.
func NewAdmin(stateDir string, logger *slog.Logger) *Admin {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Admin{path: filepath.Join(stateDir, AdminFile), logger: logger}
}

// Path is the file.
func (a *Admin) Path() string { return a.path }

// Ensure makes the file, and its folder of mode 0700, unless a secret is there.
func (a *Admin) Ensure() error {
	folder := filepath.Dir(a.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return a.failed("made", err)
	}
	a.narrow(folder, 0o700)
	_, err := a.Secret()
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoSecret):
		return err
	case errors.Is(err, errNoSecret):
		a.logger.Warn("the file of the admin token held none, and gets a new one", "file", a.path)
	}
	return a.Rotate()
}

// Rotate puts a new secret in place of the one before, which opens nothing from then on.
func (a *Admin) Rotate() error {
	f, err := os.CreateTemp(filepath.Dir(a.path), AdminFile+".*") // of mode 0600
	if err != nil {
		return a.failed("written", err)
	}
	_, err = io.WriteString(f, newSecret(AdminPrefix)+"\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), a.path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what went wrong before says more
		return a.failed("written", err)
	}
	return nil
}

// adminForm is what Rotate writes.
var adminForm = regexp.MustCompile(fmt.Sprintf("^%s[0-9A-Za-z]{%d}$", AdminPrefix, secretDigits))

// errNoSecret says that what the file holds is no secret.
var errNoSecret = errors.New("token: the file holds no admin token")

// Secret reads the secret. A file that others may read is narrowed, and the log
// says so. It fails with KindUnavailable; the cause is fs.ErrNotExist when there
// is no file.
func (a *Admin) Secret() (string, error) {
	f, err := os.Open(a.path)
	if err != nil {
		return "", a.failed("read", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", a.failed("read", errors.Join(err, errors.New("it is no regular file")))
	}
	a.narrow(a.path, 0o600)
	data, err := io.ReadAll(io.LimitReader(f, maxAdminFile))
	if err != nil {
		return "", a.failed("read", err)
	}
	secret := strings.TrimSpace(string(data))
	if !adminForm.MatchString(secret) {
		return "", a.failed("read", errNoSecret)
	}
	return secret, nil
}

// Matches reports whether a secret is the admin token; false when that can't be told.
func (a *Admin) Matches(given string) bool {
	secret, err := a.Secret()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.complain(err.Error(), "cause", errors.Unwrap(err))
		}
		return false
	}
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// narrow takes from others what they may do with a file.
func (a *Admin) narrow(path string, mode fs.FileMode) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&^mode == 0 || runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, info.Mode().Perm()&mode); err != nil {
		a.complain("others may use "+path+", and that can't be changed", "mode", info.Mode().Perm().String(), "error", err)
		return
	}
	a.logger.Warn("others could use what only its owner should: the mode was narrowed; if somebody else has read the admin token, replace it with: toolcrib token admin rotate",
		"path", path, "mode", info.Mode().Perm().String())
}

// complain logs an error, once.
func (a *Admin) complain(text string, attrs ...any) {
	if _, again := a.said.LoadOrStore(text, true); !again {
		a.logger.Error(text, attrs...)
	}
}

func (a *Admin) failed(what string, err error) error {
	return toolcrib.NewError(toolcrib.KindUnavailable, "the admin token "+a.path+" can't be "+what, "toolcrib serve makes it; see to the rights of the file and its folder").WithCause(err)
}
