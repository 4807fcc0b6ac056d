package gateway

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// program is a command without its folder and extension, in lower case.
func program(command string) string {
	name := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// supplier says how to get a program, on each system in a line.
type supplier struct {
	programs               []string
	linux, darwin, windows string
}

// suppliers are those of the programs that start most servers.
var suppliers = []supplier{
	{
		[]string{"npx", "npm", "node"},
		"install Node.js: the packages nodejs and npm of your distribution, or nvm install --lts", "install Node.js: brew install node", "install Node.js: winget install OpenJS.NodeJS.LTS",
	},
	{
		[]string{"uvx", "uv"},
		"install uv: curl -LsSf https://astral.sh/uv/install.sh | sh", "install uv: brew install uv", "install uv: winget install astral-sh.uv",
	},
	{
		[]string{"python", "python3", "pip", "pipx"},
		"install Python: the packages python3 and pipx of your distribution", "install Python: brew install python pipx", "install Python: winget install Python.Python.3.13",
	},
	{
		[]string{"docker"},
		"install Docker: the package docker.io of your distribution, or https://docs.docker.com/engine/install", "install Docker Desktop: brew install --cask docker-desktop", "install Docker Desktop: winget install Docker.DockerDesktop",
	},
	{
		[]string{"bunx", "bun"},
		"install Bun: curl -fsSL https://bun.com/install | bash", "install Bun: brew install oven-sh/bun/bun", "install Bun: winget install Oven-sh.Bun",
	},
	{
		[]string{"deno"},
		"install Deno: curl -fsSL https://deno.land/install.sh | sh", "install Deno: brew install deno", "install Deno: winget install DenoLand.Deno",
	},
}

// get says how to get a command that isn't there. One that is installed outside
// of PATH needs no second one.
func (o ExamineOptions) get(server, command string) string {
	if strings.ContainsAny(command, `/\`) {
		return "correct the path, or install it there"
	}
	if found := o.stray(command); found != "" {
		return fmt.Sprintf("it is in %s, which is not in this PATH (programs that are started from the desktop have a short one): %s", filepath.Dir(found), pathCommand(server, filepath.Dir(found)))
	}
	for _, s := range suppliers {
		if !slices.Contains(s.programs, program(command)) {
			continue
		}
		switch o.GOOS {
		case "darwin":
			return s.darwin
		case "windows":
			return s.windows
		}
		return s.linux
	}
	return "install it and put its folder into PATH, or give its full path"
}

// pathCommand is the command that gives a server a folder more in its PATH. A
// full path as command would not do: npx itself looks for node.
func pathCommand(server, folder string) string {
	return setCommand(server, "env.PATH", folder+string(os.PathListSeparator)+"${PATH}")
}

// manager is a folder where programs are that the PATH of a desktop lacks.
type manager struct {
	// folder is below the home folder, unless it is absolute; pattern finds its
	// folders of programs.
	folder, pattern, name string
}

var managers = []manager{
	{".nvm", "versions/node/*/bin", "nvm"},
	{".volta", "bin", "Volta"},
	{".local/share/fnm", "node-versions/*/installation/bin", "fnm"},
	{".local/state/fnm_multishells", "*/bin", "fnm"},
	{".asdf", "shims", "asdf"},
	{".local/share/mise", "shims", "mise"},
	{".pyenv", "shims", "pyenv"},
	{".bun", "bin", "Bun"},
	{".deno", "bin", "Deno"},
	{".cargo", "bin", "Cargo"},
	{".local/bin", "", "the user's own programs"},
	{"/opt/homebrew", "bin", "Homebrew"},
	{"/home/linuxbrew/.linuxbrew", "bin", "Homebrew"},
}

// in is the manager's folder for a home.
func (m manager) in(home string) string {
	if filepath.IsAbs(m.folder) || home == "" {
		return m.folder
	}
	return filepath.Join(home, filepath.FromSlash(m.folder))
}

// stray finds a command in the folders of managers, "" for nowhere. The last of
// several versions is taken.
func (o ExamineOptions) stray(command string) string {
	if o.GOOS == "windows" {
		return ""
	}
	for _, m := range managers {
		if !filepath.IsAbs(m.in(o.Home)) {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(m.in(o.Home), filepath.FromSlash(m.pattern), command)) // the patterns are good
		for _, path := range slices.Backward(found) {
			if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
				return path
			}
		}
	}
	return ""
}

// desktop notes commands that only a shell's PATH leads to.
func (x *examiner) desktop(f *findings) {
	if x.options.GOOS == "windows" {
		return
	}
	seen := map[string]bool{}
	for _, t := range x.tried {
		folder := filepath.Dir(t.program)
		if t.program == "" || strings.ContainsAny(t.config.Command, `/\`) || t.config.Env["PATH"] != "" || seen[t.config.Command] {
			continue
		}
		for _, m := range managers {
			if root := m.in(x.options.Home); filepath.IsAbs(root) && strings.HasPrefix(folder+"/", strings.TrimSuffix(root, "/")+"/") {
				seen[t.config.Command] = true
				f.add(LevelNote, fmt.Sprintf("command %q is in %s, a folder of %s, which programs that are started from the desktop don't have in PATH", t.config.Command, folder, m.name),
					"mcp.servers."+t.name+".command", "if such a program starts toolcrib: "+pathCommand(t.name, folder))
				break
			}
		}
	}
}

// itself says why a server is toolcrib itself; "" when it isn't.
func (x *examiner) itself(t *trial) string {
	s := t.config
	listen := x.config.Gateway.Listen
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err == nil && sameAddress(u.Host, listen) {
			return "its url is that of gateway.listen"
		}
		return ""
	}
	if program(s.Command) == "toolcrib" && !x.elsewhere(s.Args) {
		return "its command is toolcrib, of the same configuration"
	}
	for _, arg := range s.Args {
		if arg == "toolcrib" || strings.HasPrefix(arg, "toolcrib@") && program(s.Command) == "npx" {
			return "its command starts toolcrib"
		}
		if u, err := url.Parse(arg); err == nil && u.Host != "" && sameAddress(u.Host, listen) {
			return "one of its arguments is the address of gateway.listen"
		}
	}
	return ""
}

// elsewhere reports whether arguments name another configuration than this one.
func (x *examiner) elsewhere(args []string) bool {
	for i, arg := range args {
		path, ok := strings.CutPrefix(arg, "--config=")
		if arg == "--config" && i+1 < len(args) {
			path, ok = args[i+1], true
		}
		if ok {
			abs, err := filepath.Abs(path)
			return err == nil && abs != x.config.Path
		}
	}
	return false
}

// sameAddress reports whether two HOST:PORT lead to one port of this machine.
func sameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	return errA == nil && errB == nil && portA == portB && (hostA == hostB || loopback(hostA) && loopback(hostB))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || host == "" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
