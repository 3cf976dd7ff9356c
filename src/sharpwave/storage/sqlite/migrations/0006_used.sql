-- What settled and was used: found by when, without reading the rest.

CREATE INDEX memories_used ON memories (user_no, accessed_at)
    WHERE access_count > 0 AND stage = 'episodic';
