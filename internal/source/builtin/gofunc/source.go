package gofunc

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolcrib/toolcrib"
)

// DefaultOwner owns the tools that name no owner.
const DefaultOwner = "app"

// Options is what a Source needs. All of it may be left out.
type Options struct {
	// Tools are there from the start.
	Tools []Tool
	// Owner is given to tools that name none; DefaultOwner when empty.
	Owner string
	// OnChange is told, after the new listings are in place, the source and
	// owner of each listing that Add or Remove changed. It is called without
	// any lock held, in the goroutine that made the change.
	OnChange func(source toolcrib.Source, owner string)
	// Logger gets the causes that callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
}

// Source serves Go functions as tools. It is safe for concurrent use.
type Source struct {
	owner    string
	onChange func(toolcrib.Source, string)
	logger   *slog.Logger

	writing sync.Mutex // one writer at a time; readers take the snapshot
	now     atomic.Pointer[snapshot]
}

// New returns a source that offers opts.Tools. It fails with KindConfig, naming
// the tool, when one can't be offered.
func New(opts Options) (*Source, error) {
	s := &Source{owner: opts.Owner, onChange: opts.OnChange, logger: opts.Logger}
	if s.owner == "" {
		s.owner = DefaultOwner
	}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	s.now.Store(newSnapshot(nil, nil))
	tools, err := s.check(opts.Tools)
	if err != nil {
		return nil, err
	}
	s.put(tools)
	return s, nil
}

// Listings returns one listing per owner, sorted by source and owner. They are
// the same for every caller and shared: they must not be changed.
func (s *Source) Listings(context.Context, toolcrib.Scope) []toolcrib.Listing {
	return slices.Clone(s.now.Load().listings)
}

// Add offers more tools, all or, when one of them can't be offered, none. A tool
// whose id is already there is replaced, and a warning logged.
func (s *Source) Add(tools ...Tool) error {
	checked, err := s.check(tools)
	if err != nil {
		return err
	}
	s.announce(s.put(checked))
	return nil
}

// Remove withdraws the tools with these ids and returns how many there were.
// Calls that already run are not stopped.
func (s *Source) Remove(ids ...string) int {
	s.writing.Lock()
	old := s.now.Load()
	tools := old.tools()
	before := len(tools)
	for _, id := range ids {
		delete(tools, id)
	}
	next := newSnapshot(tools, old)
	s.now.Store(next)
	s.writing.Unlock()
	s.announce(next.changedFrom(old))
	return before - len(tools)
}

func (s *Source) check(tools []Tool) ([]Tool, error) {
	checked := make([]Tool, 0, len(tools))
	for _, t := range tools {
		t, err := t.check(s.owner)
		if err != nil {
			return nil, err
		}
		checked = append(checked, t)
	}
	return checked, nil
}

// put adds checked tools and returns the owners whose listing changed.
func (s *Source) put(added []Tool) []ownerKey {
	s.writing.Lock()
	defer s.writing.Unlock()
	old := s.now.Load()
	tools := old.tools()
	for _, t := range added {
		if _, there := tools[t.ID]; there {
			s.logger.Warn("a tool replaces an earlier one of the same id", "tool", t.ID)
		}
		tools[t.ID] = t
	}
	next := newSnapshot(tools, old)
	s.now.Store(next)
	return next.changedFrom(old)
}

func (s *Source) announce(changed []ownerKey) {
	if s.onChange == nil {
		return
	}
	for _, k := range changed {
		s.onChange(k.source, k.owner)
	}
}
