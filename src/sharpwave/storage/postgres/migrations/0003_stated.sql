-- Which mentions are those of facts, tasks and notes: of a name that a thousand turns mention, the
-- few that state something are found without reading the rest.

ALTER TABLE mentions ADD COLUMN stated smallint NOT NULL DEFAULT 0 CHECK (stated IN (0, 1));

SELECT set_config('sharpwave.everyone', 'on', true);
UPDATE mentions n SET stated = 1
FROM memories m WHERE m.user_no = n.user_no AND m.key = n.key AND m.slot IS NOT NULL;
SELECT set_config('sharpwave.everyone', 'off', true);

CREATE INDEX mentions_stated ON mentions (user_no, entity_key, key) WHERE stated = 1;
