package config

// How tools of MCP servers are pinned.
const (
	PinFirstUse = "first-use"
	PinReview   = "review"
	PinOff      = "off"
)

var pinModes = []string{PinFirstUse, PinReview, PinOff}

func pinningKey() Key {
	return Key{
		Path: "mcp.pinning", Type: String, Default: `"` + PinFirstUse + `"`, Enum: pinModes,
		Doc: `How the tools of servers that aren't trusted are pinned. "first-use" accepts each as it is seen first, "review" once a person has approved it (toolcrib servers review). One that changes later waits for a review: where a text alone changed, that of before is shown meanwhile; else the tool can't be used. "off" takes every list as it comes.`,
	}
}

func serverPinningKey(server string) Key {
	return Key{
		Path: server + ".pinning", Type: String, Enum: pinModes,
		Doc: `What mcp.pinning says, for this server alone. A server with trusted: true is not pinned unless this says so.`,
	}
}

// pinnedServer is a server with its pinning settled.
func pinnedServer(s Server, all string) Server {
	switch {
	case s.Pinning != "":
	case s.Trusted:
		s.Pinning = PinOff
	default:
		s.Pinning = all
	}
	return s
}
