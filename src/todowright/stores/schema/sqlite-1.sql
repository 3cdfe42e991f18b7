-- Every revision of every plan, never changed after it was written. The number orders all of them.
CREATE TABLE revision (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    session    TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    revision   INTEGER NOT NULL,
    todos      TEXT    NOT NULL, -- JSON: [[content, status, active form, id], ...]
    summary    TEXT    NOT NULL,
    updated_at INTEGER NOT NULL, -- microseconds since 1970 in UTC
    issued     INTEGER NOT NULL,
    numbered_from INTEGER NOT NULL,
    log        TEXT    NOT NULL,
    UNIQUE (session, agent, revision)
);

CREATE INDEX revision_of_session ON revision (session, number);
