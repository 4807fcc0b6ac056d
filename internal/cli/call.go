package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// maxArgs bounds what --args reads from a file or from stdin, 16 MiB.
const maxArgs = 16 << 20

func (a *app) toolsCallCommand() *cobra.Command {
	var s source
	var asJSON bool
	var args string
	c := &cobra.Command{
		Use:   "call ID [KEY=VALUE]...",
		Short: "Run a tool and print what it answers",
		Long: `Run a tool and print what it answers: its text as it is, other content in a line
of its own; with --json the whole answer.

Arguments are given as KEY=VALUE pairs or as one JSON object with --args. A value
that is JSON (a number, true, false, null, a list, an object, a quoted string) is
taken as that, everything else as text; write key='"12"' for the text 12.`,
		Example: `  toolcrib tools call mcp:everything:echo message=hello
  toolcrib tools call create_issue --args '{"title": "It is broken"}'
  toolcrib tools call mcp:github:create_issue --args @issue.json
  jq -n '{title: "It is broken"}' | toolcrib tools call create_issue --args - --json`,
		Args:              arguments(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeTools,
		RunE: func(cmd *cobra.Command, words []string) error {
			object, err := a.callArgs(args, words[1:])
			if err != nil {
				return err
			}
			owns := ownerOf(words[0])
			return a.ask(cmd.Context(), s, owns, func(c *connection) error {
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

// ownerOf says which servers a call has to wait for: the one in the id, or all
// when the reference is a bare name.
func ownerOf(ref string) func(client.Server) bool {
	source, owner, _, err := toolcrib.ParseID(strings.TrimSpace(ref))
	if err != nil {
		return func(client.Server) bool { return true }
	}
	return func(s client.Server) bool { return source == toolcrib.SourceMCP && s.Name == owner }
}

// callArgs reads the arguments of a call from --args or from KEY=VALUE pairs.
func (a *app) callArgs(flag string, pairs []string) (json.RawMessage, error) {
	if flag != "" && len(pairs) > 0 {
		return nil, toolcrib.NewError(toolcrib.KindInput, "arguments are given twice, by --args and by "+pairs[0], "use one of the two")
	}
	if flag != "" {
		return a.readArgs(flag)
	}
	object := map[string]json.RawMessage{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q is not KEY=VALUE", pair),
				`write message=hello, or give one object with --args '{"message": "hello"}'`)
		}
		if _, twice := object[key]; twice {
			return nil, toolcrib.NewError(toolcrib.KindInput, "the argument "+key+" is given twice", `give a list as `+key+`='["a", "b"]'`)
		}
		object[key] = asJSON(value)
	}
	return json.Marshal(object)
}

// asJSON takes a value that is JSON as it is, and everything else as text.
func asJSON(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage(`""`) // a string can always be written
	}
	return text
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
