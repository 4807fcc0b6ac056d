package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// question is what every client is asked.
const question = "Please water the plants."

// realClient is a program that uses MCP servers, as installed.
type realClient struct {
	name    string // as `toolcrib connect` has it
	program func(t testing.TB, folder string) []string
	// args ask the question without a dialog; model is "" for the usual one.
	args func(model string) []string
	env  func(url string) []string
	// files are its configuration: paths below HOME, and texts.
	files  func(url string, s *ownServer) map[string]string
	models []clientModel
	shown  map[string]shown // by model
}

// clientModel is a model that the client treats in its own way.
type clientModel struct {
	model   string
	offered []string // names with toolcrib in them that the model gets to see, sorted
	turns   []modelmock.Turn
}

// ownServer is an MCP server that a client has in its own configuration.
type ownServer struct {
	name, command string
	args          []string
	env           map[string]string // not nil: clients refuse a null
}

// through are the turns of a model that waters the plants through the controls.
// more is what the client has the model add to every call.
func through(prefix, more string) []clientModel {
	return []clientModel{{
		offered: []string{prefix + "tool_call", prefix + "tool_describe", prefix + "tool_search"},
		turns: []modelmock.Turn{
			modelmock.Use(prefix+"tool_search", `{"query":"water the plants"`+more+`}`),
			modelmock.Use(prefix+"tool_call", `{"id":"mcp:balcony:water_plants","args":{"litres":2}`+more+`}`),
		},
	}}
}

var realClients = []realClient{
	{
		name: "claude-code", program: claudeProgram, files: claudeFiles, models: through("mcp__toolcrib__", ""),
		args: func(string) []string {
			return []string{"-p", question, "--allowedTools", "mcp__toolcrib", "mcp__wordy"}
		},
		env: func(url string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			}
		},
		shown: map[string]shown{"": {instructions: 4096, tool: 4096, property: rulerLength}},
	},
	{
		name: "codex", program: nodeProgram("codex"), files: codexFiles,
		args: func(model string) []string {
			// Nobody can be asked whether a tool may run.
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model, question}
		},
		env: func(string) []string { return []string{"MOCK_KEY=none"} },
		models: []clientModel{
			{ // A model that Codex doesn't know: it is offered all tools.
				model: "mock", offered: []string{"mcp__toolcrib", "mcp__toolcrib.balcony__water_plants", "mcp__toolcrib.results__read", "mcp__toolcrib.session_status"},
				turns: []modelmock.Turn{modelmock.Use("mcp__toolcrib.balcony__water_plants", `{"litres":2}`)},
			},
			{ // One that searches: Codex has a search of its own.
				model: "gpt-5.5", offered: []string{"mcp__toolcrib", "mcp__toolcrib.balcony__water_plants"},
				turns: []modelmock.Turn{
					modelmock.Use("tool_search", `{"query":"water the plants"}`),
					modelmock.Use("mcp__toolcrib.balcony__water_plants", `{"litres":2}`),
				},
			},
			{ // One that runs code: its tools are functions there.
				model: "gpt-6.2-sol",
				turns: []modelmock.Turn{
					modelmock.Use("functions.exec", `"text(await tools.mcp__toolcrib__balcony__water_plants({litres: 2}))"`),
				},
			},
		},
		shown: map[string]shown{
			"mock":    {instructions: rulerLength, tool: rulerLength, property: 0},
			"gpt-5.5": {instructions: 247, tool: rulerLength, property: 0, search: "tool_search"},
		},
	},
	{
		name: "opencode", program: opencodeProgram, files: opencodeFiles, models: through("toolcrib_", ""),
		args: func(string) []string { return []string{"run", question} },
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		shown: map[string]shown{"": {instructions: rulerLength, tool: rulerLength, property: rulerLength}},
	},
	{
		name: "gemini", program: nodeProgram("gemini"), files: geminiFiles, models: through("mcp_toolcrib_", `,"wait_for_previous":true`),
		// A model of its choice would be chosen by another model.
		args: func(string) []string { return []string{"-m", "gemini-2.5-pro", "--yolo", "-p", question} },
		env: func(url string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		shown: map[string]shown{"": {instructions: rulerLength, tool: rulerLength, property: rulerLength}},
	},
}

// clientsFolder is the folder in which `make setup` installs the clients.
func clientsFolder(t testing.TB) string {
	t.Helper()
	return npmFolder(t) + "-clients"
}

// installed is a file of the installed packages.
func installed(t testing.TB, folder string, path ...string) string {
	t.Helper()
	file := filepath.Join(append([]string{folder, "node_modules"}, path...)...)
	if _, err := os.Stat(file); err != nil {
		absent(t, file+" is absent: run make setup")
	}
	return file
}

func nodeProgram(name string) func(testing.TB, string) []string {
	return func(t testing.TB, folder string) []string {
		node, err := exec.LookPath("node")
		if err != nil {
			absent(t, "node is absent: install Node 20 or newer")
		}
		return []string{node, installed(t, folder, ".bin", name)}
	}
}

// npmArch is this machine's processor in the words of npm.
func npmArch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

func claudeProgram(t testing.TB, folder string) []string {
	system, program := runtime.GOOS, "claude"
	if system == "windows" {
		system, program = "win32", "claude.exe"
	}
	return []string{installed(t, folder, "@anthropic-ai", "claude-code-"+system+"-"+npmArch(), program)}
}

func opencodeProgram(t testing.TB, folder string) []string {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("opencode is installed for Linux on x64 alone")
	}
	return []string{installed(t, folder, "opencode-linux-x64-baseline", "bin", "opencode")}
}

// asJSON is a configuration as text.
func asJSON(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // of maps, lists and strings
	}
	return string(data) + "\n"
}

// usual is the server under the key that most clients have for servers.
func usual(config object, s *ownServer) string {
	if s != nil {
		config["mcpServers"] = object{s.name: object{"command": s.command, "args": s.args, "env": s.env}}
	}
	return asJSON(config)
}

func claudeFiles(_ string, s *ownServer) map[string]string {
	return map[string]string{".claude.json": usual(object{"hasCompletedOnboarding": true}, s)}
}

func geminiFiles(_ string, s *ownServer) map[string]string {
	return map[string]string{".gemini/settings.json": usual(object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}},
		"privacy":  object{"usageStatisticsEnabled": false},
		"general":  object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
	}, s)}
}

func opencodeFiles(url string, s *ownServer) map[string]string {
	config := object{
		"model": "mock/mock", "small_model": "mock/mock", "autoupdate": false, "share": "disabled",
		"provider": object{"mock": object{
			"npm": "@ai-sdk/openai-compatible", "name": "mock",
			"options": object{"baseURL": url + "/v1", "apiKey": "none"},
			"models":  object{"mock": object{"name": "mock", "tool_call": true, "limit": object{"context": 200_000, "output": 8_000}}},
		}},
	}
	if s != nil {
		config["mcp"] = object{s.name: object{
			"type": "local", "command": append([]string{s.command}, s.args...), "environment": s.env,
		}}
	}
	return map[string]string{"c/opencode/opencode.json": asJSON(config)}
}

func codexFiles(url string, s *ownServer) map[string]string {
	var b strings.Builder
	fmt.Fprintf(&b, `# The model is played.
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = %q
wire_api = "responses"
env_key = "MOCK_KEY"

[analytics]
enabled = false
`, url+"/v1")
	if s != nil {
		fmt.Fprintf(&b, "\n[mcp_servers.%s]\ncommand = %q\nargs = [", s.name, s.command)
		for _, arg := range s.args {
			fmt.Fprintf(&b, "%q, ", arg)
		}
		fmt.Fprintf(&b, "]\n\n[mcp_servers.%s.env]\n", s.name)
		for name, value := range s.env {
			fmt.Fprintf(&b, "%s = %q\n", name, value)
		}
	}
	return map[string]string{".codex/config.toml": b.String()}
}
