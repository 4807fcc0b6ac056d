package fence

import "slices"

// Command is what ExecCommand turns the process into.
type Command struct {
	// Path is the executable's absolute path, Args its arguments, the name first, and
	// Env its environment.
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"-"`
	// Dir is the folder to run in, "/" when empty.
	Dir string `json:"dir,omitempty"`
	// Own says that the process has a mount namespace of its own; see CommandAttr.
	Own bool `json:"own,omitempty"`
	// Read lists files, and folders with all below them, that may be read and run
	// beside SystemFiles; those that don't exist are left out.
	Read []string `json:"read,omitempty"`
	// Write lists folders below which everything may be read, run, made, changed and
	// deleted. They must exist.
	Write []string `json:"write,omitempty"`
}

// What one fenced command may take. Sizes are in bytes.
const (
	CommandDescriptors = 1024
	CommandData        = 4 << 30 // private memory of one process
	CommandFile        = 1 << 30 // one file
	// CommandProcesses is how many processes and threads its user may have beside
	// those that run already. It doesn't bind root.
	CommandProcesses = 512
)

// systemFiles are what programs need to run, without what is secret in /etc.
var systemFiles = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix/store", "/gnu/store", "/snap",
	"/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/debian_version", "/etc/fonts",
	"/etc/gitconfig", "/etc/group", "/etc/host.conf", "/etc/inputrc", "/etc/issue", "/etc/java", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/locale.alias", "/etc/locale.conf", "/etc/localtime", "/etc/magic", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd",
	"/etc/perl", "/etc/pki", "/etc/profile", "/etc/python3", "/etc/redhat-release", "/etc/shells", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo", "/etc/timezone",
	"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/self", "/proc/stat", "/proc/sys/kernel/osrelease", "/proc/sys/vm/overcommit_memory",
	"/proc/uptime", "/proc/version", "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage", "/sys/fs/cgroup/cgroup.controllers",
}

// deviceFiles may be read and written.
var deviceFiles = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// SystemFiles lists the files and folders that every fenced command may read.
func SystemFiles() []string { return slices.Clone(systemFiles) }
