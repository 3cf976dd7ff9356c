-- The first schema. A memory's key is its user's number and its own: user_no << 32 | number.
-- So one user's rows lie together in the file, in the order they were recorded, and every query
-- for one user is a range of keys. A number is the value of the user's `seq` when it was added;
-- `seq` moves on with every change, and a recall index follows a user by it.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    user_no INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: it is the epoch of a user
    user_id TEXT NOT NULL UNIQUE,
    seq     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE spaces (
    space_no  INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,
    version   TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0),
    UNIQUE (name, version, dimension)
) STRICT;

CREATE TABLE memories (
    key             INTEGER PRIMARY KEY,
    user_no         INTEGER NOT NULL REFERENCES users (user_no),
    seq             INTEGER NOT NULL,
    id              TEXT NOT NULL,
    kind            TEXT NOT NULL,
    text            TEXT NOT NULL,
    role            TEXT,
    speaker         TEXT,
    session_id      TEXT,
    scope           TEXT NOT NULL,
    tags            TEXT NOT NULL,  -- JSON array
    metadata        TEXT NOT NULL,  -- JSON object
    source          TEXT NOT NULL,
    channel         TEXT NOT NULL,
    trust           INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 3),
    author          TEXT NOT NULL,
    parents         TEXT NOT NULL,  -- JSON array of ids
    idempotency_key TEXT,
    valid_from      INTEGER NOT NULL,  -- microseconds since 1970, UTC, like every time here
    valid_to        INTEGER,
    recorded_at     INTEGER NOT NULL,
    stage           TEXT NOT NULL CHECK (stage IN ('active', 'working', 'episodic', 'semantic')),
    temperature     TEXT NOT NULL CHECK (temperature IN ('hot', 'warm', 'cold')),
    importance      REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence      REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    seen_count      INTEGER NOT NULL CHECK (seen_count >= 0),
    last_seen_at    INTEGER NOT NULL,
    access_count    INTEGER NOT NULL CHECK (access_count >= 0),
    accessed_at     INTEGER,
    content_hash    BLOB NOT NULL CHECK (length(content_hash) = 16)
) STRICT;

CREATE UNIQUE INDEX memories_id ON memories (user_no, id);
CREATE UNIQUE INDEX memories_idempotency_key ON memories (user_no, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX memories_session ON memories (user_no, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX memories_revised ON memories (user_no, seq) WHERE seq <> (key & 4294967295);

CREATE TABLE vectors (
    key      INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
    space_no INTEGER NOT NULL REFERENCES spaces (space_no),
    checksum INTEGER NOT NULL,
    vector   BLOB NOT NULL  -- float16, little-endian
) STRICT;

-- What was forgotten: for indexes that follow, and for a backup that is restored later.
CREATE TABLE tombstones (
    user_no   INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (user_no, seq, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE erased_users (
    actor TEXT NOT NULL,  -- salted digest of the user's name, as in the audit
    at    INTEGER NOT NULL,
    PRIMARY KEY (actor, at)
) STRICT, WITHOUT ROWID;

-- Saved recall indexes of big users, in parts.
CREATE TABLE snapshots (
    user_no  INTEGER NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    part     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    space_no INTEGER NOT NULL REFERENCES spaces (space_no),
    parts    INTEGER NOT NULL,
    data     BLOB NOT NULL,
    PRIMARY KEY (user_no, part)
) STRICT;

CREATE TABLE outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    topic   TEXT NOT NULL,
    user_no INTEGER,
    payload TEXT NOT NULL  -- JSON: ids and counts, never text
) STRICT;

CREATE TABLE audit (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    action   TEXT NOT NULL,
    counts   TEXT NOT NULL,  -- JSON
    previous BLOB NOT NULL,
    digest   BLOB NOT NULL
) STRICT;
