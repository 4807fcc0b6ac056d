package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"math/big"
	"strings"
)

// Prefix begins every secret, so that scanners and redactors know it.
const Prefix = "tcrib_"

// Sizes of a secret.
const (
	secretBytes  = 32
	secretDigits = 43 // of base 62, which hold secretBytes
)

// Hash is the SHA-256 of a secret: what is kept of it. A secret has 256 bits of
// chance, so that nothing slower is needed.
type Hash [sha256.Size]byte

// HashOf is the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// Equal compares in a time that doesn't depend on the hashes.
func (h Hash) Equal(other Hash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// newSecret returns a secret that nobody can guess.
func newSecret(prefix string) string {
	var b [secretBytes]byte
	rand.Read(b[:]) // never fails
	digits := new(big.Int).SetBytes(b[:]).Text(62)
	return prefix + strings.Repeat("0", secretDigits-len(digits)) + digits
}

// newID returns the id of a token.
func newID() string { return strings.ToLower(rand.Text()[:10]) }
