-- What agents' requests to their models took, by agent and model. A release that does not know these tables goes on without.
CREATE TABLE todowright.usage (
    tenant      text COLLATE "C" NOT NULL,
    session_key uuid   NOT NULL,
    agent_key   uuid   NOT NULL,
    model       text   NOT NULL,
    agent       text   NOT NULL,
    requests    bigint NOT NULL,
    input       bigint NOT NULL, -- tokens, with those from a cache
    output      bigint NOT NULL,
    cached      bigint NOT NULL,
    cost        double precision NOT NULL, -- dollars of the requests of which they are known
    priced      bigint NOT NULL, -- how many those are
    updated_at  bigint NOT NULL, -- microseconds since 1970 in UTC
    PRIMARY KEY (tenant, session_key, agent_key, model)
);

-- The requests that are counted: 64 bits of the SHA-256 of their ids, or by chance for one without.
CREATE TABLE todowright.usage_request (
    tenant      text COLLATE "C" NOT NULL,
    session_key uuid   NOT NULL,
    mark        bigint NOT NULL,
    agent_key   uuid   NOT NULL,
    PRIMARY KEY (tenant, session_key, mark)
);

ALTER TABLE todowright.usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.usage FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.usage USING (tenant = current_setting('todowright.tenant', true));
ALTER TABLE todowright.usage_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE todowright.usage_request FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON todowright.usage_request USING (tenant = current_setting('todowright.tenant', true));
