package hook

import "bytes"

// capture keeps the first bytes of a stream and calls full once when there are
// more. It takes everything that is written, so that the writer isn't held up.
type capture struct {
	data bytes.Buffer
	most int
	full func()
	over bool
}

// Write implements io.Writer.
func (c *capture) Write(data []byte) (int, error) {
	keep := min(len(data), c.most-c.data.Len())
	c.data.Write(data[:keep])
	if keep < len(data) && !c.over {
		c.over = true
		c.full()
	}
	return len(data), nil
}
