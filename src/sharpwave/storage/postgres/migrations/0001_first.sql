-- The first schema, the same as that of the SQLite file as far as the two databases allow.
--
-- A memory's key is its user's number and its own: user_no << 32 | number. `user_no` leads every
-- key beside it, so that tables can be partitioned or distributed by it without a change. A number
-- is the value of the user's `seq` when it was added; `seq` moves on with every change, and a
-- recall index follows a user by it. Texts that are compared or sorted are so by their bytes.

CREATE TABLE meta (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

-- The last numbers given: rows instead of sequences, so that none is given and not used, and what
-- carries one becomes visible in order.
CREATE TABLE counters (
    name  text PRIMARY KEY,
    value bigint NOT NULL
);
INSERT INTO counters VALUES ('user', 0), ('event', 0);

CREATE TABLE users (
    user_no bigint PRIMARY KEY CHECK (user_no BETWEEN 1 AND 2147483646),  -- its epoch: never reused
    user_id text COLLATE "C" NOT NULL UNIQUE,
    seq     bigint NOT NULL DEFAULT 0
);

CREATE TABLE spaces (
    space_no  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name      text NOT NULL,
    version   text NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    UNIQUE (name, version, dimension)
);

CREATE TABLE memories (
    key             bigint NOT NULL,
    user_no         bigint NOT NULL REFERENCES users (user_no),
    seq             bigint NOT NULL,
    id              text COLLATE "C" NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    text            text NOT NULL,
    role            text,
    speaker         text,
    session_id      text COLLATE "C",
    scope           text NOT NULL,
    tags            text NOT NULL,  -- JSON array, to the byte as it was hashed, like all JSON here
    metadata        text NOT NULL,  -- JSON object
    source          text NOT NULL,
    channel         text NOT NULL,
    trust           smallint NOT NULL CHECK (trust BETWEEN 0 AND 3),
    author          text NOT NULL,
    parents         text NOT NULL,  -- JSON array of ids
    idempotency_key text COLLATE "C",
    valid_from      bigint NOT NULL,  -- microseconds since 1970, UTC, like every time here
    valid_to        bigint,
    recorded_at     bigint NOT NULL,
    stage           text NOT NULL CHECK (stage IN ('active', 'working', 'episodic', 'semantic')),
    temperature     text NOT NULL CHECK (temperature IN ('hot', 'warm', 'cold')),
    importance      double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence      double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    seen_count      bigint NOT NULL CHECK (seen_count >= 0),
    last_seen_at    bigint NOT NULL,
    access_count    bigint NOT NULL CHECK (access_count >= 0),
    accessed_at     bigint,
    content_hash    bytea NOT NULL CHECK (length(content_hash) = 16),
    statement       text,  -- JSON: subject, predicate, object, negated, due
    slot            text COLLATE "C",  -- normal name of the subject, then the predicate
    state           text NOT NULL CHECK (
        state IN ('active', 'uncertain', 'stale', 'stalled', 'done', 'superseded', 'invalidated',
                  'quarantined')
    ),
    superseded_by   text COLLATE "C",
    rival           text COLLATE "C",
    former          text,  -- how it stood before a quarantine
    PRIMARY KEY (user_no, key),
    CHECK (key >> 32 = user_no)
);

CREATE UNIQUE INDEX memories_id ON memories (user_no, id);
CREATE UNIQUE INDEX memories_idempotency_key ON memories (user_no, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX memories_session ON memories (user_no, session_id, key) WHERE session_id IS NOT NULL;
CREATE INDEX memories_revised ON memories (user_no, seq) WHERE seq <> (key & 4294967295);
CREATE INDEX memories_slot ON memories (user_no, slot, seq) WHERE slot IS NOT NULL;
CREATE INDEX memories_superseded_by ON memories (user_no, superseded_by)
    WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_rival ON memories (user_no, rival) WHERE rival IS NOT NULL;
CREATE INDEX memories_pending ON memories (user_no, key) WHERE stage IN ('active', 'working');
CREATE INDEX memories_used ON memories (user_no, accessed_at)
    WHERE access_count > 0 AND stage = 'episodic';

CREATE TABLE vectors (
    user_no  bigint NOT NULL,
    key      bigint NOT NULL,
    space_no bigint NOT NULL REFERENCES spaces (space_no),
    checksum bigint NOT NULL,
    vector   bytea NOT NULL,  -- float16, little-endian
    PRIMARY KEY (user_no, key),
    FOREIGN KEY (user_no, key) REFERENCES memories (user_no, key) ON DELETE CASCADE
);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;  -- noise does not compress

-- What a derived record rests on. With the last of its evidence it is forgotten itself.
CREATE TABLE evidence (
    user_no bigint NOT NULL,
    key     bigint NOT NULL,
    parent  bigint NOT NULL,
    PRIMARY KEY (user_no, key, parent),
    FOREIGN KEY (user_no, key) REFERENCES memories (user_no, key) ON DELETE CASCADE
);
CREATE INDEX evidence_parent ON evidence (user_no, parent, key);

-- Names, and the records that mention them.
CREATE TABLE mentions (
    user_no    bigint NOT NULL,
    entity_key text COLLATE "C" NOT NULL,
    key        bigint NOT NULL,
    name       text NOT NULL,
    kind       text NOT NULL,
    PRIMARY KEY (user_no, entity_key, key),
    FOREIGN KEY (user_no, key) REFERENCES memories (user_no, key) ON DELETE CASCADE
);
CREATE INDEX mentions_key ON mentions (user_no, key);

-- What was forgotten, for indexes that follow.
CREATE TABLE tombstones (
    user_no   bigint NOT NULL,
    seq       bigint NOT NULL,
    number    bigint NOT NULL,
    memory_id text NOT NULL,
    at        bigint NOT NULL,
    PRIMARY KEY (user_no, seq, number)
);

CREATE TABLE erased_users (
    actor text NOT NULL,  -- salted digest of the user's name, as in the audit
    at    bigint NOT NULL,
    PRIMARY KEY (actor, at)
);

-- Saved recall indexes of big users, in parts.
CREATE TABLE snapshots (
    user_no  bigint NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    part     integer NOT NULL,
    seq      bigint NOT NULL,
    space_no bigint NOT NULL REFERENCES spaces (space_no),
    parts    integer NOT NULL,
    data     bytea NOT NULL,
    PRIMARY KEY (user_no, part)
);

CREATE TABLE outbox (
    user_no bigint NOT NULL,  -- 0 for nobody: whoever was erased
    seq     bigint NOT NULL UNIQUE,
    at      bigint NOT NULL,
    topic   text NOT NULL,
    payload text NOT NULL,  -- JSON: ids and counts, never text
    PRIMARY KEY (user_no, seq)
);

CREATE TABLE audit (
    seq      bigint PRIMARY KEY,
    at       bigint NOT NULL,
    actor    text NOT NULL,
    action   text NOT NULL,
    counts   text NOT NULL,  -- JSON
    previous bytea NOT NULL,
    digest   bytea NOT NULL
);

-- The end of the audit chain, in one row: whoever adds to the chain holds it until the commit.
CREATE TABLE audit_head (
    seq    bigint NOT NULL,
    digest bytea NOT NULL
);
INSERT INTO audit_head VALUES (0, decode(repeat('00', 32), 'hex'));

-- Work for later.
CREATE TABLE jobs (
    user_no      bigint NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    job_no       bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
    kind         text NOT NULL,
    payload      text NOT NULL,  -- JSON: ids and numbers, never text
    state        text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    attempts     bigint NOT NULL DEFAULT 0,
    not_before   bigint NOT NULL,
    leased_until bigint,
    lease        bigint NOT NULL DEFAULT 0,  -- counts leases: an overtaken worker cannot finish
    created_at   bigint NOT NULL,
    finished_at  bigint,
    error        text,
    PRIMARY KEY (user_no, job_no)
);
CREATE INDEX jobs_due ON jobs (not_before, job_no) WHERE state IN ('waiting', 'running');

-- What models cost a user on a day.
CREATE TABLE spending (
    user_no       bigint NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    day           text NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost          double precision NOT NULL,
    PRIMARY KEY (user_no, day)
);

-- What a user agreed to, or not. Purposes not named here follow the settings.
CREATE TABLE consents (
    user_no bigint NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    purpose text NOT NULL,
    granted smallint NOT NULL CHECK (granted IN (0, 1)),
    at      bigint NOT NULL,
    PRIMARY KEY (user_no, purpose)
);

-- What was learned and keeps changing: counts, statistics, states of learners.
CREATE TABLE tallies (
    user_no bigint NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    topic   text COLLATE "C" NOT NULL,  -- who keeps it and what for: experience/tool
    name    text COLLATE "C" NOT NULL,
    value   text NOT NULL,  -- JSON object
    version bigint NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY (user_no, topic, name)
);

-- Who may come in by the doors. Only a digest of each secret is kept.
CREATE TABLE api_keys (
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),  -- SHA-256 of a 256-bit secret
    name       text COLLATE "C" NOT NULL UNIQUE,
    user_id    text NOT NULL,
    scopes     text NOT NULL,  -- words
    created_at bigint NOT NULL,
    used_at    bigint,
    revoked_at bigint
);

-- The planner keeps samples of what it counts, where forgetting does not reach: none of these. It
-- needs none, since every statement goes by the user first.
ALTER TABLE memories
    ALTER COLUMN id SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0,
    ALTER COLUMN speaker SET STATISTICS 0,
    ALTER COLUMN session_id SET STATISTICS 0,
    ALTER COLUMN scope SET STATISTICS 0,
    ALTER COLUMN tags SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0,
    ALTER COLUMN author SET STATISTICS 0,
    ALTER COLUMN parents SET STATISTICS 0,
    ALTER COLUMN idempotency_key SET STATISTICS 0,
    ALTER COLUMN content_hash SET STATISTICS 0,
    ALTER COLUMN statement SET STATISTICS 0,
    ALTER COLUMN slot SET STATISTICS 0,
    ALTER COLUMN superseded_by SET STATISTICS 0,
    ALTER COLUMN rival SET STATISTICS 0,
    ALTER COLUMN former SET STATISTICS 0;
ALTER TABLE vectors
    ALTER COLUMN vector SET STATISTICS 0;
ALTER TABLE mentions
    ALTER COLUMN entity_key SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE tombstones
    ALTER COLUMN memory_id SET STATISTICS 0;
ALTER TABLE snapshots
    ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE outbox
    ALTER COLUMN payload SET STATISTICS 0;
ALTER TABLE jobs
    ALTER COLUMN payload SET STATISTICS 0,
    ALTER COLUMN error SET STATISTICS 0;
ALTER TABLE tallies
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0;
ALTER TABLE users
    ALTER COLUMN user_id SET STATISTICS 0;
ALTER TABLE api_keys
    ALTER COLUMN user_id SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0;
ALTER TABLE erased_users
    ALTER COLUMN actor SET STATISTICS 0;
ALTER TABLE audit
    ALTER COLUMN actor SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN previous SET STATISTICS 0;
ALTER TABLE meta
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0;
