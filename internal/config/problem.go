package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// maxProblems bounds how many errors, and how many warnings, one Load reports.
const maxProblems = 100

// Warning is something that Load found odd and could put right by itself.
type Warning struct {
	Origin Origin
	// Key is the path of the key; empty when the warning is about no single key.
	Key     string
	Message string
}

// String is "ORIGIN: KEY: MESSAGE".
func (w Warning) String() string {
	if w.Key == "" {
		return w.Origin.String() + ": " + w.Message
	}
	return w.Origin.String() + ": " + w.Key + ": " + w.Message
}

// problems collects what is wrong, so that one Load reports all of it.
type problems struct {
	errs     []fault
	warnings []Warning
}

type fault struct {
	Warning
	hint string
	// unset says that a variable of the environment is missing, and nothing else is wrong.
	unset bool
}

func (p *problems) fail(at Origin, key, message, hint string) {
	p.errs = append(p.errs, fault{Warning: Warning{at, key, message}, hint: hint})
}

func (p *problems) warn(at Origin, key, format string, args ...any) {
	p.warnings = append(p.warnings, Warning{at, key, fmt.Sprintf(format, args...)})
}

// full reports whether enough errors are known, so that no more hints are worth looking for.
func (p *problems) full() bool { return len(p.errs) >= maxProblems }

// err joins the errors, by layer and in the order of the file. Each is a *toolcrib.Error.
func (p *problems) err(redact func(string) string) error {
	if len(p.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(p.errs, func(a, b fault) int { return a.Origin.compare(b.Origin) })
	var out []error
	for i, f := range p.errs {
		if i == maxProblems {
			out = append(out, configError(fmt.Sprintf("and %d errors more", len(p.errs)-i), "", nil))
			break
		}
		out = append(out, toolcrib.NewError(toolcrib.KindConfig, redact(f.String()), redact(f.hint)))
	}
	return errors.Join(out...)
}

// warned returns the warnings without secrets.
func (p *problems) warned(redact func(string) string) []Warning {
	slices.SortStableFunc(p.warnings, func(a, b Warning) int { return a.Origin.compare(b.Origin) })
	var out []Warning
	for i, w := range p.warnings {
		if i == maxProblems {
			return append(out, Warning{Origin: w.Origin, Message: fmt.Sprintf("and %d warnings more", len(p.warnings)-i)})
		}
		w.Key, w.Message = redact(w.Key), redact(w.Message)
		out = append(out, w)
	}
	return out
}
