// Package storetest says what every store keeps to, as tests: one suite for each
// of the interfaces, run against each way to keep things.
package storetest
