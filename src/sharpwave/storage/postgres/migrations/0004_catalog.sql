-- What the database searches by itself, for users too large to be held in memory. Derived from
-- `memories`: it follows them by sequence number, and whatever is erased there is gone here in the
-- same transaction. Words are those that keyword search counts, so that both kinds of index find
-- the same. Vectors are in a table of their own, which needs pgvector (catalog/vectors.sql).

CREATE TABLE catalog (
    user_no  bigint PRIMARY KEY REFERENCES users (user_no) ON DELETE CASCADE,
    seq      bigint NOT NULL,  -- how far it has followed
    space_no bigint NOT NULL REFERENCES spaces (space_no),
    made_by  text NOT NULL,    -- how words are cut; another way needs another catalog
    ready    boolean NOT NULL DEFAULT false,
    entries  bigint NOT NULL DEFAULT 0,
    records  bigint NOT NULL DEFAULT 0,  -- those of them that count in statistics
    length   bigint NOT NULL DEFAULT 0   -- their words
);

CREATE TABLE catalog_sessions (
    user_no    bigint NOT NULL REFERENCES catalog (user_no) ON DELETE CASCADE,
    session_no bigint NOT NULL,
    session_id text COLLATE "C",  -- records without a session share one
    length     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_no, session_no),
    UNIQUE NULLS NOT DISTINCT (user_no, session_id)
);

CREATE TABLE catalog_entries (
    user_no    bigint NOT NULL REFERENCES catalog (user_no) ON DELETE CASCADE,
    key        bigint NOT NULL,
    session_no bigint NOT NULL,
    kind       text NOT NULL,
    role       text,
    speaker    text COLLATE "C",
    valid_from bigint NOT NULL,
    tags       text[] NOT NULL,
    counted    boolean NOT NULL,  -- false for what only repeats others
    length     integer NOT NULL,
    terms      text[] COLLATE "C" NOT NULL,
    counts     integer[] NOT NULL,
    PRIMARY KEY (user_no, key),
    FOREIGN KEY (user_no, key) REFERENCES memories (user_no, key) ON DELETE CASCADE
);
CREATE INDEX catalog_turns ON catalog_entries (user_no, session_no, key) WHERE kind = 'turn';
CREATE INDEX catalog_times ON catalog_entries (user_no, valid_from);
CREATE INDEX catalog_speakers ON catalog_entries (user_no, speaker) WHERE speaker IS NOT NULL;

CREATE TABLE catalog_terms (
    user_no bigint NOT NULL REFERENCES catalog (user_no) ON DELETE CASCADE,
    term    text COLLATE "C" NOT NULL,
    records bigint NOT NULL,  -- how many that count hold it
    PRIMARY KEY (user_no, term)
);

-- Read by the index alone. Rows of GIN would be smaller, but no statement under row-level security
-- may look words up in one: `@@` is not leakproof, the equality of texts is.
CREATE TABLE catalog_words (
    user_no    bigint NOT NULL REFERENCES catalog (user_no) ON DELETE CASCADE,
    term       text COLLATE "C" NOT NULL,
    key        bigint NOT NULL,
    session_no bigint NOT NULL,
    count      integer NOT NULL,
    length     integer NOT NULL,
    counted    boolean NOT NULL,
    PRIMARY KEY (user_no, term, key) INCLUDE (session_no, count, length, counted)
);

CREATE FUNCTION catalog_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_words (user_no, term, key, session_no, count, length, counted)
    SELECT a.user_no, w.term, a.key, a.session_no, w.count, a.length, a.counted
    FROM added a CROSS JOIN unnest(a.terms, a.counts) AS w (term, count);
    INSERT INTO catalog_terms AS t (user_no, term, records)
    SELECT a.user_no, w.term, count(*) FILTER (WHERE a.counted)
    FROM added a CROSS JOIN unnest(a.terms) AS w (term) GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (user_no, term) DO UPDATE SET records = t.records + excluded.records;
    UPDATE catalog_sessions s SET length = s.length + m.length FROM (
        SELECT user_no, session_no, sum(length) AS length FROM added WHERE counted GROUP BY 1, 2
    ) m WHERE s.user_no = m.user_no AND s.session_no = m.session_no;
    UPDATE catalog c
    SET entries = c.entries + m.entries, records = c.records + m.records,
        length = c.length + m.length
    FROM (
        SELECT user_no, count(*) AS entries, count(*) FILTER (WHERE counted) AS records,
               coalesce(sum(length) FILTER (WHERE counted), 0) AS length
        FROM added GROUP BY 1
    ) m WHERE c.user_no = m.user_no;
    RETURN NULL;
END $$;

CREATE FUNCTION catalog_remove() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('sharpwave.whole_catalog', true) = 'on' THEN
        RETURN NULL;  -- everything of the user goes, table by table
    END IF;
    DELETE FROM catalog_words w USING gone g CROSS JOIN unnest(g.terms) AS held (term)
    WHERE w.user_no = g.user_no AND w.term = held.term AND w.key = g.key;
    UPDATE catalog_terms t SET records = t.records - l.records FROM (
        SELECT g.user_no, held.term, count(*) FILTER (WHERE g.counted) AS records
        FROM gone g CROSS JOIN unnest(g.terms) AS held (term) GROUP BY 1, 2
    ) l WHERE t.user_no = l.user_no AND t.term = l.term;
    DELETE FROM catalog_terms t USING gone g CROSS JOIN unnest(g.terms) AS held (term)
    WHERE t.user_no = g.user_no AND t.term = held.term AND t.records = 0 AND NOT EXISTS (
        SELECT 1 FROM catalog_words w WHERE w.user_no = t.user_no AND w.term = t.term
    );
    UPDATE catalog_sessions s SET length = s.length - m.length FROM (
        SELECT user_no, session_no, sum(length) AS length FROM gone WHERE counted GROUP BY 1, 2
    ) m WHERE s.user_no = m.user_no AND s.session_no = m.session_no;
    UPDATE catalog c
    SET entries = c.entries - m.entries, records = c.records - m.records,
        length = c.length - m.length
    FROM (
        SELECT user_no, count(*) AS entries, count(*) FILTER (WHERE counted) AS records,
               coalesce(sum(length) FILTER (WHERE counted), 0) AS length
        FROM gone GROUP BY 1
    ) m WHERE c.user_no = m.user_no;
    DELETE FROM catalog_sessions s USING gone g
    WHERE s.user_no = g.user_no AND s.session_no = g.session_no AND NOT EXISTS (
        SELECT 1 FROM catalog_entries e WHERE e.user_no = s.user_no AND e.session_no = s.session_no
    );
    RETURN NULL;
END $$;

CREATE TRIGGER catalog_add AFTER INSERT ON catalog_entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION catalog_add();
CREATE TRIGGER catalog_remove AFTER DELETE ON catalog_entries
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION catalog_remove();

-- As in the second step, but the setting is looked up once a statement, not once a row.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'catalog', 'catalog_sessions', 'catalog_entries', 'catalog_terms', 'catalog_words'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format($policy$CREATE POLICY own_rows ON %I USING (
            user_no = (
                SELECT coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
            ) OR (SELECT current_setting('sharpwave.everyone', true) = 'on')
        )$policy$, name);
    END LOOP;
END $$;

-- As in the first schema: the planner keeps no samples of what was said.
ALTER TABLE catalog_sessions ALTER COLUMN session_id SET STATISTICS 0;
ALTER TABLE catalog_entries
    ALTER COLUMN speaker SET STATISTICS 0,
    ALTER COLUMN tags SET STATISTICS 0,
    ALTER COLUMN terms SET STATISTICS 0;
ALTER TABLE catalog_terms ALTER COLUMN term SET STATISTICS 0;
ALTER TABLE catalog_words ALTER COLUMN term SET STATISTICS 0;
