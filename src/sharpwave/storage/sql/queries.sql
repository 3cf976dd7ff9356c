-- The statements that are the same in every dialect. The name between dashes is the name in Python,
-- `:name` is a binding, `$name` stands for a part that each dialect has.

-- advance_user --
-- Move a user's sequence on.
UPDATE users SET seq = :seq WHERE user_no = :user_no

-- note_erasure --
-- Count an erasure: what was read of the user before is not written after it.
UPDATE users SET erasures = erasures + 1 WHERE user_no = :user_no

-- users_with --
-- Everybody who has a tally under topics that begin alike.
SELECT user_id FROM users u
WHERE EXISTS (
    SELECT 1 FROM tallies t
    WHERE t.user_no = u.user_no AND t.topic >= :first AND t.topic < :last
)
ORDER BY user_id

-- space --
-- The number of an embedder's space.
SELECT space_no FROM spaces WHERE name = :name AND version = :version AND dimension = :dimension

-- all_spaces --
-- Every embedder's space.
SELECT name, version, dimension FROM spaces ORDER BY space_no

-- add_memory --
-- One record. A known id is left alone, so that an import can be repeated.
INSERT INTO memories VALUES (
    :key, :user_no, :seq, :id, :kind, :text, :role, :speaker, :session_id, :scope, :tags, :metadata,
    :source, :channel, :trust, :author, :parents, :idempotency_key, :valid_from, :valid_to,
    :recorded_at, :stage, :temperature, :importance, :confidence, :seen_count, :last_seen_at,
    :access_count, :accessed_at, :content_hash, :statement, :slot, :state, :superseded_by, :rival,
    :former
) ON CONFLICT (user_no, id) DO NOTHING

-- revise --
-- Note that a record changed, so that indexes take it in again.
UPDATE memories SET seq = :seq WHERE user_no = :user_no AND key = :key

-- revise_standing --
-- How a record stands from now on.
UPDATE memories
SET seq = :seq, valid_to = :valid_to, stage = :stage, temperature = :temperature,
    importance = :importance, confidence = :confidence, seen_count = :seen_count,
    last_seen_at = :last_seen_at, state = :state, superseded_by = :superseded_by, rival = :rival,
    former = :former
WHERE user_no = :user_no AND id = :id

-- move --
-- Where a record stands from now on; indexes need not hear of it.
UPDATE memories SET stage = :stage, temperature = :temperature
WHERE user_no = :user_no AND id = :id

-- by_id --
-- One record by its id.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.id = :id

-- by_idempotency_key --
-- The record that a key already names.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.idempotency_key = :idempotency_key

-- gone_since --
-- Numbers of records forgotten after a sequence number.
SELECT number FROM tombstones WHERE user_no = :user_no AND seq > :since ORDER BY seq, number

-- keys_of_session --
-- The records of one session.
SELECT key, id FROM memories WHERE user_no = :user_no AND session_id = :session ORDER BY key

-- keys_of_ids --
-- The record with one id.
SELECT key, id FROM memories WHERE user_no = :user_no AND id = :id

-- slot_head --
-- The newest change among the records that compete for a slot.
SELECT coalesce(max(seq), 0) FROM memories WHERE user_no = :user_no AND slot = :slot

-- in_slots_between --
-- The records whose slot lies in a range, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.slot >= :first AND m.slot < :last
  AND $narrowed
ORDER BY m.key LIMIT $limit

-- newest_between --
-- The records whose slot lies in a range, the newest first.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.slot >= :first AND m.slot < :last
  AND $narrowed
ORDER BY m.recorded_at DESC, m.key DESC LIMIT $limit

-- in_any_slot --
-- Every fact, task and note of a user, in order.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no)
WHERE m.user_no = :user_no AND m.slot IS NOT NULL
  AND $narrowed
ORDER BY m.key LIMIT $limit

-- numbers_between --
-- Numbers of the newest records whose slot lies in a range.
SELECT key & 4294967295 FROM memories
WHERE user_no = :user_no AND slot >= :first AND slot < :last ORDER BY key DESC LIMIT :limit

-- begun --
-- When the first of the facts began to hold whose slot lies in a range.
SELECT min(valid_from) FROM memories
WHERE user_no = :user_no AND slot >= :first AND slot < :last AND kind = 'fact'

-- id_of_key --
-- The id of a record.
SELECT id FROM memories WHERE user_no = :user_no AND key = :key

-- superseded_by --
-- The records whose place one took.
SELECT key FROM memories
WHERE user_no = :user_no AND superseded_by = :id AND state = 'superseded' ORDER BY key

-- corrected_by --
-- The records whose place one took, but which do not hold without it.
SELECT key FROM memories
WHERE user_no = :user_no AND superseded_by = :id AND state <> 'superseded' ORDER BY key

-- successor --
-- What took the place of a record, and when.
SELECT superseded_by, valid_to FROM memories WHERE user_no = :user_no AND id = :id

-- unlink --
-- What turned out to be wrong stays so; what showed it is gone.
UPDATE memories SET superseded_by = NULL, seq = :seq WHERE user_no = :user_no AND key = :key

-- rivals_of --
-- The records that one contradicts.
SELECT key FROM memories WHERE user_no = :user_no AND rival = :id ORDER BY key

-- settle_rival --
-- Nothing contradicts it any more.
UPDATE memories
SET rival = NULL, seq = :seq, state = CASE state WHEN 'uncertain' THEN 'active' ELSE state END
WHERE user_no = :user_no AND key = :key

-- mentioned_in --
-- Numbers of the records that mention a name, the newest first.
SELECT key & 4294967295 FROM mentions
WHERE user_no = :user_no AND entity_key = :entity_key ORDER BY key DESC LIMIT :limit

-- add_job --
-- Work for later.
INSERT INTO jobs (user_no, kind, payload, state, not_before, created_at)
VALUES (:user_no, :kind, :payload, 'waiting', :not_before, :at) RETURNING job_no

-- waiting_job --
-- What a job is about that no worker is at.
SELECT payload FROM jobs WHERE user_no = :user_no AND job_no = :job_no AND state = 'waiting'

-- extend_job --
-- More for a job, unless a worker has begun it meanwhile.
UPDATE jobs SET payload = :payload, not_before = :not_before
WHERE user_no = :user_no AND job_no = :job_no AND state = 'waiting'

-- hasten_jobs --
-- What waits for its time and was never tried is due now.
UPDATE jobs SET not_before = :at
WHERE state IN ('waiting', 'running') AND state = 'waiting' AND attempts = 0 AND not_before > :at

-- hasten_job --
-- One job that waits is due now, tried before or not.
UPDATE jobs SET not_before = :at
WHERE job_no = :job_no AND state = 'waiting' AND not_before > :at

-- lease_job --
-- Take on a job, unless another of its user is being done.
UPDATE jobs AS j
SET state = 'running', attempts = attempts + 1, lease = lease + 1, leased_until = :until
WHERE j.job_no = :job_no AND NOT EXISTS (
    SELECT 1 FROM jobs o
    WHERE o.user_no = j.user_no AND o.job_no <> j.job_no AND o.state = 'running'
      AND o.leased_until > :now
)

-- job --
-- One job.
SELECT j.job_no, u.user_id, j.kind, j.payload, j.state, j.attempts, j.lease, j.not_before,
       j.created_at, j.finished_at, j.error
FROM jobs j JOIN users u USING (user_no) WHERE j.job_no = :job_no

-- jobs_of_user --
-- A user's jobs, the newest first.
SELECT j.job_no, u.user_id, j.kind, j.payload, j.state, j.attempts, j.lease, j.not_before,
       j.created_at, j.finished_at, j.error
FROM jobs j JOIN users u USING (user_no)
WHERE j.user_no = :user_no ORDER BY j.job_no DESC LIMIT :limit

-- finish_job --
-- A job is over; only whoever holds its lease can say so.
UPDATE jobs SET state = :state, finished_at = :at, error = :error, leased_until = NULL
WHERE job_no = :job_no AND lease = :lease AND state = 'running'

-- postpone_job --
-- Try a job again later.
UPDATE jobs SET state = 'waiting', not_before = :not_before, error = :error, leased_until = NULL
WHERE job_no = :job_no AND lease = :lease AND state = 'running'

-- retry_jobs --
-- Queue a user's failed jobs again.
UPDATE jobs SET state = 'waiting', attempts = 0, not_before = :at, finished_at = NULL
WHERE user_no = :user_no AND state = 'failed'

-- forget_job_errors --
-- What providers answered may quote the user.
UPDATE jobs SET error = NULL WHERE user_no = :user_no AND error IS NOT NULL

-- charge --
-- Add to what models cost a user on a day.
INSERT INTO spending AS s (user_no, day, calls, input_tokens, output_tokens, cost)
VALUES (:user_no, :day, :calls, :input_tokens, :output_tokens, :cost)
ON CONFLICT (user_no, day) DO UPDATE
SET calls = s.calls + excluded.calls, input_tokens = s.input_tokens + excluded.input_tokens,
    output_tokens = s.output_tokens + excluded.output_tokens, cost = s.cost + excluded.cost

-- spent --
-- What models cost a user on a day.
SELECT calls, input_tokens, output_tokens, cost FROM spending
WHERE user_no = :user_no AND day = :day

-- consents --
-- What a user agreed to, or not; and in one row without a yes or no, what was withdrawn before.
SELECT purpose, granted FROM consents WHERE user_no = :user_no
UNION ALL SELECT value, NULL FROM meta WHERE name = :withdrawn

-- put_consent --
-- A user agrees to something, or no longer.
INSERT INTO consents (user_no, purpose, granted, at) VALUES (:user_no, :purpose, :granted, :at)
ON CONFLICT (user_no, purpose) DO UPDATE SET granted = excluded.granted, at = excluded.at

-- tally --
-- What was learned under one name.
SELECT name, value, version FROM tallies
WHERE user_no = :user_no AND topic = :topic AND name = :name

-- tallies --
-- What was learned under a topic.
SELECT name, value, version FROM tallies
WHERE user_no = :user_no AND topic = :topic ORDER BY name

-- topics --
-- Under which topics that begin so anything was learned.
SELECT DISTINCT topic FROM tallies
WHERE user_no = :user_no AND topic >= :first AND topic < :last ORDER BY topic

-- tally_version --
-- How often a tally was written; none if it is not there.
SELECT version FROM tallies WHERE user_no = :user_no AND topic = :topic AND name = :name

-- put_tally --
-- What is to be known under a name.
INSERT INTO tallies (user_no, topic, name, value, version, at)
VALUES (:user_no, :topic, :name, :value, :version, :at)
ON CONFLICT (user_no, topic, name) DO UPDATE
SET value = excluded.value, version = excluded.version, at = excluded.at

-- drop_tally --
-- Nothing is known under a name any more.
DELETE FROM tallies WHERE user_no = :user_no AND topic = :topic AND name = :name

-- forget_topic --
-- Whatever stands under one topic.
DELETE FROM tallies WHERE user_no = :user_no AND topic = :topic

-- forget_tallies --
-- Whatever was learned under topics that begin alike.
DELETE FROM tallies WHERE user_no = :user_no AND topic >= :first AND topic < :last

-- kind_of_key --
-- The kind of a record.
SELECT kind FROM memories WHERE user_no = :user_no AND key = :key

-- delivery_key --
-- The idempotency key of a record, if it names one delivery.
SELECT idempotency_key FROM memories
WHERE user_no = :user_no AND key = :key AND idempotency_key IS NOT NULL
  AND recorded_at > :since AND (channel = 'rest' OR kind = 'interaction')

-- delivery_keys --
-- The same of all records of a user.
SELECT idempotency_key FROM memories
WHERE user_no = :user_no AND idempotency_key IS NOT NULL
  AND recorded_at > :since AND (channel = 'rest' OR kind = 'interaction')

-- tally_names --
-- The names under topics that begin alike.
SELECT name FROM tallies WHERE user_no = :user_no AND topic >= :first AND topic < :last

-- add_erased_key --
-- Remember the key of what was erased, by digest.
INSERT INTO erased_keys (digest, at) VALUES (:digest, :at)
ON CONFLICT (digest) DO UPDATE SET at = excluded.at

-- erased_key --
-- Whether what a key named was erased after a moment.
SELECT 1 FROM erased_keys WHERE digest = :digest AND at > :since

-- drop_erased_keys --
-- Drop what was remembered for long enough.
DELETE FROM erased_keys WHERE at <= :before

-- forget_memory --
-- Erase one record.
DELETE FROM memories WHERE user_no = :user_no AND key = :key

-- forget_all_mentions --
-- Nothing of a user mentions anybody any more.
DELETE FROM mentions WHERE user_no = :user_no

-- forget_snapshots --
-- Erase the saved index of a user.
DELETE FROM snapshots WHERE user_no = :user_no

-- forget_user --
-- Erase the name of a user.
DELETE FROM users WHERE user_no = :user_no

-- forget_events --
-- Erase a user's events.
DELETE FROM outbox WHERE user_no = :user_no

-- forget_tombstones --
-- Erase a user's tombstones, once the whole user is one.
DELETE FROM tombstones WHERE user_no = :user_no

-- add_erased_user --
-- Remember that a whole user was erased, by digest.
INSERT INTO erased_users (actor, at) VALUES (:actor, :at) ON CONFLICT DO NOTHING

-- snapshot_head --
-- What the saved index of a user covers, and of how many parts it is.
SELECT seq, parts, (SELECT count(*) FROM snapshots t WHERE t.user_no = s.user_no)
FROM snapshots s WHERE s.user_no = :user_no AND s.part = 0 AND s.space_no = :space_no

-- snapshot_parts --
-- The saved index of a user.
SELECT data FROM snapshots WHERE user_no = :user_no ORDER BY part

-- add_snapshot_part --
-- Save one part of an index.
INSERT INTO snapshots (user_no, part, seq, space_no, parts, data)
VALUES (:user_no, :part, :seq, :space_no, :parts, :data)

-- prune_events --
-- Drop events that are too old to catch up with.
DELETE FROM outbox WHERE seq <= :upto

-- events --
-- Events after a sequence number.
SELECT o.seq, o.at, o.topic, u.user_id, o.payload
FROM outbox o LEFT JOIN users u USING (user_no)
WHERE o.seq > :after ORDER BY o.seq LIMIT :limit

-- events_of_user --
-- One user's events after a sequence number.
SELECT o.seq, o.at, o.topic, u.user_id, o.payload
FROM users u JOIN outbox o USING (user_no)
WHERE u.user_no = :user_no AND o.seq > :after ORDER BY o.seq LIMIT :limit

-- audit --
-- The whole audit chain.
SELECT seq, at, actor, action, counts, previous, digest FROM audit ORDER BY seq

-- audit_before --
-- The newest links of the audit chain below a number.
SELECT seq, at, actor, action, counts, previous, digest FROM audit
WHERE seq < :before ORDER BY seq DESC LIMIT :limit

-- meta --
-- One value of the store's own notes.
SELECT value FROM meta WHERE name = :name

-- put_meta --
-- Write one of the store's own notes.
INSERT INTO meta (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- drop_meta --
-- Drop one of the store's own notes.
DELETE FROM meta WHERE name = :name

-- noted_copies --
-- Copies that were begun, by path, and on which machine; those that were finished are not noted.
SELECT name, value FROM meta WHERE name >= 'copy/' AND name < 'copy0'

-- all_memories --
-- Every record of everybody, for a full check.
SELECT u.user_id, m.* FROM memories m JOIN users u USING (user_no) ORDER BY m.key

-- all_vectors --
-- Every vector, for a full check.
SELECT v.checksum, v.vector, s.dimension FROM vectors v JOIN spaces s USING (space_no)

-- count_memories --
-- How many records there are.
SELECT count(*) FROM memories

-- add_api_key --
-- Keep a new key, unless its name is taken.
INSERT INTO api_keys (digest, name, user_id, scopes, created_at)
VALUES (:digest, :name, :user_id, :scopes, :at)
ON CONFLICT (name) DO NOTHING

-- api_key --
-- The key of a secret.
SELECT name, user_id, scopes, created_at, used_at, revoked_at
FROM api_keys WHERE digest = :digest

-- api_keys --
-- Every key.
SELECT name, user_id, scopes, created_at, used_at, revoked_at
FROM api_keys ORDER BY name

-- revoke_api_key --
-- A key opens nothing any more.
UPDATE api_keys SET revoked_at = :at WHERE name = :name AND revoked_at IS NULL

-- $due_jobs --
-- Jobs to do: waiting long enough, or left behind by a worker that died, and their user's first.
-- Nobody else is at a job of theirs.
FROM jobs j
WHERE j.state IN ('waiting', 'running')
  AND (CAST(:job_no AS bigint) IS NULL OR j.job_no = :job_no)
  AND CASE j.state WHEN 'waiting' THEN j.not_before ELSE j.leased_until END <= :now
  AND NOT EXISTS (
    SELECT 1 FROM jobs o
    WHERE o.user_no = j.user_no AND o.job_no <> j.job_no AND o.state IN ('waiting', 'running')
      AND (
        (o.state = 'running' AND o.leased_until > :now)
        OR (
            CAST(:job_no AS bigint) IS NULL AND o.job_no < j.job_no
            AND CASE o.state WHEN 'waiting' THEN o.not_before ELSE o.leased_until END <= :now
        )
      )
  )
ORDER BY j.not_before, j.job_no LIMIT 1

-- due_job --
-- Whether there is a job to do.
SELECT j.job_no $due_jobs

-- next_job --
-- The first job to do.
SELECT j.job_no, j.user_no $due_jobs $passing_over
