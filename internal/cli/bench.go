package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/internal/bench"
)

func (a *app) benchCommand() *cobra.Command {
	return noun("bench", "Measure speed on this machine", a.benchCodeCommand())
}

func (a *app) benchCodeCommand() *cobra.Command {
	var runs int
	var asJSON bool
	c := &cobra.Command{
		Use:   "code",
		Short: "Measure how long code takes in each runtime",
		Long: `Measure how long bodies of code take in each runtime that can be had here, one
way after the other: with a child that waits already (warm), and with one that is
started for the run (cold). Each figure is the median in milliseconds of the whole
way of a call: the child, the bridge, and the tools of the demo catalog.`,
		Example: `  toolcrib bench code
  toolcrib bench code --runs 100 --json`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			progress := a.progress()
			report, err := bench.Code(cmd.Context(), bench.CodeOptions{Runs: runs, Path: a.p.env("PATH"), Progress: progress.say})
			progress.stop()
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(report)
			}
			a.printBench(report)
			return nil
		},
	}
	c.Flags().IntVar(&runs, "runs", bench.DefaultRuns, "how often each light body is run, a `number` up to 1000")
	jsonFlag(c, &asJSON, `{"system", "runs", "ways": [{"name", "error"}], "bodies": [{"name", "ms": [...]}]}`)
	return c
}

func (a *app) printBench(r bench.CodeReport) {
	head := []string{"MEDIAN IN MS"}
	for _, w := range r.Ways {
		head = append(head, w.Name)
	}
	var rows [][]string
	for _, b := range r.Bodies {
		cells := []string{b.Name}
		for i, ms := range b.MS {
			cell := strconv.FormatFloat(ms, 'f', 1, 64)
			if r.Ways[i].Error != "" {
				cell = "-"
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	a.out.rows(head, rows)
	a.out.printf("\n%s; %d runs of each light body\n", r.System, r.Runs)
	for _, w := range r.Ways {
		if w.Error != "" {
			a.warn(fmt.Sprintf("%s could not be measured: %s", w.Name, folded(w.Error)))
		}
	}
}
