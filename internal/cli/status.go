package cli

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "status",
		Short:   "Say whether a gateway of this configuration runs, and how it is",
		Example: `  toolcrib status --json | jq .listen`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.running()
			if err != nil {
				return err
			}
			defer c.close()
			status, err := c.Status(cmd.Context())
			if err != nil {
				return err
			}
			if status.ConfigError != "" {
				a.warn("the gateway goes on with the configuration of before: " + status.ConfigError)
			}
			if asJSON {
				return a.out.json(status)
			}
			a.printStatus(status)
			servers, err := c.Servers(cmd.Context())
			if err != nil {
				return err
			}
			a.warnDown(servers)
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"version", "pid", "started", "listen", "configPath", "configHash", "settingsHash", "configError", "mode", "tools", "servers": {STATE: COUNT}, "sessions", "store", "storeError", "unrecorded", "warnings": ["..."]}`)
	return c
}

func (a *app) printStatus(s client.Status) {
	field := func(name, value string) {
		if value != "" {
			a.out.printf("%s %s\n", a.out.bold(fmt.Sprintf("%-8s", name)), value)
		}
	}
	field("version", s.Version)
	field("process", fmt.Sprintf("%d, since %s", s.PID, s.Started.Local().Format("2006-01-02 15:04:05")))
	field("listens", s.Listen)
	field("config", s.ConfigPath)
	field("mode", s.Mode)
	field("tools", fmt.Sprint(s.Tools))
	field("servers", serverCounts(s))
	field("sessions", fmt.Sprint(s.Sessions))
	field("store", s.Store)
	if s.StoreError != "" {
		a.warn("nothing can be recorded in " + s.Store + ", so calls may be refused: " + s.StoreError)
	}
	a.countWarnings(s.Warnings)
}

// warnDown names the servers that are down, and why they are.
func (a *app) warnDown(servers []client.Server) {
	for _, s := range servers {
		if s.State == toolcrib.StateDown {
			a.warn("server " + folded(s.Name) + " is down: " + serverNote(s))
		}
	}
}

// serverCounts is "5 ready, 1 down", or "none".
func serverCounts(s client.Status) string {
	var words []string
	for _, state := range slices.Sorted(maps.Keys(s.Servers)) {
		words = append(words, fmt.Sprintf("%d %s", s.Servers[state], state))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  toolcrib version --json`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				OS      string `json:"os"`
				Arch    string `json:"arch"`
			}{a.p.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			if asJSON {
				return a.out.json(v)
			}
			a.out.printf("toolcrib %s (%s, %s/%s)\n", v.Version, v.Go, v.OS, v.Arch)
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"version", "go", "os", "arch"}`)
	return c
}
