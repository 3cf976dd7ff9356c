-- How often something of a user was erased: what was read before an erasure is not written after it.

ALTER TABLE users ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;

-- Idempotency keys of what was erased lately: the same request sent again is not stored again.
CREATE TABLE erased_keys (
    digest TEXT NOT NULL PRIMARY KEY,  -- salted, of user and key
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX erased_keys_at ON erased_keys (at);
