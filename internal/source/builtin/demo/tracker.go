package demo

// tracker is an issue tracker for a small software team.
func tracker(s *service) {
	issues := issuesTable(s)
	comments := commentsTable(s, issues)
	sprints := sprintsTable(s)
	s.offer("tracker",
		issues.create("create_issue", "Report a new bug, ask for a feature or write down a task in the issue tracker.",
			`{"title":"Search forgets the filter","kind":"bug","priority":"high","labels":["search"]}`,
			"title", "body", "kind", "priority", "assignee", "labels"),
		issues.get("get_issue", "Show one issue with its status, assignee, labels and blockers.", `{"issue_id":"TRK-101"}`),
		issues.list("list_issues", "List issues, optionally by status, kind, priority, assignee, label or sprint.",
			`{"status":"open","assignee":"mira"}`,
			issues.by("status"), issues.by("kind"), issues.by("priority"), issues.by("assignee"), issues.by("sprint"),
			having("label", "Only those with this label.", "labels")),
		issues.search("search_issues", "Find issues by words in their title, body or labels.", `{"query":"login times"}`, "title", "body", "labels"),
		issues.update("update_issue", "Overwrite the title, body, kind, priority or labels of an issue.",
			`{"issue_id":"TRK-103","priority":"normal"}`, "title", "body", "kind", "priority", "labels"),
		issues.deletion("delete_issue", "Delete an issue for good. To end the work on it, close it instead.", `{"issue_id":"TRK-106"}`),
		issues.fill("assign_issue", "Hand an issue to a person, in place of whoever had it.", `{"issue_id":"TRK-103","assignee":"tomoko"}`, "assignee"),
		issues.put("unassign_issue", "Take an issue from its assignee, so that anybody can pick it up.", `{"issue_id":"TRK-101"}`, "assignee", nil),
		issues.act(puts, "transition_issue", "Move an issue to another column of the board. A blocked issue can't be started.",
			`{"issue_id":"TRK-102","status":"in_progress"}`,
			fields(choice("status", "The column to move to.", "open", "in_progress", "in_review").must()),
			func(c *call, r record) (record, error) {
				if err := unblocked(issues, r); err != nil && c.args.str("status") != "open" {
					return nil, err
				}
				return record{"status": c.args.str("status"), "resolution": nil}, nil
			}),
		issues.act(puts, "close_issue", "Close an issue and say why. It can be reopened.", `{"issue_id":"TRK-105","resolution":"done"}`,
			fields(choice("resolution", "Why it is closed.", "fixed", "done", "duplicate", "wont_do").must()),
			func(c *call, _ record) (record, error) {
				return record{"status": "closed", "resolution": c.args.str("resolution")}, nil
			}),
		issues.act(puts, "reopen_issue", "Open a closed issue again.", `{"issue_id":"TRK-106"}`, nil,
			func(_ *call, r record) (record, error) {
				if r.str("status") != "closed" {
					return nil, nil
				}
				return record{"status": "open", "resolution": nil}, nil
			}),
		issues.join("label_issue", "Put one more label on an issue.", `{"issue_id":"TRK-102","label":"customer-request"}`, "labels", text("label", "The label.")),
		issues.act(puts, "block_issue", "Say that an issue can't be worked on before another one is closed.", `{"issue_id":"TRK-102","blocked_by":"TRK-101"}`,
			fields(issues.ref("blocked_by", "The issue that must be closed first.").must()),
			func(c *call, r record) (record, error) {
				if _, err := issues.find(c.args.str("blocked_by")); err != nil {
					return nil, err
				}
				return block(r, c.args.str("blocked_by"))
			}),
		do(adds, "comment_on_issue", "Add a comment under an issue.", `{"issue_id":"TRK-101","text":"Reproduced on a phone."}`,
			comments.columns("issue_id", "text"), comments.record(), func(c *call) (any, error) {
				if _, err := issues.find(c.args.str("issue_id")); err != nil {
					return nil, err
				}
				return comments.insert(stamp(c.now), c.args.pick("issue_id", "text"))
			}),
		do(reads, "list_issue_comments", "Read the discussion under an issue, oldest comment first.", `{"issue_id":"TRK-101"}`,
			append(fields(issues.keyField()), paging()...), comments.page(), func(c *call) (any, error) {
				if _, err := issues.find(c.args.str("issue_id")); err != nil {
					return nil, err
				}
				return page(c, comments.where(is("issue_id", c.args.str("issue_id")))), nil
			}),
		sprints.list("list_sprints", "List the sprints with their dates and goals.", `{}`),
		issues.act(puts, "plan_issue", "Put an issue into a sprint.", `{"issue_id":"TRK-103","sprint":"SPR-102"}`,
			fields(sprints.ref("sprint", "Id of the sprint.").must()),
			func(c *call, _ record) (record, error) {
				_, err := sprints.find(c.args.str("sprint"))
				return c.args.pick("sprint"), err
			}),
	)
}

// issuesTable holds issues of the tracker.
func issuesTable(s *service) *table {
	return s.table("issue", "TRK-", "list_issues", fields(
		text("title", "One line that says what is wrong or wanted.").must(),
		prose("body", "The whole story: steps, what was expected, what happened."),
		choice("kind", "What sort of work it is.", "bug", "feature", "task").or("task"),
		choice("status", "Where the work stands.", "open", "in_progress", "in_review", "closed").or("open"),
		choice("priority", "How soon it is needed.", "low", "normal", "high", "urgent").or("normal"),
		text("assignee", "User name of the person who works on it."),
		words("labels", "Short tags.").or([]string{}),
		words("blocked_by", "Ids of issues that must be closed first.").or([]string{}),
		text("sprint", "Id of the sprint it is planned for."),
		text("resolution", "Why it was closed."),
	),
		record{"title": "Login page times out on slow networks", "kind": "bug", "status": "in_progress", "priority": "high", "assignee": "mira", "labels": []string{"auth", "web"}, "body": "After 20 seconds on 3G the spinner stays and nothing is said.", "sprint": "SPR-101"},
		record{"title": "Export reports as CSV", "kind": "feature", "assignee": "jonas", "labels": []string{"reports"}, "sprint": "SPR-101"},
		record{"title": "Dark mode loses contrast in tables", "kind": "bug", "priority": "low", "labels": []string{"web", "design"}},
		record{"title": "Rotate the signing keys of the updater", "priority": "urgent", "assignee": "mira", "labels": []string{"security"}},
		record{"title": "Write the release notes for 4.2", "status": "in_review", "assignee": "tomoko"},
		record{"title": "Crash when an avatar is larger than 10 MB", "kind": "bug", "status": "closed", "priority": "high", "resolution": "fixed", "labels": []string{"upload"}},
	)
}

// commentsTable holds comments under issues.
func commentsTable(s *service, issues *table) *table {
	return s.table("issue comment", "CMT-", "list_issue_comments", fields(
		issues.ref("issue_id", "The issue it belongs to.").must(),
		text("author", "Who wrote it.").or("you"),
		prose("text", "What it says.").must(),
	),
		record{"issue_id": "TRK-101", "author": "jonas", "text": "I see it too, only behind the proxy."},
		record{"issue_id": "TRK-101", "author": "mira", "text": "The timeout of the proxy is shorter than ours."},
	)
}

// sprintsTable holds sprints of the tracker.
func sprintsTable(s *service) *table {
	return s.table("sprint", "SPR-", "list_sprints", fields(
		text("name", "Name of the sprint.").must(),
		day("starts", "First day.").must(),
		day("ends", "Last day.").must(),
		text("goal", "What shall be true at its end."),
	),
		record{"name": "Sprint 31", "starts": s.on(-4), "ends": s.on(9), "goal": "Sign-in works on a train."},
		record{"name": "Sprint 32", "starts": s.on(10), "ends": s.on(23), "goal": "Reports can leave the building."},
	)
}

// unblocked refuses when an issue waits for one that is still open.
func unblocked(issues *table, r record) error {
	for _, id := range r.list("blocked_by") {
		if b, err := issues.find(id); err == nil && b.str("status") != "closed" {
			return refuse("%s is blocked by %s, which is %s: close that one first", r.str("id"), id, b.str("status"))
		}
	}
	return nil
}

func block(r record, by string) (record, error) {
	if by == r.str("id") {
		return nil, refuse("%s can't block itself", by)
	}
	list := r.items("blocked_by")
	if matches(list, by) {
		return nil, nil
	}
	if len(list) >= maxItems {
		return nil, refuse("%s has %d blockers, and more don't fit", r.str("id"), len(list))
	}
	return record{"blocked_by": append(list[:len(list):len(list)], by)}, nil
}
