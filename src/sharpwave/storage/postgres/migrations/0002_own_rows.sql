-- Nobody sees another's rows: a transaction says whose it is about (statements `user`, `lock_user`
-- and `add_user`) and sees and writes only those, even if a statement forgot to say so. Forced, so
-- that it holds for the owner of the tables too; a superuser is refused when the store is opened.

ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memories USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON vectors USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON evidence USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE mentions ENABLE ROW LEVEL SECURITY;
ALTER TABLE mentions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON mentions USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE tombstones ENABLE ROW LEVEL SECURITY;
ALTER TABLE tombstones FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON tombstones USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
ALTER TABLE snapshots FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON snapshots USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON outbox USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR user_no = 0
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON jobs USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE spending FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON spending USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE consents ENABLE ROW LEVEL SECURITY;
ALTER TABLE consents FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON consents USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);

ALTER TABLE tallies ENABLE ROW LEVEL SECURITY;
ALTER TABLE tallies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON tallies USING (
    user_no = coalesce(nullif(current_setting('sharpwave.user_no', true), ''), '-1')::bigint
    OR current_setting('sharpwave.everyone', true) = 'on'
);
