package modelmock

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// maxBody bounds a request's body, in bytes.
const maxBody = 64 << 20

// Exchange is one request as it came, without the client's secrets.
type Exchange struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
	// Prompt is what the body asks, if it is a request to a model.
	Prompt *Prompt
}

// Server is a handler that plays all protocols under one address: /v1 for those
// of Anthropic and OpenAI, /v1beta for Gemini's.
type Server struct {
	mux    *http.ServeMux
	script Script

	mu        sync.Mutex
	exchanges []*Exchange
	calls     int
}

// secrets are the headers and query parameters that aren't recorded.
var secrets = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie", "key"}

// dialect is one protocol: how to read a request, and how to write a turn.
type dialect struct {
	read   func(body []byte) (Prompt, error)
	whole  func(Prompt, Turn) any
	stream func(*events, Prompt, Turn)
}

// New returns a server that says what the script decides.
func New(script Script) *Server {
	s := &Server{mux: http.NewServeMux(), script: script}
	s.mux.HandleFunc("POST /v1/messages", s.model(messagesDialect))
	s.mux.HandleFunc("POST /v1/messages/count_tokens", s.plain(countTokens))
	s.mux.HandleFunc("POST /v1/responses", s.model(responsesDialect))
	s.mux.HandleFunc("POST /v1/chat/completions", s.model(chatDialect))
	s.mux.HandleFunc("GET /v1/models", s.plain(listModels))
	s.mux.HandleFunc("POST /v1beta/models/{action}", s.gemini)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.record(r); err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		refuse(w, http.StatusNotFound, fmt.Errorf("no such endpoint: %s %s", r.Method, r.URL.Path))
	})
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Exchanges are all requests so far, in the order in which they came.
func (s *Server) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Exchange, 0, len(s.exchanges))
	for _, e := range s.exchanges {
		all = append(all, *e)
	}
	return all
}

// Prompts are what was asked of the model so far.
func (s *Server) Prompts() []Prompt {
	var all []Prompt
	for _, e := range s.Exchanges() {
		if e.Prompt != nil {
			all = append(all, *e.Prompt)
		}
	}
	return all
}

// record keeps a request and reads its body.
func (s *Server) record(r *http.Request) (*Exchange, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	e := &Exchange{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Body: body}
	for _, name := range secrets {
		e.Header.Del(name)
		e.Query.Del(name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exchanges = append(s.exchanges, e)
	return e, err
}

// model answers requests of one protocol.
func (s *Server) model(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, r, d, func(*Prompt) {})
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, amend func(*Prompt)) {
	e, err := s.record(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	prompt, err := d.read(e.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	amend(&prompt)
	s.mu.Lock()
	e.Prompt = &prompt
	s.mu.Unlock()
	turn, err := s.take(prompt)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	if !prompt.Stream {
		reply(w, http.StatusOK, d.whole(prompt, turn))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	d.stream(&events{w: w}, prompt, turn)
}

// take asks the script for the turn and fills in its calls.
func (s *Server) take(p Prompt) (Turn, error) {
	turn := s.script(p)
	turn.Calls = slices.Clone(turn.Calls)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range turn.Calls {
		c := &turn.Calls[i]
		offer, ok := p.Tool(c.Tool)
		if !ok {
			return Turn{}, fmt.Errorf("the script calls %s, which is not on offer", c.Tool)
		}
		s.calls++
		c.offer, c.id = offer, fmt.Sprintf("call_%d", s.calls)
	}
	return turn, nil
}

// plain answers a request that asks nothing of the model.
func (s *Server) plain(answer func(body []byte) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e, err := s.record(r)
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		reply(w, http.StatusOK, answer(e.Body))
	}
}

// listModels answers in a shape that fits both OpenAI and Anthropic.
func listModels([]byte) any {
	return object{"object": "list", "has_more": false, "data": []object{{
		"id": "mock", "object": "model", "type": "model", "owned_by": "mock", "display_name": "Mock",
		"created": 1_700_000_000, "created_at": "2023-11-14T22:13:20Z",
	}}}
}

// object is a JSON object.
type object = map[string]any

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that went away has no use for it
}

// refuse answers with an error in a shape that all protocols' clients read.
func refuse(w http.ResponseWriter, status int, err error) {
	reply(w, status, object{"type": "error", "error": object{
		"type": "invalid_request_error", "code": status, "message": err.Error(), "status": "INVALID_ARGUMENT",
	}})
}
