package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

func (a *app) serveCommand() *cobra.Command {
	var demo, asJSON bool
	var listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the tools over HTTP until it is asked to end",
		Long: `Serve the tools as an MCP server at /mcp and answer the other commands over a
socket that only this user can open. It prints where it listens and goes on until
Ctrl-C or SIGTERM; a second one ends it at once.

An address beyond this machine needs a token: one of toolcrib token create, or
gateway.token in the configuration. As soon as there is one, programs on this
machine that come over HTTP must show one, too.`,
		Example: `  toolcrib serve --demo
  toolcrib serve --listen 127.0.0.1:0
  toolcrib serve --config ./servers.json5`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var flags []string
			if listen != "" {
				flags = append(flags, "gateway.listen="+listen)
			}
			return a.serve(cmd.Context(), demo, asJSON, flags)
		},
	}
	c.Flags().BoolVar(&demo, "demo", false, "add the demo catalog: over 160 tools of a dozen invented services, in memory")
	c.Flags().StringVar(&listen, "listen", "", "`address` to listen at; port 0 takes any free one (default: gateway.listen, 127.0.0.1:7433)")
	jsonFlag(c, &asJSON, `{"url", "socket", "pid", "version"} in one line, once it listens`)
	return c
}

func (a *app) serve(ctx context.Context, demo, asJSON bool, flags []string) error {
	a.p.stays()
	if err := a.refuseNested(); err != nil {
		return err
	}
	cfg, err := a.loadConfigAloud(flags...)
	if err != nil {
		return err
	}
	if err := a.refuseSecond(ctx); err != nil {
		return err
	}
	g, err := a.newGateway(ctx, cfg, demo, logLevel(cfg))
	if err != nil {
		return err
	}
	defer g.Close()
	err = g.Serve(ctx, gateway.ServeOptions{Ready: func(url string) {
		a.announce(ctx, g, cfg, url, demo, asJSON)
	}})
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return nil // it was asked to end, and did
	}
	return a.explainListen(cfg.Gateway.Listen, err)
}

// refuseSecond says that a gateway of this configuration runs already, before
// servers are started for another one, which could not serve in the end.
func (a *app) refuseSecond(ctx context.Context) error {
	c, err := a.running()
	if err != nil {
		return nil // whatever is wrong, Serve will say it
	}
	defer c.close()
	message := "a toolcrib gateway of the same configuration runs already"
	switch status, err := c.Status(ctx); {
	case err == nil:
		message += fmt.Sprintf(" (process %d)", status.PID)
	case client.Silent(err):
		message += ", and doesn't answer"
	default:
		return nil
	}
	return toolcrib.NewError(toolcrib.KindConfig, message, "use that one, or end it first")
}

// announce prints where the gateway listens, and a line that proves it works.
func (a *app) announce(ctx context.Context, g *gateway.Gateway, cfg *config.Config, url string, demo, asJSON bool) {
	defer a.out.flush()
	url = endpoint(url)
	c := client.New(client.InProcess(g.Control()), "")
	status, err := c.Status(ctx)
	if err != nil {
		a.printError(err)
	}
	if asJSON {
		line, _ := json.Marshal(struct {
			URL     string `json:"url"`
			Socket  string `json:"socket"`
			PID     int    `json:"pid"`
			Version string `json:"version"`
		}{url, g.SocketPath(), status.PID, a.p.Version})
		a.out.printf("%s\n", line)
		return
	}
	o := a.out
	o.printf("%s %s listens at %s\n", o.bold("toolcrib"), a.p.Version, o.bold(url))
	o.printf("tools: %d; servers: %s; control socket: %s\n\n", status.Tools, serverCounts(status), g.SocketPath())
	o.printf("Try it in another terminal:\n\n  %s\n\n", o.bold(a.tryLine(demo)))
	o.printf("Give it to a program that speaks MCP:\n\n%s\n", clientSnippet(url, cfg.Gateway.Token != "" || hasTokens(ctx, c)))
	o.printf("Ctrl-C ends it.\n")
}

// hasTokens reports whether programs must show a token; false when that can't be told.
func hasTokens(ctx context.Context, c *client.Client) bool {
	tokens, err := c.Tokens(ctx)
	return err == nil && len(tokens) > 0
}

// endpoint completes an address to the URL of the MCP endpoint.
func endpoint(addr string) string {
	if strings.Contains(addr, "://") {
		return addr
	}
	return "http://" + addr + "/mcp"
}

// tryLine is a command that shows that this gateway answers.
func (a *app) tryLine(demo bool) string {
	line := a.p.Program + " tools list"
	if demo {
		line = a.p.Program + ` tools search "create an issue"`
	}
	if a.configPath != "" {
		line += " --config " + shellQuote(a.configPath)
	}
	return line
}

// shellQuote quotes a word for a shell where that is needed.
func shellQuote(word string) string {
	safe := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// clientSnippet is the configuration of an MCP client, in the form most of them read.
func clientSnippet(url string, token bool) string {
	entry := `"url": "` + url + `"`
	if token {
		entry += `, "headers": {"Authorization": "Bearer YOUR_TOKEN"}`
	}
	return `  {"mcpServers": {"toolcrib": {` + entry + `}}}` + "\n"
}

// explainListen says more about an address that can't be listened at: who has
// it, and how to choose another.
func (a *app) explainListen(addr string, err error) error {
	if !inUse(err) {
		return err
	}
	message := addr + " is in use"
	hint := "choose another with --listen 127.0.0.1:0 (any free port) or with gateway.listen in the configuration"
	if c, dialErr := a.running(); dialErr == nil {
		defer c.close()
		if status, err := c.Status(context.Background()); err == nil {
			message += fmt.Sprintf(": a toolcrib gateway of the same configuration runs already (process %d)", status.PID)
			return toolcrib.NewError(toolcrib.KindConfig, message, "use that one, or end it first; or "+hint).WithCause(err)
		}
	}
	if who := portOwner(addr); who != "" {
		message += " by " + who
	}
	return toolcrib.NewError(toolcrib.KindConfig, message, hint).WithCause(err)
}

// inUse reports whether err says that an address is taken. Windows has a code of its own for it.
func inUse(err error) bool {
	const windowsAddrInUse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || runtime.GOOS == "windows" && errors.Is(err, windowsAddrInUse)
}

// portOf returns the port of an address, 0 when there is none.
func portOf(addr string) int {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(port)
	return n
}
