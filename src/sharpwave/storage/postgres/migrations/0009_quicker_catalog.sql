-- A catalog is made in a fraction of the time: words go into their index in its order, and none of
-- them looks up its user any more. They go with their entry, by the trigger, as before.

ALTER TABLE catalog_words DROP CONSTRAINT catalog_words_user_no_fkey;

CREATE OR REPLACE FUNCTION catalog_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_words (user_no, term, key, session_no, count, length, counted)
    SELECT a.user_no, w.term, a.key, a.session_no, w.count, a.length, a.counted
    FROM added a CROSS JOIN unnest(a.terms, a.counts) AS w (term, count) ORDER BY 1, 2, 3;
    INSERT INTO catalog_terms AS t (user_no, term, records)
    SELECT a.user_no, w.term, count(*) FILTER (WHERE a.counted)
    FROM added a CROSS JOIN unnest(a.terms) AS w (term) GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (user_no, term) DO UPDATE SET records = t.records + excluded.records;
    UPDATE catalog_sessions s SET length = s.length + m.length FROM (
        SELECT user_no, session_no, sum(length) AS length FROM added WHERE counted GROUP BY 1, 2
    ) m WHERE s.user_no = m.user_no AND s.session_no = m.session_no;
    UPDATE catalog c
    SET entries = c.entries + m.entries, records = c.records + m.records,
        length = c.length + m.length
    FROM (
        SELECT user_no, count(*) AS entries, count(*) FILTER (WHERE counted) AS records,
               coalesce(sum(length) FILTER (WHERE counted), 0) AS length
        FROM added GROUP BY 1
    ) m WHERE c.user_no = m.user_no;
    RETURN NULL;
END $$;
