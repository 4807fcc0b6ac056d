//go:build amd64 || arm64

package fence

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// setLimits lowers the resource limits, soft and hard. A limit of 0 on file
// sizes also silences a standard stream that is a file. The number of processes
// isn't limited: that would count the threads of everybody with the same id.
func setLimits(o Options) error {
	limits := []struct {
		name     string
		resource int
		value    uint64
		set      bool
	}{
		{"core", unix.RLIMIT_CORE, 0, true},
		{"fsize", unix.RLIMIT_FSIZE, 0, true},
		{"nofile", unix.RLIMIT_NOFILE, uint64(o.Descriptors), true},
		{"memlock", unix.RLIMIT_MEMLOCK, 0, true},
		{"msgqueue", unix.RLIMIT_MSGQUEUE, 0, true},
		{"data", unix.RLIMIT_DATA, uint64(o.Data), o.Data > 0},
		{"as", unix.RLIMIT_AS, uint64(o.AddressSpace), o.AddressSpace > 0},
	}
	for _, l := range limits {
		if !l.set {
			continue
		}
		var now unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &now); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		value := min(l.value, now.Max)
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: value, Max: value}, nil); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}
