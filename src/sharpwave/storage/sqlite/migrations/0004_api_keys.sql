-- Who may come in by the doors: keys of programs and people. Only a digest of each secret is kept.
-- A key belongs to the name of a user, whether that user has anything stored or not.

CREATE TABLE api_keys (
    digest     BLOB PRIMARY KEY CHECK (length(digest) = 32),  -- SHA-256 of a 256-bit secret
    name       TEXT NOT NULL UNIQUE,
    user_id    TEXT NOT NULL,
    scopes     TEXT NOT NULL,  -- words
    created_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- One user's events, in order.
CREATE INDEX outbox_user ON outbox (user_no, seq);
