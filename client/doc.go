// Package client talks to the control API of a running toolcrib gateway: what
// it serves, how its servers are, and search, describe and call by hand. It
// knows the API's JSON and the words of the root package, and nothing of the
// gateway's inside.
//
// The API is offered on a Unix socket, which only the user who runs the gateway
// may open. Each configuration file has a socket of its own. The commands
// toolcrib config path --json and toolcrib serve --json say where it is, under
// the key "socket"; a gateway in the same program says it by SocketPath:
//
//	c, err := client.Dial(socket)
//	if err != nil { … }          // kind "unavailable": no gateway runs there
//	reply, err := c.Search(ctx, client.SearchRequest{Query: "open an issue"})
//
// A program that holds the API's handler itself uses the same client without a
// socket: client.New(client.InProcess(handler), "").
//
// Every failure is a *toolcrib.Error with the kind that the gateway gave it.
// A tool that ran and reported its own failure is no error: its Result says so.
package client
