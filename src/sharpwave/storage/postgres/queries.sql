-- The statements of the PostgreSQL store beside those of `sql/queries.sql`. Whatever is about one
-- user says so: `user_no` leads every key, and row-level security shows a transaction no rows but
-- those of the user that it asked for first. The few statements that are about everybody are listed
-- in session.py.

-- $narrowed --
-- Whether a record `m` is of the kinds, states, predicates and times that are asked for.
(:kinds::text IS NULL OR m.kind IN (SELECT json_array_elements_text(:kinds::json)))
  AND (:states::text IS NULL OR m.state IN (SELECT json_array_elements_text(:states::json)))
  AND (:begun_by::bigint IS NULL OR m.valid_from <= :begun_by)
  AND (:beyond::bigint IS NULL OR m.valid_to IS NULL OR m.valid_to > :beyond)
  AND (:recorded_from::bigint IS NULL OR m.recorded_at >= :recorded_from)
  AND (:recorded_by::bigint IS NULL OR m.recorded_at <= :recorded_by)
  AND (:names::text IS NULL
       OR m.statement::json ->> 1 IN (SELECT json_array_elements_text(:names::json)))
  AND (:without::text IS NULL OR strpos(m.slot, :without) = 0)

-- $limit --
-- At most so many; -1 for all.
NULLIF(:limit, -1)

-- user --
-- A user's number, how far their history goes, and how often something was erased; from here on
-- only their rows are seen.
SELECT user_no, seq, erasures, set_config('sharpwave.user_no', user_no::text, true)
FROM users WHERE user_id = :user_id

-- lock_user --
-- The same for a change; until it is committed, no other change of this user begins.
SELECT user_no, seq, erasures, set_config('sharpwave.user_no', user_no::text, true)
FROM users WHERE user_id = :user_id FOR UPDATE

-- add_user --
-- A new user, or one that somebody else has just added; the number is never reused.
WITH next AS (
    UPDATE counters SET value = value + 1 WHERE name = 'user' RETURNING value
)
INSERT INTO users (user_no, user_id) SELECT value, :user_id FROM next
ON CONFLICT (user_id) DO UPDATE SET seq = users.seq
RETURNING user_no, seq, erasures, set_config('sharpwave.user_no', user_no::text, true)

-- users --
-- Everybody who has a record.
SELECT user_id FROM users u
WHERE EXISTS (SELECT 1 FROM memories m WHERE m.user_no = u.user_no)
ORDER BY user_id

-- tallied --
-- Everybody who has a record, how far they are, and one tally of each.
SELECT u.user_id, u.seq, t.value, t.version
FROM users u
LEFT JOIN tallies t ON t.user_no = u.user_no AND t.topic = :topic AND t.name = :name
WHERE EXISTS (SELECT 1 FROM memories m WHERE m.user_no = u.user_no)
ORDER BY u.user_id

-- add_space --
-- Register an embedder's space.
INSERT INTO spaces (name, version, dimension) VALUES (:name, :version, :dimension)
ON CONFLICT (name, version, dimension) DO UPDATE SET name = excluded.name
RETURNING space_no

-- put_vector --
-- The vector of one record, replacing any other.
INSERT INTO vectors (user_no, key, space_no, checksum, vector)
VALUES (:user_no, :key, :space_no, :checksum, :vector)
ON CONFLICT (user_no, key) DO UPDATE
SET space_no = excluded.space_no, checksum = excluded.checksum, vector = excluded.vector

-- staged --
-- Records of a kind by where they stand, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.key > :after AND m.kind = :kind
  AND (:stages::text IS NULL OR m.stage IN (SELECT json_array_elements_text(:stages::json)))
  AND (:temperatures::text IS NULL
       OR m.temperature IN (SELECT json_array_elements_text(:temperatures::json)))
  AND (:before::bigint IS NULL OR m.valid_from < :before)
  AND (:used_since::bigint IS NULL OR m.accessed_at >= :used_since)
ORDER BY m.key LIMIT :limit

-- staged_used --
-- The same for what settled and was used since a moment: by its own index.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.access_count > 0 AND m.stage = 'episodic'
  AND m.accessed_at >= :used_since AND m.key > :after AND m.kind = :kind
  AND (:temperatures::text IS NULL
       OR m.temperature IN (SELECT json_array_elements_text(:temperatures::json)))
  AND (:before::bigint IS NULL OR m.valid_from < :before)
ORDER BY m.key LIMIT :limit

-- staged_pending --
-- The same for what has not settled yet, of which there is little: by its own index.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.stage IN ('active', 'working') AND m.key > :after
  AND m.kind = :kind AND m.stage IN (SELECT json_array_elements_text(:stages::json))
  AND (:temperatures::text IS NULL
       OR m.temperature IN (SELECT json_array_elements_text(:temperatures::json)))
  AND (:before::bigint IS NULL OR m.valid_from < :before)
ORDER BY m.key LIMIT :limit

-- count_pending --
-- How many records of a kind have not settled yet.
SELECT count(*) FROM memories
WHERE user_no = :user_no AND stage IN ('active', 'working') AND kind = :kind

-- touch --
-- Count accesses to one record.
UPDATE memories
SET access_count = access_count + :times, accessed_at = greatest(accessed_at, :at)
WHERE user_no = :user_no AND key = :key

-- by_numbers --
-- Records of a user by number, in the order asked for: each is looked up, however many there are.
SELECT u.user_id, m.* FROM users u
CROSS JOIN unnest(:numbers::bigint[]) WITH ORDINALITY AS c (number, place)
CROSS JOIN LATERAL (
    SELECT * FROM memories
    WHERE user_no = u.user_no AND key = (u.user_no << 32 | c.number) LIMIT 1
) m WHERE u.user_no = :user_no ORDER BY c.place

-- spoken_by_numbers --
-- Who said what, of a user's records by number, in the order asked for.
SELECT c.number, convert_to(m.speaker, 'UTF8'), m.valid_from, convert_to(m.text, 'UTF8')
FROM users u CROSS JOIN unnest(:numbers::bigint[]) WITH ORDINALITY AS c (number, place)
CROSS JOIN LATERAL (
    SELECT speaker, valid_from, text FROM memories
    WHERE user_no = u.user_no AND key = (u.user_no << 32 | c.number) LIMIT 1
) m WHERE u.user_no = :user_no ORDER BY c.place

-- scan --
-- The next records of a user, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.key > :after ORDER BY m.key LIMIT :limit

-- scan_end --
-- The last key of such a page; none if there are no more.
SELECT max(key) FROM (
    SELECT key FROM memories
    WHERE user_no = :user_no AND key > :after ORDER BY key LIMIT :limit
) page

-- latest --
-- The last turns of a user, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.key > :after AND m.key < :end AND m.kind = 'turn'
ORDER BY m.key DESC LIMIT :limit

-- latest_of_session --
-- The last turns of one session, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.session_id = :session AND m.kind = 'turn' AND m.key < :end
ORDER BY m.key DESC LIMIT :limit

-- latest_within --
-- The last turns of the sessions whose name lies in a range, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT key FROM memories
    WHERE user_no = :user_no AND session_id >= :first AND session_id < :last AND key < :end
      AND kind = 'turn' AND state IN ('active', 'stalled', 'done')
    ORDER BY key DESC LIMIT :limit
)
ORDER BY m.key DESC

-- sessions --
-- When each session of a user began and ended, and how many turns it has.
SELECT convert_to(session_id, 'UTF8'), min(valid_from), max(valid_from), count(*) FROM memories
WHERE user_no = :user_no AND session_id IS NOT NULL AND kind = 'turn'
  AND state IN ('active', 'stalled', 'done')
GROUP BY session_id ORDER BY 3 DESC, session_id COLLATE "C" DESC LIMIT :limit

-- unembedded --
-- The next records of a user that have no vector in a space.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
LEFT JOIN vectors v ON v.user_no = m.user_no AND v.key = m.key AND v.space_no = :space_no
WHERE m.user_no = :user_no AND m.key > :after AND v.key IS NULL
  AND m.kind NOT IN ('trajectory', 'feedback', 'skill') ORDER BY m.key LIMIT :limit

-- unembedded_end --
-- The last key of such a page; none if there are no more.
SELECT max(key) FROM (
    SELECT m.key FROM memories m
    LEFT JOIN vectors v ON v.user_no = m.user_no AND v.key = m.key AND v.space_no = :space_no
    WHERE m.user_no = :user_no AND m.key > :after AND v.key IS NULL
      AND m.kind NOT IN ('trajectory', 'feedback', 'skill') ORDER BY m.key LIMIT :limit
) page

-- added_since --
-- Index rows that were added and never revised, by number.
SELECT m.key & 4294967295, m.seq, convert_to(m.kind, 'UTF8'), convert_to(m.role, 'UTF8'),
       convert_to(m.speaker, 'UTF8'), convert_to(m.session_id, 'UTF8'), m.valid_from,
       convert_to(m.text, 'UTF8'), v.checksum, v.vector,
       m.state IN ('active', 'stalled', 'done')
           AND m.kind NOT IN ('trajectory', 'feedback', 'skill'),
       convert_to(NULLIF(m.tags, '[]'), 'UTF8')
FROM memories m
LEFT JOIN vectors v ON v.user_no = m.user_no AND v.key = m.key AND v.space_no = :space_no
WHERE m.user_no = :user_no AND m.key > :after AND m.seq = (m.key & 4294967295)
ORDER BY m.key LIMIT :limit

-- revised_since --
-- Index rows that were revised, by sequence.
SELECT m.key & 4294967295, m.seq, convert_to(m.kind, 'UTF8'), convert_to(m.role, 'UTF8'),
       convert_to(m.speaker, 'UTF8'), convert_to(m.session_id, 'UTF8'), m.valid_from,
       convert_to(m.text, 'UTF8'), v.checksum, v.vector,
       m.state IN ('active', 'stalled', 'done')
           AND m.kind NOT IN ('trajectory', 'feedback', 'skill'),
       convert_to(NULLIF(m.tags, '[]'), 'UTF8')
FROM memories m
LEFT JOIN vectors v ON v.user_no = m.user_no AND v.key = m.key AND v.space_no = :space_no
WHERE m.user_no = :user_no AND m.seq > :since AND m.seq <> (m.key & 4294967295)
ORDER BY m.seq LIMIT :limit

-- vectors_by_numbers --
-- Vectors of a user's records by number, in the order asked for.
SELECT c.number, v.vector FROM users u CROSS JOIN spaces s
CROSS JOIN unnest(:numbers::bigint[]) WITH ORDINALITY AS c (number, place)
CROSS JOIN LATERAL (
    SELECT space_no, vector FROM vectors
    WHERE user_no = u.user_no AND key = (u.user_no << 32 | c.number) LIMIT 1
) v WHERE u.user_no = :user_no AND v.space_no = s.space_no
  AND s.name = :name AND s.version = :version AND s.dimension = :dimension ORDER BY c.place

-- ranked_in_slot --
-- The records that compete for a slot, by what comes first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.slot = :slot
  AND $narrowed
ORDER BY
    CASE :order::text WHEN 'foremost' THEN -m.importance WHEN 'frequent' THEN -m.seen_count
        WHEN 'newest' THEN -m.recorded_at
        WHEN 'due' THEN CASE WHEN m.statement::json ->> 4 IS NULL THEN 1 ELSE 0 END END,
    CASE :order WHEN 'foremost' THEN -m.confidence WHEN 'frequent' THEN -m.last_seen_at
        WHEN 'newest' THEN -m.key WHEN 'due' THEN (m.statement::json ->> 4)::bigint END,
    CASE :order WHEN 'foremost' THEN
        -(greatest(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000) END,
    m.key
LIMIT $limit

-- foremost_between --
-- The same, the most important first, of these the surest, of these the last seen or used.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.slot >= :first AND m.slot < :last
  AND $narrowed
ORDER BY m.importance DESC, m.confidence DESC,
    greatest(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000 DESC, m.key
LIMIT $limit

-- stated_about --
-- The records with a slot that mention a name, in order.
SELECT u.user_id, m.* FROM mentions n
JOIN memories m ON m.user_no = n.user_no AND m.key = n.key JOIN users u ON u.user_no = m.user_no
WHERE n.user_no = :user_no AND n.entity_key = :entity_key AND n.stated = 1
  AND $narrowed
ORDER BY n.key LIMIT $limit

-- stated_among --
-- The records that are about one of some names and mention another of them, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.key IN (
    SELECT f.key FROM mentions n JOIN memories f ON f.user_no = n.user_no AND f.key = n.key
    WHERE n.user_no = :user_no AND n.stated = 1
      AND n.entity_key IN (SELECT json_array_elements_text(:among::json))
      AND split_part(f.slot, '|', 1) <> n.entity_key
      AND split_part(f.slot, '|', 1) IN (SELECT json_array_elements_text(:among::json))
)
  AND $narrowed
ORDER BY m.key LIMIT $limit

-- foremost_in_doubt --
-- What is in doubt, the most important first, of these the surest, of these the last seen or used.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.state = 'uncertain' AND m.slot IS NOT NULL
  AND $narrowed
ORDER BY m.importance DESC, m.confidence DESC,
    greatest(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000 DESC, m.key
LIMIT $limit

-- newest_of_kind --
-- Numbers of the newest records of a kind.
SELECT key & 4294967295 FROM memories
WHERE user_no = :user_no AND kind = :kind AND key < :before ORDER BY key DESC LIMIT :limit

-- add_evidence --
-- One more record that supports another; both must be there.
INSERT INTO evidence (user_no, key, parent)
SELECT d.user_no, d.key, p.key
FROM memories d JOIN memories p ON p.user_no = d.user_no AND p.id = :parent
WHERE d.user_no = :user_no AND d.id = :id ON CONFLICT DO NOTHING

-- evidence_of --
-- Of some records, the ids of those that support them.
SELECT d.id, p.id FROM json_array_elements_text(:ids::json) AS i (id)
JOIN memories d ON d.user_no = :user_no AND d.id = i.id
JOIN evidence e ON e.user_no = d.user_no AND e.key = d.key
JOIN memories p ON p.user_no = e.user_no AND p.key = e.parent ORDER BY p.key

-- derived_from --
-- Of some records, the ids of those that they support.
SELECT p.id, d.id FROM json_array_elements_text(:ids::json) AS i (id)
JOIN memories p ON p.user_no = :user_no AND p.id = i.id
JOIN evidence e ON e.user_no = p.user_no AND e.parent = p.key
JOIN memories d ON d.user_no = e.user_no AND d.key = e.key ORDER BY d.key

-- supported_by --
-- The records that one supports; how many must go before each of them goes: all that it rests on,
-- or the first if it was written in sleep and has the words of every one of them, or if it is a
-- task that was moved on and has the words of this one; and whether this one counts: not if it only
-- says that it is over.
SELECT e.key, CASE
    WHEN m.channel = 'sleep' THEN 1
    WHEN m.kind = 'task' AND m.state <> 'active' AND strpos(m.parents, p.id) > 0 THEN 1
    ELSE (
        SELECT count(*) FROM evidence o
        JOIN memories s ON s.user_no = o.user_no AND s.key = o.parent
        WHERE o.user_no = e.user_no AND o.key = e.key AND s.id IS DISTINCT FROM m.superseded_by
    ) END, m.channel = 'sleep' OR p.id IS DISTINCT FROM m.superseded_by
FROM evidence e
JOIN memories m ON m.user_no = e.user_no AND m.key = e.key
JOIN memories p ON p.user_no = e.user_no AND p.key = e.parent
WHERE e.user_no = :user_no AND e.parent = :key

-- forget_evidence --
-- A record supports nothing any more, and nothing supports it.
DELETE FROM evidence WHERE user_no = :user_no AND (parent = :key OR key = :key)

-- lose_support --
-- A record was seen less often than we thought.
UPDATE memories SET seen_count = greatest(1, seen_count - :lost), seq = :seq
WHERE user_no = :user_no AND key = :key

-- reopen --
-- Nothing took its place after all, or what took the place of that.
UPDATE memories
SET state = CASE WHEN :successor::text IS NULL THEN 'active' ELSE state END,
    superseded_by = :successor, valid_to = :valid_to, seq = :seq
WHERE user_no = :user_no AND key = :key

-- add_mention --
-- A name that a record mentions.
INSERT INTO mentions (user_no, entity_key, key, name, kind, stated)
SELECT user_no, :entity_key, key, :name, :kind, (slot IS NOT NULL)::int FROM memories
WHERE user_no = :user_no AND id = :id
ON CONFLICT DO NOTHING

-- forget_mentions --
-- A record mentions nobody any more.
DELETE FROM mentions WHERE user_no = :user_no AND key = :key

-- mentions_of --
-- The names that a record mentions.
SELECT n.entity_key, n.name, n.kind
FROM memories m JOIN mentions n ON n.user_no = m.user_no AND n.key = m.key
WHERE m.user_no = :user_no AND m.id = :id ORDER BY n.entity_key

-- entities --
-- Every name of a user, the most mentioned first; spelt and classed as last met.
SELECT entity_key, (array_agg(name ORDER BY key DESC))[1], (array_agg(kind ORDER BY key DESC))[1],
       count(*) AS records
FROM mentions WHERE user_no = :user_no
GROUP BY entity_key ORDER BY records DESC, entity_key LIMIT :limit

-- longer_names --
-- The names of a user that begin with a name and go on with another word.
SELECT entity_key, (array_agg(name ORDER BY key DESC))[1], (array_agg(kind ORDER BY key DESC))[1],
       count(*) AS records
FROM mentions WHERE user_no = :user_no AND entity_key >= :first AND entity_key < :last
GROUP BY entity_key ORDER BY records DESC, entity_key LIMIT :limit

-- $passing_over --
-- Those that others are about to take on.
FOR UPDATE OF j SKIP LOCKED

-- hold_jobs --
-- Nobody else takes on a job of this user until the commit.
SELECT pg_advisory_xact_lock(1, :user_no::integer)

-- prune_jobs --
-- Drop a user's jobs that were done long ago.
DELETE FROM jobs WHERE user_no = :user_no AND state = 'done' AND job_no <= :upto

-- forget_vector --
-- Erase one vector.
DELETE FROM vectors WHERE user_no = :user_no AND key = :key

-- forget_all_vectors --
-- Erase every vector of a user.
DELETE FROM vectors WHERE user_no = :user_no

-- forget_all_evidence --
-- Nothing of a user supports anything any more.
DELETE FROM evidence WHERE user_no = :user_no

-- forget_all_memories --
-- Erase every record of a user.
DELETE FROM memories WHERE user_no = :user_no

-- add_tombstone --
-- Remember that something was forgotten, but not what.
INSERT INTO tombstones (user_no, seq, number, memory_id, at)
VALUES (:user_no, :seq, :number, :memory_id, :at)

-- add_event --
-- Tell whoever listens. The counter is held until the commit, so that events become visible in the
-- order of their numbers and nobody who follows them misses one. Nobody has the number 0.
WITH next AS (
    UPDATE counters SET value = value + 1 WHERE name = 'event' RETURNING value
)
INSERT INTO outbox (user_no, seq, at, topic, payload)
SELECT coalesce(:user_no::bigint, 0), value, :at, :topic, :payload FROM next RETURNING seq

-- last_audit --
-- The end of the audit chain, held until the commit so that it has one end.
SELECT seq, digest FROM audit_head FOR UPDATE

-- add_audit --
-- One link of the audit chain.
WITH moved AS (UPDATE audit_head SET seq = :seq, digest = :digest)
INSERT INTO audit (seq, at, actor, action, counts, previous, digest)
VALUES (:seq, :at, :actor, :action, :counts, :previous, :digest)

-- count_users --
-- How many users have records.
SELECT count(*) FROM users u WHERE EXISTS (SELECT 1 FROM memories m WHERE m.user_no = u.user_no)

-- count_kinds --
-- How many records of each kind, of one user or all.
SELECT kind, count(*) FROM memories
WHERE :user_no::bigint IS NULL OR user_no = :user_no GROUP BY kind ORDER BY kind

-- count_spaces --
-- How many vectors of each embedder, of one user or all.
SELECT s.name, s.version, s.dimension, count(*)
FROM vectors v JOIN spaces s USING (space_no)
WHERE :user_no::bigint IS NULL OR v.user_no = :user_no
GROUP BY s.space_no ORDER BY s.space_no

-- drop_erased_keys --
-- Drop what was remembered for long enough, but for what another erasure is dropping.
DELETE FROM erased_keys
WHERE digest IN (SELECT digest FROM erased_keys WHERE at <= :before FOR UPDATE SKIP LOCKED)

-- use_api_key --
-- A key was used.
UPDATE api_keys SET used_at = greatest(used_at, :at) WHERE name = :name

-- newest_in_ranges --
-- Numbers of the newest records whose slots lie in some ranges, range by range.
SELECT r.place - 1, x.number
FROM json_array_elements(:ranges::json) WITH ORDINALITY AS r (bounds, place)
CROSS JOIN LATERAL (
    SELECT key & 4294967295 AS number FROM memories
    WHERE user_no = :user_no AND slot >= r.bounds ->> 0 AND slot < r.bounds ->> 1
    ORDER BY key DESC LIMIT :limit
) x
ORDER BY r.place, x.number DESC

-- newest_mentions --
-- Numbers of the newest records that mention some names, name by name.
SELECT e.place - 1, x.number
FROM json_array_elements_text(:entities::json) WITH ORDINALITY AS e (entity_key, place)
CROSS JOIN LATERAL (
    SELECT key & 4294967295 AS number FROM mentions
    WHERE user_no = :user_no AND entity_key = e.entity_key
    ORDER BY key DESC LIMIT :limit
) x
ORDER BY e.place, x.number DESC

-- in_slots --
-- The records that compete for some slots, slot by slot, each in order.
SELECT u.user_id, m.* FROM users u
CROSS JOIN json_array_elements_text(:slots::json) WITH ORDINALITY AS s (slot, place)
CROSS JOIN LATERAL (
    SELECT m.* FROM memories m
    WHERE m.user_no = u.user_no AND m.slot = s.slot
      AND $narrowed
    ORDER BY m.key LIMIT $limit
) m WHERE u.user_no = :user_no ORDER BY s.place, m.key LIMIT $limit
