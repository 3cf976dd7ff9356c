-- The statements of the catalog. `$allowed` stands for the filter, which is the statement `allowed`
-- on an entry `e`; `$dimension` for the size of the vectors, without which their graph is not used.

-- $allowed --
(:kinds::text[] IS NULL OR e.kind = ANY (:kinds::text[]))
AND (:roles::text[] IS NULL OR e.role = ANY (:roles::text[]))
AND (:session::text IS NULL OR e.session_no = (
    SELECT s.session_no FROM catalog_sessions s
    WHERE s.user_no = :user_no AND s.session_id = :session
))
AND (:tags::text[] IS NULL OR e.tags @> :tags::text[])
AND (:since_us::bigint IS NULL OR e.valid_from >= :since_us)
AND (:until_us::bigint IS NULL OR e.valid_from < :until_us)
AND (:held::text[] IS NULL OR e.terms @> :held::text[])

-- catalog --
-- How far a user's catalog goes and what it is made of.
SELECT c.seq, c.made_by, c.ready, c.entries, c.records, c.length,
       (SELECT count(*) FROM catalog_sessions s WHERE s.user_no = c.user_no AND s.length > 0),
       p.name, p.version, p.dimension
FROM catalog c JOIN spaces p USING (space_no) WHERE c.user_no = :user_no

-- catalog_head --
-- The same without what has to be counted.
SELECT c.seq, c.made_by, c.ready, p.name, p.version, p.dimension
FROM catalog c JOIN spaces p USING (space_no) WHERE c.user_no = :user_no

-- add_catalog --
-- Begin a catalog; whoever is second waits and begins none.
INSERT INTO catalog (user_no, seq, space_no, made_by) VALUES (:user_no, 0, :space_no, :made_by)
ON CONFLICT DO NOTHING

-- advance_catalog --
-- Go on, unless somebody else did, or began another.
UPDATE catalog SET seq = :upto
WHERE user_no = :user_no AND seq = :since AND made_by = :made_by AND space_no = (
    SELECT space_no FROM spaces
    WHERE name = :name AND version = :version AND dimension = :dimension
)

-- ready_catalog --
-- From now on it is asked, unless it is another by now.
UPDATE catalog SET ready = true
WHERE user_no = :user_no AND made_by = :made_by AND space_no = (
    SELECT space_no FROM spaces
    WHERE name = :name AND version = :version AND dimension = :dimension
)

-- whole_catalog --
-- Say that everything of the user goes.
SELECT set_config('sharpwave.whole_catalog', :value, true)

-- drop_catalog_vectors --
-- One of the steps in which a catalog goes.
DELETE FROM catalog_vectors WHERE user_no = :user_no

-- drop_catalog_entries --
-- One of the steps in which a catalog goes.
DELETE FROM catalog_entries WHERE user_no = :user_no

-- drop_catalog_words --
-- One of the steps in which a catalog goes.
DELETE FROM catalog_words WHERE user_no = :user_no

-- drop_catalog --
-- The last of them.
DELETE FROM catalog WHERE user_no = :user_no

-- add_catalog_sessions --
-- Number the sessions that are new.
INSERT INTO catalog_sessions (user_no, session_no, session_id)
SELECT :user_no, coalesce((SELECT max(session_no) FROM catalog_sessions WHERE user_no = :user_no), 0)
       + row_number() OVER (ORDER BY n.session_id), n.session_id
FROM (SELECT DISTINCT r.session_id FROM jsonb_to_recordset(:entries::jsonb) AS r (session_id text)) n
WHERE NOT EXISTS (
    SELECT 1 FROM catalog_sessions s
    WHERE s.user_no = :user_no AND s.session_id IS NOT DISTINCT FROM n.session_id
)

-- remove_entries --
-- Records that changed or are not found any more.
DELETE FROM catalog_entries WHERE user_no = :user_no AND key = ANY (:keys::bigint[])

-- add_entries --
-- Records to be found; one that was forgotten meanwhile is left out.
INSERT INTO catalog_entries (user_no, key, session_no, kind, role, speaker, valid_from, tags,
                             counted, length, terms, counts)
SELECT :user_no, m.key, s.session_no, r.kind, r.role, r.speaker, r.valid_from, r.tags,
       r.counted, r.length, r.terms, r.counts
FROM jsonb_to_recordset(:entries::jsonb) AS r (
    key bigint, session_id text, kind text, role text, speaker text, valid_from bigint,
    tags text[], counted boolean, length integer, terms text[], counts integer[]
)
JOIN memories m ON m.user_no = :user_no AND m.key = r.key
JOIN catalog_sessions s
    ON s.user_no = :user_no AND s.session_id IS NOT DISTINCT FROM r.session_id

-- add_catalog_vectors --
-- Their vectors.
INSERT INTO catalog_vectors (user_no, key, vector)
SELECT e.user_no, e.key, r.vector
FROM unnest(:keys::bigint[], :vectors::halfvec[]) AS r (key, vector)
JOIN catalog_entries e ON e.user_no = :user_no AND e.key = r.key

-- ask_catalog --
-- How the next statements are to be planned, for this transaction only.
SELECT set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('hnsw.ef_search', :ef_search, true),
       set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.max_scan_tuples', :scanned, true)

-- count_allowed --
-- How many records pass a filter.
SELECT count(*) FROM catalog_entries e WHERE e.user_no = :user_no AND $allowed

-- nearest --
-- The nearest records, by the graph if there is one.
SELECT v.key & 4294967295,
       (1 - (v.vector::halfvec($dimension) <=> :vector::halfvec($dimension)))::real
FROM catalog_vectors v WHERE v.user_no = :user_no::bigint
ORDER BY v.vector::halfvec($dimension) <=> :vector::halfvec($dimension) LIMIT :limit

-- nearest_allowed --
-- The nearest of many that pass a filter: the graph is followed until there are enough.
SELECT v.key & 4294967295,
       (1 - (v.vector::halfvec($dimension) <=> :vector::halfvec($dimension)))::real
FROM catalog_vectors v JOIN catalog_entries e ON e.user_no = v.user_no AND e.key = v.key
WHERE v.user_no = :user_no::bigint AND e.user_no = :user_no AND $allowed
ORDER BY v.vector::halfvec($dimension) <=> :vector::halfvec($dimension) LIMIT :limit

-- nearest_of_few --
-- The nearest of few that pass a filter, each compared.
WITH few AS MATERIALIZED (
    SELECT e.key FROM catalog_entries e WHERE e.user_no = :user_no AND $allowed
)
SELECT v.key & 4294967295, (1 - (v.vector <=> :vector::halfvec))::real
FROM few JOIN catalog_vectors v ON v.user_no = :user_no AND v.key = few.key
ORDER BY v.vector <=> :vector::halfvec, v.key DESC LIMIT :limit

-- cosines --
-- How near some records are.
SELECT v.key & 4294967295, (1 - (v.vector <=> :vector::halfvec))::real
FROM catalog_vectors v WHERE v.user_no = :user_no AND v.key = ANY (:keys::bigint[])

-- term_counts --
-- How many records hold each of some terms.
SELECT term, records FROM catalog_terms WHERE user_no = :user_no AND term = ANY (:terms::text[])

-- best_by_words --
-- The best records by BM25 (formulas/bm25.py).
SELECT w.key & 4294967295, sum(
    q.idf * w.count * (:saturation::float8 + 1)
    / (w.count + :saturation::float8 * (1 - :shortness::float8 + :shortness::float8 * w.length / :average::float8))
)::real AS score
FROM unnest(:terms::text[], :idfs::float8[]) AS q (term, idf)
JOIN catalog_words w ON w.user_no = :user_no AND w.term = q.term
GROUP BY w.key ORDER BY score DESC, w.key DESC LIMIT :limit

-- best_by_words_allowed --
-- The same of those that pass a filter.
SELECT w.key & 4294967295, sum(
    q.idf * w.count * (:saturation::float8 + 1)
    / (w.count + :saturation::float8 * (1 - :shortness::float8 + :shortness::float8 * w.length / :average::float8))
)::real AS score
FROM unnest(:terms::text[], :idfs::float8[]) AS q (term, idf)
JOIN catalog_words w ON w.user_no = :user_no AND w.term = q.term
JOIN catalog_entries e ON e.user_no = :user_no AND e.key = w.key
WHERE $allowed
GROUP BY w.key ORDER BY score DESC, w.key DESC LIMIT :limit

-- around --
-- Some records with the turns on either side of them in their session, and whether each passes the
-- filter.
WITH chosen AS MATERIALIZED (
    SELECT key, session_no, kind FROM catalog_entries
    WHERE user_no = :user_no AND key = ANY (:keys::bigint[])
), reached AS MATERIALIZED (
    SELECT key FROM chosen
    UNION
    SELECT near.key FROM chosen c CROSS JOIN LATERAL (
        SELECT t.key FROM catalog_entries t
        WHERE t.user_no = :user_no AND t.session_no = c.session_no AND t.kind = 'turn'
          AND t.key < c.key ORDER BY t.key DESC LIMIT :reach
    ) near WHERE c.kind = 'turn'
    UNION
    SELECT near.key FROM chosen c CROSS JOIN LATERAL (
        SELECT t.key FROM catalog_entries t
        WHERE t.user_no = :user_no AND t.session_no = c.session_no AND t.kind = 'turn'
          AND t.key > c.key ORDER BY t.key LIMIT :reach
    ) near WHERE c.kind = 'turn'
)
SELECT e.key & 4294967295, e.kind, e.role, e.speaker, e.session_no, e.valid_from, e.counted,
       e.length, $allowed
FROM reached r JOIN catalog_entries e ON e.user_no = :user_no AND e.key = r.key ORDER BY e.key

-- words_of --
-- How often some terms stand in some records.
SELECT w.term, w.key & 4294967295, w.count
FROM unnest(:terms::text[]) AS q (term) CROSS JOIN unnest(:keys::bigint[]) AS k (key)
JOIN catalog_words w ON w.user_no = :user_no AND w.term = q.term AND w.key = k.key

-- words_in_sessions --
-- How often they stand in some sessions.
SELECT w.term, w.session_no, sum(w.count)
FROM unnest(:terms::text[]) AS q (term)
JOIN catalog_words w ON w.user_no = :user_no AND w.term = q.term
WHERE w.counted AND w.session_no = ANY (:sessions::bigint[]) GROUP BY 1, 2

-- session_lengths --
-- How long some sessions are.
SELECT session_no, length FROM catalog_sessions
WHERE user_no = :user_no AND session_no = ANY (:sessions::bigint[])

-- speakers --
-- Who speaks, each once, without reading every record.
WITH RECURSIVE met AS (
    (SELECT speaker FROM catalog_entries
     WHERE user_no = :user_no AND speaker IS NOT NULL ORDER BY speaker LIMIT 1)
    UNION ALL
    SELECT (SELECT e.speaker FROM catalog_entries e
            WHERE e.user_no = :user_no AND e.speaker > met.speaker ORDER BY e.speaker LIMIT 1)
    FROM met WHERE met.speaker IS NOT NULL
)
SELECT speaker FROM met WHERE speaker IS NOT NULL LIMIT :limit
