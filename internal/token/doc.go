// Package token owns the secrets that let programs in over the network: gateway
// tokens, which say who calls, for which agent and with which lists, and the admin
// token, a file that opens the control API.
//
// It doesn't know how tokens are kept, see Store, nor what HTTP, agents and
// policy are.
package token
