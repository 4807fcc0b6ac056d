package invoke

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/toolcrib/toolcrib/internal/schema"
)

// maxSchemas is how many compiled schemas are held in each of two generations.
const maxSchemas = 1024

// schemaCache holds compiled schemas by the hash of their text. What was not
// asked for while a whole generation filled up is forgotten.
type schemaCache struct {
	mu       sync.Mutex
	max      int
	new, old map[[32]byte]compiled
}

// compiled is a schema, or why it can't be used.
type compiled struct {
	schema *schema.Schema
	err    error
}

func newSchemaCache(size int) *schemaCache {
	return &schemaCache{max: size, new: map[[32]byte]compiled{}}
}

// get compiles a schema unless it was compiled before. Nobody waits for the
// compiling of another's schema.
func (c *schemaCache) get(text json.RawMessage) (*schema.Schema, error) {
	key := sha256.Sum256(text)
	c.mu.Lock()
	got, ok := c.new[key]
	if !ok {
		got, ok = c.old[key]
	}
	c.mu.Unlock()
	if !ok {
		got.schema, got.err = schema.Compile(text)
	}
	c.put(key, got)
	return got.schema, got.err
}

func (c *schemaCache) put(key [32]byte, got compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.new[key]; ok {
		return
	}
	if len(c.new) >= c.max {
		c.old, c.new = c.new, map[[32]byte]compiled{}
	}
	c.new[key] = got
}
