// Package e2e tests the program as a whole: the built binary, real servers and
// real clients, with nothing of ours in between. It owns no behaviour, and knows
// the command line, the protocol and the files that people write, but no package
// behind them.
package e2e
