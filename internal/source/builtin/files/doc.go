// Package files serves the tools core:fs:* with which a model reads and changes
// the files of one folder, its workspace: read, write, edit, list, find, grep.
//
// It owns how paths are followed, what may be opened, the bounds of each tool
// and what a model reads of it. It knows neither policy nor configuration: which
// folder an agent's workspace is, it asks at each call.
//
// # What keeps a call inside
//
// A path is followed one name at a time, from a handle of the workspace
// (os.Root) to a handle of each folder on the way. Links are read and followed
// here, never by the system, and each handle is compared with what was looked at
// before it was opened. A folder that is exchanged for a link while a call runs
// therefore fails the call, whatever the link leads to. A link may lead anywhere
// inside of the workspace; one that leads out is refused.
//
// Only regular files are opened, without waiting: pipes, sockets and devices are
// refused before and after.
//
// Files change by a new file that takes the place of the old one. A hard link
// therefore ends when it's written to, and what is outside of the workspace
// stays as it is. It can be read: it's a file of the workspace like any other.
//
// Protected paths, toolcrib's own files, are known by what they are (device and
// inode), and by their name without regard to case and way of writing, so that
// they can't be made either where they don't exist yet.
package files
