// Package httpapi is the HTTP side of a gateway: who may come in, which route
// leads where, how an error looks. It has two handlers. The public one serves
// MCP over TCP and checks Host, Origin and token; the control one serves the
// control API over a Unix socket that only its owner can open.
//
// It knows neither MCP nor tools: the MCP endpoint is a function that it is
// given, and the control API calls a Control.
package httpapi
