package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// errProblems says that a check found errors, which stand in the answer.
var errProblems = errors.New("errors were found")

// diagnosis is the answer of doctor --json.
type diagnosis struct {
	OK       bool                   `json:"ok"`
	Counts   map[gateway.Level]int  `json:"counts"`
	Findings []gateway.Finding      `json:"findings"`
	Servers  []gateway.ServerReport `json:"servers"`
	gateway.Isolation
}

const doctorShape = `{"ok", "counts": {"error", "warning", "note", "ok"}, "findings": [{"level", "area", "what", "where", "do"}], "servers": [` + reportShape + `], "pieces": [{"name", "ok", "detail"}], "runtimes": [{"name", "ok", "reason"}]}`

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	var o doctorOptions
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong, and say what to do about it",
		Long: `Find what is wrong, and say what to do about it. It looks at the configuration, at a
gateway that runs, at every server (by a connection of its own, unless that gateway
has it ready), at the tools and at what model providers refuse in their schemas, at
the patterns of policy, and at what this machine can isolate: where no code runtime
can be had, mode code becomes mode tools. It needs no running gateway and no good
configuration.

A finding is an error when something that is configured can't work, a warning when
something likely isn't as it is meant to be, a note when it is worth knowing. The
exit code is 0 when there is no error.`,
		Example: `  toolcrib doctor
  toolcrib doctor --offline
  toolcrib doctor --fresh
  toolcrib doctor --json | jq -r '.findings[] | select(.level == "error") | .what'
  toolcrib doctor --json | jq '.runtimes[] | select(.ok) | .name'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.diagnose(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.out.json(d)
			} else {
				a.printDiagnosis(d)
			}
			if err == nil && !d.OK {
				return errProblems
			}
			return err
		},
	}
	c.Flags().BoolVar(&o.offline, "offline", false, "start no servers and connect to none")
	c.Flags().BoolVar(&o.fresh, "fresh", false, "try those servers too that a running gateway has ready")
	c.MarkFlagsMutuallyExclusive("offline", "fresh")
	jsonFlag(c, &asJSON, doctorShape)
	return c
}

// doctorOptions are the flags of doctor.
type doctorOptions struct{ offline, fresh bool }

// diagnose looks at everything.
func (a *app) diagnose(ctx context.Context, o doctorOptions) (diagnosis, error) {
	d := diagnosis{Counts: map[gateway.Level]int{}, Servers: []gateway.ServerReport{}}
	paths, err := config.Locate(a.configOptions())
	if err != nil {
		d.Findings = append(d.Findings, troubles(gateway.AreaConfig, err)...)
	}
	cfg, warnings, err := a.readConfig()
	d.Findings = append(d.Findings, a.configFindings(paths, cfg, warnings, err)...)
	d.Findings = append(d.Findings, a.gatewayFindings(ctx, paths, cfg)...)
	if cfg != nil {
		progress := a.loudProgress()
		progress.say("trying the servers")
		options := gateway.ExamineOptions{
			ProbeOptions: a.probing(), Home: a.p.Home, GOOS: runtime.GOOS, Offline: o.offline, CacheDir: paths.CacheDir,
			Progress: func(done, all int, trying []string) {
				progress.say(fmt.Sprintf("tried %d of %d servers, trying %s", done, all, list(trying)))
			},
		}
		if !o.offline && !o.fresh {
			options.Ready = a.readyServers(ctx, paths)
		}
		e, err := gateway.Examine(ctx, cfg, options)
		progress.stop()
		if err != nil {
			return d, err
		}
		d.Servers, d.Findings = e.Servers, append(d.Findings, e.Findings...)
	}
	d.Findings = append(d.Findings, a.pinFindings(ctx, cfg)...)
	d.Isolation = a.p.Sandbox.Isolation(ctx, a.p.env("PATH"))
	d.Findings = append(d.Findings, isolationFindings(d.Isolation, cfg)...)
	a.address(d.Findings)
	d.sum()
	return d, ctx.Err()
}

// address makes the commands in what to do be about the configuration of this run.
func (a *app) address(all []gateway.Finding) {
	if a.configPath == "" {
		return
	}
	var pairs []string
	for _, command := range []string{"config ", "servers ", "plugins ", "tools ", "import", "doctor "} {
		pairs = append(pairs, "toolcrib "+command, "toolcrib --config "+shellQuote(a.configPath)+" "+command)
	}
	replacer := strings.NewReplacer(pairs...)
	for i := range all {
		all[i].Do = replacer.Replace(all[i].Do)
	}
}

// probing is for whom servers are tried.
func (a *app) probing() gateway.ProbeOptions {
	return gateway.ProbeOptions{Environ: a.p.Environ, Version: a.p.Version}
}

// levels are the levels of findings, the worst first.
var levels = []gateway.Level{gateway.LevelError, gateway.LevelWarning, gateway.LevelNote, gateway.LevelOK}

// sum counts the findings, and puts the worst of each area first.
func (d *diagnosis) sum() {
	for _, level := range levels {
		d.Counts[level] = 0
	}
	for _, f := range d.Findings {
		d.Counts[f.Level]++
	}
	d.OK = d.Counts[gateway.LevelError] == 0
	areas := []string{gateway.AreaConfig, gateway.AreaGateway, gateway.AreaServers, gateway.AreaTools, gateway.AreaSchemas, gateway.AreaPolicy, gateway.AreaIsolation}
	slices.SortStableFunc(d.Findings, func(a, b gateway.Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(areas, a.Area), slices.Index(areas, b.Area)), cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)))
	})
}

// isolationFindings says whether code can run in isolation.
func isolationFindings(i gateway.Isolation, cfg *config.Config) []gateway.Finding {
	var able, unable []string
	for _, r := range i.Runtimes {
		if r.OK {
			able = append(able, r.Name)
		} else {
			unable = append(unable, r.Name+" ("+r.Reason+")")
		}
	}
	f := gateway.Finding{Level: gateway.LevelOK, Area: gateway.AreaIsolation, What: "code can run in isolation: " + list(able)}
	if len(able) == 0 {
		f = gateway.Finding{Level: gateway.LevelNote, Area: gateway.AreaIsolation, What: "no code can run in isolation: " + list(unable), Do: "nothing, if mode tools will do: mode code becomes that"}
		if cfg != nil && cfg.Tools.ToolSearch.Effective() == "code" {
			f.Level, f.Where = gateway.LevelWarning, "tools.toolSearch.mode"
		}
	}
	return []gateway.Finding{f}
}
