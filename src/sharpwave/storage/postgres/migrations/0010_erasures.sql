-- How often something of a user was erased: what was read before an erasure is not written after it.

ALTER TABLE users ADD COLUMN erasures bigint NOT NULL DEFAULT 0;

-- Idempotency keys of what was erased lately: the same request sent again is not stored again.
CREATE TABLE erased_keys (
    digest text COLLATE "C" NOT NULL PRIMARY KEY,  -- salted, of user and key
    at     bigint NOT NULL
);
CREATE INDEX erased_keys_at ON erased_keys (at);
ALTER TABLE erased_keys ALTER COLUMN digest SET STATISTICS 0;
