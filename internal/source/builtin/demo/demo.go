// Package demo is a catalog to try toolcrib with: the tools of a dozen and more
// invented services, such as an issue tracker, a calendar and a CI system, that
// really do something small in memory.
//
// It owns the services, their state and their seed data. Nothing is read from or
// sent to the world outside, and nothing outlives the Demo. One Demo is one
// world: every session that uses it sees the same issues and events. It knows no
// policy, no search and no transport.
package demo

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// Options is what a Demo needs. All of it may be left out.
type Options struct {
	// Now is the clock; time.Now when nil. The seed data lies around the day on
	// which the Demo is made, all times in UTC.
	Now func() time.Time
	// Logger gets what callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
}

// Demo is the demo source. It is safe for concurrent use.
type Demo struct {
	services []*service
	source   *gofunc.Source
}

// New returns a Demo with fresh seed data.
func New(opts Options) (*Demo, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return assemble(services(opts.Now), opts.Logger)
}

func assemble(all []*service, logger *slog.Logger) (*Demo, error) {
	d := &Demo{services: all}
	var tools []gofunc.Tool
	for _, s := range d.services {
		tools = append(tools, s.gofuncs()...)
	}
	source, err := gofunc.New(gofunc.Options{Tools: tools, Logger: logger})
	if err != nil {
		return nil, err
	}
	d.source = source
	return d, nil
}

// services opens every service, in the order in which documents show them.
func services(now func() time.Time) []*service {
	open := []func(*service){
		tracker, calendar, mail, chat, drive, notes, crm, billing, ci,
		cluster, database, analytics, home, travel, people, weather,
	}
	all := make([]*service, 0, len(open))
	for _, f := range open {
		s := newService(now)
		f(s)
		all = append(all, s)
	}
	return all
}

// Listings returns one listing per service, the same for every caller.
func (d *Demo) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	return d.source.Listings(ctx, scope)
}

// Execute runs one tool. What a service refuses, such as an unknown issue, is a
// Result with IsError; only a tool that doesn't exist is an error, KindNotFound.
func (d *Demo) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	return d.source.Execute(ctx, call)
}

// Example is a tool's id and arguments that work on fresh seed data.
type Example struct {
	ID   string
	Args string // a JSON object
}

// Examples returns one example for each tool, in the order of the services.
func (d *Demo) Examples() []Example {
	var all []Example
	for _, s := range d.services {
		for _, t := range s.tools {
			all = append(all, Example{ID: toolcrib.MakeID(toolcrib.SourcePlugin, s.owner, t.name), Args: t.example})
		}
	}
	return all
}
