"""The database's own search, for users too large to be held in memory."""
