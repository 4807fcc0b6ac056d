//go:build amd64 || arm64

package fence

// Exec puts the fence around the process and turns it into another program. It
// returns only when that fails; the process must then end at once.
func Exec(o Options, p Program) error { return ErrUnsupported }
