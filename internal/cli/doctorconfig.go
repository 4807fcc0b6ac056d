package cli

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// troubles are the errors that err joins, as findings.
func troubles(area string, err error) []gateway.Finding {
	var all []gateway.Finding
	for _, e := range parts(err) {
		f := gateway.Finding{Level: gateway.LevelError, Area: area, What: e.Error()}
		if known := (*toolcrib.Error)(nil); errors.As(e, &known) {
			f.What, f.Do = known.Message, known.Hint
		}
		all = append(all, f)
	}
	return all
}

// configFindings says how the configuration is. cfg is nil when it can't be used.
func (a *app) configFindings(paths config.Paths, cfg *config.Config, warnings []config.Warning, err error) []gateway.Finding {
	all := troubles(gateway.AreaConfig, err)
	for _, w := range warnings {
		all = append(all, gateway.Finding{Level: gateway.LevelWarning, Area: gateway.AreaConfig, What: w.String()})
	}
	add := func(level gateway.Level, what, do string) {
		all = append(all, gateway.Finding{Level: level, Area: gateway.AreaConfig, What: what, Where: paths.Config, Do: do})
	}
	switch {
	case err == nil && paths.Config == "": // the error about folders says it
	case err == nil && !paths.Exists:
		add(gateway.LevelNote, paths.Config+" does not exist: the defaults are in effect", "make one: toolcrib import, or toolcrib config set KEY VALUE")
	case err == nil:
		add(gateway.LevelOK, paths.Config+" is valid", "")
	}
	if cfg != nil {
		if openSecrets(paths.Config, cfg.Secrets()) {
			add(gateway.LevelWarning, paths.Config+" holds secrets, and others than you can read it", "chmod 600 "+shellQuote(paths.Config))
		}
	}
	return all
}

// maxSecretFile bounds the file that is looked through for secrets, in bytes.
const maxSecretFile = config.MaxFileBytes

// openSecrets reports whether a file that other users can read holds a secret.
func openSecrets(path string, secrets []string) bool {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || !info.Mode().IsRegular() || info.Mode().Perm()&0o044 == 0 || info.Size() > maxSecretFile {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(string(data), s) })
}
