-- What agents' requests to their models took, by agent and model. These tables stand beside the numbered schemas: they are
-- made when something is first counted, and a release that does not know them goes on as if they were not there.
CREATE TABLE IF NOT EXISTS usage (
    session    TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    model      TEXT    NOT NULL,
    requests   INTEGER NOT NULL,
    input      INTEGER NOT NULL, -- tokens, with those from a cache
    output     INTEGER NOT NULL,
    cached     INTEGER NOT NULL,
    cost       REAL    NOT NULL, -- dollars of the requests of which they are known
    priced     INTEGER NOT NULL, -- how many those are
    updated_at INTEGER NOT NULL, -- microseconds since 1970 in UTC
    PRIMARY KEY (session, agent, model)
) WITHOUT ROWID;
-- The requests with an id that are counted: 64 bits of its SHA-256.
CREATE TABLE IF NOT EXISTS usage_request (
    session TEXT    NOT NULL,
    mark    INTEGER NOT NULL,
    agent   TEXT    NOT NULL,
    PRIMARY KEY (session, mark)
) WITHOUT ROWID
