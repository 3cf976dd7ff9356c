-- The vectors of the catalog, as pgvector keeps them. Made once that extension is there; a large
-- user gets a graph of their own (`catalog_near_<user_no>`), since one for all finds nobody.

CREATE TABLE IF NOT EXISTS catalog_vectors (
    user_no bigint NOT NULL REFERENCES catalog (user_no) ON DELETE CASCADE,
    key     bigint NOT NULL,
    vector  halfvec NOT NULL,
    PRIMARY KEY (user_no, key),
    FOREIGN KEY (user_no, key) REFERENCES catalog_entries (user_no, key) ON DELETE CASCADE
);
ALTER TABLE catalog_vectors ALTER COLUMN vector SET STATISTICS 0;
ALTER TABLE catalog_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE catalog_vectors FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own_rows ON catalog_vectors;
CREATE POLICY own_rows ON catalog_vectors USING (
    user_no = (SELECT coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint)
    OR (SELECT current_setting('sharpwave.everyone', true) = 'on')
);
