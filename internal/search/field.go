package search

import "math/bits"

// Field is a part of a tool's text that is weighted on its own.
type Field uint8

// The fields.
const (
	FieldName Field = iota
	FieldLabel
	FieldServer
	FieldDescription
	FieldParameter
	FieldParameterText
	fieldCount
)

var fieldNames = [fieldCount]string{"name", "label", "server", "description", "parameter", "parameter text"}

// String returns the name that explanations use.
func (f Field) String() string { return fieldNames[f] }

// MarshalText writes the field's name.
func (f Field) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// tuning holds the constants of the score.
type tuning struct {
	weight [fieldCount]float64
	b      [fieldCount]float64
	k1     float64
	// name is the weight of the bonus for covered names.
	name float64
	// part is the weight of the best part of a request with several parts.
	part float64
	// joined weighs a word that the request wrote as two, split two words that it wrote as one.
	joined, split float64
	// weak weighs the parts of a word that is in the index as a whole.
	weak float64
	// like weighs words that merely resemble a word of the request.
	like float64
}

// tuned was found by measuring on public sets of requests and tools, one
// constant at a time, round after round. The sets have no labels: their weight
// is low because a label mostly repeats the name.
var tuned = tuning{
	weight: [fieldCount]float64{2.5, 1, 1.5, .7, 1, .7},
	b:      [fieldCount]float64{.9, .9, .3, .5, .75, .75},
	k1:     1.2,
	name:   .25,
	part:   .35,
	joined: .35,
	split:  .8,
	weak:   .5,
	like:   .5,
}

// Lengths of fields are kept in a byte: exact below 32, then in steps of at
// most 1/32 of the length, up to 4,032 words.
const maxLength = 63 << 6

// shorten returns the code of a length.
func shorten(n int) uint8 {
	n = min(n, maxLength)
	if n < 32 {
		return uint8(n)
	}
	shift := bits.Len(uint(n)) - 6
	return uint8(32 + shift*32 + n>>shift - 32)
}

// lengthen returns the length that a code stands for.
func lengthen(code uint8) int {
	if code < 32 {
		return int(code)
	}
	shift := int(code-32) / 32
	return (32 + int(code)%32) << shift
}
