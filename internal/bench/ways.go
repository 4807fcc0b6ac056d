package bench

import "github.com/toolcrib/toolcrib/internal/sandbox/embedded"

// ways are measured, in this order.
var ways = []way{
	{name: "embedded warm", warm: true, open: func() (runner, error) { return embedded.New(embedded.Options{}) }},
	{name: "embedded cold", open: func() (runner, error) { return embedded.New(embedded.Options{Pool: -1}) }},
}
