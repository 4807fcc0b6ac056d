package clientconfig

// Client is one program that uses MCP servers. Take it from Clients or Find.
type Client struct {
	// Name is how a command line calls the program, such as "claude-code".
	Name string
	// Title is how people call it.
	Title string
	// SearchesItself says that the program hides tools behind a search of its own,
	// so that toolcrib had better show it the tools themselves.
	SearchesItself bool

	places func(Environment) []place
	format format
}

// format reads and edits files of one form.
type format interface {
	read(f File, text []byte) ([]Server, error)
	connect(f File, text []byte, e Entry, takeOver []string) ([]byte, Undo, error)
	disconnect(f File, text []byte, u Undo) ([]byte, error)
}

// Clients returns all programs in a fixed order.
func Clients() []Client {
	return []Client{
		{Name: "claude-desktop", Title: "Claude Desktop", places: claudeDesktopPlaces, format: claudeDesktop()},
		{Name: "claude-code", Title: "Claude Code", places: claudeCodePlaces, format: claudeCode()},
		{Name: "cursor", Title: "Cursor", places: cursorPlaces, format: cursor()},
		{Name: "vscode", Title: "VS Code", places: vscodePlaces, format: vscode()},
		{Name: "codex", Title: "Codex", SearchesItself: true, places: codexPlaces, format: codex{}},
		{Name: "windsurf", Title: "Windsurf", places: windsurfPlaces, format: windsurf()},
		{Name: "gemini", Title: "Gemini CLI", places: geminiPlaces, format: gemini()},
		{Name: "opencode", Title: "opencode", places: opencodePlaces, format: opencode()},
	}
}

// Find returns the program of that name.
func Find(name string) (Client, bool) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Read returns the servers of a file in the order of its text; none for a blank
// one. What can't be taken over stands in a server's Notes. A text that doesn't
// parse is a KindConfig error with line and column; it quotes nothing of the text.
func (c Client) Read(f File, text []byte) ([]Server, error) {
	return c.format.read(f, text)
}

// Connect returns text with an entry for toolcrib, and with the servers that
// takeOver names switched off: by the program's own switch where it has one,
// else they are taken out and kept in the Undo. An entry that is toolcrib's
// already stays when it says the same, and is replaced otherwise. A nil text is
// a file that isn't there: it becomes the smallest one.
//
// The Undo holds what was taken out, secrets included. The errors are KindConfig
// for a text that doesn't parse or that can't be edited without loss (the hint
// shows what to add by hand), and KindNotFound for an unknown name in takeOver.
func (c Client) Connect(f File, text []byte, e Entry, takeOver []string) (after []byte, u Undo, err error) {
	return c.format.connect(f, text, e, takeOver)
}

// Disconnect undoes a Connect: the bytes are those from before when nothing else
// has changed since, and otherwise what Connect changed is taken back and all
// else stays. Without an Undo it takes toolcrib's entry out. It returns nil when
// Connect made the file and nothing else is in it now: then it can be deleted.
func (c Client) Disconnect(f File, text []byte, u Undo) (after []byte, err error) {
	return c.format.disconnect(f, text, u)
}
