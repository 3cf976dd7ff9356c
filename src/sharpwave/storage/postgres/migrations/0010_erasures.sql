-- How often something of a user was erased: what was read before an erasure is not written after it.

ALTER TABLE users ADD COLUMN erasures bigint NOT NULL DEFAULT 0;
