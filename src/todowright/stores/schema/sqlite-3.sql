-- A todo is now [content, status, active form, label, number]; one of four parts has its number in its label.
-- numbered_from is not used any more: always 0 from here on.
ALTER TABLE revision ADD COLUMN made_by_name TEXT NOT NULL DEFAULT '';
ALTER TABLE revision ADD COLUMN dialect TEXT NOT NULL DEFAULT '';
ALTER TABLE revision ADD COLUMN serves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN ended TEXT NOT NULL DEFAULT '';
ALTER TABLE revision ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;

-- The replies that calls with an id of their own got.
CREATE TABLE receipt (
    number  INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    agent   TEXT NOT NULL,
    call    TEXT NOT NULL,
    digest  TEXT NOT NULL,
    reply   TEXT NOT NULL,
    UNIQUE (session, agent, call)
);
CREATE INDEX receipt_of_agent ON receipt (session, agent, number);

-- The last revision of others that an agent has been told of.
CREATE TABLE seen (
    session  TEXT    NOT NULL,
    agent    TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (session, agent)
) WITHOUT ROWID;
