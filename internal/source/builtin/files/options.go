package files

import (
	"errors"
	"log/slog"
	"time"
)

// Owner owns the tools; policy calls it group:fs.
const Owner = "fs"

// Bounds are those of each call. What is zero or less takes its default.
type Bounds struct {
	// FileBytes is how much of one file is read: 16 MiB. Larger files can be
	// read and searched up to there, and not edited.
	FileBytes int
	// WriteBytes is how large a file may become: 4 MiB.
	WriteBytes int
	// ImageBytes is how large an image may be that is given to a model: 1 MiB.
	ImageBytes int
	// SearchBytes is how much one search reads in all: 256 MiB.
	SearchBytes int
	// Entries is how many entries one walk looks at: 100,000.
	Entries int
	// FolderEntries is how many entries of one folder are looked at: 20,000.
	FolderEntries int
	// Depth is how deep a walk goes, and how many names a path may have: 64.
	Depth int
	// Time is how long a walk takes before it says what it found by then: 20 s.
	Time time.Duration
}

func (b Bounds) withDefaults() Bounds {
	for _, x := range []struct {
		value *int
		usual int
	}{
		{&b.FileBytes, 16 << 20},
		{&b.WriteBytes, 4 << 20},
		{&b.ImageBytes, 1 << 20},
		{&b.SearchBytes, 256 << 20},
		{&b.Entries, 100_000},
		{&b.FolderEntries, 20_000},
		{&b.Depth, 64},
	} {
		if *x.value <= 0 {
			*x.value = x.usual
		}
	}
	if b.Time <= 0 {
		b.Time = 20 * time.Second
	}
	return b
}

// Reply bounds where Options leaves them open, in bytes.
const (
	usualReply = 56 << 10
	leastReply = 2 << 10
)

// Options is what a Source needs.
type Options struct {
	// Workspace returns the folder of an agent, absolute. It is asked at each
	// call and each listing. A folder that doesn't exist is made by the first
	// write. Its error says why the agent has none, in words for a person. Required.
	Workspace func(agent string) (string, error)
	// Protected are files and folders, absolute, that no call reads, lists or
	// changes, with all that is in them. A workspace inside of such a folder is
	// left alone; one that is such a folder can't be used.
	Protected []string
	// ReplyBytes bounds what one answer costs in a reply, written as JSON,
	// content and details together; 56 KiB when nil or what it says is 0.
	ReplyBytes func() int
	// Bounds may be left out.
	Bounds Bounds
	// Logger gets what callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
}

func (o Options) check() (Options, error) {
	if o.Workspace == nil {
		return o, errors.New("files: Options.Workspace is nil")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Bounds = o.Bounds.withDefaults()
	return o, nil
}

// reply is how much one answer may cost.
func (o *Options) reply() int {
	n := 0
	if o.ReplyBytes != nil {
		n = o.ReplyBytes()
	}
	if n <= 0 {
		n = usualReply
	}
	return max(n, leastReply)
}
