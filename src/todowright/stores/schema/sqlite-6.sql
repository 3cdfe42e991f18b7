-- The revision on which a revision is kept as changes: its todos are a JSON object then. 0 for one that is kept whole; so
-- is one of an earlier schema, -1. No other is -1: a release before this one that has the file open is told to stop.
ALTER TABLE revision ADD COLUMN base INTEGER NOT NULL DEFAULT -1;
CREATE TRIGGER revision_of_an_older_release BEFORE INSERT ON revision WHEN NEW.base = -1 BEGIN
    SELECT RAISE(ABORT, 'a newer todowright upgraded this database: restart this program with that one'); END
