-- The whole schema for a new file, at once: just what the steps sqlite-1 to sqlite-6 make, which say what each column is.
CREATE TABLE revision (
number INTEGER PRIMARY KEY AUTOINCREMENT,
session TEXT NOT NULL,
agent TEXT NOT NULL,
revision INTEGER NOT NULL,
todos TEXT NOT NULL,
summary TEXT NOT NULL,
updated_at INTEGER NOT NULL,
issued INTEGER NOT NULL,
numbered_from INTEGER NOT NULL,
log TEXT NOT NULL,
made_by TEXT NOT NULL DEFAULT '',
made_by_name TEXT NOT NULL DEFAULT '',
dialect TEXT NOT NULL DEFAULT '',
serves INTEGER NOT NULL DEFAULT 0,
ended TEXT NOT NULL DEFAULT '',
verified INTEGER NOT NULL DEFAULT 0,
extras TEXT NOT NULL DEFAULT '',
base INTEGER NOT NULL DEFAULT -1,
UNIQUE (session, agent, revision)
);
CREATE INDEX revision_of_session ON revision (session, number);
CREATE TABLE receipt (
number INTEGER PRIMARY KEY,
session TEXT NOT NULL,
agent TEXT NOT NULL,
call TEXT NOT NULL,
digest TEXT NOT NULL,
reply TEXT NOT NULL,
UNIQUE (session, agent, call)
);
CREATE INDEX receipt_of_agent ON receipt (session, agent, number);
CREATE TABLE seen (
session TEXT NOT NULL,
agent TEXT NOT NULL,
revision INTEGER NOT NULL,
PRIMARY KEY (session, agent)
) WITHOUT ROWID;
CREATE TABLE lease (
session TEXT NOT NULL,
agent TEXT NOT NULL,
token TEXT NOT NULL,
until REAL NOT NULL,
PRIMARY KEY (session, agent, token)
) WITHOUT ROWID;
CREATE TRIGGER revision_of_an_older_release BEFORE INSERT ON revision WHEN NEW.base = -1 BEGIN
    SELECT RAISE(ABORT, 'a newer todowright upgraded this database: restart this program with that one'); END
