package config

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// SettingsHash tells apart two environments that lay other settings over the same
// file: it is the SHA-256, in hexadecimal, of the TOOLCRIB_ variables that name
// keys, sorted. Where a gateway listens and what it logs doesn't count: the tools
// are the same.
func SettingsHash(o Options) string {
	var pairs []string
	for _, s := range (&overlay{problems: &problems{}}).variables(o) {
		if top := strings.ToLower(s.path[0]); top != "gateway" && top != "log" {
			pairs = append(pairs, strings.ToLower(strings.Join(s.path, "."))+"\x00"+s.text)
		}
	}
	slices.Sort(pairs)
	sum := sha256.Sum256([]byte(strings.Join(pairs, "\x00\x00")))
	return hex.EncodeToString(sum[:])
}
