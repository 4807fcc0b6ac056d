// Package child owns how the gateway starts programs: with an environment that
// holds nothing secret but what was written for them, from a file that is found
// in their own PATH, and in a group that is ended whole, at the latest when the
// gateway itself is gone.
//
// It doesn't know what the programs are for, nor what is said over their pipes.
package child
