// Package sandbox owns the words for running a short script in isolation: the
// script and its limits, the one host function it may reach, what came of it,
// and the interface that every runtime fulfils. It knows no tools, no policy
// and no runtime; it imports nothing of ours, so that what it can't name a
// script can't reach.
//
// Every runtime keeps to this:
//
//   - The code is the body of an async function. Code that is one expression
//     gives its value, and if that is a function, what the function gives.
//   - The script has the language, console, and its functions. No text becomes
//     code, nothing is imported, there are no timers, and the clock stands still.
//   - Calls start at once. Those that are open when the body ends are awaited,
//     and what they lead to as well; after a body that failed no more are begun.
//   - A promise in the value returned is awaited. A rejection that nobody
//     handled fails a run whose body went well; after a body that failed it
//     says nothing.
//   - A body that waits with no call in flight can never end, and fails at once.
//   - A call over its limit is rejected, and the script may catch that. The
//     other limits end the run.
//   - A run that was ended leaves no call that acts later: those in flight
//     are canceled, and those that waited for a place are never begun.
package sandbox
