-- Whoever listens on the channel `sharpwave` is told at the commit what there is to look for: a job,
-- or an event of somebody (a digest, as `storage/bells.py` makes it), never what it says. A listener
-- who was away has missed it, and looks.

-- One user's jobs are taken on one after the other.
CREATE INDEX jobs_of_user ON jobs (user_no, not_before, job_no)
    WHERE state IN ('waiting', 'running');

CREATE FUNCTION ring_for_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('sharpwave', 'events ' || coalesce(
        (SELECT encode(substr(sha256(convert_to(user_id, 'UTF8')), 1, 8), 'hex')
         FROM users WHERE user_no = NEW.user_no), ''));
    RETURN NULL;
END $$;
CREATE TRIGGER ring AFTER INSERT ON outbox
    FOR EACH ROW EXECUTE FUNCTION ring_for_event();

CREATE FUNCTION ring_for_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' OR EXISTS (
        SELECT 1 FROM jobs WHERE user_no = NEW.user_no AND state = 'waiting'
    ) THEN
        PERFORM pg_notify('sharpwave', 'jobs');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ring AFTER INSERT ON jobs
    FOR EACH ROW EXECUTE FUNCTION ring_for_job();
CREATE TRIGGER ring_for_next AFTER UPDATE OF state ON jobs
    FOR EACH ROW WHEN (OLD.state = 'running' AND NEW.state <> 'running')
    EXECUTE FUNCTION ring_for_job();
