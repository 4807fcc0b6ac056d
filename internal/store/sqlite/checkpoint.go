package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
)

// checkpointEvery is after how many transactions what was written ahead is brought
// into the file. A writer does so itself only when that falls far behind: it
// takes syncs, which cost as much as a hundred transactions.
const checkpointEvery = 250

// checkpoints brings into the file, in the background, what was written ahead.
type checkpoints struct {
	written atomic.Int64
	due     chan struct{}
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

func (c *checkpoints) start(db *sql.DB) {
	c.due = make(chan struct{}, 1)
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(context.Background())
	c.done.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.due:
			}
			// One that fails is made up for by the next, or by a writer.
			_, _ = db.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
		}
	})
}

// count counts a transaction.
func (c *checkpoints) count() {
	if c.written.Add(1)%checkpointEvery != 0 {
		return
	}
	select {
	case c.due <- struct{}{}:
	default: // one is due already
	}
}

// stop ends it, if it was started.
func (c *checkpoints) stop() {
	if c.cancel == nil {
		return
	}
	c.cancel()
	c.done.Wait()
}
