package demo

// notes is a personal notebook.
func notes(s *service) {
	pages := s.table("note", "NOT-", "list_notes", fields(
		text("title", "Heading of the note.").must(),
		prose("text", "What it says.").or(""),
		words("tags", "Words to find it by.").or([]string{}),
		yesNo("pinned", "True when it is kept at the top.").or(false),
		day("due", "Day by which something must be done about it."),
		yesNo("done", "True when that has been done.").or(false),
	),
		record{"title": "Post-mortem: stuck queue", "text": "Cause: a lock that was never let go. To do: alarm on queue age.", "tags": []string{"work", "incident"}, "pinned": true},
		record{"title": "Shopping", "text": "Oats, coffee, light bulbs", "tags": []string{"home"}, "due": s.on(1)},
		record{"title": "Book list", "text": "The Left Hand of Darkness; Seeing Like a State", "tags": []string{"reading"}},
		record{"title": "Renew passport", "tags": []string{"home", "travel"}, "due": s.on(-2)},
	)
	s.offer("notes",
		pages.create("create_note", "Write something down in the notebook, with tags and a due day if it is a reminder.",
			`{"title":"Call the plumber","tags":["home"],"due":"2026-03-06"}`, "title", "text", "tags", "due"),
		pages.get("read_note", "Show one note from the notebook.", `{"note_id":"NOT-101"}`),
		pages.list("list_notes", "List notes, optionally by tag, or only pinned or finished ones.", `{"tag":"home"}`,
			having("tag", "Only notes with this tag.", "tags"),
			pages.by("pinned"), pages.by("done")),
		pages.search("search_notes", "Find notes by words in their heading, text or tags.", `{"query":"queue lock"}`, "title", "text", "tags"),
		pages.update("update_note", "Overwrite the heading, text, tags or due day of a note.", `{"note_id":"NOT-102","text":"Oats"}`, "title", "text", "tags", "due"),
		pages.act(adds, "append_to_note", "Add a line to the end of a note.", `{"note_id":"NOT-103","line":"Piranesi"}`, fields(text("line", "The line to add.").must()),
			func(c *call, r record) (record, error) {
				long := r.str("text") + "\n" + c.args.str("line")
				if len([]rune(long)) > 4000 {
					return nil, refuse("note %s is full, 4,000 characters: start a new one with create_note", r.str("id"))
				}
				return record{"text": long}, nil
			}),
		pages.join("tag_note", "Put one more tag on a note.", `{"note_id":"NOT-103","tag":"gifts"}`, "tags", text("tag", "The tag.")),
		pages.put("finish_reminder", "Tick off a reminder as done.", `{"note_id":"NOT-104"}`, "done", true),
		pages.deletion("delete_note", "Delete a note for good.", `{"note_id":"NOT-103"}`),
		do(reads, "due_reminders", "List the reminders that are due by a day and not done yet, overdue ones included.", `{"by":"2026-03-05"}`,
			append(fields(day("by", "The last day to look at; today when absent.")), paging()...), pages.page(), func(c *call) (any, error) {
				by := c.args.str("by")
				if by == "" {
					by = c.now.Format("2006-01-02")
				}
				return page(c, pages.where(func(r record) bool { return r.has("due") && !r.yes("done") && r.str("due") <= by })), nil
			}),
	)
}
