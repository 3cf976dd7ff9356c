-- A job that had failed and is queued again is told of too.

CREATE TRIGGER ring_for_retry AFTER UPDATE OF state ON jobs
    FOR EACH ROW WHEN (OLD.state = 'failed' AND NEW.state = 'waiting')
    EXECUTE FUNCTION ring_for_job();
