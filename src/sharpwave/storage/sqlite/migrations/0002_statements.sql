-- Facts, tasks and notes: what they say, what they compete for, and what they rest on.

ALTER TABLE memories ADD COLUMN statement TEXT;  -- JSON: subject, predicate, object, negated, due
ALTER TABLE memories ADD COLUMN slot TEXT;  -- normal name of the subject, then the predicate
ALTER TABLE memories ADD COLUMN state TEXT NOT NULL DEFAULT 'active' CHECK (
    state IN ('active', 'uncertain', 'stale', 'stalled', 'done', 'superseded', 'invalidated',
              'quarantined')
);
ALTER TABLE memories ADD COLUMN superseded_by TEXT;
ALTER TABLE memories ADD COLUMN rival TEXT;
ALTER TABLE memories ADD COLUMN former TEXT;  -- how it stood before a quarantine

CREATE INDEX memories_slot ON memories (user_no, slot) WHERE slot IS NOT NULL;
CREATE INDEX memories_superseded_by ON memories (user_no, superseded_by)
    WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_rival ON memories (user_no, rival) WHERE rival IS NOT NULL;

-- What a derived record rests on. With the last of its evidence it is forgotten itself.
CREATE TABLE evidence (
    key    INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
    parent INTEGER NOT NULL,
    PRIMARY KEY (key, parent)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_parent ON evidence (parent, key);

-- Names, and the records that mention them.
CREATE TABLE mentions (
    user_no    INTEGER NOT NULL,
    entity_key TEXT NOT NULL,
    key        INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    PRIMARY KEY (user_no, entity_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_key ON mentions (key);

-- Work for later.
CREATE TABLE jobs (
    job_no       INTEGER PRIMARY KEY AUTOINCREMENT,
    user_no      INTEGER NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    kind         TEXT NOT NULL,
    payload      TEXT NOT NULL,  -- JSON: ids and numbers, never text
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    attempts     INTEGER NOT NULL DEFAULT 0,
    not_before   INTEGER NOT NULL,
    leased_until INTEGER,
    lease        INTEGER NOT NULL DEFAULT 0,  -- counts leases: an overtaken worker cannot finish
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    error        TEXT
) STRICT;

CREATE INDEX jobs_due ON jobs (state, not_before) WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_user ON jobs (user_no, job_no);

-- What models cost a user on a day.
CREATE TABLE spending (
    user_no       INTEGER NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    day           TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL NOT NULL,
    PRIMARY KEY (user_no, day)
) STRICT, WITHOUT ROWID;

-- What a user agreed to, or not. Purposes not named here follow the settings.
CREATE TABLE consents (
    user_no INTEGER NOT NULL REFERENCES users (user_no) ON DELETE CASCADE,
    purpose TEXT NOT NULL,
    granted INTEGER NOT NULL CHECK (granted IN (0, 1)),
    at      INTEGER NOT NULL,
    PRIMARY KEY (user_no, purpose)
) STRICT, WITHOUT ROWID;
