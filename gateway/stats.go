package gateway

import (
	"cmp"
	"context"
	"slices"

	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// tokenizer says how tokens are counted.
const tokenizer = "an estimate: 4 bytes a token"

// Stats implements httpapi.Control.
func (c control) Stats(ctx context.Context, agent string) (client.Stats, error) {
	s, err := c.session(agent)
	if err != nil {
		return client.Stats{}, err
	}
	s.surface(ctx)
	s.mu.Lock()
	plan, of := s.catalog, s.agent
	s.mu.Unlock()
	stats := client.Stats{Tokenizer: tokenizer}
	for range plan.All() {
		stats.Tools++
	}
	for _, mode := range measured(plan) {
		surface := c.surfaceOf(of, plan, look{mode: mode, split: of.search.SplitCalls})
		m, err := modeStats(mode, surface.Tools(), surface.Instructions())
		if err != nil {
			return stats, err
		}
		stats.Modes = append(stats.Modes, m)
	}
	direct, err := weigh(plan, toolsearch.Show(plan, toolsearch.ModeDirect))
	if err != nil {
		return stats, err
	}
	stats.Owners, stats.Largest = direct.owners(), direct.largest(maxLargest)
	stats.Savings = direct.savings(c.settings.Load().config)
	slices.SortStableFunc(stats.Modes, func(a, b client.ModeStats) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return stats, nil
}

// measured are the modes that are offered here.
func measured(plan *catalog.Catalog) []toolsearch.Mode {
	modes := []toolsearch.Mode{toolsearch.ModeDirect, toolsearch.ModeTools, toolsearch.ModeCode}
	choice, err := toolsearch.Choose(toolsearch.ChooseOptions{Configured: toolsearch.ModeDirectory, Catalog: plan})
	if err == nil && choice.Mode == toolsearch.ModeDirectory {
		modes = append(modes, toolsearch.ModeDirectory)
	}
	return modes
}

func modeStats(mode toolsearch.Mode, visible []toolsearch.Visible, instructions string) (client.ModeStats, error) {
	bytes, err := size(visible)
	bytes += len(instructions)
	return client.ModeStats{
		Mode: string(mode), Visible: len(visible), Bytes: bytes, Instructions: len(instructions), Tokens: tokens(bytes),
	}, err
}

// tokens estimates how many tokens so many bytes of JSON are.
func tokens(bytes int) int { return bytes / toolsearch.BytesPerToken }
