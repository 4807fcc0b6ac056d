package sqlite

// migration is one step from one form of the database to the next.
type migration struct {
	name       string
	statements []string
}

// migrations are all steps, in order. A step that was released is never changed:
// what is to be otherwise takes another. Times are microseconds since 1970. Each
// index of events and sessions would be written with every call, so there is only
// the one without which a session couldn't be read.
var migrations = []migration{
	{"begin", []string{
		`PRAGMA application_id = 1952674402`, // "tcrb"
		`CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL) STRICT`,
	}},
	{"sessions", []string{
		`CREATE TABLE sessions (
			id TEXT PRIMARY KEY, agent TEXT NOT NULL, client TEXT NOT NULL, caller TEXT NOT NULL, door TEXT NOT NULL, mode TEXT NOT NULL,
			started INTEGER NOT NULL, ended INTEGER NOT NULL, last INTEGER NOT NULL,
			events INTEGER NOT NULL, searches INTEGER NOT NULL, describes INTEGER NOT NULL,
			calls INTEGER NOT NULL, failed INTEGER NOT NULL, refused INTEGER NOT NULL
		) STRICT, WITHOUT ROWID`,
		`CREATE TABLE events (
			seq INTEGER PRIMARY KEY AUTOINCREMENT,
			session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
			time INTEGER NOT NULL, data TEXT NOT NULL
		) STRICT`,
		`CREATE INDEX events_session ON events (session, seq)`,
	}},
	{"grants", []string{
		`CREATE TABLE grants (
			id TEXT PRIMARY KEY, agent TEXT NOT NULL, tool TEXT NOT NULL, rule TEXT NOT NULL, args_hash TEXT NOT NULL,
			made_by TEXT NOT NULL, created INTEGER NOT NULL, last_used INTEGER NOT NULL, uses INTEGER NOT NULL
		) STRICT`,
		`CREATE UNIQUE INDEX grants_of ON grants (agent, tool, rule, args_hash)`,
		`CREATE TABLE pending (
			id TEXT PRIMARY KEY, question TEXT NOT NULL, asked INTEGER NOT NULL, expires INTEGER NOT NULL,
			decision TEXT NOT NULL, settled_by TEXT NOT NULL, settled INTEGER NOT NULL
		) STRICT`,
		`CREATE INDEX pending_open ON pending (settled)`,
	}},
	{"tokens", []string{
		`CREATE TABLE tokens (
			id TEXT PRIMARY KEY, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, agent TEXT NOT NULL, owner INTEGER NOT NULL, harness TEXT NOT NULL,
			allow TEXT NOT NULL, deny TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL,
			last_used INTEGER NOT NULL, revoked INTEGER NOT NULL
		) STRICT`,
	}},
	{"pins and results", []string{
		`CREATE TABLE pins (
			server TEXT NOT NULL, tool TEXT NOT NULL, hash TEXT NOT NULL, state TEXT NOT NULL, seen INTEGER NOT NULL,
			PRIMARY KEY (server, tool)
		) STRICT, WITHOUT ROWID`,
		`CREATE TABLE results (
			id TEXT PRIMARY KEY, session TEXT NOT NULL, reader TEXT NOT NULL, bytes BLOB NOT NULL, expires INTEGER NOT NULL
		) STRICT`,
		`CREATE INDEX results_session ON results (session)`,
		`CREATE INDEX results_expires ON results (expires)`,
	}},
	{"approvals", []string{
		`ALTER TABLE pending ADD COLUMN holder TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE pending ADD COLUMN reason TEXT NOT NULL DEFAULT ''`,
	}},
	{"costs of sessions", []string{
		`ALTER TABLE sessions ADD COLUMN shows INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE sessions ADD COLUMN direct_bytes INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE sessions ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE sessions ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0`,
	}},
	{"forms of pins", []string{
		`ALTER TABLE pins ADD COLUMN form BLOB`,
		`ALTER TABLE pins ADD COLUMN waiting BLOB`,
		`ALTER TABLE pins ADD COLUMN rejected TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE pins ADD COLUMN flags TEXT NOT NULL DEFAULT ''`,
		`CREATE TABLE marks (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
		`INSERT INTO marks (name, n) VALUES ('pins', 1)`,
	}},
	{"cut results", []string{
		`ALTER TABLE results ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0`,
	}},
}
