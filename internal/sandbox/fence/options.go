package fence

import (
	"errors"
	"fmt"
)

// Options says what a child keeps. The zero value keeps the standard streams
// and has no bound on memory.
type Options struct {
	// Keep lists the descriptors that stay open. Nil means 0, 1 and 2. Of these three,
	// those that aren't kept are replaced by the null device, so that their numbers stay taken.
	Keep []int
	// Parent is the process that must be the parent, so that a child whose parent died
	// before the child asked to die with it doesn't stay. 0 means that it isn't checked.
	Parent int
	// Descriptors bounds the number of a new descriptor (RLIMIT_NOFILE). 0 means 64.
	Descriptors int
	// Data bounds private writable memory in bytes (RLIMIT_DATA), 0 for no bound.
	Data int64
	// AddressSpace bounds mapped memory in bytes (RLIMIT_AS), 0 for no bound. Go and V8
	// reserve far more than they use, so Data is the better bound for both.
	AddressSpace int64
	// ProcessOnly accepts a system that has no fence: Enter then does what it can there
	// and returns nil. On Linux it is ignored: the fence stands or Enter fails.
	ProcessOnly bool
}

// Program is what Exec turns the process into.
type Program struct {
	// Path is the executable's absolute path.
	Path string
	// Args are its arguments, the name first. Its environment is empty.
	Args []string
	// Read lists files, and folders with all below them, that the program may read and
	// map as code: its libraries. The executable itself and its ELF interpreter belong to
	// the list; those that don't exist are left out.
	Read []string
}

// ErrUnsupported is what Enter and Exec return where the system has no fence.
var ErrUnsupported = errors.New("this system has no fence for child processes")

const defaultDescriptors = 64

// settle fills in defaults and checks the rest.
func (o Options) settle() (Options, error) {
	if o.Keep == nil {
		o.Keep = []int{0, 1, 2}
	}
	if o.Descriptors == 0 {
		o.Descriptors = defaultDescriptors
	}
	if o.Descriptors < 0 || o.Data < 0 || o.AddressSpace < 0 || o.Parent < 0 {
		return o, fmt.Errorf("fence: limits and pids can't be negative: %+v", o)
	}
	return o, nil
}
