package mcp

// Fault sorts the reasons why a server can't be used by where they lie.
type Fault string

// The faults.
const (
	FaultConfig   Fault = "config"   // its configuration can't be used
	FaultCommand  Fault = "command"  // its command isn't there
	FaultStart    Fault = "start"    // its command may not be run, or not in its folder
	FaultExit     Fault = "exit"     // the process ended by itself, or closed its stdout
	FaultSilent   Fault = "silent"   // it did not answer in time
	FaultProtocol Fault = "protocol" // it answered an error, or what isn't MCP
	FaultLogin    Fault = "login"    // it needs a login, or another token
	FaultStatus   Fault = "status"   // it answered another HTTP status than success
	FaultMoved    Fault = "moved"    // it redirects to another address
	FaultDNS      Fault = "dns"      // the name of its host isn't known
	FaultTLS      Fault = "tls"      // its certificate isn't trusted, or it doesn't speak TLS
	FaultNetwork  Fault = "network"  // it wasn't reached: refused, in no time, closed
)

// diagnosis says in a person's words why a server can't be used.
type diagnosis struct {
	fault Fault
	what  string // what happened
	hint  string // what to try; may be empty
	words string // the last words of the process; may be empty
	login string // where the server describes its login; may be empty
}

// happened is what happened, with the last words of the process.
func (d diagnosis) happened() string {
	if d.words == "" {
		return d.what
	}
	return d.what + "; its last words: " + d.words
}

// Error is all of it in one line.
func (d diagnosis) Error() string {
	text := d.what
	if d.hint != "" {
		text += ": " + d.hint
	}
	if d.words != "" {
		text += "; its last words: " + d.words
	}
	return text
}

// redacted is the diagnosis without secrets.
func (d diagnosis) redacted(redact func(string) string) diagnosis {
	d.what, d.hint, d.words, d.login = redact(d.what), redact(d.hint), redact(d.words), redact(d.login)
	return d
}
