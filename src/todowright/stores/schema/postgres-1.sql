-- Every revision of every plan, never changed after it was written.
-- The number orders all of them: it is the number of the transaction that wrote the row (and a base, see `tenant`), so that
-- a reader can tell from its snapshot below which number no row can come any more. A sequence cannot tell that.
-- Names may be of any length, and an index takes short ones only: keys are 128 bits of their SHA-256.
CREATE TABLE todowright.revision (
    tenant       text COLLATE "C" NOT NULL,
    number       bigint  NOT NULL,
    session_key  uuid    NOT NULL,
    agent_key    uuid    NOT NULL,
    session      text    NOT NULL,
    agent        text    NOT NULL,
    revision     integer NOT NULL,
    todos        text    NOT NULL, -- JSON: [[content, status, active form, label, number], ...]
    summary      text    NOT NULL,
    updated_at   bigint  NOT NULL, -- microseconds since 1970 in UTC
    issued       integer NOT NULL,
    log          text    NOT NULL,
    made_by      text    NOT NULL,
    made_by_name text    NOT NULL,
    dialect      text    NOT NULL,
    serves       integer NOT NULL,
    ended        text    NOT NULL,
    verified     integer NOT NULL,
    numbered_from integer NOT NULL,
    extras       text    NOT NULL, -- JSON by the place of the todo in the list, or empty
    PRIMARY KEY (tenant, session_key, agent_key, revision)
);
CREATE UNIQUE INDEX revision_by_number ON todowright.revision (tenant, number);
CREATE INDEX revision_of_session ON todowright.revision (tenant, session_key, number);

-- What is counted for each tenant.
CREATE TABLE todowright.tenant (
    tenant    text COLLATE "C" PRIMARY KEY,
    base      bigint NOT NULL DEFAULT 0, -- is added to a transaction's number: not 0 after a dump was restored elsewhere
    forgotten bigint NOT NULL DEFAULT 0  -- the highest number of what was deleted: the newest number never falls
);

-- The replies that calls with an id of their own got.
CREATE TABLE todowright.receipt (
    tenant      text COLLATE "C" NOT NULL,
    session_key uuid NOT NULL,
    agent_key   uuid NOT NULL,
    call_key    uuid NOT NULL,
    number      bigint GENERATED ALWAYS AS IDENTITY,
    session     text NOT NULL,
    agent       text NOT NULL,
    call        text NOT NULL,
    digest      text NOT NULL,
    reply       text NOT NULL,
    PRIMARY KEY (tenant, session_key, agent_key, call_key)
);
CREATE INDEX receipt_of_agent ON todowright.receipt (tenant, session_key, agent_key, number);

-- The last revision of others that an agent has been told of.
CREATE TABLE todowright.seen (
    tenant      text COLLATE "C" NOT NULL,
    session_key uuid NOT NULL,
    agent_key   uuid NOT NULL,
    revision    integer NOT NULL,
    PRIMARY KEY (tenant, session_key, agent_key)
);

-- Until when leases of tasks last that were renewed: seconds since 1970; 0 for one that was ended.
CREATE TABLE todowright.lease (
    tenant      text COLLATE "C" NOT NULL,
    session_key uuid NOT NULL,
    agent_key   uuid NOT NULL,
    token_key   uuid NOT NULL,
    token       text NOT NULL,
    until       double precision NOT NULL,
    PRIMARY KEY (tenant, session_key, agent_key, token_key)
);

-- A connection sees the rows of its own tenant alone, whatever a query forgets to ask for.
ALTER TABLE todowright.revision ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.revision FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.revision USING (tenant = current_setting('todowright.tenant', true));
ALTER TABLE todowright.tenant ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.tenant FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.tenant USING (tenant = current_setting('todowright.tenant', true));
ALTER TABLE todowright.receipt ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.receipt FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.receipt USING (tenant = current_setting('todowright.tenant', true));
ALTER TABLE todowright.seen ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.seen FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.seen USING (tenant = current_setting('todowright.tenant', true));
ALTER TABLE todowright.lease ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.lease FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.lease USING (tenant = current_setting('todowright.tenant', true));
