// Package mcpserver shows a surface of tools to MCP clients: over stdio, and
// over streamable HTTP in both eras of the protocol at one URL. It owns the
// protocol, the sessions of the clients and their bounds.
//
// It knows nothing of agents, sources, policy or modes. Whoever opens a session
// for it decides what the session sees, and every tool runs behind
// Surface.Call. A failure of a tool, an unknown name included, is a result with
// isError and never a protocol error.
//
// A call that waits for a person can ask the one at its client, where the client
// shows forms (elicitation). In the handshake era the client gets a request that
// belongs to its call. In the stateless era the call is held: its request is
// answered with the question, and the client's next one goes on with it.
//
// What a session is:
//
//   - over stdio, the process;
//   - over HTTP in the handshake era (up to 2025-11-25), the protocol's session id;
//   - over HTTP in the stateless era (2026-07-28), the caller's token together
//     with agent, mode and the client's name. A local caller has no token: the
//     address of its host stands in. Two windows of one program on one machine
//     thus share a session there, as the protocol gives nothing to tell them apart.
package mcpserver
