-- What was learned and keeps changing: counts, statistics, states of learners. It can be made anew
-- from the records it was learned from, so it has no checksums, and salvage leaves it behind.

CREATE TABLE tallies (
    user_no INTEGER NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    topic   TEXT NOT NULL,  -- who keeps it and what for: experience/tool
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,  -- JSON object
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (user_no, topic, name)
) STRICT, WITHOUT ROWID;
