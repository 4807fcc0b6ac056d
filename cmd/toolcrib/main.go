// Command toolcrib puts tool search between a language model and its tools.
package main

import (
	"os"

	"github.com/toolcrib/toolcrib/internal/cli"
)

// version is set by the linker.
var version = "devel"

func main() {
	os.Exit(cli.Main(cli.System(version)))
}
