package embedded

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib/internal/sandbox/engine"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// Child is what a program that uses this runtime calls first in main, with
// its arguments. In a child it runs one script and does not return; else it
// returns at once.
func Child(args []string) { ChildInTest(args, Hooks{}) }

// Hooks are for the children of tests: those of a program have none.
type Hooks struct {
	// Probe does what Options.Probe names, after the child was confined, and
	// says what it found.
	Probe func(name string) any
	// Confine takes the place of the fence.
	Confine func() error
	// Instead takes the place of all that comes after the child was confined.
	Instead func(name string, in io.Reader, out io.Writer) bool
}

// ChildInTest is Child for the TestMain of a test.
func ChildInTest(args []string, hooks Hooks) {
	if len(args) < 2 || args[1] != Flag {
		return
	}
	if err := child(args[2:], hooks); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// settings are a child's arguments.
type settings struct {
	fence fence.Options
	probe string
}

func parse(args []string) (settings, error) {
	var s settings
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		var err error
		switch name {
		case "parent":
			s.fence.Parent, err = strconv.Atoi(value)
		case "data":
			s.fence.Data, err = strconv.ParseInt(value, 10, 64)
		case "process-only":
			s.fence.ProcessOnly = true
		case "probe":
			s.probe = value
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			return s, fmt.Errorf("sandbox child: argument %q: %w", arg, err)
		}
	}
	return s, nil
}

// child gets ready, and runs the script that comes.
func child(args []string, hooks Hooks) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	out := wire.NewWriter(os.Stdout)
	e, err := engine.New()
	if err == nil {
		err = wire.Rehearse()
	}
	if err == nil {
		err = confine(s.fence, hooks)
	}
	if err != nil {
		return out.Write(wire.KindReady, wire.Ready{Version: wire.Version, Error: err.Error()})
	}
	ready, err := describe(s, hooks)
	if err != nil {
		return err
	}
	if err := out.Write(wire.KindReady, ready); err != nil {
		return err
	}
	if hooks.Instead != nil && hooks.Instead(s.probe, os.Stdin, os.Stdout) {
		return nil
	}
	return serve(e, wire.NewReader(os.Stdin, 0), out)
}

func confine(o fence.Options, hooks Hooks) error {
	if hooks.Confine != nil {
		return hooks.Confine()
	}
	return fence.Enter(o)
}

// describe is the child's first word, with what a probe found.
func describe(s settings, hooks Hooks) (wire.Ready, error) {
	ready := wire.Ready{Version: wire.Version}
	if s.probe == "" || hooks.Probe == nil {
		return ready, nil
	}
	found, err := json.Marshal(hooks.Probe(s.probe))
	if err != nil {
		return ready, err
	}
	ready.Probe = found
	return ready, nil
}
