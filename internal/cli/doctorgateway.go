package cli

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// gatewayPatience bounds each question to a gateway that runs.
const gatewayPatience = 5 * time.Second

// gatewayFindings says whether a gateway of this configuration runs and how it
// is, and what else is in its way.
func (a *app) gatewayFindings(ctx context.Context, paths config.Paths, cfg *config.Config) []gateway.Finding {
	var all []gateway.Finding
	add := func(level gateway.Level, what, where, do string) {
		all = append(all, gateway.Finding{Level: level, Area: gateway.AreaGateway, What: what, Where: where, Do: do})
	}
	if name := a.p.env("TOOLCRIB_STARTED_AS"); name != "" {
		add(gateway.LevelNote, fmt.Sprintf("this command was started by toolcrib, as its server %s", name), "", "run doctor from a shell of your own")
	}
	status, err := asked(ctx, paths.Socket)
	switch toolcrib.KindOf(err) {
	case "":
		a.present(add, paths, cfg, status)
	case toolcrib.KindUnavailable:
		a.stopped(add, paths, cfg)
		a.storeFinding(ctx, add, cfg)
	default:
		all = append(all, troubles(gateway.AreaGateway, err)...)
	}
	others(ctx, add, paths, cfg)
	return all
}

// adding adds a finding.
type adding func(level gateway.Level, what, where, do string)

// asked asks the gateway at a socket how it is.
func asked(ctx context.Context, socket string) (client.Status, error) {
	c, err := client.Dial(socket)
	if err != nil {
		return client.Status{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, gatewayPatience)
	defer cancel()
	return c.Status(ctx)
}

// readyServers are those that a running gateway has ready, if it has this
// configuration in force, with the variables that are set here.
func (a *app) readyServers(ctx context.Context, paths config.Paths) map[string]client.Server {
	c, err := a.running()
	if err != nil {
		return nil
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, gatewayPatience)
	defer cancel()
	s, err := c.Status(ctx)
	if err != nil || s.ConfigError != "" || config.HashFile(paths.Config) != s.ConfigHash || s.SettingsHash != config.SettingsHash(a.configOptions()) {
		return nil
	}
	servers, err := c.Servers(ctx)
	if err != nil {
		return nil
	}
	ready := map[string]client.Server{}
	for _, s := range servers {
		if s.State == toolcrib.StateReady {
			ready[s.Name] = s
		}
	}
	return ready
}

// present says how the gateway of this configuration is.
func (a *app) present(add adding, paths config.Paths, cfg *config.Config, s client.Status) {
	what := fmt.Sprintf("a gateway of this configuration runs: process %d, mode %s", s.PID, s.Mode)
	if s.Listen != "" {
		what += ", at " + s.Listen
	}
	add(gateway.LevelOK, what, paths.Socket, "")
	switch {
	case s.ConfigError != "":
		add(gateway.LevelError, fmt.Sprintf("the gateway (process %d) goes on with the configuration of before, since it can't use the file: %s", s.PID, s.ConfigError), paths.Config, "correct the file")
	case config.HashFile(paths.Config) != s.ConfigHash:
		add(gateway.LevelWarning, fmt.Sprintf("the gateway (process %d) has an older configuration in force", s.PID), paths.Config, "have it read the file again by any command that asks it, such as toolcrib servers list; or restart it")
	}
	if s.StoreError != "" {
		add(gateway.LevelError, fmt.Sprintf("the gateway (process %d) can't record sessions, and refuses calls unless sessions.audit says otherwise: %s", s.PID, s.StoreError), s.Store, "")
	}
	if s.SettingsHash != "" && s.SettingsHash != config.SettingsHash(a.configOptions()) {
		add(gateway.LevelNote, fmt.Sprintf("the gateway (process %d) was started with other TOOLCRIB_ variables than are set here", s.PID), "", "restart it if these are meant")
	}
	if s.Version != "" && s.Version != a.p.Version {
		add(gateway.LevelWarning, fmt.Sprintf("the gateway (process %d) is version %s, and this program is %s", s.PID, s.Version, a.p.Version), "", "restart it")
	}
	if cfg != nil && s.Listen == "" && taken(cfg.Gateway.Listen) {
		add(gateway.LevelNote, "the gateway that runs doesn't listen at gateway.listen, and another program does", cfg.Gateway.Listen, "")
	}
}

// stopped says what stands in the way of a gateway, as none runs.
func (a *app) stopped(add adding, paths config.Paths, cfg *config.Config) {
	if info, err := os.Lstat(paths.Socket); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			add(gateway.LevelError, paths.Socket+" is in the way of the control socket", paths.Socket, "move it away")
		} else {
			add(gateway.LevelNote, "a gateway ended without a farewell: its control socket is a leftover", paths.Socket, "nothing: the next toolcrib serve replaces it")
		}
	}
	if cfg == nil {
		return
	}
	if taken(cfg.Gateway.Listen) {
		add(gateway.LevelWarning, "no gateway of this configuration runs, and another program listens at "+cfg.Gateway.Listen, "gateway.listen", "stop that one, or choose another port: toolcrib config set gateway.listen 127.0.0.1:7434")
		return
	}
	add(gateway.LevelOK, "no gateway of this configuration runs, and its address is free: "+cfg.Gateway.Listen, "gateway.listen", "")
}

// taken reports whether somebody listens at an address.
func taken(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// others names the gateways of other configurations that run.
func others(ctx context.Context, add adding, paths config.Paths, cfg *config.Config) {
	sockets, _ := filepath.Glob(filepath.Join(filepath.Dir(paths.Socket), "gateway-*.sock")) // the pattern is good
	for _, socket := range sockets {
		if socket == paths.Socket {
			continue
		}
		s, err := asked(ctx, socket)
		if err != nil {
			continue
		}
		level, do := gateway.LevelNote, "stop it if it isn't meant to run"
		if cfg != nil && s.Listen == "http://"+cfg.Gateway.Listen+"/mcp" {
			level, do = gateway.LevelWarning, "it has the address of this configuration: stop it, or choose another port with gateway.listen"
		}
		add(level, fmt.Sprintf("another gateway runs: process %d, of the configuration %s", s.PID, s.ConfigPath), s.Listen, do)
	}
}
