package node

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// Flag is the first argument of a launcher.
const Flag = "--toolcrib-sandbox-child=node"

// launch is what a launcher is told, as its second argument.
type launch struct {
	Parent int      `json:"parent"`
	Data   int64    `json:"data"`
	Node   string   `json:"node"`
	Flags  []string `json:"flags"`
	Read   []string `json:"read"`
}

// Child is what a program that uses this runtime calls first in main, with its
// arguments. In a launcher it becomes Node and doesn't return; else it returns at once.
func Child(args []string) {
	if len(args) < 3 || args[1] != Flag {
		return
	}
	err := become(args[2])
	// Becoming Node has failed: the parent is told, as a child tells it.
	if err := wire.NewWriter(os.Stdout).Write(wire.KindReady, wire.Ready{Version: wire.Version, Error: err.Error()}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// become fences the process in and turns it into Node.
func become(argument string) error {
	var l launch
	if err := json.Unmarshal([]byte(argument), &l); err != nil {
		return fmt.Errorf("node: the launcher's argument: %w", err)
	}
	source, err := program(wire.Ready{Version: wire.Version})
	if err != nil {
		return err
	}
	args := append([]string{"node"}, l.Flags...)
	return fence.Exec(fence.Options{Parent: l.Parent, Data: l.Data, Descriptors: descriptors},
		fence.Program{Path: l.Node, Args: append(args, "-e", source), Read: l.Read})
}

// descriptors is how many Node may have open: it needs some thirty.
const descriptors = 64
