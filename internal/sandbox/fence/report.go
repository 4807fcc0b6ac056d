package fence

// Report is what this machine can isolate.
type Report struct {
	// Kernel is set when Enter would succeed without Options.ProcessOnly: the operating
	// system holds code that has broken out of its engine.
	Kernel bool
	// Files is set when Exec would succeed too: the system can also tell the
	// files that a program may open from all others.
	Files bool
	// Pieces lists the parts, in the order in which Enter goes through them.
	Pieces []Piece
}

// Piece is one part of the fence.
type Piece struct {
	// Name is short and fixed, such as "seccomp".
	Name string
	// OK says whether this machine has it.
	OK bool
	// Detail is a sentence for a person: the version found, or what is missing and why.
	Detail string
}

// The pieces' names.
const (
	PieceUser        = "unprivileged user"
	PieceParent      = "dies with the parent"
	PieceNoNewPrivs  = "no new privileges"
	PieceLimits      = "resource limits"
	PieceLandlock    = "landlock"
	PieceSeccomp     = "seccomp"
	PieceDescriptors = "own descriptors only"
)
