package demo

import "slices"

// folders of a mailbox.
var folders = [...]string{"inbox", "archive", "sent", "drafts", "spam", "trash"}

// mail is one person's mailbox.
func mail(s *service) {
	box := boxTable(s)
	send := func(c *call, values record, folder string) (any, error) {
		values["folder"] = folder
		return box.insert(stamp(c.now), plain(values))
	}
	counts := shape(
		choice("folder", "The folder.", folders[:]...).must(),
		whole("messages", "How many messages lie in it.", 0, maxRows).must(),
		whole("unread", "How many of them are unread.", 0, maxRows).must(),
	)
	s.offer("mail",
		do(adds, "send_mail", "Write an email and send it to one or more people.",
			`{"to":["ines@example.com"],"subject":"Row 12","body":"Checked, it is right."}`,
			box.columns("to", "cc", "subject", "body"), box.record(), func(c *call) (any, error) {
				return send(c, c.args.pick("to", "cc", "subject", "body"), "sent")
			}),
		do(adds, "draft_mail", "Write an email and keep it among the drafts without sending it.",
			`{"to":["jonas@example.com"],"subject":"Lunch","body":"Yes!"}`,
			box.columns("to", "cc", "subject", "body"), box.record(), func(c *call) (any, error) {
				return send(c, c.args.pick("to", "cc", "subject", "body"), "drafts")
			}),
		box.act(destroys, "send_draft", "Send a draft. It can't be called back.", `{"message_id":"MSG-107"}`, nil, func(_ *call, r record) (record, error) {
			if f := r.str("folder"); f != "drafts" && f != "sent" {
				return nil, refuse("%s lies in %s and is no draft: draft_mail writes one", r.str("id"), f)
			}
			return record{"folder": "sent"}, nil
		}),
		box.get("read_mail", "Show one email with its text. Reading does not mark it as read.", `{"message_id":"MSG-101"}`),
		box.list("list_mail", "List the emails of a folder, optionally only unread or starred ones or those of one sender.",
			`{"folder":"inbox","unread":true}`, box.by("folder"), box.by("unread"), box.by("starred"), box.by("from")),
		box.search("search_mail", "Find emails by words in their subject, text, sender or receivers.", `{"query":"ticket lyon"}`, "subject", "body", "from", "to"),
		do(adds, "reply_to_mail", "Answer an email; the answer goes to its sender, or to everybody on it.",
			`{"message_id":"MSG-103","body":"I am in.","everybody":true}`,
			append(fields(box.keyField(), yesNo("everybody", "Also to the other receivers.").or(false)), box.columns("body")...), box.record(),
			func(c *call) (any, error) {
				m, err := box.find(c.args.str("message_id"))
				if err != nil {
					return nil, err
				}
				return send(c, answer(m, c.args), "sent")
			}),
		do(adds, "forward_mail", "Send an email on to somebody else, with a line of your own above it.",
			`{"message_id":"MSG-106","to":["ines@example.com"],"comment":"For the books."}`,
			append(fields(box.keyField(), text("comment", "What to write above it.")), box.columns("to")...), box.record(),
			func(c *call) (any, error) {
				m, err := box.find(c.args.str("message_id"))
				if err != nil {
					return nil, err
				}
				body := c.args.str("comment") + "\n\n" + m.str("body")
				return send(c, record{"to": c.args["to"], "subject": clip("Fwd: "+m.str("subject"), 200), "body": clip(body, 4000)}, "sent")
			}),
		box.fill("move_mail", "Move an email to another folder.", `{"message_id":"MSG-106","folder":"inbox"}`, "folder"),
		box.fill("mark_mail", "Mark an email as read or as unread.", `{"message_id":"MSG-101","unread":false}`, "unread"),
		box.fill("star_mail", "Mark an email as important, or take the mark away.", `{"message_id":"MSG-103","starred":true}`, "starred"),
		box.act(puts, "snooze_mail", "Hide an email until a later time, when it comes back as unread.", `{"message_id":"MSG-103","until":"2026-03-05T08:00:00Z"}`,
			fields(moment("until", "When it shall come back; in the future.").must()), func(c *call, _ record) (record, error) {
				if !c.args.time("until").After(c.now) {
					return nil, refuse("%s has passed already: it is %s", c.args.str("until"), stamp(c.now))
				}
				return record{"snoozed_until": c.args.str("until"), "unread": true}, nil
			}),
		box.deletion("delete_mail", "Delete an email for good, without the trash.", `{"message_id":"MSG-105"}`),
		do(reads, "count_mail", "Count the emails and the unread ones of every folder.", `{}`, nil,
			shape(listing("folders", "One entry a folder.", counts)), func(*call) (any, error) {
				all := []record{}
				for _, f := range folders {
					in := box.where(is("folder", f))
					unread := slices.DeleteFunc(slices.Clone(in), func(r record) bool { return !r.yes("unread") })
					all = append(all, record{"folder": f, "messages": len(in), "unread": len(unread)})
				}
				return record{"folders": all}, nil
			}),
	)
}

// boxTable holds the mails of the mailbox.
func boxTable(s *service) *table {
	return s.table("message", "MSG-", "list_mail", fields(
		email("from", "Who sent it.").or("you@example.com"),
		emails("to", "Who gets it.").must(),
		emails("cc", "Who gets a copy.").or([]string{}),
		text("subject", "Subject line.").must(),
		prose("body", "The text.").must(),
		choice("folder", "Where it lies.", folders[:]...).or("inbox"),
		yesNo("unread", "True until it has been read.").or(false),
		yesNo("starred", "True when it is marked as important.").or(false),
		moment("snoozed_until", "When it comes back into the inbox."),
		text("reply_to", "Id of the message that it answers."),
	),
		record{"from": "ines@example.com", "to": []string{"you@example.com"}, "subject": "Numbers for the quarter", "body": "Could you check row 12 before Thursday?", "unread": true},
		record{"from": "travel@trains.example", "to": []string{"you@example.com"}, "subject": "Your ticket to Lyon", "body": "Coach 7, seat 41. Departure 07:12.", "starred": true},
		record{"from": "jonas@example.com", "to": []string{"you@example.com", "mira@example.com"}, "subject": "Lunch?", "body": "New noodle place, 12:30.", "unread": true},
		record{"from": "you@example.com", "to": []string{"tomoko@example.com"}, "subject": "Drafts for the review", "body": "Three of them, the second is my favourite.", "folder": "sent"},
		record{"from": "prize@winner.example", "to": []string{"you@example.com"}, "subject": "You have won", "body": "Send your bank details.", "folder": "spam", "unread": true},
		record{"from": "billing@hosting.example", "to": []string{"you@example.com"}, "subject": "Invoice for February", "body": "48.20 EUR, due in 14 days.", "folder": "archive"},
		record{"to": []string{"mira@example.com"}, "subject": "Holiday", "body": "I am away in the second week, can you take the on-call?", "folder": "drafts"},
	)
}

func answer(m, args record) record {
	to := []any{m["from"]}
	if args.yes("everybody") {
		for _, other := range m.list("to") {
			if other != "you@example.com" && other != m["from"] && len(to) < maxItems {
				to = append(to, other)
			}
		}
	}
	return record{"to": to, "subject": clip("Re: "+m.str("subject"), 200), "body": args["body"], "reply_to": m["id"]}
}

// clip cuts a text to at most n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
