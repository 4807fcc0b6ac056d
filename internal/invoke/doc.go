// Package invoke owns the one way to run a tool. Every call, whoever asks and
// by whatever door, walks the same steps in the same order: resolve, repair
// the arguments, ask policy, run the hooks before, validate, ask policy on the
// final arguments, get approval, ask policy once more, write the audit record,
// execute with a deadline, run the hooks after, validate the output, record.
//
// It doesn't know who asked, in which mode a model sees tools, or how a source
// reaches its tools: sources are Executors that it is given.
package invoke
