// Package rawjson reads JSON by its bytes and changes it by splicing: where the
// members of an object and the elements of an array stand, and a copy of a text
// in which some of them are others. What isn't touched stays as it was, to the
// byte: order, white space, number forms, unknown members.
//
// It doesn't know what any member means.
package rawjson
