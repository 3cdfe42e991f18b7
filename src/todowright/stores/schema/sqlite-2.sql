-- Who made a revision: empty for the agent itself.
ALTER TABLE revision ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
