// Package glob matches names against patterns in which "*" stands for any run
// of characters, also none. Every other character stands for itself.
//
// Case never matters, and a letter outside ASCII never stands for one inside:
// the Kelvin sign is not a "k" and the long s is not an "s", so that a name
// which only looks like an ASCII one never fits an ASCII pattern. No other
// normalising is done: two spellings of one accented letter are two texts.
//
// The package knows neither tools nor policy and imports only the standard
// library.
package glob
