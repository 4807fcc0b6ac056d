package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Provider names a maker of models by the interface that takes tools.
type Provider string

// Providers whose refusals are known.
const (
	// OpenAI is chat completions and responses with tools that are not strict.
	OpenAI Provider = "openai"
	// OpenAIStrict is the same with "strict": true, which a program turns on by
	// itself and can turn off for a tool.
	OpenAIStrict Provider = "openai-strict"
	Anthropic    Provider = "anthropic"
	// Gemini is "parameters" of a function declaration, of Vertex too: a Protocol
	// Buffers message after OpenAPI 3.0. "parametersJsonSchema" takes more.
	Gemini   Provider = "gemini"
	Moonshot Provider = "moonshot"
)

// Refusal is one place of a parameter schema for which providers refuse a tool,
// and with it, mostly, the whole request.
type Refusal struct {
	// Providers are those that refuse it, in the order of their names.
	Providers []Provider
	// Rule is the name of what is broken, such as "array-items". Names are stable.
	Rule string
	// Path is the JSON Pointer of the place, "" for the root.
	Path string
	// Detail is what stands there, such as the keyword that isn't known; may be empty.
	Detail string
	// Usual says that programs which talk to the provider commonly mend this before
	// they send it, since most schemas have it.
	Usual bool
}

// Says is what is wrong, as a clause for a person: "a list doesn't say what its
// items are".
func (r Refusal) Says() string {
	says := banNamed(r.Rule).says
	if r.Detail != "" {
		says += " (" + cut(r.Detail, maxShown) + ")"
	}
	return says
}

// ban is what one or several providers refuse.
type ban struct {
	name      string
	providers []Provider
	says      string
	usual     bool
	// once says that the first place is enough to know.
	once bool
}

// banNamed returns the ban of a name.
func banNamed(name string) ban {
	return bans[max(0, slices.IndexFunc(bans, func(b ban) bool { return b.name == name }))]
}

// bans is the table of what is refused. Behind each stands where it was seen:
// a provider's documentation, or the error of its interface in a public thread
// of GitHub, OWNER/REPOSITORY#NUMBER.
var bans = []ban{
	// nspady/google-calendar-mcp#39 "schema must have type 'object'"; Gemini: diegosouzapw/OmniRoute#3360.
	{name: "root-object", providers: []Provider{Anthropic, Gemini, OpenAI}, says: "the root is not of type object"},
	// anthropics/claude-code#5973 "does not support oneOf, allOf, or anyOf at the top level"; nspady/google-calendar-mcp#39.
	{name: "root-union", providers: []Provider{Anthropic, OpenAI}, says: "the root is a union"},
	// nspady/google-calendar-mcp#39; const: goruck/home-generative-agent#545.
	{name: "root-keyword", providers: []Provider{OpenAI}, says: "the root has a keyword that may not stand there"},
	// spring-projects/spring-ai#4776 "object schema missing properties".
	{name: "root-properties", providers: []Provider{OpenAI}, says: "the root has no properties, not even an empty set", usual: true},
	// anthropics/claude-code#79418 "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"; the root's alone: decocms/studio#6874.
	{name: "property-name", providers: []Provider{Anthropic}, says: "the name of a property has other characters than letters, digits, _ . - or is longer than 64"},
	// anthropics/claude-code#586 "It must match JSON Schema draft 2020-12".
	{name: "malformed", providers: []Provider{Anthropic, Gemini, OpenAI}, says: "it is no JSON Schema of draft 2020-12"},
	// sigoden/aichat#1049 "array schema missing items"; Gemini: TokenRhythm/opensquilla#1263 "items: missing field".
	{name: "array-items", providers: []Provider{Gemini, OpenAI}, says: "a list doesn't say what its items are"},
	// Dokploy/mcp#45, anomalyco/opencode#32073 "regex lookaround is not supported".
	{name: "lookaround", providers: []Provider{OpenAI}, says: "a pattern looks ahead or behind"},
	// google-gemini/gemini-cli#13326 "reference to undefined schema"; open-webui/computer#87.
	{name: "lost-reference", providers: []Provider{Gemini, OpenAI}, says: "a reference leads nowhere inside the schema"},
	// anomalyco/opencode#25495 "schema depth exceeds maximum limit of 10"; Gemini has a bound that it doesn't
	// document: google-gemini/gemini-cli#5923 "exceeds the maximum allowed nesting depth".
	{name: "depth", providers: []Provider{Gemini, Moonshot}, says: "it is nested more than 10 deep", once: true},
	// zed-industries/zed#53919 "Proto field is not repeating, cannot start list".
	{name: "type-list", providers: []Provider{Gemini}, says: "it has a list of types"},
	// microsoft/azure-devops-mcp#145 "Invalid value at … enum[0] (TYPE_STRING)"; directus/directus#27100 "only allowed for STRING type".
	{name: "enum-type", providers: []Provider{Gemini}, says: "an enum is of something else than texts"},
	// Bobsilvio/ha-claude#32 "enum[1]: cannot be empty"; elastic/kibana#286302.
	{name: "enum-empty", providers: []Provider{Gemini}, says: "an enum is empty, or has an empty text"},
	// google-gemini/gemini-cli#3178 "only 'enum' and 'date-time' are supported for STRING type".
	{name: "format", providers: []Provider{Gemini}, says: "it has a format that isn't known", usual: true},
	// iBUHub/AIStudioToAPI#154 "required[0]: property is not defined".
	{name: "required-name", providers: []Provider{Gemini}, says: "a required property is not among the properties"},
	// danny-avila/LibreChat#6971 "must be specified when not using one_of, any_of or all_of fields".
	{name: "untyped", providers: []Provider{Gemini}, says: "it has no type"},
	// zed-industries/zed#60165; https://ai.google.dev/api/caching#Schema has no $ref.
	{name: "reference", providers: []Provider{Gemini}, says: "it has a reference", usual: true},
	// agno-agi/agno#2112 "should be non-empty for OBJECT type".
	{name: "empty-object", providers: []Provider{Gemini}, says: "an object has no properties", usual: true},
	// https://ai.google.dev/api/caching#Schema; pizza-bot-app/pizza-bot#62 "Unknown name … Cannot find field".
	{name: "keyword", providers: []Provider{Gemini}, says: "it has a keyword that isn't known", usual: true, once: true},
	// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas.
	{name: "strict-closed", providers: []Provider{OpenAIStrict}, says: "an object doesn't say additionalProperties: false", usual: true, once: true},
	{name: "strict-required", providers: []Provider{OpenAIStrict}, says: "a property is not required", usual: true, once: true},
	{name: "strict-keyword", providers: []Provider{OpenAIStrict}, says: "it has a keyword that strict mode lacks", usual: true, once: true},
	{name: "strict-size", providers: []Provider{OpenAIStrict}, says: "it is larger than strict mode takes", usual: true, once: true},
}

// Bounds of Refusals.
const (
	maxRefusals  = 100
	maxNodes     = 20_000
	deepest      = 10   // of schemas within each other, the root counted
	strictNames  = 5000 // properties of one schema
	strictValues = 1000 // values of all enums of one schema
)

// Refusals says what known providers refuse in a tool's parameter schema, as it
// is sent, in the order of the paths: at most 100, and of a schema with more than
// 20,000 parts what is found in those. None means that no rule is broken that is
// known here, not that every provider takes it. References are not followed, so
// the depth is that of the text.
func Refusals(schema json.RawMessage) []Refusal {
	w := walker{seen: map[string]bool{}, left: maxNodes}
	if depth, _ := extent(schema); depth > MaxDepth {
		w.refuse("depth", "", "")
		return w.found
	}
	doc, err := decode(bytes.TrimSpace(schema))
	root, object := doc.(map[string]any)
	if err != nil || !object {
		w.refuse("root-object", "", "")
		return w.found
	}
	w.root = root
	w.checkRoot()
	if checkBounds(schema) == nil {
		w.checkDraft()
	}
	w.node(root, "", 1, false)
	if w.names > strictNames || w.values > strictValues {
		w.refuse("strict-size", "", "")
	}
	slices.SortStableFunc(w.found, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Detail, b.Detail))
	})
	return w.found[:min(len(w.found), maxRefusals)]
}
