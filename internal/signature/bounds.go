package signature

// Bounds limits one signature. Characters are Unicode code points.
type Bounds struct {
	// Chars is the length of the whole signature.
	Chars int
	// Properties is how many properties one object shows, and how many places one tuple.
	Properties int
	// Depth is how many objects and arrays may stand within each other.
	Depth int
	// UnionMembers is how many members a union shows, literals apart.
	UnionMembers int
	// Literals is how many literals a union shows.
	Literals int
	// LiteralChars is the length of one literal as written, quotes included.
	LiteralChars int
	// NameChars is the length of a property's name.
	NameChars int
}

// Input and Output are the bounds of input and output signatures.
var (
	Input  = Bounds{Chars: 300, Properties: 16, Depth: 4, UnionMembers: 4, Literals: 8, LiteralChars: 96, NameChars: 128}
	Output = Bounds{Chars: 850, Properties: 20, Depth: 6, UnionMembers: 4, Literals: 8, LiteralChars: 96, NameChars: 128}
)

const (
	// maxBytes is the size above which a schema isn't looked at.
	maxBytes = 1 << 20
	// maxWork is how many bytes are read for one signature, counting those that
	// are read again.
	maxWork = 8 << 20
	// maxNodes is how many schemas are built for one signature, counting those
	// that several references lead to as often as they are followed.
	maxNodes = 4096
	// maxHops is how many references, unions and merges may stand within each
	// other between two levels of the signature and in all.
	maxHops = 32
)
