package demo

import (
	"path"
	"strings"
)

// drive is a shared folder of documents.
func drive(s *service) {
	files := filesTable(s)
	taken := func(p string) error {
		if f, there := files.first(func(r record) bool { return r.str("path") == p && !r.yes("trashed") }); there {
			return refuse("%s lies at %s already: choose another path or overwrite it with write_file", f.str("id"), p)
		}
		return nil
	}
	moved := func(_ *call, r record, to string) (record, error) {
		to = clean(to)
		if to == r.str("path") {
			return nil, nil
		}
		return record{"path": to}, taken(to)
	}
	target := text("to", "The new path.").must()
	s.offer("drive",
		files.list("list_files", "List the files of the shared drive, optionally below one folder.", `{"folder":"/reports"}`,
			filter{text("folder", "Only files below this folder."), func(r, args record) bool {
				return strings.HasPrefix(r.str("path"), strings.TrimSuffix(clean(args.str("folder")), "/")+"/")
			}}, files.by("owner"), files.by("trashed")),
		files.get("read_file", "Read the text of a file on the shared drive, with its owner and version.", `{"file_id":"FIL-101"}`),
		do(adds, "create_file", "Put a new text file on the shared drive.", `{"path":"/reports/march.md","text":"# March"}`,
			files.columns("path", "text"), files.record(), func(c *call) (any, error) {
				p := clean(c.args.str("path"))
				if err := taken(p); err != nil {
					return nil, err
				}
				return files.insert(stamp(c.now), record{"path": p, "text": c.args.str("text")})
			}),
		files.act(destroys, "write_file", "Overwrite the text of a file; the version before is not kept.", `{"file_id":"FIL-104","text":"1. Stay calm."}`,
			fields(prose("text", "The new text.").must()), func(c *call, r record) (record, error) {
				if c.args.str("text") == r.str("text") {
					return nil, nil
				}
				return record{"text": c.args.str("text"), "version": r.int("version") + 1}, nil
			}),
		files.search("search_files", "Find files by words in their path or text.", `{"query":"revenue"}`, "path", "text"),
		files.act(puts, "move_file", "Move a file to another folder or give it another name.", `{"file_id":"FIL-103","to":"/design/final.txt"}`, fields(target),
			func(c *call, r record) (record, error) { return moved(c, r, c.args.str("to")) }),
		do(adds, "copy_file", "Copy a file to another path of the shared drive.", `{"file_id":"FIL-104","to":"/runbooks/copy.md"}`,
			fields(files.keyField(), target), files.record(), func(c *call) (any, error) {
				f, err := files.find(c.args.str("file_id"))
				if err != nil {
					return nil, err
				}
				if err := taken(clean(c.args.str("to"))); err != nil {
					return nil, err
				}
				return files.insert(stamp(c.now), record{"path": clean(c.args.str("to")), "text": f["text"]})
			}),
		files.put("trash_file", "Put a file into the trash, from where it can be restored.", `{"file_id":"FIL-103"}`, "trashed", true),
		files.act(puts, "restore_file", "Take a file out of the trash.", `{"file_id":"FIL-105"}`, nil, func(_ *call, r record) (record, error) {
			if !r.yes("trashed") {
				return nil, nil
			}
			return record{"trashed": false}, taken(r.str("path"))
		}),
		do(destroys, "empty_trash", "Delete everything in the trash for good.", `{}`, nil,
			shape(whole("deleted", "How many files are gone.", 0, maxRows).must()), func(*call) (any, error) {
				gone := files.where(func(r record) bool { return r.yes("trashed") })
				for _, f := range gone {
					_ = files.remove(f.str("id")) // it was just found
				}
				return record{"deleted": len(gone)}, nil
			}),
		files.join("share_file", "Let one more person read a file.", `{"file_id":"FIL-102","person":"jonas@example.com"}`, "shared_with", email("person", "Mail address of the person.")),
		files.act(puts, "unshare_file", "Stop sharing a file with anybody but its owner.", `{"file_id":"FIL-101"}`, nil,
			func(*call, record) (record, error) { return record{"shared_with": []string{}}, nil }),
		do(reads, "storage_usage", "Say how much of the shared drive's room is used, by owner.", `{}`, nil,
			shape(
				whole("bytes", "Bytes used in all.", 0, maxState).must(),
				whole("limit", "Bytes that there are.", 0, maxState).must(),
				listing("owners", "One entry an owner.", shape(text("owner", "Who.").must(), whole("bytes", "Bytes used.", 0, maxState).must())),
			), func(*call) (any, error) {
				total, list := sums(files.rows, "owner", func(r record) float64 { return float64(len(r.str("text"))) })
				return record{"bytes": total, "limit": maxState, "owners": named(list, "owner", "bytes")}, nil
			}),
	)
}

// filesTable holds the files of the drive.
func filesTable(s *service) *table {
	return s.table("file", "FIL-", "list_files", fields(
		text("path", "Where it lies, from the root, such as /reports/2026.md.").must(),
		prose("text", "What is in it.").or(""),
		text("owner", "Who put it there.").or("you"),
		emails("shared_with", "Who else may read it.").or([]string{}),
		yesNo("trashed", "True when it is in the trash.").or(false),
		whole("version", "Counts up with each change of the text.", 1, 1_000_000).or(1),
	),
		record{"path": "/reports/january.md", "text": "# January\n\nRevenue 41,200 EUR. Two new customers.", "owner": "ines", "shared_with": []string{"mira@example.com"}},
		record{"path": "/reports/february.md", "text": "# February\n\nRevenue 39,900 EUR. One lost, one won.", "owner": "ines", "version": 3},
		record{"path": "/design/checkout-draft-2.txt", "text": "One page, no pop-ups, total always visible.", "owner": "tomoko"},
		record{"path": "/runbooks/restore-backup.md", "text": "1. Stop writers. 2. Restore. 3. Compare counts. 4. Start writers."},
		record{"path": "/misc/old-logo.svg", "text": "<svg/>", "trashed": true},
	)
}

// clean makes a path absolute and free of dots.
func clean(p string) string { return path.Clean("/" + p) }
