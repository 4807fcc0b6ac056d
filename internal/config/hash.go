package config

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// HashFile returns the SHA-256 of a file's bytes in hexadecimal, by which two
// readers of one configuration file see whether it has changed between them. It
// is empty when there is no such file or it can't be read, and also for what
// isn't a plain file, since a pipe can be read once only.
func HashFile(path string) string {
	f, err := OpenPlain(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, MaxFileBytes+1)); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
