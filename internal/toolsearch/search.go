package toolsearch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Found is the answer to one search.
type Found struct {
	Query string
	Hits  []Hit
}

// Outage names a server whose tools can't be found or called now.
type Outage struct {
	Server string `json:"server"`
	Reason string `json:"reason"`
}

// Search answers one search in full: the byte budget of the control doesn't
// apply. A limit of 0 is the default, one over the maximum is the maximum, and
// one below 0 is an error of KindInput. callID is for the record.
func (s *Surface) Search(ctx context.Context, scope toolcrib.Scope, callID string, q Query) ([]Hit, error) {
	start := s.opt.Now()
	if err := ctx.Err(); err != nil {
		return nil, toolcrib.NewError(toolcrib.KindCanceled, "the caller went away", "").WithCause(err)
	}
	if q.Limit < 0 {
		return nil, toolcrib.NewError(toolcrib.KindInput, "limit must be a whole number of at least 1", "leave it out for the default")
	}
	limit := min(q.Limit, s.opt.MaxLimit)
	if limit == 0 {
		limit = min(s.opt.DefaultLimit, s.opt.MaxLimit)
	}
	found := s.opt.Index.Search(clipText(q.Text, maxQueryBytes), limit)
	hits := make([]Hit, len(found))
	ids := make([]string, len(found))
	for i, f := range found {
		hits[i] = s.hit(f.Tool, f.Score)
		ids[i] = f.Tool.ID
	}
	s.record(toolcrib.Event{Kind: toolcrib.EventSearch, Scope: scope, CallID: callID, Query: clipText(q.Text, maxQueryBytes), Hits: ids}, start, nil)
	return hits, nil
}

// Unavailable names the servers that are configured and allowed and down.
func (s *Surface) Unavailable() []Outage { return outages(s.opt.Catalog) }

// maxReason bounds the reason of an outage, in characters.
const maxReason = 160

func outages(c *catalog.Catalog) []Outage {
	var out []Outage
	for _, o := range c.Outages() {
		out = append(out, Outage{o.Server, fold(safe(o.Reason), maxReason)})
	}
	return out
}

// search is the control.
func (s *Surface) search(ctx context.Context, r CallRequest) Reply {
	a, err := readSearch(r.Args)
	if err != nil {
		s.record(toolcrib.Event{Kind: toolcrib.EventSearch, Scope: r.Scope, CallID: r.CallID}, s.opt.Now(), err)
		return failure(err)
	}
	found := make([]Found, len(a.queries))
	for i, q := range a.queries {
		hits, err := s.Search(ctx, r.Scope, r.CallID, q)
		if err != nil {
			return failure(err)
		}
		found[i] = Found{q.Text, hits}
	}
	hint := s.searchHint(a, found, r.Scope)
	if a.batch {
		return Reply{Text: batchText(found, s.Unavailable(), hint)}
	}
	return Reply{Text: searchText(found[0].Hits, s.Unavailable(), hint)}
}

// searchHint says what to do after searches that found nothing; "" when each
// found something.
func (s *Surface) searchHint(a asked, found []Found, scope toolcrib.Scope) string {
	var empty, again []string
	for _, f := range found {
		if len(f.Hits) > 0 {
			continue
		}
		empty = append(empty, f.Query)
		if strings.TrimSpace(f.Query) != "" && s.opt.Memory.repeated(scope, s.opt.Catalog.Fingerprint(), f.Query) {
			again = append(again, f.Query)
		}
	}
	switch {
	case len(empty) == 0:
		return ""
	case a.remark != "":
		return a.remark + ". Say in query, in a few words, what the tool should do."
	case strings.TrimSpace(strings.Join(empty, "")) == "":
		return "Nothing was asked. Say in query, in a few words, what the tool should do."
	case len(again) > 0:
		return fmt.Sprintf("%s was searched before in this session, with the same answer. Don't repeat it: use other words%s, or do without.",
			quoted(again[0]), s.ownersHint())
	}
	return fmt.Sprintf("Nothing fits %s. Try other or fewer words (an action and a thing)%s.", quoted(empty[0]), s.ownersHint())
}

// ownersHint names the largest owners, as something to search for.
func (s *Surface) ownersHint() string {
	owners, total := counted(s.opt.Catalog)
	if total == 0 {
		return ""
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = o.name
	}
	const room = 160
	return " or the name of a server (" + listed(names, room) + ")"
}

// quoted repeats a query in a message.
func quoted(query string) string { return `"` + fold(safe(query), 60) + `"` }

// record completes an event and hands it on.
func (s *Surface) record(e toolcrib.Event, start time.Time, err error) {
	if s.opt.Recorder == nil {
		return
	}
	e.Time, e.Duration, e.Failure = start, s.opt.Now().Sub(start), toolcrib.KindOf(err)
	if err != nil {
		e.Reason = err.Error()
	}
	s.opt.Recorder.Record(e)
}
