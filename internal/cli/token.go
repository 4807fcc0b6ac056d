package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

const tokenShape = `{"id", "name", "agent", "owner", "harness", "allow": ["..."], "deny": ["..."], "created", "expires", "lastUsed", "revoked"}`

func (a *app) tokenCommand() *cobra.Command {
	return noun("token", "Make, list and revoke the tokens that let programs in over HTTP",
		a.tokenCreateCommand(), a.tokenListCommand(), a.tokenRevokeCommand(), a.tokenAdminCommand())
}

func (a *app) tokenCreateCommand() *cobra.Command {
	var asJSON bool
	var r client.TokenRequest
	var expires string
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token and print its secret, which is shown this once",
		Long: `Make a token and print its secret, which is shown this once: a hash of it is all
that is kept. A program sends it as Authorization: Bearer SECRET to /mcp.

As soon as there is a token, the gateway asks every program that comes over HTTP
for one, on this machine too, and open sessions without one end. What is attached
with toolcrib mcp needs none. A token that was revoked or has expired still counts;
token revoke --forget takes it away for good.

It needs no more than the rights of the user who runs the gateway: whoever may read
admin.token in the state folder may make tokens.`,
		Example: `  toolcrib token create laptop
  toolcrib token create ci --agent reader --expires 30d --deny 'github__*'
  export TOOLCRIB_TOKEN=$(toolcrib token create editor --harness codex)`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if r.Expires, err = expiry(expires, time.Now()); err != nil {
				return err
			}
			r.Name = args[0]
			return a.lookUp(cmd.Context(), func(c *connection) error {
				if err := a.outlives(c); err != nil {
					return err
				}
				made, err := c.MakeToken(cmd.Context(), r)
				if err != nil {
					return err
				}
				return a.printNewToken(made, asJSON)
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&r.Agent, "agent", "", "`name` of the agent for which it may call; without it any that it asks for")
	flags.BoolVar(&r.Owner, "owner", false, "who holds it is the operator, and may use owner-only tools")
	flags.StringVar(&expires, "expires", "", "when it ends: a `time` from now, such as 12h or 30d, or a date; without it never")
	flags.StringVar(&r.Harness, "harness", "", "`name` of the program that runs the model, for tools.byHarness")
	flags.StringSliceVar(&r.Allow, "allow", nil, "`pattern` of what it may use; nothing else then (repeatable)")
	flags.StringSliceVar(&r.Deny, "deny", nil, "`pattern` of what it may not use (repeatable)")
	_ = c.RegisterFlagCompletionFunc("agent", a.completeAgents)
	jsonFlag(c, &asJSON, `{"token": `+tokenShape+`, "secret", "notes": ["..."]}`)
	return c
}

// outlives refuses to make a token in a store that ends with this process.
func (a *app) outlives(c *connection) error {
	if c.inside == nil {
		return nil
	}
	cfg, _, err := a.readConfig()
	if err == nil && cfg.Store.URL == "memory:" {
		return toolcrib.NewError(toolcrib.KindConfig, `store.url is "memory:", and no gateway runs: the token would be gone at once`, "start toolcrib serve first, or name a file in store.url")
	}
	return err
}

func (a *app) tokenListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tokens, the oldest first",
		Example: `  toolcrib token list
  toolcrib token list --json | jq -r '.tokens[] | select(.lastUsed == null) | .name'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				tokens, err := c.Tokens(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.TokenList{Tokens: orEmpty(tokens)})
				}
				a.printTokens(tokens)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"tokens": [`+tokenShape+`]}`)
	return c
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	var asJSON, forget bool
	c := &cobra.Command{
		Use:   "revoke ID|NAME",
		Short: "Take a token back, at once and for good",
		Long: `Take a token back, at once and for good: its next request is refused, and its open
streams end within seconds.`,
		Example: `  toolcrib token revoke laptop
  toolcrib token revoke laptop --forget`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeTokens,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				revoked, err := c.RevokeToken(cmd.Context(), args[0], forget)
				if err != nil {
					return err
				}
				for _, n := range revoked.Notes {
					a.note("note", "2", n)
				}
				if asJSON {
					return a.out.json(revoked)
				}
				a.out.printf("%s (%s) is revoked\n", folded(revoked.Token.Name), folded(revoked.Token.ID))
				return nil
			})
		},
	}
	c.Flags().BoolVar(&forget, "forget", false, "delete what is known of it, too")
	jsonFlag(c, &asJSON, `{"token": `+tokenShape+`, "notes": ["..."]}`)
	return c
}

func (a *app) tokenAdminCommand() *cobra.Command {
	rotate := &cobra.Command{
		Use:   "rotate",
		Short: "Put a new admin token in place of the one before",
		Long: `Put a new admin token in place of the one before, which opens nothing from then on.
A running gateway needs no restart.`,
		Example: `  toolcrib token admin rotate`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			dir, err := config.StateDir(a.configOptions())
			if err != nil {
				return err
			}
			file, err := gateway.RotateAdminToken(dir)
			if err != nil {
				return err
			}
			a.out.printf("%s has a new admin token\n", file)
			return nil
		},
	}
	return noun("admin", "The admin token, which opens the control API", rotate)
}

// completeTokens offers the names of tokens that may be used.
func (a *app) completeTokens(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := a.running()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.close()
	tokens, _ := c.Tokens(cmd.Context())
	var names []string
	for _, t := range tokens {
		if t.Revoked.IsZero() {
			names = append(names, t.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// adminSecret is the admin token, "" when this user has none.
func (a *app) adminSecret() string {
	dir, err := config.StateDir(a.configOptions())
	if err != nil {
		return ""
	}
	secret, err := gateway.AdminToken(dir)
	if err != nil {
		return "" // the gateway says what lacks where it matters
	}
	return secret
}
