-- Until when leases of tasks last that were renewed: seconds since 1970; 0 for one that was ended.
CREATE TABLE lease (
    session TEXT NOT NULL,
    agent   TEXT NOT NULL,
    token   TEXT NOT NULL,
    until   REAL NOT NULL,
    PRIMARY KEY (session, agent, token)
) WITHOUT ROWID;
