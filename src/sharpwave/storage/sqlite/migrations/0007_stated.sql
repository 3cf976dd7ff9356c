-- Which mentions are those of facts, tasks and notes: of a name that a thousand turns mention, the
-- few that state something are found without reading the rest.

ALTER TABLE mentions ADD COLUMN stated INTEGER NOT NULL DEFAULT 0 CHECK (stated IN (0, 1));
UPDATE mentions SET stated = 1 WHERE key IN (SELECT key FROM memories WHERE slot IS NOT NULL);

CREATE INDEX mentions_stated ON mentions (user_no, entity_key, key) WHERE stated = 1;
