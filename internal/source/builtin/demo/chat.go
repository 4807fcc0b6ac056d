package demo

import "strings"

// chat is a team chat with channels and threads.
func chat(s *service) {
	channels := channelsTable(s)
	posts := postsTable(s, channels)
	presence := presenceTable(s)
	open := func(id string) error {
		ch, err := channels.find(id)
		if err == nil && ch.yes("archived") {
			err = refuse("channel %s (%s) is archived and takes no posts: choose another from list_channels", id, ch.str("name"))
		}
		return err
	}
	own := func(r record) error {
		if r.str("author") != "you" {
			return refuse("%s was written by %s, and only own posts can be changed", r.str("id"), r.str("author"))
		}
		return nil
	}
	s.offer("chat",
		do(adds, "post_message", "Write a chat message into a channel.", `{"channel_id":"CHN-103","text":"Noodles!"}`,
			posts.columns("channel_id", "text"), posts.record(), func(c *call) (any, error) {
				if err := open(c.args.str("channel_id")); err != nil {
					return nil, err
				}
				return posts.insert(stamp(c.now), c.args.pick("channel_id", "text"))
			}),
		do(adds, "reply_in_thread", "Answer a chat post in its thread.", `{"post_id":"PST-102","text":"Thanks, all quiet now."}`,
			append(fields(posts.keyField()), posts.columns("text")...), posts.record(), func(c *call) (any, error) {
				p, err := posts.find(c.args.str("post_id"))
				if err != nil {
					return nil, err
				}
				thread := p.str("thread")
				if thread == "" {
					thread = p.str("id")
				}
				return posts.insert(stamp(c.now), record{"channel_id": p["channel_id"], "text": c.args["text"], "thread": thread})
			}),
		posts.list("read_channel", "Read the posts of a chat channel or thread, oldest first.", `{"channel_id":"CHN-102"}`,
			posts.by("channel_id"), posts.by("thread"), posts.by("author"), posts.by("pinned")),
		posts.search("search_chat", "Find chat posts by their words or author.", `{"query":"worker"}`, "text", "author"),
		posts.act(destroys, "edit_post", "Overwrite the text of one of your own chat posts.", `{"post_id":"PST-105","text":"The post-mortem is in the notes now."}`,
			posts.columns("text"), func(c *call, r record) (record, error) { return c.args.pick("text"), own(r) }),
		posts.deletion("delete_post", "Delete a chat post for everybody.", `{"post_id":"PST-104"}`),
		posts.join("react_to_post", "Put an emoji under a chat post.", `{"post_id":"PST-101","emoji":"sad"}`, "reactions", text("emoji", "Name of the emoji, such as thumbs_up.")),
		posts.fill("pin_post", "Keep a chat post at the top of its channel, or let it go.", `{"post_id":"PST-102","pinned":true}`, "pinned"),
		channels.list("list_channels", "List the chat channels with their topics and members.", `{"archived":false}`,
			channels.by("archived"), having("member", "Only channels that this user is in.", "members")),
		do(adds, "create_channel", "Open a new chat channel.", `{"name":"book-club","topic":"One book a month"}`,
			channels.columns("name", "topic", "members"), channels.record(), func(c *call) (any, error) {
				name := strings.TrimPrefix(c.args.str("name"), "#")
				if other, taken := channels.first(is("name", name)); taken {
					return nil, refuse("the channel %s has that name already (%s): write there or choose another name", other.str("id"), name)
				}
				values := c.args.pick("topic", "members")
				values["name"] = name
				return channels.insert(stamp(c.now), values)
			}),
		channels.join("invite_to_channel", "Add a person to a chat channel.", `{"channel_id":"CHN-103","user":"jonas"}`, "members", text("user", "User name of the person.")),
		channels.put("archive_channel", "Close a chat channel for writing; its posts stay readable.", `{"channel_id":"CHN-103"}`, "archived", true),
		do(reads, "get_presence", "Say who of the team can be reached right now.", `{}`, paging(), presence.page(),
			func(c *call) (any, error) { return page(c, presence.rows), nil }),
		do(puts, "set_presence", "Set your own chat status, with a few words if you like.", `{"state":"busy","message":"Writing"}`,
			fields(choice("state", "Whether you can be reached.", "available", "busy", "away").must(), text("message", "What to say about it.")),
			presence.record(), func(c *call) (any, error) {
				you, _ := presence.first(is("user", "you"))
				return presence.set(c, you, record{"state": c.args["state"], "message": c.args["message"]})
			}),
	)
}

// channelsTable holds the channels of the chat.
func channelsTable(s *service) *table {
	return s.table("channel", "CHN-", "list_channels", fields(
		text("name", "Name of the channel, without a hash sign.").must(),
		text("topic", "What it is about."),
		words("members", "User names of those in it.").or([]string{"you"}),
		yesNo("archived", "True when nobody can write any more.").or(false),
	),
		record{"name": "general", "topic": "Everything that concerns everybody", "members": []string{"you", "mira", "jonas", "tomoko", "ines"}},
		record{"name": "incidents", "topic": "What is on fire", "members": []string{"you", "mira", "jonas"}},
		record{"name": "lunch", "topic": "Where do we eat", "members": []string{"you", "tomoko"}},
		record{"name": "project-atlas", "topic": "Finished last year", "archived": true},
	)
}

// postsTable holds what was written in the chat.
func postsTable(s *service, channels *table) *table {
	return s.table("post", "PST-", "read_channel", fields(
		channels.ref("channel_id", "Where it was written.").must(),
		text("author", "Who wrote it.").or("you"),
		prose("text", "What it says.").must(),
		text("thread", "Id of the post that it answers."),
		words("reactions", "Emoji names.").or([]string{}),
		yesNo("pinned", "True when it is kept at the top.").or(false),
	),
		record{"channel_id": "CHN-101", "author": "ines", "text": "The canteen is closed on Friday."},
		record{"channel_id": "CHN-102", "author": "mira", "text": "Queue is growing, I am looking.", "reactions": []string{"eyes"}},
		record{"channel_id": "CHN-102", "author": "jonas", "text": "A worker hung; restarted.", "thread": "PST-102"},
		record{"channel_id": "CHN-103", "author": "tomoko", "text": "Noodles or salad?"},
		record{"channel_id": "CHN-102", "author": "you", "text": "Post-mortem is in the notes.", "pinned": true},
	)
}

// presenceTable holds who can be reached in the chat.
func presenceTable(s *service) *table {
	return s.table("presence", "USR-", "get_presence", fields(
		text("user", "User name.").must(),
		choice("state", "Whether the person can be reached.", "available", "busy", "away").or("available"),
		text("message", "What the person says about it."),
	),
		record{"user": "you"}, record{"user": "mira", "state": "busy", "message": "On call"}, record{"user": "jonas"},
		record{"user": "tomoko", "state": "away", "message": "Back on Monday"}, record{"user": "ines"},
	)
}
