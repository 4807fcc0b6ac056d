// Command toolcrib puts tool search between a language model and its tools.
package main

import (
	"os"

	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/cli"
)

// version is set by the linker.
var version = "devel"

func main() {
	sandbox := gateway.SandboxMain() // a child that runs code goes no further
	os.Exit(cli.Main(cli.System(version, sandbox)))
}
