package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	loop "github.com/toolcrib/toolcrib/internal/agent"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
	openaiwire "github.com/toolcrib/toolcrib/internal/wire/openai"
)

// SessionHeader names the session of a request to a model, and is told in the answer.
const SessionHeader = "X-Toolcrib-Session"

// maxSessionName bounds a session's name that a caller chooses, in bytes.
const maxSessionName = 128

// talks is what the doors to models need.
type talks struct {
	runs      *loop.Agent
	providers *upstreams
	sessions  talkSessions
}

// startTalks makes them.
func (g *Gateway) startTalks(o Options) (err error) {
	g.talks.providers = newUpstreams(o.Environ)
	g.talks.sessions.gateway = g
	g.talks.runs, err = loop.New(loop.Options{Store: loop.NewMemory(loop.MemoryOptions{})})
	return err
}

// chatDoor answers chat completions.
type chatDoor struct{ *Gateway }

// Chat implements httpapi.Models.
func (d chatDoor) Chat(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, key string) {
	dialect := openaiwire.Chat{}
	sink := newSink(w)
	sink.activity = r.Header.Get(ActivityHeader) != ""
	defer sink.close()
	outcome, err := d.chat(r, sink, dialect, scope, key)
	if err == nil || outcome.Begun {
		return
	}
	f := dialect.Error(err)
	maps.Copy(w.Header(), f.Header)
	w.WriteHeader(f.Status)
	_, _ = w.Write(f.Body) // the caller may be gone
}

// chat does one turn of a run.
func (d chatDoor) chat(r *http.Request, sink *sink, dialect model.Dialect, scope toolcrib.Scope, key string) (loop.Outcome, error) {
	none := loop.Outcome{}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return none, toolcrib.NewError(toolcrib.KindInput, "the request could not be read", "").WithCause(err)
	}
	prompt, err := dialect.Parse(body)
	if err != nil {
		return none, err
	}
	info, c := prompt.Info(), d.settings.Load().config
	wanted, err := chooseModel(c.Models, info.Model)
	if err != nil {
		return none, err
	}
	provider, err := d.talks.providers.of(wanted.provider, c.Models.Providers[wanted.provider])
	if err != nil {
		return none, err
	}
	scope.Provider, scope.Client = wanted.String(), product(r.UserAgent())
	named := r.Header.Get(SessionHeader)
	if len(named) > maxSessionName || strings.ContainsFunc(named, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return none, toolcrib.NewError(toolcrib.KindInput, SessionHeader+" is no name of a session", fmt.Sprintf("use 1 to %d printable ASCII characters without spaces", maxSessionName))
	}
	turn, err := d.talks.runs.Begin(r.Context(), loop.Who{Caller: strings.Join([]string{scope.Caller, scope.Agent, key}, "\x00"), Session: named}, prompt)
	if err != nil {
		return none, err
	}
	s, err := d.talks.sessions.of(scope, turn.Session())
	if err != nil {
		return none, err
	}
	scope = s.scope
	scope.Run, scope.Provider, scope.Client = turn.Run(), wanted.String(), product(r.UserAgent())
	surface, plan := s.surfaceWith(r.Context(), sentAlong(info.Tools)...)
	if err := collides(surface, plan, info.Tools); err != nil {
		return none, err
	}
	sink.header.Set(SessionHeader, turn.Session())
	watch := &talkWatch{gateway: d.Gateway, session: s, surface: surface, plan: plan, scope: scope, model: wanted.String(), sink: sink, system: len(surface.Instructions())}
	if key != "" && c.Models.Providers[wanted.provider].APIKey != "" {
		key = ""
	}
	system := surface.Instructions()
	if info.Bare != "" {
		system = ""
	}
	return turn.Do(r.Context(), loop.Work{
		Provider: provider, Toolbox: newToolbox(d.Gateway, surface, scope, info), Sink: sink,
		Budgets: budgets(c.Models), Ask: model.Ask{Key: key, Header: passedOn(r.Header)}, Model: wanted.model,
		System: system, Observe: watch.observe,
	})
}

// budgets are those of a run, as they are configured.
func budgets(m config.Models) loop.Budgets {
	b := loop.Budgets{Steps: m.MaxSteps, Time: m.Timeout(), Tokens: int64(m.MaxTokens)}
	if b.Tokens == 0 {
		b.Tokens = -1
	}
	return b
}

// passedOn are the headers of a caller that a provider should see.
func passedOn(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "openai-") || lower == "user-agent" || lower == "x-request-id" {
			out[name] = values
		}
	}
	return out
}

// product is the name of a client, as its User-Agent claims it.
func product(agent string) string {
	name, _, _ := strings.Cut(agent, " ")
	name, _, _ = strings.Cut(name, "/")
	return name[:min(len(name), 64)]
}

// sentAlong is the listing of the caller's own tools; none without any.
func sentAlong(tools []model.Tool) []toolcrib.Listing {
	if len(tools) == 0 {
		return nil
	}
	l := toolcrib.Listing{Source: toolcrib.SourceClient, State: toolcrib.StateReady, Known: true, Tools: make([]toolcrib.Tool, len(tools))}
	for i, t := range tools {
		l.Tools[i] = toolcrib.Tool{
			ID: toolcrib.MakeID(toolcrib.SourceClient, "", t.Name), Source: toolcrib.SourceClient, Name: t.Name, Description: t.Description, Parameters: t.Parameters,
		}
	}
	slices.SortStableFunc(l.Tools, func(a, b toolcrib.Tool) int { return cmp.Compare(a.Name, b.Name) })
	l.Fingerprint = catalog.Fingerprint(l.Tools)
	return []toolcrib.Listing{l}
}

// collides refuses a tool of the caller's that has the name of another one, where
// tools are called by their names alone.
func collides(s *toolsearch.Surface, plan *catalog.Catalog, tools []model.Tool) error {
	if s.Mode() != toolsearch.ModeDirectory || len(tools) == 0 {
		return nil
	}
	theirs := map[string]bool{}
	for _, t := range tools {
		theirs[t.Name] = true
	}
	for t := range plan.All() {
		if t.Source != toolcrib.SourceClient && theirs[t.Name] {
			return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("the request's tool %q has the name of %s, and in mode directory tools are called by their names", t.Name, t.ID), "rename the request's tool, or use another mode")
		}
	}
	return nil
}

// List implements httpapi.Models: the configured models, and what providers without
// a list of their own say.
func (d chatDoor) List(w http.ResponseWriter, r *http.Request, _ toolcrib.Scope, key string) {
	type listed struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	all := []listed{}
	c := d.settings.Load().config.Models
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p := c.Providers[name]
		models := p.Models
		if len(models) == 0 {
			models = d.asked(r.Context(), name, p, key)
		}
		for _, m := range models {
			all = append(all, listed{name + "/" + m, "model", d.started.Unix(), name})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	data, err := json.Marshal(map[string]any{"object": "list", "data": all})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(data) // the caller may be gone
}

// modelsTime bounds how long one provider is asked for its models.
const modelsTime = 5 * time.Second

// asked are the models that a provider says it has; none when it doesn't answer.
func (d chatDoor) asked(ctx context.Context, name string, p config.Provider, key string) []string {
	ctx, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	provider, err := d.talks.providers.of(name, p)
	if err != nil {
		return nil
	}
	if p.APIKey != "" {
		key = ""
	}
	answer, err := provider.Models(ctx, model.Ask{Path: "models", Key: key})
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(answer.Body, &list)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		d.logger.Warn("a provider doesn't say which models it has", "provider", name, "error", err)
	}
	var models []string
	for _, m := range list.Data {
		models = append(models, m.ID)
	}
	return models
}

// talkWatch records what happens in a turn.
type talkWatch struct {
	gateway *Gateway
	session *Session
	surface *toolsearch.Surface
	plan    *catalog.Catalog
	scope   toolcrib.Scope
	model   string
	sink    *sink
	system  int

	asked loop.Event
	begun time.Time
}

// observe is told by one goroutine at a time.
func (t *talkWatch) observe(e loop.Event) {
	switch e.Kind {
	case loop.EventAsk:
		t.asked, t.begun = e, time.Now()
	case loop.EventSaid:
		t.request(e)
	case loop.EventCall:
		t.sink.note(talkNote{Call: e.Call.Name, Args: e.Call.Args})
	case loop.EventResult:
		t.sink.note(talkNote{Call: e.Call.Name, Ms: e.Took.Milliseconds(), Done: true, Failed: e.Answer.IsError})
	}
}

// request records one request to the model.
func (t *talkWatch) request(e loop.Event) {
	event := session.Of(session.KindRequest, t.scope)
	event.Time, event.Ms, event.Outcome = time.Now(), time.Since(t.begun).Milliseconds(), session.OK
	event.Model, event.RequestBytes = t.model, t.asked.Bytes
	event.Usage = &session.Usage{Input: int(e.Said.Usage.Input), Output: int(e.Said.Usage.Output)}
	shown, tools, bytes := t.surface, t.asked.Tools, t.asked.ToolBytes+t.system
	t.gateway.recorder.put(event, func() *session.Shown {
		m := t.gateway.measure(shown, t.plan, look{mode: shown.Mode()})
		m.Schemas, m.Bytes = tools, bytes
		return m
	})
}
