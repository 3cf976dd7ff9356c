-- The statements of the SQLite store beside those of `sql/queries.sql`.

-- $narrowed --
-- Whether a record `m` is of the kinds, states, predicates and times that are asked for.
(:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:states IS NULL OR m.state IN (SELECT value FROM json_each(:states)))
  AND (:begun_by IS NULL OR m.valid_from <= :begun_by)
  AND (:beyond IS NULL OR m.valid_to IS NULL OR m.valid_to > :beyond)
  AND (:recorded_from IS NULL OR m.recorded_at >= :recorded_from)
  AND (:recorded_by IS NULL OR m.recorded_at <= :recorded_by)
  AND (:names IS NULL OR m.statement ->> 1 IN (SELECT value FROM json_each(:names)))
  AND (:without IS NULL OR instr(m.slot, :without) = 0)

-- $limit --
-- At most so many; -1 for all.
:limit

-- user --
-- A user's number, how far their history goes, and how often something was erased.
SELECT user_no, seq, erasures FROM users WHERE user_id = :user_id

-- lock_user --
-- The same for a change; whoever writes to a file has it alone already.
SELECT user_no, seq, erasures FROM users WHERE user_id = :user_id

-- add_user --
-- A new user; the number is never reused.
INSERT INTO users (user_id) VALUES (:user_id) RETURNING user_no, seq, erasures

-- users --
-- Everybody who has a record.
SELECT user_id FROM users
WHERE EXISTS (
    SELECT 1 FROM memories m
    WHERE m.key > users.user_no << 32 AND m.key < (users.user_no + 1) << 32
)
ORDER BY user_id

-- tallied --
-- Everybody who has a record, how far they are, and one tally of each.
SELECT u.user_id, u.seq, t.value, t.version
FROM users u
LEFT JOIN tallies t ON t.user_no = u.user_no AND t.topic = :topic AND t.name = :name
WHERE EXISTS (
    SELECT 1 FROM memories m
    WHERE m.key > u.user_no << 32 AND m.key < (u.user_no + 1) << 32
)
ORDER BY u.user_id

-- add_space --
-- Register an embedder's space.
INSERT INTO spaces (name, version, dimension) VALUES (:name, :version, :dimension)
RETURNING space_no

-- put_vector --
-- The vector of one record, replacing any other.
INSERT INTO vectors (key, space_no, checksum, vector) VALUES (:key, :space_no, :checksum, :vector)
ON CONFLICT (key) DO UPDATE
SET space_no = excluded.space_no, checksum = excluded.checksum, vector = excluded.vector

-- staged --
-- Records of a kind by where they stand, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key > :after AND m.key < :end AND m.kind = :kind
  AND (:stages IS NULL OR m.stage IN (SELECT value FROM json_each(:stages)))
  AND (:temperatures IS NULL OR m.temperature IN (SELECT value FROM json_each(:temperatures)))
  AND (:before IS NULL OR m.valid_from < :before)
  AND (:used_since IS NULL OR m.accessed_at >= :used_since)
ORDER BY m.key LIMIT :limit

-- staged_used --
-- The same for what settled and was used since a moment: by its own index.
SELECT u.user_id, m.* FROM memories m INDEXED BY memories_used JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.access_count > 0 AND m.stage = 'episodic'
  AND m.accessed_at >= :used_since AND m.key > :after AND m.kind = :kind
  AND (:temperatures IS NULL OR m.temperature IN (SELECT value FROM json_each(:temperatures)))
  AND (:before IS NULL OR m.valid_from < :before)
ORDER BY m.key LIMIT :limit

-- staged_pending --
-- The same for what has not settled yet, of which there is little: by its own index.
SELECT u.user_id, m.* FROM memories m INDEXED BY memories_pending JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.stage IN ('active', 'working') AND m.key > :after
  AND m.kind = :kind AND m.stage IN (SELECT value FROM json_each(:stages))
  AND (:temperatures IS NULL OR m.temperature IN (SELECT value FROM json_each(:temperatures)))
  AND (:before IS NULL OR m.valid_from < :before)
ORDER BY m.key LIMIT :limit

-- count_pending --
-- How many records of a kind have not settled yet.
SELECT count(*) FROM memories INDEXED BY memories_pending
WHERE user_no = :user_no AND stage IN ('active', 'working') AND kind = :kind

-- touch --
-- Count accesses to one record.
UPDATE memories
SET access_count = access_count + :times, accessed_at = max(coalesce(accessed_at, :at), :at)
WHERE key = :key

-- by_numbers --
-- Records of a user by number, in the order asked for.
SELECT u.user_id, m.* FROM users u CROSS JOIN carray(:numbers) c
CROSS JOIN memories m ON m.key = (u.user_no << 32 | c.value)
WHERE u.user_no = :user_no

-- spoken_by_numbers --
-- Who said what, of a user's records by number, in the order asked for.
SELECT c.value, CAST(m.speaker AS BLOB), m.valid_from, CAST(m.text AS BLOB)
FROM users u CROSS JOIN carray(:numbers) c
CROSS JOIN memories m ON m.key = (u.user_no << 32 | c.value)
WHERE u.user_no = :user_no

-- scan --
-- The next records of a user, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key > :after AND m.key < :end ORDER BY m.key LIMIT :limit

-- scan_end --
-- The last key of such a page; none if there are no more.
SELECT max(key) FROM (
    SELECT key FROM memories WHERE key > :after AND key < :end ORDER BY key LIMIT :limit
)

-- latest --
-- The last turns of a user, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key > :after AND m.key < :end AND m.kind = 'turn' ORDER BY m.key DESC LIMIT :limit

-- latest_of_session --
-- The last turns of one session, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.session_id = :session AND +m.kind = 'turn'  -- by the session, not by the kind
  AND m.key < :end
ORDER BY m.key DESC LIMIT :limit

-- latest_within --
-- The last turns of the sessions whose name lies in a range, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT key FROM memories INDEXED BY memories_session
    WHERE user_no = :user_no AND session_id >= :first AND session_id < :last AND key < :end
      AND kind = 'turn' AND state IN ('active', 'stalled', 'done')
    ORDER BY key DESC LIMIT :limit
)
ORDER BY m.key DESC

-- sessions --
-- When each session of a user began and ended, and how many turns it has.
SELECT CAST(session_id AS BLOB), min(valid_from), max(valid_from), count(*) FROM memories
WHERE user_no = :user_no AND session_id IS NOT NULL AND kind = 'turn'
  AND state IN ('active', 'stalled', 'done')
GROUP BY session_id ORDER BY 3 DESC, session_id DESC LIMIT :limit

-- unembedded --
-- The next records of a user that have no vector in a space.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
LEFT JOIN vectors v ON v.key = m.key AND v.space_no = :space_no
WHERE m.key > :after AND m.key < :end AND v.key IS NULL
  AND m.kind NOT IN ('trajectory', 'feedback', 'skill') ORDER BY m.key LIMIT :limit

-- unembedded_end --
-- The last key of such a page; none if there are no more.
SELECT max(key) FROM (
    SELECT m.key FROM memories m
    LEFT JOIN vectors v ON v.key = m.key AND v.space_no = :space_no
    WHERE m.key > :after AND m.key < :end AND v.key IS NULL
      AND m.kind NOT IN ('trajectory', 'feedback', 'skill') ORDER BY m.key LIMIT :limit
)

-- added_since --
-- Index rows that were added and never revised, by number. Text comes as bytes, because in a
-- damaged file it may be no text any more, which must not keep the other rows from being indexed.
SELECT m.key & 4294967295, m.seq, CAST(m.kind AS BLOB), CAST(m.role AS BLOB),
       CAST(m.speaker AS BLOB), CAST(m.session_id AS BLOB), m.valid_from, CAST(m.text AS BLOB),
       v.checksum, v.vector, m.state IN ('active', 'stalled', 'done')
           AND m.kind NOT IN ('trajectory', 'feedback', 'skill'), CAST(NULLIF(m.tags, '[]') AS BLOB)
FROM memories m LEFT JOIN vectors v ON v.key = m.key AND v.space_no = :space_no
WHERE m.key > :after AND m.key < :end AND m.seq = (m.key & 4294967295)
ORDER BY m.key LIMIT :limit

-- revised_since --
-- Index rows that were revised, by sequence.
SELECT m.key & 4294967295, m.seq, CAST(m.kind AS BLOB), CAST(m.role AS BLOB),
       CAST(m.speaker AS BLOB), CAST(m.session_id AS BLOB), m.valid_from, CAST(m.text AS BLOB),
       v.checksum, v.vector, m.state IN ('active', 'stalled', 'done')
           AND m.kind NOT IN ('trajectory', 'feedback', 'skill'), CAST(NULLIF(m.tags, '[]') AS BLOB)
FROM memories m INDEXED BY memories_revised
LEFT JOIN vectors v ON v.key = m.key AND v.space_no = :space_no
WHERE m.user_no = :user_no AND m.seq > :since AND m.seq <> (m.key & 4294967295)
ORDER BY m.seq LIMIT :limit

-- vectors_by_numbers --
-- Vectors of a user's records by number, in the order asked for.
SELECT c.value, v.vector FROM users u CROSS JOIN spaces s CROSS JOIN carray(:numbers) c
CROSS JOIN vectors v ON v.key = (u.user_no << 32 | c.value) AND v.space_no = s.space_no
WHERE u.user_no = :user_no
  AND s.name = :name AND s.version = :version AND s.dimension = :dimension

-- in_slots --
-- The records that compete for some slots, slot by slot, each in order.
SELECT u.user_id, m.* FROM json_each(:slots) s CROSS JOIN memories m
    ON m.user_no = :user_no AND m.slot = s.value
JOIN users u ON u.user_no = m.user_no
WHERE $narrowed
ORDER BY s.key, m.key LIMIT :limit

-- newest_in_ranges --
-- Numbers of the newest records whose slots lie in some ranges, range by range.
SELECT r.key, m.key & 4294967295 FROM json_each(:ranges) r CROSS JOIN memories m ON m.key IN (
    SELECT k.key FROM memories k
    WHERE k.user_no = :user_no AND k.slot >= r.value ->> 0 AND k.slot < r.value ->> 1
    ORDER BY k.key DESC LIMIT :limit
) ORDER BY r.key, m.key DESC

-- newest_mentions --
-- Numbers of the newest records that mention some names, name by name.
SELECT e.key, n.key & 4294967295 FROM json_each(:entities) e CROSS JOIN mentions n
    ON n.user_no = :user_no AND n.entity_key = e.value AND n.key IN (
        SELECT k.key FROM mentions k WHERE k.user_no = :user_no AND k.entity_key = e.value
        ORDER BY k.key DESC LIMIT :limit
    )
ORDER BY e.key, n.key DESC

-- ranked_in_slot --
-- The records that compete for a slot, by what comes first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT m.key FROM memories m
    WHERE m.user_no = :user_no AND m.slot = :slot
      AND $narrowed
    ORDER BY
        CASE :order WHEN 'foremost' THEN -m.importance WHEN 'frequent' THEN -m.seen_count
            WHEN 'newest' THEN -m.recorded_at WHEN 'due' THEN m.statement ->> 4 IS NULL END,
        CASE :order WHEN 'foremost' THEN -m.confidence WHEN 'frequent' THEN -m.last_seen_at
            WHEN 'newest' THEN -m.key WHEN 'due' THEN m.statement ->> 4 END,
        CASE :order WHEN 'foremost'
            THEN -(max(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000) END,
        m.key
    LIMIT :limit
)

-- foremost_between --
-- The same, the most important first, of these the surest, of these the last seen or used.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT m.key FROM memories m
    WHERE m.user_no = :user_no AND m.slot >= :first AND m.slot < :last
      AND $narrowed
    ORDER BY m.importance DESC, m.confidence DESC,
        max(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000 DESC, m.key
    LIMIT :limit
)

-- stated_about --
-- The records with a slot that mention a name, in order.
SELECT u.user_id, m.* FROM mentions n CROSS JOIN memories m ON m.key = n.key
JOIN users u ON u.user_no = m.user_no
WHERE n.user_no = :user_no AND n.entity_key = :entity_key AND n.stated = 1
  AND $narrowed
ORDER BY n.key LIMIT :limit

-- stated_among --
-- The records that are about one of some names and mention another of them, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT f.key FROM json_each(:among) a CROSS JOIN mentions n
        ON n.user_no = :user_no AND n.entity_key = a.value AND n.stated = 1
    CROSS JOIN memories f ON f.key = n.key
    WHERE substr(f.slot, 1, instr(f.slot, '|') - 1) <> n.entity_key
      AND substr(f.slot, 1, instr(f.slot, '|') - 1) IN (SELECT value FROM json_each(:among))
)
  AND $narrowed
ORDER BY m.key LIMIT :limit

-- foremost_in_doubt --
-- What is in doubt, the most important first, of these the surest, of these the last seen or used.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.key IN (
    SELECT m.key FROM memories m INDEXED BY memories_in_doubt
    WHERE m.user_no = :user_no AND m.state = 'uncertain' AND m.slot IS NOT NULL
      AND $narrowed
    ORDER BY m.importance DESC, m.confidence DESC,
        max(m.last_seen_at, coalesce(m.accessed_at, m.last_seen_at)) / 86400000000 DESC, m.key
    LIMIT :limit
)

-- newest_of_kind --
-- Numbers of the newest records of a kind.
SELECT key & 4294967295 FROM memories INDEXED BY memories_kind
WHERE user_no = :user_no AND kind = :kind AND key < :before ORDER BY key DESC LIMIT :limit

-- add_evidence --
-- One more record that supports another; both must be there.
INSERT OR IGNORE INTO evidence (key, parent)
SELECT d.key, p.key FROM memories d JOIN memories p ON p.user_no = d.user_no AND p.id = :parent
WHERE d.user_no = :user_no AND d.id = :id

-- evidence_of --
-- Of some records, the ids of those that support them.
SELECT d.id, p.id FROM json_each(:ids) i CROSS JOIN memories d
    ON d.user_no = :user_no AND d.id = i.value
JOIN evidence e ON e.key = d.key JOIN memories p ON p.key = e.parent ORDER BY p.key

-- derived_from --
-- Of some records, the ids of those that they support.
SELECT p.id, d.id FROM json_each(:ids) i CROSS JOIN memories p
    ON p.user_no = :user_no AND p.id = i.value
JOIN evidence e ON e.parent = p.key JOIN memories d ON d.key = e.key ORDER BY d.key

-- supported_by --
-- The records that one supports; how many must go before each of them goes: all that it rests on,
-- or the first if it was written in sleep and has the words of every one of them, or if it is a
-- task that was moved on and has the words of this one; and whether this one counts: not if it only
-- says that it is over.
SELECT e.key, CASE
    WHEN m.channel = 'sleep' THEN 1
    WHEN m.kind = 'task' AND m.state <> 'active' AND instr(m.parents, p.id) > 0 THEN 1
    ELSE (
        SELECT count(*) FROM evidence o CROSS JOIN memories s ON s.key = o.parent
        WHERE o.key = e.key AND s.id IS NOT m.superseded_by
    ) END, m.channel = 'sleep' OR p.id IS NOT m.superseded_by
FROM evidence e CROSS JOIN memories m ON m.key = e.key JOIN memories p ON p.key = e.parent
WHERE e.parent = :key

-- forget_evidence --
-- A record supports nothing any more, and nothing supports it.
DELETE FROM evidence WHERE parent = :key OR key = :key

-- lose_support --
-- A record was seen less often than we thought.
UPDATE memories SET seen_count = max(1, seen_count - :lost), seq = :seq WHERE key = :key

-- reopen --
-- Nothing took its place after all, or what took the place of that.
UPDATE memories
SET state = iif(:successor IS NULL, 'active', state), superseded_by = :successor,
    valid_to = :valid_to, seq = :seq
WHERE key = :key

-- add_mention --
-- A name that a record mentions.
INSERT OR IGNORE INTO mentions (user_no, entity_key, key, name, kind, stated)
SELECT :user_no, :entity_key, key, :name, :kind, slot IS NOT NULL FROM memories
WHERE user_no = :user_no AND id = :id

-- forget_mentions --
-- A record mentions nobody any more.
DELETE FROM mentions WHERE key = :key

-- mentions_of --
-- The names that a record mentions.
SELECT n.entity_key, n.name, n.kind FROM memories m JOIN mentions n ON n.key = m.key
WHERE m.user_no = :user_no AND m.id = :id ORDER BY n.entity_key

-- entities --
-- Every name of a user, the most mentioned first; spelt and classed as last met.
SELECT entity_key, name, kind, records FROM (
    SELECT entity_key, name, kind, max(key), count(*) AS records
    FROM mentions WHERE user_no = :user_no GROUP BY entity_key
) ORDER BY records DESC, entity_key LIMIT :limit

-- longer_names --
-- The names of a user that begin with a name and go on with another word.
SELECT entity_key, name, kind, records FROM (
    SELECT entity_key, name, kind, max(key), count(*) AS records
    FROM mentions WHERE user_no = :user_no AND entity_key >= :first AND entity_key < :last
    GROUP BY entity_key
) ORDER BY records DESC, entity_key LIMIT :limit

-- $passing_over --
-- There is one writer: nobody else is about to take on a job.

-- hold_jobs --
-- Nobody else takes on a job of this user: there is one writer.
SELECT :user_no

-- prune_jobs --
-- Drop jobs that were done long ago.
DELETE FROM jobs WHERE state = 'done' AND job_no <= :upto

-- forget_all_tallies --
-- Whatever was learned of a user.
DELETE FROM tallies WHERE user_no = :user_no

-- forget_vector --
-- Erase one vector.
DELETE FROM vectors WHERE key = :key

-- forget_all_vectors --
-- Erase every vector of a user.
DELETE FROM vectors WHERE key > :after AND key < :end

-- forget_all_evidence --
-- Nothing of a user supports anything any more.
DELETE FROM evidence WHERE key > :after AND key < :end

-- forget_all_memories --
-- Erase every record of a user.
DELETE FROM memories WHERE key > :after AND key < :end

-- add_tombstone --
-- Remember that something was forgotten, but not what.
INSERT OR REPLACE INTO tombstones (user_no, seq, number, memory_id, at)
VALUES (:user_no, :seq, :number, :memory_id, :at)

-- add_event --
-- Tell whoever listens.
INSERT INTO outbox (at, topic, user_no, payload) VALUES (:at, :topic, :user_no, :payload)
RETURNING seq

-- last_audit --
-- The end of the audit chain.
SELECT seq, digest FROM audit ORDER BY seq DESC LIMIT 1

-- add_audit --
-- One link of the audit chain.
INSERT INTO audit (seq, at, actor, action, counts, previous, digest)
VALUES (:seq, :at, :actor, :action, :counts, :previous, :digest)

-- count_users --
-- How many users have records.
SELECT count(*) FROM users
WHERE EXISTS (
    SELECT 1 FROM memories m
    WHERE m.key > users.user_no << 32 AND m.key < (users.user_no + 1) << 32
)

-- count_kinds --
-- How many records of each kind, of the users in a range of keys.
SELECT kind, sum(records) FROM (
    SELECT kind, count(*) AS records FROM memories INDEXED BY memories_kind
    WHERE user_no BETWEEN :after >> 32 AND (:end - 1) >> 32 GROUP BY user_no, kind
) GROUP BY kind ORDER BY kind

-- count_spaces --
-- How many vectors of each embedder, in a range of keys.
SELECT s.name, s.version, s.dimension, count(*)
FROM spaces s CROSS JOIN vectors v INDEXED BY vectors_space ON v.space_no = s.space_no
WHERE v.key > :after AND v.key < :end GROUP BY s.space_no ORDER BY s.space_no

-- settle_meta --
-- Write one of the store's own notes, if it still says what it said.
UPDATE meta SET value = :value WHERE name = :name AND value = :if_still

-- last_erasure --
-- When something was erased last; NULL if never.
SELECT max(at) FROM (SELECT max(at) AS at FROM tombstones UNION ALL SELECT max(at) FROM erased_users)

-- all_tombstones --
-- What was forgotten, by user, for a backup that is restored.
SELECT u.user_id, t.memory_id, t.at FROM tombstones t JOIN users u USING (user_no)

-- all_withdrawn --
-- What erased users had withdrawn, for a backup that is restored.
SELECT name, value FROM meta WHERE name >= 'withdrawn/' AND name < 'withdrawn0'

-- all_withdrawals --
-- What users do not agree to, for a backup that is restored.
SELECT u.user_id, c.purpose, c.at FROM consents c JOIN users u USING (user_no)
WHERE c.granted = 0

-- all_erased_users --
-- Who was erased, for a backup that is restored.
SELECT actor, at FROM erased_users

-- all_heads --
-- How far everybody's history goes, for a backup that is restored.
SELECT user_id, seq FROM users

-- all_user_numbers --
-- Everybody by number.
SELECT user_no, user_id FROM users

-- counters --
-- The last numbers given, to a user and to an event.
SELECT name, seq FROM sqlite_sequence

-- raise_counter --
-- Never give a number up to this one again.
UPDATE sqlite_sequence SET seq = max(seq, :seq) WHERE name = :name

-- add_counter --
-- The same for what was never counted yet.
INSERT INTO sqlite_sequence (name, seq)
SELECT :name, :seq WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :name)

-- go_beyond --
-- Move a user's sequence on to above a number.
UPDATE users SET seq = max(seq, :seq) + 1 WHERE user_id = :user_id

-- keep_user --
-- A user with a number that is known already.
INSERT OR IGNORE INTO users (user_no, user_id) VALUES (:user_no, :user_id)

-- keep_seq --
-- Move a user's sequence on to a number.
UPDATE users SET seq = max(seq, :seq) WHERE user_no = :user_no

-- keep_space --
-- An embedder's space with a number that is known already.
INSERT OR IGNORE INTO spaces (space_no, name, version, dimension)
VALUES (:space_no, :name, :version, :dimension)

-- all_derived --
-- Every record that was derived from others, and from which.
SELECT key, user_no, id, parents FROM memories WHERE parents <> '[]'

-- drop_orphan_vectors --
-- Vectors whose record could not be saved.
DELETE FROM vectors WHERE key NOT IN (SELECT key FROM memories)

-- use_api_key --
-- A key was used.
UPDATE api_keys SET used_at = max(coalesce(used_at, 0), :at) WHERE name = :name

-- keys_to_carry --
-- Every key with its digest, for a restore.
SELECT digest, name, user_id, scopes, created_at, used_at, revoked_at FROM api_keys

-- drop_api_keys --
-- Before the keys of another file take their place.
DELETE FROM api_keys

-- carry_api_key --
-- A key of the replaced file.
INSERT INTO api_keys (digest, name, user_id, scopes, created_at, used_at, revoked_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
