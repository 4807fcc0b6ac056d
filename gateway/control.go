package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// controls are the sessions that serve the control API, one an agent, kept so
// that a search finds its index ready.
type controls struct {
	mu   sync.Mutex
	open map[string]*Session
}

// control answers the control API; its caller is the operator.
type control struct{ *Gateway }

// session returns the control session of an agent.
func (c control) session(agent string) (*Session, error) {
	c.controls.mu.Lock()
	defer c.controls.mu.Unlock()
	if s := c.controls.open[agent]; s != nil {
		return s, nil
	}
	scope := toolcrib.Scope{Door: toolcrib.DoorCLI, Agent: agent, Owner: true}
	s, err := c.Open(SessionOptions{Scope: scope})
	if err != nil {
		return nil, err
	}
	s.fixed = toolsearch.ModeTools // operators want no list of everything
	s.finder = "toolcrib tools search finds tools by what they do"
	if c.controls.open == nil {
		c.controls.open = map[string]*Session{}
	}
	c.controls.open[agent] = s
	return s, nil
}

// Status implements httpapi.Control.
func (c control) Status(ctx context.Context) (client.Status, error) {
	now := c.settings.Load()
	s := client.Status{
		Version: c.version, PID: os.Getpid(), Started: c.started, Mode: now.config.Tools.ToolSearch.Effective(),
		ConfigPath: now.config.Path, ConfigHash: now.hash, ConfigError: c.failure(), Sessions: c.door.Sessions() + c.attached.count(), SettingsHash: c.attached.settings, Servers: map[toolcrib.State]int{},
	}
	s.Store, s.StoreError, s.Unrecorded = c.store.place.String(), cmp.Or(c.store.failure(), c.recorder.log.Failure()), c.recorder.log.Dropped()
	if url := c.listen.Load(); url != nil {
		s.Listen = *url
	}
	for _, server := range c.servers.Status() {
		s.Servers[server.State]++
	}
	session, err := c.session("")
	if err != nil {
		return s, err
	}
	for range session.tools(ctx) {
		s.Tools++
	}
	s.Warnings = c.warnings(ctx)
	return s, nil
}

// Servers implements httpapi.Control.
func (c control) Servers(ctx context.Context) ([]client.Server, error) {
	status := c.servers.Status()
	servers, reviews := make([]client.Server, 0, len(status)), c.reviews(ctx)
	for _, s := range status {
		server := wireServer(s)
		server.Review = reviews[s.Name]
		servers = append(servers, server)
	}
	return servers, nil
}

// Logs implements httpapi.Control.
func (c control) Logs(_ context.Context, server string, n int) ([]string, error) {
	return c.servers.Log(server, n)
}

// Restart implements httpapi.Control.
func (c control) Restart(ctx context.Context, server string) (client.Server, error) {
	if err := c.servers.Restart(ctx, server); err != nil {
		return client.Server{}, err
	}
	for _, s := range c.servers.Status() {
		if s.Name == server {
			return wireServer(s), nil
		}
	}
	return client.Server{}, toolcrib.NewError(toolcrib.KindNotFound, "server "+server+" is gone", "")
}

// Reload implements httpapi.Control.
func (c control) Reload(ctx context.Context) error {
	if err := c.Gateway.Reload(ctx); err != nil { // may be several in one, which is more than an answer can carry
		return toolcrib.NewError(toolcrib.KindConfig, strings.ReplaceAll(err.Error(), "\n", "; "), "").WithCause(err)
	}
	return nil
}

// Tools implements httpapi.Control.
func (c control) Tools(ctx context.Context, r client.ToolsRequest) (client.ToolList, error) {
	s, err := c.session(r.Agent)
	if err != nil {
		return client.ToolList{}, err
	}
	list := client.ToolList{Tools: []client.Tool{}}
	for t := range s.tools(ctx) {
		if r.Owner != "" && r.Owner != t.Owner {
			continue
		}
		list.Tools = append(list.Tools, client.Tool{
			ID: t.ID, Source: t.Source, Owner: t.Owner, Name: t.Name, Label: t.Label, Description: t.Description,
			DirectOnly: t.CatalogMode == toolcrib.CatalogDirectOnly,
		})
	}
	slices.SortFunc(list.Tools, func(a, b client.Tool) int { return strings.Compare(a.ID, b.ID) })
	list.Unavailable = s.unavailable(ctx)
	return list, nil
}

// Search implements httpapi.Control.
func (c control) Search(ctx context.Context, r client.SearchRequest) (client.SearchReply, error) {
	s, err := c.session(r.Agent)
	if err != nil {
		return client.SearchReply{}, err
	}
	hits, err := s.Search(ctx, r.Query, r.Limit)
	if err != nil {
		return client.SearchReply{}, err
	}
	reply := client.SearchReply{Hits: make([]client.Hit, len(hits)), Unavailable: s.unavailable(ctx)}
	for i, h := range hits {
		reply.Hits[i] = wireHit(h)
	}
	if len(hits) == 0 {
		reply.Hint = "nothing fits: try other or fewer words, an action and a thing"
	}
	if r.Explain {
		reply.Explain, err = json.Marshal(s.explain(ctx, r.Query, len(hits)))
	}
	return reply, err
}

// Describe implements httpapi.Control.
func (c control) Describe(ctx context.Context, r client.DescribeRequest) (client.Description, error) {
	s, err := c.session(r.Agent)
	if err != nil {
		return client.Description{}, err
	}
	d, err := s.Describe(ctx, r.ID)
	if err != nil {
		return client.Description{}, err
	}
	return client.Description{
		Hit: wireHit(d.Hit), Annotations: d.Annotations, CatalogMode: d.CatalogMode, ExecutionMode: d.ExecutionMode,
		OwnerOnly: d.OwnerOnly, Parameters: d.Parameters, OutputSchema: d.OutputSchema,
	}, nil
}

// Call implements httpapi.Control.
func (c control) Call(ctx context.Context, r client.CallRequest) (client.CallReply, error) {
	s, err := c.session(r.Agent)
	if err != nil {
		return client.CallReply{}, err
	}
	t, result, err := s.Call(ctx, r.ID, r.Args)
	if err != nil {
		return client.CallReply{}, err
	}
	return client.CallReply{Tool: client.CalledTool{ID: t.ID, Name: t.Name, Source: t.Source}, Result: result}, nil
}
