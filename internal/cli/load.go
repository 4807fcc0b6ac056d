package cli

import (
	"fmt"

	"github.com/toolcrib/toolcrib/internal/config"
)

// configOptions is how this run finds and reads its configuration; flags is
// the layer of the command line, PATH=VALUE.
func (a *app) configOptions(flags ...string) config.Options {
	return config.Options{
		Path: a.configPath, Environ: a.p.Environ, Home: a.p.Home,
		Flags: flags, FlagNames: map[string]string{"gateway.listen": "--listen"},
		Reserved: []string{startedAs, "TOOLCRIB_NPM", "TOOLCRIB_SHARED"}, // the last are the tests' own
	}
}

// loadConfig reads the configuration and says how many warnings there are. The
// commands that a person looks at for them say them all.
func (a *app) loadConfig(flags ...string) (*config.Config, error) {
	cfg, warnings, err := a.readConfig(flags...)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	a.countWarnings(texts)
	return cfg, err
}

// loadConfigAloud reads the configuration and shows its warnings.
func (a *app) loadConfigAloud(flags ...string) (*config.Config, error) {
	cfg, warnings, err := a.readConfig(flags...)
	for _, w := range warnings {
		a.warn(w.String())
	}
	return cfg, err
}

func (a *app) readConfig(flags ...string) (*config.Config, []config.Warning, error) {
	cfg, warnings, err := config.Load(a.configOptions(flags...))
	if err != nil {
		return nil, warnings, err
	}
	a.redact, a.flags, a.warnings = cfg.Redact, flags, warnings
	return cfg, warnings, nil
}

// countWarnings says in one line that the configuration has warnings: what it is
// when it is one.
func (a *app) countWarnings(warnings []string) {
	validate := "toolcrib config validate"
	if a.configPath != "" {
		validate += " --config " + shellQuote(a.configPath)
	}
	switch n := len(warnings); n {
	case 0:
	case 1:
		a.warn(warnings[0])
	default:
		a.warn(fmt.Sprintf("%d warnings about the configuration: %s shows them", n, validate))
	}
}
