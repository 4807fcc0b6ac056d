// Package bench measures what a person can feel, on this machine and in one run,
// so that figures of different ways to do a thing can be compared. It owns what
// is measured and how the median is taken; it knows no command line.
package bench
