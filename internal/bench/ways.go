package bench

import (
	"github.com/toolcrib/toolcrib/internal/sandbox/embedded"
	"github.com/toolcrib/toolcrib/internal/sandbox/node"
)

// ways are measured, in this order.
var ways = []way{
	{name: "embedded warm", warm: true, open: func(string) (runner, error) { return embedded.New(embedded.Options{}) }},
	{name: "embedded cold", open: func(string) (runner, error) { return embedded.New(embedded.Options{Pool: -1}) }},
	{name: "node cold", open: func(path string) (runner, error) { return node.New(node.Options{Path: path}) }},
}
