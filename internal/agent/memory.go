package agent

import (
	"container/list"
	"context"
	"encoding/json"
	"sync"
	"time"
)

// MemoryOptions bounds a Memory.
type MemoryOptions struct {
	// Runs, Bytes and Age bound what is kept; 1,000, 256 MiB and 24 hours when 0.
	// The runs that were saved longest ago go first.
	Runs  int
	Bytes int
	Age   time.Duration
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// Memory keeps runs in the process.
type Memory struct {
	opt MemoryOptions

	mu    sync.Mutex
	order *list.List // of *keptRun, the one saved last in front
	byRun map[string]*list.Element
	byID  map[string]*list.Element
	bytes int
}

type keptRun struct {
	run   string
	ids   []string
	data  []byte
	saved time.Time
}

// NewMemory returns an empty store.
func NewMemory(opt MemoryOptions) *Memory {
	if opt.Runs == 0 {
		opt.Runs = 1000
	}
	if opt.Bytes == 0 {
		opt.Bytes = 256 << 20
	}
	if opt.Age == 0 {
		opt.Age = 24 * time.Hour
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Memory{opt: opt, order: list.New(), byRun: map[string]*list.Element{}, byID: map[string]*list.Element{}}
}

// Find returns the run that asked under an id.
func (m *Memory) Find(_ context.Context, id string) (Run, bool, error) {
	m.mu.Lock()
	m.expire()
	e, ok := m.byID[id]
	m.mu.Unlock()
	if !ok {
		return Run{}, false, nil
	}
	var r Run
	err := json.Unmarshal(e.Value.(*keptRun).data, &r)
	return r, err == nil, err
}

// Save keeps a run.
func (m *Memory) Save(_ context.Context, r Run) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.byRun[r.ID]; ok {
		m.drop(e)
	}
	e := m.order.PushFront(&keptRun{run: r.ID, ids: r.IDs(), data: data, saved: m.opt.Now()})
	m.byRun[r.ID] = e
	for _, id := range e.Value.(*keptRun).ids {
		m.byID[id] = e
	}
	m.bytes += len(data)
	m.expire()
	return nil
}

// Len is how many runs are kept.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire()
	return m.order.Len()
}

// expire lets go of what is beyond the bounds; m.mu is held. One run is kept
// however large it is.
func (m *Memory) expire() {
	for e := m.order.Back(); e != nil; e = m.order.Back() {
		old := m.opt.Now().Sub(e.Value.(*keptRun).saved) > m.opt.Age
		if !old && m.order.Len() <= m.opt.Runs && (m.bytes <= m.opt.Bytes || m.order.Len() == 1) {
			return
		}
		m.drop(e)
	}
}

func (m *Memory) drop(e *list.Element) {
	k := m.order.Remove(e).(*keptRun)
	delete(m.byRun, k.run)
	for _, id := range k.ids {
		delete(m.byID, id)
	}
	m.bytes -= len(k.data)
}
