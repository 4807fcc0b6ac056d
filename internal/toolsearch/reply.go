package toolsearch

import (
	"errors"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
)

// failureText is the JSON of a failed control.
type failureText struct {
	Error failureBody `json:"error"`
}

type failureBody struct {
	Kind    toolcrib.Kind `json:"kind"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}

// Bounds of an error's texts, in bytes of JSON.
const (
	maxMessage = 4000
	maxHint    = 1000
)

// failure is the reply of a control that failed.
func failure(err error) Reply { return Failure(err) }

// Failure is the reply of a control that reports an error.
func Failure(err error) Reply {
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		e = toolcrib.NewError(toolcrib.KindInternal, "something went wrong in here", "the log has the details")
	}
	message := e.Message
	if e.Op != "" {
		message = e.Op + ": " + message
	}
	text := encoded(failureText{failureBody{e.Kind, boundText(message, maxMessage), boundText(e.Hint, maxHint)}})
	return Reply{Text: string(text), IsError: true}
}

// directFailure is the reply of a tool shown directly that failed before or
// beside its own result: a sentence, as a tool would say it.
func directFailure(err error) Reply {
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		e = toolcrib.NewError(toolcrib.KindInternal, "something went wrong in here", "the log has the details")
	}
	return Reply{Blocks: []toolcrib.Content{toolcrib.Text(boundText(e.Error(), maxMessage))}, IsError: true}
}

const (
	likely        = 3   // ids suggested for an unknown reference
	maxSuggestFor = 200 // bytes of a reference that suggestions are made for
)

// advise adds to an error about an unknown reference what this mode offers.
// Every other error stays as it is.
func (s *Surface) advise(err error, ref string) error {
	if !errors.Is(err, catalog.ErrUnknown) {
		return err
	}
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		return err
	}
	if name := strings.TrimSpace(ref); s.controls != nil && isControl(name) {
		hint := "call it by its own name, as you called this"
		if s.opt.Mode == ModeCode {
			hint = "inside of code, openclaw.tools has search, describe and call"
		}
		return toolcrib.NewError(toolcrib.KindInput, name+" is no tool of the catalog", hint)
	}
	var parts []string
	meant := s.suggest(strings.TrimSpace(ref))
	if control := s.nearControl(ref); control != "" {
		meant = append([]string{control}, meant[:min(len(meant), likely-1)]...)
	}
	if len(meant) > 0 {
		parts = append(parts, "perhaps you mean "+strings.Join(meant, " or "))
	}
	parts = append(parts, s.finder())
	if down := s.Unavailable(); len(down) > 0 {
		var names []string
		for _, o := range down {
			names = append(names, o.Server)
		}
		parts = append(parts, "not available now: "+listed(names, 200))
	}
	advised := *e
	advised.Hint = strings.Join(parts, "; ")
	return &advised
}

// nearControl is the control whose name a model has misspelt, "" for none. An
// operator has commands in the place of controls.
func (s *Surface) nearControl(ref string) string {
	if s.opt.Finder != "" {
		return ""
	}
	near := config.Nearest(strings.TrimSpace(ref), ControlNames())
	switch {
	case near == "" || slices.ContainsFunc(s.controls, func(c control) bool { return c.name == near }):
		return near
	case s.opt.Mode == ModeCode:
		return CodeControl
	case isCall(near) && s.controls != nil:
		return s.callWords()
	}
	return ""
}

// suggest returns likely ids, or in direct mode likely names.
func (s *Surface) suggest(ref string) []string {
	var out []string
	for _, id := range s.opt.Index.Suggest(clipText(ref, maxSuggestFor), likely) {
		if s.controls == nil {
			if name, ok := s.names.byID[id]; ok {
				id = name
			}
		}
		out = append(out, fold(safe(id), 120))
	}
	return out
}

// finder says what finds more in this mode.
func (s *Surface) finder() string {
	if s.opt.Finder != "" {
		return s.opt.Finder
	}
	switch s.opt.Mode {
	case ModeTools, ModeDirectory:
		return SearchControl + " finds tools by what they do"
	case ModeCode:
		return "openclaw.tools.search finds tools by what they do"
	}
	return "all tools that there are stand in the tool list"
}
