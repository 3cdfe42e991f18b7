-- What dialects keep with todos beside their own fields: empty for none, or JSON by the place of the todo in the list,
-- {"0": {"priority": "high"}, ...}.
ALTER TABLE revision ADD COLUMN extras TEXT NOT NULL DEFAULT '';
