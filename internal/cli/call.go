package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
)

// maxArgs bounds what --args reads from a file or from stdin, 16 MiB.
const maxArgs = 16 << 20

func (a *app) toolsCallCommand() *cobra.Command {
	var s source
	var asJSON bool
	var args string
	c := &cobra.Command{
		Use:   "call ID [KEY=VALUE... | JSON]",
		Short: "Run a tool and print what it answers",
		Long: `Run a tool and print what it answers: its text as it is, other content in a line
of its own; with --json the whole answer.

Arguments are given as KEY=VALUE pairs or as one JSON object. A value is read as
the tool's schema says: text is taken as it stands, a list is JSON or words with
commas between them, and numbers, true, false and objects are JSON. Where the
schema doesn't say, a value that is JSON is taken as that and everything else as
text.`,
		Example: `  toolcrib tools call mcp:everything:echo message=hello
  toolcrib tools call create_issue title=2026 labels=bug,urgent
  toolcrib tools call create_issue '{"title": "It is broken"}'
  toolcrib tools call mcp:github:create_issue --args @issue.json
  jq -n '{title: "It is broken"}' | toolcrib tools call create_issue --args - --json`,
		Args:              arguments(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeTools,
		RunE: func(cmd *cobra.Command, words []string) error {
			given, err := a.callArgs(args, words[1:])
			if err != nil {
				return a.perhapsServer(words, err)
			}
			return a.askAbout(cmd.Context(), s, words[0], true, func(c *connection) error {
				object, err := given.of(cmd.Context(), c, s, words[0])
				if err != nil {
					return err
				}
				reply, err := c.Call(cmd.Context(), client.CallRequest{ID: words[0], Args: object, Agent: s.agent})
				if err != nil {
					return err
				}
				return a.printCall(reply, asJSON)
			})
		},
	}
	c.Flags().StringVar(&args, "args", "", "arguments as a `JSON` object, @FILE to read them from a file, - from stdin")
	a.toolsFlags(c, &s, &asJSON, `{"tool": {"id", "name", "source"}, "result": {"content": [...], "details", "isError"}}`)
	return c
}

// perhapsServer explains "call SERVER TOOL", which is not how a tool is named.
func (a *app) perhapsServer(words []string, err error) error {
	servers, listErr := config.FileServers(a.configOptions())
	if listErr != nil || !slices.ContainsFunc(servers, func(s config.ServerEntry) bool { return s.Name == words[0] }) {
		return err
	}
	tool := "TOOL"
	if len(words) > 1 && !strings.ContainsAny(words[1], "={") {
		tool = words[1]
	}
	id := toolcrib.MakeID(toolcrib.SourceMCP, words[0], tool)
	return toolcrib.NewError(toolcrib.KindInput, words[0]+" is a server, and what is called is a tool", "write toolcrib tools call "+id+"; its tools: toolcrib tools list --owner "+words[0])
}

// callArgs are the arguments of a call: one object, or pairs whose values are
// read once the tool's schema is known.
type callArgs struct {
	object json.RawMessage
	pairs  []pair
}

// callArgs reads the arguments of a call from --args, from KEY=VALUE pairs, or
// from a JSON object that stands in their place.
func (a *app) callArgs(flag string, words []string) (callArgs, error) {
	if flag != "" && len(words) > 0 {
		return callArgs{}, toolcrib.NewError(toolcrib.KindInput, "arguments are given twice, by --args and by "+words[0], "use one of the two")
	}
	if flag != "" {
		object, err := a.readArgs(flag)
		return callArgs{object: object}, err
	}
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		object, err := parseArgs("the argument", []byte(words[0]))
		return callArgs{object: object}, err
	}
	pairs, err := parsePairs(words)
	return callArgs{pairs: pairs}, err
}

func parsePairs(words []string) ([]pair, error) {
	var pairs []pair
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q is not KEY=VALUE", word),
				`write message=hello, or give one object: '{"message": "hello"}'`)
		}
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.key == key }) {
			return nil, toolcrib.NewError(toolcrib.KindInput, "the argument "+key+" is given twice", `give a list as `+key+`='["a", "b"]'`)
		}
		pairs = append(pairs, pair{key, value})
	}
	return pairs, nil
}

// of returns the arguments for one tool. Pairs are read by its schema; that it
// can't be had is for the call to say.
func (args callArgs) of(ctx context.Context, c *connection, s source, id string) (json.RawMessage, error) {
	if args.object != nil {
		return args.object, nil
	}
	if len(args.pairs) == 0 {
		return json.RawMessage("{}"), nil
	}
	d, err := c.Describe(ctx, client.DescribeRequest{ID: id, Agent: s.agent})
	if err != nil {
		d.Parameters = nil
	}
	return object(args.pairs, d.Parameters)
}

// readArgs reads --args: JSON itself, @FILE, or - for stdin.
func (a *app) readArgs(flag string) (json.RawMessage, error) {
	where, text := "--args", []byte(flag)
	var err error
	if name, isFile := strings.CutPrefix(flag, "@"); isFile {
		where = name
		text, err = readFile(name)
	} else if flag == "-" {
		where = "stdin"
		text, err = io.ReadAll(io.LimitReader(a.p.Stdin, maxArgs+1))
	}
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, "cannot read the arguments: "+err.Error(), "").WithCause(err)
	}
	if len(text) > maxArgs {
		return nil, toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the arguments in %s are longer than %d MiB", where, maxArgs>>20), "")
	}
	return parseArgs(where, text)
}

// parseArgs wants one JSON object.
func parseArgs(where string, text []byte) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		why := "it is null"
		if err != nil {
			why = err.Error()
		}
		return nil, toolcrib.NewError(toolcrib.KindInput, where+" is not a JSON object: "+why,
			`write --args '{"message": "hello"}', in single quotes so that the shell leaves it alone`)
	}
	return bytes.TrimSpace(text), nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxArgs+1))
}

// printCall writes what a tool answered. A tool that reports its own failure
// ends the command with the code for that, after its words.
func (a *app) printCall(reply client.CallReply, asJSON bool) error {
	if asJSON {
		if err := a.out.json(reply); err != nil {
			return err
		}
	} else {
		a.printContent(reply.Result)
	}
	if reply.Result.IsError {
		return toolcrib.NewError(toolcrib.KindTool, reply.Tool.ID+" reported a failure", "see its arguments: toolcrib tools describe "+reply.Tool.ID)
	}
	return nil
}

func (a *app) printContent(r toolcrib.Result) {
	for _, c := range r.Content {
		if c.Type == "text" {
			a.out.printf("%s\n", strings.TrimRight(a.out.shown(c.Text), "\n"))
			continue
		}
		a.out.printf("%s\n", blockLine(c))
	}
	if len(r.Content) == 0 && len(r.Details) > 0 {
		a.out.printf("%s\n", a.out.shown(indented(r.Details)))
	}
}

// blockLine stands for a block that isn't text: "[image image/png, 1203 bytes]".
func blockLine(c toolcrib.Content) string {
	var head struct {
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
		Data     []byte `json:"data"`
		Resource struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType"`
		} `json:"resource"`
	}
	var line strings.Builder
	line.WriteString("[" + folded(c.Type))
	if json.Unmarshal(c.Raw, &head) == nil {
		for _, word := range []string{head.MIMEType, head.URI, head.Resource.MIMEType, head.Resource.URI} {
			if word != "" {
				line.WriteString(" " + folded(word))
			}
		}
		if len(head.Data) > 0 {
			fmt.Fprintf(&line, ", %d bytes", len(head.Data))
		}
	}
	return line.String() + "; see it with --json]"
}
