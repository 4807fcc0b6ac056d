// Package exec serves the tool core:runtime:exec, which runs command lines.
//
// It owns what a line is judged by (Judge: the allow-list, matched against the
// very words that will run), how a line runs (a launcher, which is the own
// binary started again, that ends all that the line started), what of its output
// is kept, and when it runs behind the operating system's fence. It doesn't know
// who is asked about a line that the allow-list doesn't hold, nor how: its user
// asks, and tells it by Permit.
//
// A line on the allow-list never sees a shell. It is made of simple commands of
// literal words, joined by |, ;, && and ||, and exactly these words run. All
// else is a miss: it needs a person's yes, and is then run by /bin/sh.
//
// The allow-list says which programs may start, not what they may do: a program
// runs with the user's rights, and one that runs others (see Runners) can do
// anything. The fence is what bounds that.
package exec
