package cli

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	return noun("config", "Look at the configuration, and change it",
		a.configGetCommand(), a.configSetCommand(), a.configUnsetCommand(), a.configValidateCommand(), a.configPathCommand(), a.configSchemaCommand())
}

func (a *app) configGetCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "get [KEY]",
		Short: "Print the configuration in effect, or one key of it, without secrets",
		Long: `Print the configuration in effect: defaults, file, environment and flags
together. Secrets are left out. KEY is a dotted path; a text is printed bare, all
else as JSON. A key that is not set prints nothing, and null with --json.`,
		Example: `  toolcrib config get
  toolcrib config get gateway.listen
  toolcrib config get mcp.servers --json`,
		Args:              arguments(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			value, err := cfg.Get(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if !asJSON && string(value) == "null" {
				a.note("note", "2", strings.Join(args, "")+" is not set")
				return nil
			}
			var text string
			if !asJSON && json.Unmarshal(value, &text) == nil {
				a.out.printf("%s\n", a.out.shown(text))
				return nil
			}
			a.out.printf("%s\n", a.out.shown(indented(value)))
			return nil
		},
	}
	jsonFlag(c, &asJSON, `the value of the key`)
	return c
}

func (a *app) configValidateCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "validate",
		Short: "Check the configuration and say what is wrong with it",
		Example: `  toolcrib config validate
  toolcrib config validate --config ./servers.json5`,
		Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			paths, err := config.Locate(a.configOptions())
			if err != nil {
				return err
			}
			_, warnings, err := config.Load(a.configOptions())
			texts := []string{}
			for _, w := range warnings {
				texts = append(texts, w.String())
			}
			if asJSON {
				return errors.Join(a.out.json(validation{paths.Config, paths.Exists, err == nil, orEmpty(failures(err)), texts}), err)
			}
			for _, w := range texts {
				a.warn(w)
			}
			if err != nil {
				return err
			}
			if !paths.Exists {
				a.out.printf("%s does not exist: the defaults are in effect\n", paths.Config)
				return nil
			}
			a.out.printf("%s is valid\n", paths.Config)
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"config", "exists", "valid", "errors": [{"message", "hint"}], "warnings": ["..."]}`)
	return c
}

// validation is the answer of config validate --json.
type validation struct {
	Config   string    `json:"config"`
	Exists   bool      `json:"exists"`
	Valid    bool      `json:"valid"`
	Errors   []failure `json:"errors"`
	Warnings []string  `json:"warnings"`
}

type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// failures lists the errors that err joins.
func failures(err error) []failure {
	var list []failure
	for _, e := range parts(err) {
		if known := (*toolcrib.Error)(nil); errors.As(e, &known) {
			list = append(list, failure{known.Message, known.Hint})
		} else {
			list = append(list, failure{Message: e.Error()})
		}
	}
	return list
}

func (a *app) configPathCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "path",
		Short: "Print where the configuration is read from",
		Example: `  toolcrib config path
  toolcrib config path --json | jq -r .stateDir`,
		Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			p, err := config.Locate(a.configOptions())
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(struct {
					Config   string `json:"config"`
					Exists   bool   `json:"exists"`
					StateDir string `json:"stateDir"`
					CacheDir string `json:"cacheDir"`
					Socket   string `json:"socket"`
				}{p.Config, p.Exists, p.StateDir, p.CacheDir, p.Socket})
			}
			a.out.printf("%s\n", p.Config)
			if !p.Exists {
				a.note("note", "2", "that file does not exist yet; the defaults are in effect")
			}
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"config", "exists", "stateDir", "cacheDir", "socket"}`)
	return c
}

func (a *app) configSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the configuration, for editors",
		Example: `  toolcrib config schema > config.schema.json`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			a.out.printf("%s\n", strings.TrimRight(string(config.Schema()), "\n"))
			return nil
		},
	}
}
