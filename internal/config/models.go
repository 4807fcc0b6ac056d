package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Models are the language models that can be asked, and the bounds of a run.
type Models struct {
	// Default is PROVIDER/MODEL, for who names none; may be empty.
	Default   string
	Providers map[string]Provider
	// MaxSteps, TimeoutMs and MaxTokens bound one run; 0 tokens is no bound.
	MaxSteps, TimeoutMs, MaxTokens int
}

// Timeout is TimeoutMs as a duration.
func (m Models) Timeout() time.Duration { return time.Duration(m.TimeoutMs) * time.Millisecond }

// Provider is somebody who has language models.
type Provider struct {
	// BaseURL is what paths such as chat/completions are joined to.
	BaseURL string
	APIKey  string
	// API is the protocol: "openai-chat".
	API     string
	Headers map[string]string
	// Models are the names of its models; empty when any may be asked for.
	Models []string
}

func modelKeys() []Key {
	const p = "models.providers.*"
	return []Key{
		{Path: "models", Type: Object, Doc: "The language models behind /v1 and toolcrib agent, and the bounds of a run."},
		{Path: "models.default", Type: String, Doc: "The model that is asked when a request names none, as PROVIDER/MODEL."},
		{Path: "models.maxSteps", Type: Whole, Default: "40", Min: 1, Max: 1000, Doc: "How often a model is asked within one run, from a user's message to the answer."},
		{Path: "models.timeoutMs", Type: Whole, Default: "1800000", Min: 1000, Max: 86_400_000, Doc: "How long a run may take, in milliseconds, without the time in which the caller runs tools of its own."},
		{Path: "models.maxTokens", Type: Whole, Default: "0", Max: 1_000_000_000, Doc: "How many tokens, of input and output together, a run may use. 0 sets no bound."},
		{Path: "models.providers", Type: Map, Doc: "Who has models, by name: a letter or digit, then at most 63 letters, digits, _, . or -. A model is named PROVIDER/MODEL, or by its own name where only one provider has it."},
		{Path: p, Type: Object, Doc: "One provider."},
		{Path: p + ".baseUrl", Type: String, Doc: "The address to which /chat/completions is added, such as https://api.example.com/v1. Required."},
		{Path: p + ".apiKey", Type: String, Secret: true, Doc: "The key that is sent to the provider. Write ${env:NAME} or ${file:PATH} rather than the key itself. Without one, and without gateway tokens, the caller's own bearer token is passed on."},
		{Path: p + ".api", Type: String, Default: `"openai-chat"`, Enum: []string{"openai-chat"}, Doc: "The protocol that the provider speaks."},
		{Path: p + ".models", Type: List, Doc: "The models that may be asked for, by the provider's names. Empty or absent: any."},
		{Path: p + ".models.[]", Type: String, Doc: "A model's name."},
		{Path: p + ".headers", Type: Map, Doc: "Headers of every request to the provider."},
		{Path: p + ".headers.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A header."},
	}
}

// modelsOf reads the keys of modelKeys.
func modelsOf(v *value) Models {
	m := Models{
		Default:  text(v.get("default")),
		MaxSteps: number(v.get("maxSteps"), 40), TimeoutMs: number(v.get("timeoutMs"), 1_800_000), MaxTokens: number(v.get("maxTokens"), 0),
		Providers: map[string]Provider{},
	}
	if all := v.get("providers"); all != nil {
		for _, f := range all.fields {
			p := f.val
			m.Providers[f.key] = Provider{
				BaseURL: text(p.get("baseUrl")), APIKey: text(p.get("apiKey")), API: text(p.get("api")),
				Headers: textMap(p.get("headers")), Models: texts(p.get("models")),
			}
		}
	}
	return m
}

// models checks what no single row of the table can.
func (c crossChecker) models(v *value) {
	names := map[string]bool{}
	if all := v.get("providers"); all != nil {
		for _, f := range all.fields {
			path := joinPath("models.providers", f.key)
			names[f.key] = true
			if !toolcrib.ValidOwner(f.key) {
				c.fail(f.at, path, "the name of a provider is a letter or digit, then at most 63 letters, digits, _, . or -", fmt.Sprintf("for example %q", slug(f.key)))
			}
			if f.val.bad {
				continue
			}
			c.headers(f.val.get("headers"), path+".headers")
			switch addr := f.val.get("baseUrl"); {
			case addr == nil:
				c.fail(f.at, path, "has no baseUrl", "write the address of the provider, such as https://api.example.com/v1")
			case !addr.bad:
				c.url(addr, path+".baseUrl")
			}
		}
	}
	of := v.get("default")
	if of == nil || of.bad || of.text == "" {
		return
	}
	if provider, _, ok := strings.Cut(of.text, "/"); !ok || !names[provider] {
		c.fail(of.origin, "models.default", fmt.Sprintf("%q is no model of a provider here", of.text), "write PROVIDER/MODEL with a name of models.providers")
	}
}
