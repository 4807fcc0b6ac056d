package modelmock

import "encoding/json"

// Turn is what the model says once: a text, calls, or both.
type Turn struct {
	Text  string
	Calls []Call
}

// Call asks the client to run a tool, by its full name as offered.
type Call struct {
	Tool string
	Args json.RawMessage

	// What Serve fills in: the tool on offer and the call's id.
	offer Tool
	id    string
}

// Script decides what the model says to a request. It may be called from
// several goroutines at once.
type Script func(Prompt) Turn

// Text is a turn that says something and ends the model's work.
func Text(text string) Turn { return Turn{Text: text} }

// Use is a turn that calls one tool. The arguments are a JSON object.
func Use(tool, args string) Turn {
	return Turn{Calls: []Call{{Tool: tool, Args: json.RawMessage(args)}}}
}

// Steps is a script that says the turns one after the other, the next one when
// all calls of those before have their results in the conversation. After the
// last one it says "done". A request that isn't offered the tools of its turn,
// such as one for a title, is told which one is missing.
func Steps(turns ...Turn) Script {
	return func(p Prompt) Turn {
		seen := len(p.Results)
		for _, turn := range turns {
			if seen > 0 && len(turn.Calls) > 0 {
				seen -= len(turn.Calls)
				continue
			}
			for _, c := range turn.Calls {
				if _, ok := p.Tool(c.Tool); !ok {
					return Text("no tool " + c.Tool)
				}
			}
			return turn
		}
		return Text("done")
	}
}
