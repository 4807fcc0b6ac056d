// Package archtest holds the tests of the house itself: which package may
// import which, what each must not know, and how large a file and a function
// may grow. The layers are read from the table in ARCHITECTURE.md, so that the
// document and the code cannot disagree. It knows nothing of what any package
// does, and has no code outside its tests.
package archtest
