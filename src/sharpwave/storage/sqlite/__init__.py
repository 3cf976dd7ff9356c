"""The default store: one SQLite file, optionally encrypted, safe for several processes."""
