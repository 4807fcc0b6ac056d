//go:build linux

package node

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// trialArg makes the test binary a Node behind the fence that runs breakout
// with all that Node has: no permission model, no closed realm.
const trialArg = "__node_trial"

// breakout tries what a script could do that has broken out of its realm, and
// writes the names of what worked.
const breakout = `
const dir = process.argv[1];
const open = [], fs = require('fs'), net = require('net'), cp = require('child_process');
const now = (name, f) => { try { f(); open.push(name) } catch {} };
now('read', () => fs.readFileSync('/etc/passwd'));
now('list', () => fs.readdirSync('/'));
now('write', () => fs.writeFileSync(dir + '/file', ''));
now('mkdir', () => fs.mkdirSync(dir + '/folder'));
now('environment', () => fs.readFileSync('/proc/' + process.ppid + '/environ'));
now('own environment', () => fs.readFileSync('/proc/self/environ'));
now('kill', () => process.kill(process.ppid, 0));
now('chdir', () => process.chdir('/tmp'));
now('spawn', () => { const r = cp.spawnSync(process.execPath, ['-v']); if (r.error) throw r.error });
now('sqlite', () => new (require('node:sqlite').DatabaseSync)(dir + '/db'));
now('become root', () => { process.setuid(0) });
now('variables', () => { if (Object.keys(process.env).length === 0) throw 1 });
const soon = (name, f) => new Promise(done => { try { f(error => { if (!error) open.push(name); done() }) } catch { done() } });
Promise.all([
  soon('listen', end => net.createServer().on('error', end).listen(0, '127.0.0.1', () => end())),
  soon('listen on a path', end => net.createServer().on('error', end).listen(dir + '/socket', () => end())),
  soon('connect', end => net.connect(1, '127.0.0.1').on('error', e => end(e.code === 'ECONNREFUSED' ? null : e))),
  soon('UDP', end => require('dgram').createSocket('udp4').on('error', end).bind(0, '127.0.0.1', () => end())),
  soon('DNS', end => require('dns').resolve('localhost', e => end(e))),
]).then(() => { console.log(JSON.stringify(open)); process.exit(0) });
`

func trialMain(args []string) error {
	read, err := libraries(args[0])
	if err != nil {
		return err
	}
	return fence.Exec(fence.Options{Data: defaultData}, fence.Program{
		Path: args[0], Args: []string{"node", "--no-warnings", "--openssl-config=" + emptyFile, "-e", breakout, args[1]}, Read: append(read, emptyFile),
	})
}

// TestTheFenceHoldsWithoutNodesHelp gives the whole of Node to the script.
func TestTheFenceHoldsWithoutNodesHelp(t *testing.T) {
	users := map[string]*syscall.Credential{"own": nil}
	if os.Getuid() == 0 {
		users["ordinary"] = &syscall.Credential{Uid: 65533, Gid: 65533, Groups: []uint32{}}
	}
	exe := forAll(t)
	dir := filepath.Dir(exe)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for version, path := range found(t) {
		for name, credential := range users {
			t.Run(version+" "+name, func(t *testing.T) {
				cmd := exec.Command(exe, trialArg, path, dir)
				cmd.Env, cmd.Dir = []string{}, "/"
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
				open := worked(t, cmd)
				if len(open) > 0 {
					t.Errorf("open: %s", strings.Join(open, ", "))
				}
			})
		}
	}
}

// worked runs a breakout and gives the names of what worked.
func worked(t *testing.T, cmd *exec.Cmd) []string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var open []string
	if err := json.Unmarshal(out, &open); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return open
}

// TestWithoutAFenceNodeIsOpen shows that the breakout would work.
func TestWithoutAFenceNodeIsOpen(t *testing.T) {
	for version, path := range found(t) {
		t.Run(version, func(t *testing.T) {
			cmd := exec.Command(path, "--no-warnings", "-e", breakout, t.TempDir())
			cmd.Env = []string{"A=b"}
			open := worked(t, cmd)
			for _, name := range []string{"read", "write", "mkdir", "own environment", "kill", "spawn", "listen", "listen on a path", "connect", "UDP"} {
				if !slices.Contains(open, name) {
					t.Errorf("%s doesn't work without a fence either; open: %s", name, strings.Join(open, ", "))
				}
			}
		})
	}
}

// forAll is this test binary where every user can run it.
func forAll(t *testing.T) string {
	t.Helper()
	whole, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "node")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/child", whole, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir + "/child"
}
