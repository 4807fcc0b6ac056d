package toolcrib

// Effect is what a call of a tool may do to the world, as far as that is said by
// whoever is believed.
type Effect string

// Effects. The zero value is EffectUnknown.
const (
	// EffectUnknown means that nobody who is believed says what the tool does.
	EffectUnknown Effect = ""
	// EffectRead means that it changes nothing.
	EffectRead Effect = "read"
	// EffectWrite means that it changes something, and destroys nothing.
	EffectWrite Effect = "write"
	// EffectDestructive means that it may destroy something.
	EffectDestructive Effect = "destructive"
)

// TrustsHints reports whether what Annotations say for the tool is believed. What
// they say against it always is.
func (t *Tool) TrustsHints() bool {
	return t.TrustedHints || t.Source == SourceCore || t.Source == SourcePlugin
}

// Effect judges the tool by its hints, for everything that depends on them: who is
// asked, and through which control a model calls it. A tool that says that it
// destroys is taken at its word, whatever else it says. Hints that are believed
// have MCP's meaning, in which a tool that changes something may destroy unless it
// says that it doesn't; one that gives neither hint is of unknown effect, and so is
// every other tool whose hints are not believed.
func (t *Tool) Effect() Effect {
	reads, destroys := t.Annotations.ReadOnly, t.Annotations.Destructive
	switch {
	case destroys != nil && *destroys:
		return EffectDestructive
	case !t.TrustsHints() || reads == nil && destroys == nil:
		return EffectUnknown
	case reads != nil && *reads:
		return EffectRead
	case destroys != nil:
		return EffectWrite
	}
	return EffectDestructive
}
