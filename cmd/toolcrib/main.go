// Command toolcrib puts tool search between a language model and its tools.
package main

import (
	"log/slog"
	"os"

	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/cli"
)

// version is set by the linker.
var version = "devel"

func main() {
	sandbox := gateway.SandboxMain() // a child that runs code goes no further
	// Nothing here logs to the global logger; net/http does, about peers that
	// misbehave, in lines that would stand between those for people.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(cli.Main(cli.System(version, sandbox)))
}
