package mcp

import (
	"encoding/json"
	"time"

	"github.com/toolcrib/toolcrib"
)

// stage is a point that a start comes past.
type stage string

// Stages of a start, in their order: the first is one of stageStart and stageConnect.
const (
	stageStart     stage = "start"     // the process runs
	stageConnect   stage = "connect"   // the host took a connection
	stageHandshake stage = "handshake" // client and server agree on a protocol
	stageList      stage = "list"      // all pages of the list were read
	stageFailed    stage = "failed"    // the stage under way will not be over
)

// Step is one step of a Probe.
type Step struct {
	// Name is "start" of a process or "connect" to a host, then "handshake", then "list".
	Name string
	// Took is how long it lasted; of the one that failed, until it failed.
	Took time.Duration
	// Failed marks the last step of a Probe that came to no end.
	Failed bool
}

// Report is what a Probe found. All texts are without secrets.
type Report struct {
	Server    string
	Transport string // "stdio", "http" or "sse"
	// Steps are those that were begun, in their order.
	Steps []Step
	// Took is the time of all steps.
	Took time.Duration

	// Fault says where the reason lies why it can't be used; "" when it can.
	Fault Fault
	// Reason says what happened, and Hint what to try; the hint may be empty.
	Reason, Hint string
	// Login is true when the server asks for a login: Fault is FaultLogin.
	Login bool
	// LoginAt is the address at which the server describes its login (OAuth's
	// protected resource metadata), if it named one.
	LoginAt string
	// Stderr are the newest lines that the process wrote there, at most 20, oldest first.
	Stderr []string

	// Protocol is the negotiated version.
	Protocol string
	// ServerName and ServerVersion are what the server calls itself.
	ServerName, ServerVersion string
	// Instructions are the server's own words to a model, at most 16 KiB.
	Instructions string
	// Capabilities is the object that the server offers.
	Capabilities json.RawMessage
	// Tools are those that Allow and Deny let through; Listed is how many there were
	// before, and ListBytes how many bytes all of them had as the server sent them.
	Tools     []toolcrib.Tool
	Listed    int
	ListBytes int
	// Warnings name what was wrong with its list and with what it wrote to stdout.
	Warnings []string
}

// OK reports whether the server can be used.
func (r *Report) OK() bool { return r.Fault == "" }
