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
