-- What has not been consolidated yet: few rows, found without reading the rest.

CREATE INDEX memories_pending ON memories (user_no, key) WHERE stage IN ('active', 'working');
